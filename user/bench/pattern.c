// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Word i (8 bytes, little endian) of a stream is x ^ (x >> 32) with x = seed + i * STEP: one
 * add and one xorshift a word, no state, so that compilers turn the loops over a block into
 * vector code. STEP is odd and far from any simple ratio: neighbouring words differ in every byte.
 */
#include "bench/pattern.h"

#include <endian.h>
#include <string.h>

#define STEP	0x9e3779b97f4a7c15ULL
#define BLOCK	64	/* words made or compared at a time */

static inline uint64_t word(uint64_t x)
{
	return htole64(x ^ (x >> 32));
}

uint8_t zcq_pattern_byte(uint64_t seed, uint64_t pos)
{
	uint64_t w = word(seed + (pos / 8) * STEP);
	uint8_t bytes[8];

	memcpy(bytes, &w, sizeof(bytes));
	return bytes[pos % 8];
}

uint64_t zcq_pattern_seed(uint64_t base, uint64_t i)
{
	uint64_t x = base + (i + 1) * STEP;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Bytes before the next multiple of 8, at most len. */
static size_t head_of(uint64_t pos, size_t len)
{
	size_t head = -pos & 7;

	return head < len ? head : len;
}

void zcq_pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t pos)
{
	size_t i, head = head_of(pos, len);
	uint64_t block[BLOCK], x;
	uint8_t *p = buf;

	for (i = 0; i < head; i++)
		p[i] = zcq_pattern_byte(seed, pos + i);
	p += head;
	pos += head;
	len -= head;
	for (x = seed + (pos / 8) * STEP; len >= sizeof(block); x += BLOCK * STEP) {
		for (i = 0; i < BLOCK; i++)
			block[i] = word(x + i * STEP);
		memcpy(p, block, sizeof(block));
		p += sizeof(block);
		pos += sizeof(block);
		len -= sizeof(block);
	}
	for (i = 0; i < len; i++)
		p[i] = zcq_pattern_byte(seed, pos + i);
}

static size_t check_bytes(const uint8_t *p, size_t len, uint64_t seed, uint64_t pos)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] != zcq_pattern_byte(seed, pos + i))
			break;
	return i;
}

size_t zcq_pattern_check(const void *buf, size_t len, uint64_t seed, uint64_t pos)
{
	size_t i, good = head_of(pos, len);
	uint64_t block[BLOCK], x;
	const uint8_t *p = buf;

	i = check_bytes(p, good, seed, pos);
	if (i != good)
		return i;
	for (x = seed + ((pos + good) / 8) * STEP; len - good >= sizeof(block); x += BLOCK * STEP) {
		uint64_t diff = 0;

		memcpy(block, p + good, sizeof(block));
		for (i = 0; i < BLOCK; i++)
			diff |= block[i] ^ word(x + i * STEP);
		if (diff)
			break;
		good += sizeof(block);
	}
	return good + check_bytes(p + good, len - good, seed, pos + good);
}
