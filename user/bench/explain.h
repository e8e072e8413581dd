/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an errno of a zcrx registration or of a receive may mean, and what mends it: the errno is
 * all that the kernel gives to the process itself. Called by user/bench/recv_zcrx.c.
 */
#ifndef ZCQ_BENCH_EXPLAIN_H
#define ZCQ_BENCH_EXPLAIN_H

#include "bench/zcrx.h"

/*
 * Reports a failed registration: what was tried, errno, possible reasons with their cure.
 * Returns the exit status: ZCQ_EXIT_UNSUPPORTED where this kernel or NIC can't, else _FAILED.
 */
int zcq_explain_register(int err, const struct zcq_zcrx_cfg *cfg);

/* The possible reason number i of a failed registration; NULL: there is none more. */
const char *zcq_explain_reason(int err, const struct zcq_zcrx_cfg *cfg, unsigned int i);

/* Why a receive ended with err; NULL: nothing to add to the errno. */
const char *zcq_explain_recv(int err);

#endif
