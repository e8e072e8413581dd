/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for the end of a zcrx instance: the kernel takes a ring down in the background, so
 * that after close() its queue is still bound for a while, and would refuse the next instance
 * with EEXIST. Called by user/bench/recv_zcrx.c and tests/tools/zcrx_exercise.c.
 */
#ifndef ZCQ_BENCH_UNBOUND_H
#define ZCQ_BENCH_UNBOUND_H

#include <stdint.h>

/*
 * Returns when no io_uring instance feeds the queue any more: 0; -ETIMEDOUT after limit_ms; else
 * -errno: this kernel doesn't tell, or there is no such netdev.
 */
int zcq_wait_unbound(const char *ifname, uint32_t queue, unsigned int limit_ms);

#endif
