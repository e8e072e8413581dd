// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toeplitz.c - see toeplitz.h. At most 288 steps per frame: the clear form is
 * fast enough here, no tables.
 */
#include <assert.h>

#include "toeplitz.h"

u32 toeplitz_hash(const u8 key[TOEPLITZ_KEY_LEN], const u8 *input, size_t len)
{
	u64 window = get_be64(key);	/* the upper 32 bits are the ones to xor in */
	u32 hash = 0;

	assert(len <= TOEPLITZ_MAX_INPUT);
	for (size_t i = 0; i < len; i++) {
		for (int bit = 7; bit >= 0; bit--) {
			if (input[i] >> bit & 1)
				hash ^= window >> 32;
			window <<= 1;
		}
		if (i + 8 < TOEPLITZ_KEY_LEN)
			window |= key[i + 8];
	}
	return hash;
}
