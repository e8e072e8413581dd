/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a bench run found, and how it is written: one walk a record for text and JSON.
 * Filled by user/bench/recv*.c and send.c, printed by user/cmd/bench.c.
 */
#ifndef ZCQ_BENCH_RESULT_H
#define ZCQ_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "bench/net.h"
#include "bench/stream.h"

#define ZCQ_BENCH_ERRNOS	256
#define ZCQ_BENCH_SIZES		33	/* sizes up to 2^32 */
#define ZCQ_BENCH_FAULTS	16	/* described one by one; more are only counted */

/* A stream that was not right, or a connection that failed. */
struct zcq_bench_fault {
	char peer[ZCQ_ADDR_TEXT];
	enum zcq_stream_fault fault;
	uint64_t offset;	/* in the stream */
	uint8_t got, want;	/* BAD_BYTE only */
};

/* One connection, for --per-connection. */
struct zcq_bench_conn {
	char peer[ZCQ_ADDR_TEXT], local[ZCQ_ADDR_TEXT];
	uint64_t bytes;
	uint32_t napi_id;	/* 0: unknown */
	int err;		/* 0 or -errno that ended it */
	enum zcq_stream_fault fault;
	bool open;		/* was still open at the end */
};

struct zcq_bench_result {
	/* what was run */
	const char *engine;	/* "zcrx", "epoll"; NULL for the sender */
	const char *ifname;	/* NULL: none */
	uint32_t queue;
	bool nodev;
	uint16_t port;
	uint64_t area_bytes;	/* zcrx only from here */
	uint32_t rx_buf_len, nr_bufs, refill_entries;

	/* what happened */
	const char *ended;	/* "connections", "bytes", "duration", "signal", "error", "done" */
	bool reached;		/* the asked-for end was reached (also: none was asked for) */
	uint64_t bytes;		/* of all streams, frame headers included */
	bool split_known;	/* zero-copied and copied are known */
	uint64_t copied_bytes;
	bool stats_known;	/* the kernel keeps statistics for the instance: */
	uint64_t kernel_copy_count, kernel_copy_bytes;
	uint64_t accepted, finished, failed, unfinished;
	uint64_t faults;	/* streams not right */
	uint64_t reads;		/* data CQEs, or recv() calls that gave data */
	uint64_t sizes[ZCQ_BENCH_SIZES];	/* [i]: reads of more than 2^(i-1), up to 2^i bytes */
	uint64_t rearmed[ZCQ_BENCH_ERRNOS];	/* receives armed again after this errno */
	uint64_t errors[ZCQ_BENCH_ERRNOS];	/* connections ended by this errno */
	uint64_t flushes, refill_full;
	uint64_t kicks;		/* polls of NAPI forced while it was quiet */
	uint64_t held, held_max;	/* buffers kept back: at the end, at most */
	uint64_t connect_retries;	/* sender only from here */
	uint64_t zc_sends, zc_copied_sends;
	bool zerocopy;

	uint64_t start_ns, end_ns;	/* first connection to last byte, CLOCK_MONOTONIC; 0: none came */
	struct rusage start_usage, end_usage;
	struct zcq_bench_fault first_faults[ZCQ_BENCH_FAULTS];
};

uint64_t zcq_bench_now(void);

/* Time and CPU time from here on count; only the first call does something. */
void zcq_bench_started(struct zcq_bench_result *r);
/* Up to here the clock runs; called again and again. */
void zcq_bench_progress(struct zcq_bench_result *r);
/* All is done: takes the CPU time, before anything is torn down. */
void zcq_bench_stopped(struct zcq_bench_result *r);

void zcq_bench_count_size(struct zcq_bench_result *r, uint32_t len);
void zcq_bench_count_errno(uint64_t counts[ZCQ_BENCH_ERRNOS], int err);
void zcq_bench_add_fault(struct zcq_bench_result *r, const char *peer, const struct zcq_stream *s);

/* Every byte right, nothing failed, and the asked-for end reached. */
bool zcq_bench_ok(const struct zcq_bench_result *r);

/*
 * Prints the connections that were asked for and the result on f, as JSON or tables; faults
 * and errors are told on stderr too. 0 or the write error as -errno.
 */
int zcq_bench_print(FILE *f, bool json, const struct zcq_bench_result *r,
		    const struct zcq_bench_conn *conns, size_t nr_conns);

#endif
