/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection of the bench sender: connecting, sending pieces of its stream, closing. It
 * never blocks and knows nothing of the others. Called by user/bench/send.c.
 */
#ifndef ZCQ_BENCH_SEND_CONN_H
#define ZCQ_BENCH_SEND_CONN_H

#include "bench/send.h"
#include "bench/stream.h"

#define ZCQ_SEND_BUFS	4	/* in flight with MSG_ZEROCOPY; one without */
#define ZCQ_SEND_IDS	1024	/* zero-copy sends without an answer, power of two */

enum zcq_send_state {
	ZCQ_SEND_IDLE,		/* to be connected (again) at next_try_ns */
	ZCQ_SEND_CONNECTING,
	ZCQ_SEND_SENDING,
	ZCQ_SEND_HOLDING,	/* all sent, --hold-open */
	ZCQ_SEND_CLOSING,	/* our end is shut, waiting for the peer's */
	ZCQ_SEND_DONE,
};

struct zcq_send_buf {
	uint8_t *data;
	size_t len, sent;
	uint32_t in_flight;	/* zero-copy sends that still need the memory */
};

struct zcq_send_conn {
	int fd;			/* -1: none */
	uint32_t index;
	enum zcq_send_state state;
	bool writable;
	bool no_room;		/* waits for zero-copy completions */
	uint64_t next_try_ns, moved_ns;
	struct zcq_stream_source stream;
	struct zcq_send_buf bufs[ZCQ_SEND_BUFS];
	uint32_t nr_bufs, cur;
	uint32_t next_id, done_ids;	/* of zero-copy sends */
	uint8_t buf_of_id[ZCQ_SEND_IDS];
	struct zcq_bench_conn info;
};

/* Buffers and seed; the connection is not opened yet. 0 or -ENOMEM. */
int zcq_send_conn_init(struct zcq_send_conn *c, uint32_t index, const struct zcq_send_cfg *cfg);
void zcq_send_conn_free(struct zcq_send_conn *c);

/* Starts connecting. 0 or -errno; fd is then to be watched by the caller. */
int zcq_send_conn_open(struct zcq_send_conn *c, const struct zcq_send_cfg *cfg);

/* After the socket became writable while connecting. 0 or -errno. */
int zcq_send_conn_connected(struct zcq_send_conn *c);

/*
 * One send(). >0: bytes taken; 0: the stream is all sent; -EAGAIN: not now, writable or no_room
 * was changed; else -errno.
 */
ssize_t zcq_send_conn_push(struct zcq_send_conn *c, const struct zcq_send_cfg *cfg,
			   struct zcq_bench_result *res);

/* Takes zero-copy completions off the error queue. */
void zcq_send_conn_completions(struct zcq_send_conn *c, struct zcq_bench_result *res);

/* What the peer says: 0 nothing, 1 its orderly end, else -errno. */
int zcq_send_conn_peer(struct zcq_send_conn *c);

void zcq_send_conn_close(struct zcq_send_conn *c);

#endif
