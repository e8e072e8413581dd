// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_toeplitz.c - the NIC models' Toeplitz hash against the vectors that
 * Microsoft published with RSS ("Verifying the RSS hash calculation").
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "toeplitz.h"

static const u8 key[TOEPLITZ_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct vector {
	int family;
	const char *src, *dst;
	u16 sport, dport;
	u32 ip, tcp;
} vectors[] = {
	{ AF_INET, "66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178 },
	{ AF_INET, "199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea },
	{ AF_INET, "24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a },
	{ AF_INET, "38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f },
	{ AF_INET, "153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2 },
	{ AF_INET6, "3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766,
	  0x2cc18cd5, 0x40207d3d },
	{ AF_INET6, "3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739,
	  0x0f0c461c, 0xdde51bbf },
	{ AF_INET6, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf",
	  44251, 38024, 0x4b61e985, 0x02d1feef },
};

static void published_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		size_t n = v->family == AF_INET ? 4 : 16;
		u8 in[TOEPLITZ_MAX_INPUT];

		assert_int_equal(inet_pton(v->family, v->src, in), 1);
		assert_int_equal(inet_pton(v->family, v->dst, in + n), 1);
		put_be16(in + 2 * n, v->sport);
		put_be16(in + 2 * n + 2, v->dport);
		assert_int_equal(toeplitz_hash(key, in, 2 * n), v->ip);
		assert_int_equal(toeplitz_hash(key, in, 2 * n + 4), v->tcp);
	}
}

/* A single bit of input selects 32 bits of the key: checks every position. */
static void each_bit_selects_its_window(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < TOEPLITZ_MAX_INPUT * 8; bit++) {
		u8 in[TOEPLITZ_MAX_INPUT] = { 0 };
		u32 want = 0;

		in[bit / 8] = 0x80 >> bit % 8;
		for (size_t k = bit; k < bit + 32; k++)
			want = want << 1 | (key[k / 8] >> (7 - k % 8) & 1);
		assert_int_equal(toeplitz_hash(key, in, sizeof(in)), want);
	}
}

static void nothing_hashes_to_zero(void **state)
{
	u8 in[TOEPLITZ_MAX_INPUT] = { 0 };

	(void)state;
	assert_int_equal(toeplitz_hash(key, in, 0), 0);
	assert_int_equal(toeplitz_hash(key, in, sizeof(in)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_vectors),
		cmocka_unit_test(each_bit_selects_its_window),
		cmocka_unit_test(nothing_hashes_to_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
