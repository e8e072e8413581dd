/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench sender: many connections from one thread. Called by user/cmd/bench.c.
 */
#ifndef ZCQ_BENCH_SEND_H
#define ZCQ_BENCH_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/net.h"
#include "bench/result.h"

struct zcq_send_cfg {
	struct sockaddr_storage dst;	/* with port */
	struct sockaddr_storage src;	/* ss_family 0: any */
	uint32_t source_port;		/* of the first connection, the next has the next; 0: any */
	uint32_t connections;
	uint64_t bytes;			/* each connection, headers included; 0: until stopped */
	uint64_t duration_ns;		/* 0: none */
	uint64_t chunk;			/* bytes a send() */
	uint64_t rate;			/* bytes/s of all together, 0: no limit */
	uint32_t mss;			/* 0: the kernel's */
	uint64_t timeout_ns;		/* how long connecting is tried */
	uint64_t idle_ns;		/* how long a connection may make no progress, 0: for ever */
	uint64_t seed;
	bool zerocopy;			/* MSG_ZEROCOPY */
	bool hold_open;			/* don't close before a signal comes */
	uint32_t cpu;
	bool pin;			/* cpu was given */
	bool per_connection;
};

/*
 * Runs to its end and fills *res; *conns gets --per-connection's records (caller frees).
 * 0, or -errno after its own message: there is no result then. The caller has blocked INT and
 * TERM.
 */
int zcq_send_run(const struct zcq_send_cfg *cfg, struct zcq_bench_result *res,
		 struct zcq_bench_conn **conns, size_t *nr_conns);

#endif
