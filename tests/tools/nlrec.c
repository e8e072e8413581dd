// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records the kernel's answers to the dumps zcq takes, as test data: one file for each
 * dump, the datagrams one after another. Run it in a network namespace of its own, so
 * that no address of the machine gets into the tree.
 *
 *	nlrec FOLDER PREFIX	writes FOLDER/PREFIX-queues.bin and so on
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/nic/ethtool.h"
#include "lib/nic/link.h"
#include "lib/nic/netdev.h"

static const struct {
	const char *name;
	const struct zcq_nic_table *table;
} dumps[] = {
	{ "devs", &zcq_nic_devs },
	{ "queues", &zcq_nic_queues },
	{ "napis", &zcq_nic_napis },
	{ "pools", &zcq_nic_pools },
	{ "pool-stats", &zcq_nic_pool_statss },
	{ "qstats", &zcq_nic_qstatss },
	{ "channels", &zcq_nic_channelss },
	{ "rings", &zcq_nic_ringss },
	{ "features", &zcq_nic_featuress },
	{ "rss", &zcq_nic_rsss },
};

static void save(const void *buf, size_t len, void *arg)
{
	fwrite(buf, 1, len, arg);
}

/* Runs one dump with the tap on; the kernel's refusal is recorded like any other answer. */
static int record(struct zcq_nl *nl, const char *folder, const char *prefix, const char *name,
		  const struct zcq_nic_table *table)
{
	struct zcq_array out = { 0 };
	char path[512];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s/%s-%s.bin", folder, prefix, name);
	f = fopen(path, "we");
	if (!f) {
		fprintf(stderr, "nlrec: %s: %s\n", path, strerror(errno));
		return 1;
	}
	zcq_nl_tap(nl, save, f);
	err = table ? zcq_nic_dump(nl, table, &out) : zcq_nic_links(nl, &out);
	zcq_nl_tap(nl, NULL, NULL);
	printf("%-12s %zu objects%s%s %s\n", name, out.n, err ? ", " : "",
	       err ? strerror(-err) : "", zcq_nl_reason(nl));
	zcq_array_clear(&out, table ? table->drop : NULL);
	if (fclose(f)) {
		fprintf(stderr, "nlrec: %s: %s\n", path, strerror(errno));
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct zcq_nl *genl, *route;
	int failed = 0;
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: nlrec FOLDER PREFIX\n");
		return 2;
	}
	genl = zcq_nl_open(NETLINK_GENERIC);
	route = zcq_nl_open(NETLINK_ROUTE);
	if (!genl || !route) {
		fprintf(stderr, "nlrec: can't open netlink: %s\n", strerror(errno));
		return 1;
	}
	/* looked up now, so that the answers do not get into the files */
	zcq_nl_family(genl, "netdev");
	zcq_nl_family(genl, "ethtool");
	for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++)
		failed |= record(genl, argv[1], argv[2], dumps[i].name, dumps[i].table);
	failed |= record(route, argv[1], argv[2], "links", NULL);
	zcq_nl_close(genl);
	zcq_nl_close(route);
	return failed;
}
