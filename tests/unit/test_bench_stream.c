// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pattern and the streams of bench: whole streams pass in any pieces, and each way to spoil one
 * is found, at the right offset.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/pattern.h"
#include "bench/stream.h"

#define SEED	0x0123456789abcdefULL

/* A whole stream of total bytes, made in pieces of up to cap bytes. */
static uint8_t *make_stream(uint64_t seed, uint64_t total, size_t cap)
{
	struct zcq_stream_source src = { .seed = seed, .total = total };
	uint8_t *buf = malloc(total), *piece = malloc(cap);
	uint64_t have = 0;
	size_t n;

	assert_non_null(buf);
	assert_non_null(piece);
	while ((n = zcq_stream_make(&src, piece, cap))) {
		assert_true(n <= cap && have + n <= total);
		memcpy(buf + have, piece, n);
		have += n;
	}
	assert_int_equal(have, total);
	free(piece);
	return buf;
}

static int feed_in_pieces(struct zcq_stream *s, const uint8_t *buf, size_t len, size_t piece)
{
	int err = 0;

	while (len) {
		size_t n = piece < len ? piece : len;

		err = zcq_stream_feed(s, buf, n) ?: err;
		buf += n;
		len -= n;
	}
	return err;
}

static void pattern_is_the_same_in_pieces(void **state)
{
	static const size_t starts[] = { 0, 1, 7, 8, 9, 511, 512, 513, 4093 };
	uint8_t whole[5000], part[5000];
	size_t i, len;

	(void)state;
	zcq_pattern_fill(whole, sizeof(whole), SEED, 0);
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (len = 0; len <= 901; len++) {
			if (starts[i] + len > sizeof(whole))
				break;
			zcq_pattern_fill(part, len, SEED, starts[i]);
			assert_memory_equal(part, whole + starts[i], len);
			assert_int_equal(zcq_pattern_check(part, len, SEED, starts[i]), len);
		}
	}
	for (i = 0; i < sizeof(whole); i++)
		assert_int_equal(whole[i], zcq_pattern_byte(SEED, i));
}

/* The wire format is fixed: another zcq, another machine must agree. */
static void pattern_has_known_bytes(void **state)
{
	static const uint8_t want[16] = {
		0x88, 0x88, 0x88, 0x88, 0x67, 0x45, 0x23, 0x01,
		0x25, 0xf5, 0xac, 0x97, 0x21, 0xbf, 0x5a, 0x9f,
	};
	uint8_t got[16];

	(void)state;
	zcq_pattern_fill(got, sizeof(got), SEED, 0);
	assert_memory_equal(got, want, sizeof(want));
}

static void pattern_check_finds_each_byte(void **state)
{
	uint8_t buf[1100];
	size_t i;

	(void)state;
	zcq_pattern_fill(buf, sizeof(buf), SEED, 3);
	for (i = 0; i < sizeof(buf); i++) {
		buf[i] ^= 1U << (i % 8);
		assert_int_equal(zcq_pattern_check(buf, sizeof(buf), SEED, 3), i);
		buf[i] ^= 1U << (i % 8);
	}
	assert_int_equal(zcq_pattern_check(buf, sizeof(buf), SEED, 3), sizeof(buf));
	/* Moved by a byte, by a page, or of another stream: seen in the first few bytes. */
	assert_true(zcq_pattern_check(buf, 64, SEED, 4) < 8);
	assert_true(zcq_pattern_check(buf, 64, SEED, 4099) < 8);
	assert_true(zcq_pattern_check(buf, 64, zcq_pattern_seed(SEED, 1), 3) < 8);
}

static void whole_streams_pass(void **state)
{
	static const uint64_t totals[] = {
		ZCQ_STREAM_HEADER, ZCQ_STREAM_HEADER + 1, 4096, 65537, ZCQ_STREAM_FRAME - 1,
		ZCQ_STREAM_FRAME, ZCQ_STREAM_FRAME + 1, ZCQ_STREAM_FRAME + ZCQ_STREAM_HEADER - 1,
		ZCQ_STREAM_FRAME + ZCQ_STREAM_HEADER, 3 * ZCQ_STREAM_FRAME + 17,
	};
	static const size_t pieces[] = { 39, 41, 4096, 65536, 1 << 22 };
	size_t t, p;

	(void)state;
	for (t = 0; t < sizeof(totals) / sizeof(totals[0]); t++) {
		uint8_t *buf = make_stream(SEED + t, totals[t], 1000 + 7 * t);

		for (p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
			struct zcq_stream s = { 0 };

			assert_int_equal(feed_in_pieces(&s, buf, totals[t], pieces[p]), 0);
			assert_true(zcq_stream_complete(&s));
			assert_int_equal(zcq_stream_end(&s), 0);
			assert_int_equal(s.bytes, totals[t]);
			assert_int_equal(s.seed, SEED + t);
		}
		free(buf);
	}
}

static void stopped_streams_end_well(void **state)
{
	struct zcq_stream_source src = { .seed = SEED };
	struct zcq_stream s = { 0 };
	uint8_t buf[10007];
	uint64_t made = 0;
	size_t n;
	int i;

	(void)state;
	for (i = 0; i < 300; i++) {
		n = zcq_stream_make(&src, buf, sizeof(buf));
		assert_true(n > 0);
		assert_int_equal(zcq_stream_feed(&s, buf, n), 0);
		made += n;
	}
	assert_false(zcq_stream_complete(&s));
	src.stop = true;
	while ((n = zcq_stream_make(&src, buf, sizeof(buf)))) {
		assert_int_equal(zcq_stream_feed(&s, buf, n), 0);
		made += n;
	}
	assert_int_equal(zcq_stream_end(&s), 0);
	assert_int_equal(s.bytes, made);
	assert_true(made <= 300 * sizeof(buf) + ZCQ_STREAM_FRAME + ZCQ_STREAM_HEADER);
}

static void expect_fault(const uint8_t *buf, size_t len, enum zcq_stream_fault fault, uint64_t offset)
{
	size_t piece;

	for (piece = 1; piece < 2 * len; piece = piece * 3 + 1) {
		struct zcq_stream s = { 0 };

		feed_in_pieces(&s, buf, len, piece);
		assert_int_equal(zcq_stream_end(&s), -EBADMSG);
		assert_int_equal(s.fault, fault);
		assert_int_equal(s.fault_offset, offset);
		assert_int_equal(s.bytes, len);
	}
}

static const size_t total = ZCQ_STREAM_FRAME + 50021;	/* two frames */

/* The first fault of a stream, fed in pages. */
static struct zcq_stream fault_of(const uint8_t *buf, size_t len)
{
	struct zcq_stream s = { 0 };

	feed_in_pieces(&s, buf, len, 4096);
	zcq_stream_end(&s);
	return s;
}

static void wrong_bytes_are_found(void **state)
{
	uint8_t *buf = make_stream(SEED, total, 65536);
	struct zcq_stream s;

	(void)state;
	buf[70001] ^= 0x10;
	expect_fault(buf, total, ZCQ_STREAM_BAD_BYTE, 70001);
	s = fault_of(buf, total);
	assert_int_equal(s.fault_got, buf[70001]);
	assert_int_equal(s.fault_want, buf[70001] ^ 0x10);
	buf[70001] ^= 0x10;
	buf[total - 1] ^= 1;
	expect_fault(buf, total, ZCQ_STREAM_BAD_BYTE, total - 1);
	free(buf);
}

static void wrong_headers_are_found(void **state)
{
	uint8_t *buf = make_stream(SEED, total, 65536);
	size_t i;

	(void)state;
	for (i = 0; i < ZCQ_STREAM_HEADER; i++) {
		buf[i] ^= 0x80;
		assert_int_equal(fault_of(buf, total).fault, ZCQ_STREAM_BAD_HEADER);
		assert_int_equal(fault_of(buf, total).fault_offset, 0);
		buf[i] ^= 0x80;
		buf[ZCQ_STREAM_FRAME + i] ^= 0x80;
		assert_int_equal(fault_of(buf, total).fault, ZCQ_STREAM_BAD_HEADER);
		assert_int_equal(fault_of(buf, total).fault_offset, ZCQ_STREAM_FRAME);
		buf[ZCQ_STREAM_FRAME + i] ^= 0x80;
	}
	free(buf);
}

static void wrong_ends_are_found(void **state)
{
	uint8_t *buf = make_stream(SEED, total, 65536);
	struct zcq_stream s = { 0 };

	(void)state;
	/* Cut between frames, in a header, in a frame, at once. */
	expect_fault(buf, ZCQ_STREAM_FRAME, ZCQ_STREAM_SHORT, ZCQ_STREAM_FRAME);
	expect_fault(buf, ZCQ_STREAM_FRAME + 39, ZCQ_STREAM_SHORT, ZCQ_STREAM_FRAME + 39);
	expect_fault(buf, total - 1, ZCQ_STREAM_SHORT, total - 1);
	expect_fault(buf, 39, ZCQ_STREAM_SHORT, 39);
	assert_int_equal(zcq_stream_end(&s), -EBADMSG);
	assert_int_equal(s.fault, ZCQ_STREAM_SHORT);

	buf = realloc(buf, total + 1);
	assert_non_null(buf);
	buf[total] = 0;
	expect_fault(buf, total + 1, ZCQ_STREAM_TRAILING, total);
	free(buf);
}

/* A page lost, a page doubled, a frame of another stream. */
static void misplaced_data_is_found(void **state)
{
	uint8_t *good = make_stream(SEED, total, 65536), *bad = malloc(total);
	uint8_t *other = make_stream(SEED + 1, total, 65536);
	struct zcq_stream s;

	(void)state;
	assert_non_null(bad);
	memcpy(bad, good, 8192);
	memcpy(bad + 8192, good + 12288, total - 12288);
	s = fault_of(bad, total - 4096);
	assert_int_equal(s.fault, ZCQ_STREAM_BAD_BYTE);
	assert_true(s.fault_offset >= 8192 && s.fault_offset < 8200);

	memcpy(bad, good, total);
	memcpy(bad + 12288, good + 8192, 4096);
	s = fault_of(bad, total);
	assert_int_equal(s.fault, ZCQ_STREAM_BAD_BYTE);
	assert_true(s.fault_offset >= 12288 && s.fault_offset < 12296);

	memcpy(bad, good, total);
	memcpy(bad + ZCQ_STREAM_FRAME, other + ZCQ_STREAM_FRAME, total - ZCQ_STREAM_FRAME);
	expect_fault(bad, total, ZCQ_STREAM_BAD_HEADER, ZCQ_STREAM_FRAME);
	free(good);
	free(bad);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pattern_is_the_same_in_pieces),
		cmocka_unit_test(pattern_has_known_bytes),
		cmocka_unit_test(pattern_check_finds_each_byte),
		cmocka_unit_test(whole_streams_pass),
		cmocka_unit_test(stopped_streams_end_well),
		cmocka_unit_test(wrong_bytes_are_found),
		cmocka_unit_test(wrong_headers_are_found),
		cmocka_unit_test(wrong_ends_are_found),
		cmocka_unit_test(misplaced_data_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
