/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench receiver: listeners, connections, checking and when to stop are common to
 * the engines; an engine (recv_zcrx.c, recv_epoll.c) moves the bytes. Called by user/cmd/bench.c.
 */
#ifndef ZCQ_BENCH_RECV_H
#define ZCQ_BENCH_RECV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/area.h"
#include "bench/result.h"
#include "bench/stream.h"
#include "lib/opt.h"

enum zcq_recv_engine { ZCQ_RECV_ZCRX, ZCQ_RECV_EPOLL };

struct zcq_recv_cfg {
	int engine;		/* enum zcq_recv_engine */
	const char *ifname;
	uint32_t queue;
	bool nodev;
	struct zcq_strv binds;	/* addresses; none: all */
	uint32_t port;
	uint64_t area_bytes;
	int area_type;		/* enum zcq_area_type */
	uint64_t rx_buf_len;	/* 0: the kernel's */
	uint32_t refill;	/* entries, 0: as many as buffers */
	uint32_t cq_entries;
	uint32_t hold;		/* buffers to keep back */
	bool no_kick;		/* never make a quiet queue's NAPI poll */
	uint64_t hold_for_ns;	/* 0: until the end or SIGUSR1 */
	uint64_t connections;	/* end after so many, 0: no such end */
	uint64_t bytes;		/* the same */
	uint64_t duration_ns;	/* the same, from the first connection on */
	uint64_t wait_ns;	/* end if no connection came in this time, 0: wait for ever */
	uint32_t cpu;
	bool pin;		/* cpu was given */
	uint32_t ready_fd;
	bool per_connection;
};

/* One connection. Its slot is used again after its end. */
struct zcq_recv_conn {
	int fd;			/* -1: slot is free */
	uint32_t slot;
	uint32_t next;		/* of the free slots, or of an engine's own list */
	struct zcq_stream stream;
	bool starved;		/* zcrx: receive ended for want of buffers, to be armed again */
	struct zcq_bench_conn info;
};

struct zcq_recv {
	const struct zcq_recv_cfg *cfg;
	struct zcq_bench_result *res;
	int *listeners;
	size_t nr_listeners;
	int signal_fd;
	struct zcq_recv_conn **conns;
	uint32_t nr_conns, cap_conns;
	uint32_t free_head;	/* UINT32_MAX: none */
	uint32_t nr_open;
	bool stop;
	uint64_t opened_ns;	/* ready since */
	struct zcq_bench_conn *done;	/* --per-connection */
	size_t nr_done, cap_done;
};

/*
 * Runs to its end and fills *res; *conns gets --per-connection's records (caller frees).
 * Returns the exit status if there is no result to print, else 0 (see zcq_bench_ok()).
 * The caller has blocked the signals it wants handled here: INT, TERM, USR1, USR2.
 */
int zcq_recv_run(const struct zcq_recv_cfg *cfg, struct zcq_bench_result *res,
		 struct zcq_bench_conn **conns, size_t *nr_conns);

/* For the engines. */

/* Engines return an exit status as above. */
int zcq_recv_engine_zcrx(struct zcq_recv *rx);
int zcq_recv_engine_epoll(struct zcq_recv *rx);

/* All is in place: starts listening's life for others; extra is appended to the ready line. */
void zcq_recv_ready(struct zcq_recv *rx, const char *extra);

/* A new connection; takes fd over. NULL: out of memory, fd is closed. */
struct zcq_recv_conn *zcq_recv_accepted(struct zcq_recv *rx, int fd);

/* Data, in order. A wrong stream is read on, so that its sender isn't stopped. */
void zcq_recv_data(struct zcq_recv *rx, struct zcq_recv_conn *conn, const void *data, size_t len);

/* End of a connection: err 0 for the peer's orderly end, else -errno. Closes and frees the slot. */
void zcq_recv_end(struct zcq_recv *rx, struct zcq_recv_conn *conn, int err);

/* Looks at duration and wait limits; returns ms until the next one, -1: none. */
int zcq_recv_timers(struct zcq_recv *rx);

/* Reads one signal; returns it, 0 if there is none. INT and TERM also set stop. */
int zcq_recv_signal(struct zcq_recv *rx);

#endif
