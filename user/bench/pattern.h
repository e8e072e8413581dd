/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes that bench senders send and bench receivers expect: a function of a seed and of
 * the position in the stream alone, so any piece can be made or checked by itself, and data
 * that was lost, doubled, moved or taken from another stream shows. Called by
 * user/bench/stream.c.
 */
#ifndef ZCQ_BENCH_PATTERN_H
#define ZCQ_BENCH_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* Writes the bytes of positions pos .. pos + len - 1. */
void zcq_pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t pos);

/* How many bytes of buf are right before the first wrong one; len: all. */
size_t zcq_pattern_check(const void *buf, size_t len, uint64_t seed, uint64_t pos);

/* The one byte at pos. */
uint8_t zcq_pattern_byte(uint64_t seed, uint64_t pos);

/* A seed for stream number i of a run; spreads neighbours over all 64 bits. */
uint64_t zcq_pattern_seed(uint64_t base, uint64_t i);

#endif
