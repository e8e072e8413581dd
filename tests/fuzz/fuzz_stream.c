// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the checker of bench streams: the verdict may not depend on how the bytes were cut into
 * pieces, and a stream of our own maker with one byte changed is never good. libFuzzer;
 * built by the Makefile.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/stream.h"

static struct zcq_stream check(const uint8_t *data, size_t size, size_t piece)
{
	struct zcq_stream s = { 0 };

	for (size_t at = 0; at < size; at += piece)
		zcq_stream_feed(&s, data + at, size - at < piece ? size - at : piece);
	zcq_stream_end(&s);
	return s;
}

static void changed_byte(const uint8_t *data, size_t size)
{
	static uint8_t made[4096];
	uint16_t total, at;
	struct zcq_stream_source src = { 0 };
	size_t len = 0, n;

	memcpy(&total, data, 2);
	memcpy(&at, data + 2, 2);
	memcpy(&src.seed, data + 4, 8);
	src.total = ZCQ_STREAM_HEADER + total % 3000;
	while ((n = zcq_stream_make(&src, made + len, sizeof(made) - len)))
		len += n;
	if (len != src.total || check(made, len, 7).fault != ZCQ_STREAM_GOOD)
		abort();
	made[at % len] ^= data[size - 1] | 1;
	if (check(made, len, 1500).fault == ZCQ_STREAM_GOOD)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zcq_stream whole, cut;

	if (size < 13)
		return 0;
	whole = check(data + 1, size - 1, size);
	cut = check(data + 1, size - 1, 1 + data[0]);
	if (whole.fault != cut.fault || whole.fault_offset != cut.fault_offset)
		abort();
	changed_byte(data, size);
	return 0;
}
