/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an errno of a zcrx registration or of a receive means, and what mends it. The errno is
 * all that the kernel gives to the process itself; what the netdev is set to tells the rest.
 * Called by user/bench/recv_zcrx.c.
 */
#ifndef ZCQ_BENCH_EXPLAIN_H
#define ZCQ_BENCH_EXPLAIN_H

#include "bench/zcrx.h"
#include "lib/nic/state.h"

#define ZCQ_REASONS 8

/* Rows of the table of reasons that come into question. */
struct zcq_reasons {
	const char *texts[ZCQ_REASONS];	/* with {if}, {rx} for the netdev and its number of rx queues */
	size_t n;
	bool certain;			/* the one text is what it was; else one of them */
};

/* state: of cfg's netdev when it failed; NULL: unknown, or there is no netdev. */
void zcq_explain_reasons(int err, const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *state,
			 struct zcq_reasons *reasons);

/*
 * Reports a failed registration: what was tried, errno, the reason or those possible, with
 * their cure. Looks at the netdev. Returns the exit status: ZCQ_EXIT_UNSUPPORTED where this
 * kernel or NIC can't, else _FAILED.
 */
int zcq_explain_register(int err, const struct zcq_zcrx_cfg *cfg);

/* Why a receive ended with err; NULL: nothing to add to the errno. */
const char *zcq_explain_recv(int err);

#endif
