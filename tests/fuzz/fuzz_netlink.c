// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the reading of netlink answers, from the stream of messages down to each
 * object. The first byte of the input chooses the kind of object, the rest is what a
 * socket would have given. Corpus: tests/data/netlink (without that first byte; the
 * unit test test_nl_fuzz puts each file through every parser). libFuzzer:
 *
 *	clang -g -O1 -D_GNU_SOURCE -std=gnu11 -fsanitize=fuzzer,address,undefined -Iuser \
 *		-I/usr/include/libnl3 tests/fuzz/fuzz_netlink.c $(ls user/lib/nic/?*.c) \
 *		-lnl-3 -lnl-genl-3 -o fuzz_netlink
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ethtool.h"
#include "lib/nic/link.h"
#include "lib/nic/netdev.h"
#include "lib/nic/nl.h"

static const struct zcq_nic_table *const tables[] = {
	&zcq_nic_devs, &zcq_nic_queues, &zcq_nic_napis, &zcq_nic_pools, &zcq_nic_pool_statss,
	&zcq_nic_qstatss, &zcq_nic_channelss, &zcq_nic_ringss, &zcq_nic_featuress, &zcq_nic_rsss,
};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))
#define N_KINDS (N_TABLES + 1)	/* and links */

static int one_message(const struct nlmsghdr *nlh, void *arg)
{
	const struct zcq_nic_table *table = arg;
	const struct nlattr *attrs;
	struct zcq_nic_link link;
	size_t len;
	void *obj;
	int ret;

	if (!table) {
		memset(&link, 0, sizeof(link));
		return zcq_nic_parse_link(nlh, &link) < 0;
	}
	obj = calloc(1, table->size);
	if (!obj)
		return 0;
	attrs = zcq_nl_genl_attrs(nlh, &len);
	ret = table->parse(attrs, len, obj);
	if (ret > 0 && table->drop)
		table->drop(obj);
	free(obj);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zcq_nl_end end = { 0 };
	size_t kind;
	void *copy;

	if (!size)
		return 0;
	kind = data[0] % N_KINDS;
	/* of its exact size and aligned, as the socket's buffer is */
	copy = malloc(size - 1 ? size - 1 : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	zcq_nl_walk(copy, size - 1, 0, one_message, (void *)(kind < N_TABLES ? tables[kind] : NULL),
		    &end);
	free(copy);
	return 0;
}
