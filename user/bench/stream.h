/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What travels in one bench connection: frames, each a header with seed, position and length and
 * then that much pattern, until one that says it is the last. So a receiver
 * needs no word from the sender beforehand, and knows a stream that is cut short, goes on after its
 * end, or is somebody else's. Called by user/bench/recv*.c and send.c; no I/O in here.
 */
#ifndef ZCQ_BENCH_STREAM_H
#define ZCQ_BENCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZCQ_STREAM_HEADER	40U		/* bytes of a frame's header: the shortest stream */
#define ZCQ_STREAM_FRAME	(1U << 20)	/* bytes of a whole frame, header included */

enum zcq_stream_fault {
	ZCQ_STREAM_GOOD,
	ZCQ_STREAM_BAD_HEADER,	/* not a header of ours, or not the one due here */
	ZCQ_STREAM_BAD_BYTE,	/* a byte that isn't the pattern's */
	ZCQ_STREAM_SHORT,	/* ended before its last frame did */
	ZCQ_STREAM_TRAILING,	/* went on after its last frame */
};

/* The checker of one stream; all zero at the start. */
struct zcq_stream {
	uint64_t bytes;		/* all that came, headers included */
	uint64_t seed;
	uint64_t pos;		/* pattern bytes so far */
	uint64_t left;		/* pattern bytes of this frame still to come */
	bool started;		/* seed is known */
	bool last;		/* this frame is the last one */
	uint8_t have;		/* bytes in header[] */
	uint8_t header[ZCQ_STREAM_HEADER];

	enum zcq_stream_fault fault;	/* the first; nothing is checked after it */
	uint64_t fault_offset;	/* in the stream, headers counted */
	uint8_t fault_got, fault_want;	/* BAD_BYTE only */
};

/* Checks what came next. 0, or -EBADMSG at the first fault and from then on. */
int zcq_stream_feed(struct zcq_stream *s, const void *data, size_t len);

/* The stream ended: 0 if it was whole and right, else -EBADMSG. */
int zcq_stream_end(struct zcq_stream *s);

/* Whether the last frame is there entirely: an end now is a good end. */
bool zcq_stream_complete(const struct zcq_stream *s);

const char *zcq_stream_fault_name(enum zcq_stream_fault fault);

/* The maker of one stream. */
struct zcq_stream_source {
	uint64_t seed;
	uint64_t pos;
	uint64_t total;		/* bytes to send in all, headers included; 0: until stopped */
	uint64_t made;		/* bytes made so far, headers included */
	uint64_t left;		/* of this frame */
	bool stop;		/* set by the owner: end with this frame */
	bool last;		/* the last frame has begun */
};

/* Makes up to cap bytes (cap >= ZCQ_STREAM_HEADER) of what is next; 0: the stream is whole. */
size_t zcq_stream_make(struct zcq_stream_source *src, void *buf, size_t cap);

#endif
