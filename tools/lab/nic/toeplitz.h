/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toeplitz.h - the hash of receive side scaling as Microsoft published it and
 * every NIC computes it: for each bit set in the input, xor in the 32 bits of
 * the key that start at that bit's position. Knows no device.
 */
#ifndef NIC_TOEPLITZ_H
#define NIC_TOEPLITZ_H

#include "types.h"

#define TOEPLITZ_KEY_LEN 40
/* The longest input: two IPv6 addresses and two ports. */
#define TOEPLITZ_MAX_INPUT (TOEPLITZ_KEY_LEN - 4)

/* len is at most TOEPLITZ_MAX_INPUT; bytes of key and input in network order. */
u32 toeplitz_hash(const u8 key[TOEPLITZ_KEY_LEN], const u8 *input, size_t len);

#endif /* NIC_TOEPLITZ_H */
