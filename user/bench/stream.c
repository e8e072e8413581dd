// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of bench streams, made and checked; see stream.h. The header has a sum of
 * its own, so that a damaged length is reported where it is and not as pattern that is wrong later.
 */
#include "bench/stream.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "bench/pattern.h"

#define MAGIC		0x31304843424e5143ULL
#define FLAG_LAST	1U

struct header {		/* on the wire, little endian */
	uint64_t magic;
	uint64_t seed;
	uint64_t pos;	/* pattern bytes in the frames before */
	uint64_t len;	/* pattern bytes in this one */
	uint32_t flags;
	uint32_t sum;	/* of all before it */
};

_Static_assert(sizeof(struct header) == ZCQ_STREAM_HEADER, "frame header");

static uint32_t header_sum(const struct header *h)
{
	const uint8_t *p = (const uint8_t *)h;
	uint32_t sum = 2166136261U;
	size_t i;

	for (i = 0; i < offsetof(struct header, sum); i++)
		sum = (sum ^ p[i]) * 16777619U;
	return sum;
}

static int fault(struct zcq_stream *s, enum zcq_stream_fault what, uint64_t offset)
{
	s->fault = what;
	s->fault_offset = offset;
	return -EBADMSG;
}

/* A whole header has come; at is its offset in the stream. */
static int begin_frame(struct zcq_stream *s, uint64_t at)
{
	struct header h;

	memcpy(&h, s->header, sizeof(h));
	if (le64toh(h.magic) != MAGIC || le32toh(h.sum) != header_sum(&h) ||
	    (s->started && le64toh(h.seed) != s->seed) || le64toh(h.pos) != s->pos)
		return fault(s, ZCQ_STREAM_BAD_HEADER, at);
	s->started = true;
	s->seed = le64toh(h.seed);
	s->left = le64toh(h.len);
	s->last = le32toh(h.flags) & FLAG_LAST;
	s->have = 0;
	return 0;
}

bool zcq_stream_complete(const struct zcq_stream *s)
{
	return s->last && !s->left;
}

static size_t feed_header(struct zcq_stream *s, const uint8_t *p, size_t len)
{
	size_t n = ZCQ_STREAM_HEADER - s->have;

	if (n > len)
		n = len;
	memcpy(s->header + s->have, p, n);
	s->have += n;
	return n;
}

int zcq_stream_feed(struct zcq_stream *s, const void *data, size_t len)
{
	uint64_t at = s->bytes;
	const uint8_t *p = data;

	s->bytes += len;
	if (s->fault)
		return -EBADMSG;
	while (len) {
		size_t n, good;

		if (zcq_stream_complete(s))
			return fault(s, ZCQ_STREAM_TRAILING, at);
		if (!s->left) {
			n = feed_header(s, p, len);
			if (s->have == ZCQ_STREAM_HEADER &&
			    begin_frame(s, at + n - ZCQ_STREAM_HEADER))
				return -EBADMSG;
		} else {
			n = s->left < len ? s->left : len;
			good = zcq_pattern_check(p, n, s->seed, s->pos);
			if (good != n) {
				s->fault_got = p[good];
				s->fault_want = zcq_pattern_byte(s->seed, s->pos + good);
				return fault(s, ZCQ_STREAM_BAD_BYTE, at + good);
			}
			s->pos += n;
			s->left -= n;
		}
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

int zcq_stream_end(struct zcq_stream *s)
{
	if (s->fault)
		return -EBADMSG;
	if (!zcq_stream_complete(s))
		return fault(s, ZCQ_STREAM_SHORT, s->bytes);
	return 0;
}

const char *zcq_stream_fault_name(enum zcq_stream_fault what)
{
	static const char *const names[] = {
		[ZCQ_STREAM_GOOD] = "good",
		[ZCQ_STREAM_BAD_HEADER] = "bad_header",
		[ZCQ_STREAM_BAD_BYTE] = "bad_byte",
		[ZCQ_STREAM_SHORT] = "short",
		[ZCQ_STREAM_TRAILING] = "trailing",
	};

	return names[what];
}

/*
 * How long the next frame is, header included. What remains after it must be nothing
 * or hold at least a header.
 */
static uint64_t next_frame(const struct zcq_stream_source *src)
{
	uint64_t rest, size = ZCQ_STREAM_FRAME;

	if (src->stop)
		return ZCQ_STREAM_HEADER;
	if (!src->total)
		return size;
	rest = src->total - src->made;
	if (rest <= size)
		return rest;
	if (rest - size < ZCQ_STREAM_HEADER)
		size -= ZCQ_STREAM_HEADER;
	return size;
}

static void make_header(struct zcq_stream_source *src, void *buf)
{
	uint64_t size = next_frame(src);
	struct header h;

	src->last = src->stop || (src->total && src->made + size == src->total);
	src->left = size - ZCQ_STREAM_HEADER;
	h = (struct header){
		.magic = htole64(MAGIC), .seed = htole64(src->seed), .pos = htole64(src->pos),
		.len = htole64(src->left), .flags = htole32(src->last ? FLAG_LAST : 0),
	};
	h.sum = htole32(header_sum(&h));
	memcpy(buf, &h, sizeof(h));
	src->made += sizeof(h);
}

size_t zcq_stream_make(struct zcq_stream_source *src, void *buf, size_t cap)
{
	uint8_t *p = buf;
	size_t n = 0;

	for (;;) {
		size_t len = src->left < cap - n ? src->left : cap - n;

		zcq_pattern_fill(p + n, len, src->seed, src->pos);
		src->pos += len;
		src->left -= len;
		src->made += len;
		n += len;
		if (src->left || src->last || cap - n < ZCQ_STREAM_HEADER)
			return n;
		make_header(src, p + n);
		n += ZCQ_STREAM_HEADER;
	}
}
