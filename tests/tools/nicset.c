// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets what Debian 12's ethtool can't set (header split, its threshold, the size of
 * receive buffers), for test scenarios. Undoing is the scenario's business.
 *
 *	nicset IF [tcp-data-split on|off|auto] [hds-thresh N] [rx-buf-len N]
 *		  [channels N] [rx-gro-hw on|off] [ntuple on|off]
 *	nicset IF show
 *
 * "show" prints what is set, one "name value" a line, '-' where the driver does not say.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ethtool_set.h"
#include "lib/opt.h"

static int usage(void)
{
	fprintf(stderr,
		"usage: nicset IF [tcp-data-split on|off|auto] [hds-thresh N] [rx-buf-len N]\n"
		"                 [channels N] [rx-gro-hw on|off] [ntuple on|off]\n"
		"       nicset IF show\n");
	return 2;
}

static void print_num(const char *name, struct zcq_num num)
{
	if (num.known)
		printf("%s %llu\n", name, (unsigned long long)num.v);
	else
		printf("%s -\n", name);
}

static int show(struct zcq_nl *nl, uint32_t ifindex)
{
	static const char *const split[] = { "unknown", "off", "on" };
	struct zcq_array rings = { 0 }, features = { 0 };
	int err = zcq_nic_dump(nl, &zcq_nic_ringss, &rings);
	size_t i;

	if (!err)
		err = zcq_nic_dump(nl, &zcq_nic_featuress, &features);
	for (i = 0; !err && i < rings.n; i++) {
		struct zcq_nic_rings *r = (struct zcq_nic_rings *)rings.v + i;

		if (r->ifindex != ifindex)
			continue;
		printf("tcp-data-split %s\n", r->split.known && r->split.v < 3 ? split[r->split.v] : "-");
		print_num("hds-thresh", r->hds_thresh);
		print_num("rx-buf-len", r->rx_buf_len);
		print_num("rx", r->rx);
	}
	for (i = 0; !err && i < features.n; i++) {
		struct zcq_nic_features *f = (struct zcq_nic_features *)features.v + i;

		if (f->ifindex != ifindex)
			continue;
		printf("rx-gro-hw %s\n", f->rx_gro_hw.active ? "on" : "off");
		printf("ntuple %s\n", f->ntuple.active ? "on" : "off");
	}
	zcq_array_clear(&rings, NULL);
	zcq_array_clear(&features, NULL);
	return err;
}

static bool on_off(const char *text, bool *on)
{
	*on = !strcmp(text, "on");
	return *on || !strcmp(text, "off");
}

/* One "name value" pair. 0, -EDOM for a bad word, or the kernel's -errno. */
static int set_one(struct zcq_nl *nl, uint32_t ifindex, const char *name, const char *value)
{
	struct zcq_nic_rings_set rings = { 0 };
	struct zcq_nic_channels_set channels = { 0 };
	uint64_t number = 0;
	bool on;

	if (!strcmp(name, "tcp-data-split")) {
		if (!strcmp(value, "auto"))
			rings.split = zcq_num(ZCQ_SPLIT_UNKNOWN);
		else if (on_off(value, &on))
			rings.split = zcq_num(on ? ZCQ_SPLIT_ON : ZCQ_SPLIT_OFF);
		else
			return -EDOM;
		return zcq_nic_set_rings(nl, ifindex, &rings);
	}
	if (!strcmp(name, "rx-gro-hw") || !strcmp(name, "ntuple")) {
		if (!on_off(value, &on))
			return -EDOM;
		return zcq_nic_set_feature(nl, ifindex,
					   *name == 'n' ? "rx-ntuple-filter" : name, on);
	}
	if (zcq_parse_size(value, &number))
		return -EDOM;
	if (!strcmp(name, "channels")) {
		channels.combined = zcq_num(number);
		return zcq_nic_set_channels(nl, ifindex, &channels);
	}
	if (!strcmp(name, "hds-thresh"))
		rings.hds_thresh = zcq_num(number);
	else if (!strcmp(name, "rx-buf-len"))
		rings.rx_buf_len = zcq_num(number);
	else
		return -EDOM;
	return zcq_nic_set_rings(nl, ifindex, &rings);
}

int main(int argc, char **argv)
{
	struct zcq_nl *nl;
	uint32_t ifindex;
	int i, err = 0;

	if (argc == 3 ? strcmp(argv[2], "show") != 0 : argc < 4 || argc % 2)
		return usage();
	ifindex = if_nametoindex(argv[1]);
	if (!ifindex) {
		fprintf(stderr, "nicset: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	nl = zcq_nl_open(NETLINK_GENERIC);
	if (!nl) {
		fprintf(stderr, "nicset: can't open netlink: %s\n", strerror(errno));
		return 1;
	}
	if (argc == 3)
		err = show(nl, ifindex);
	for (i = 2; argc > 3 && !err && i < argc; i += 2) {
		err = set_one(nl, ifindex, argv[i], argv[i + 1]);
		if (err == -EDOM) {
			zcq_nl_close(nl);
			return usage();
		}
		if (err)
			fprintf(stderr, "nicset: %s %s %s: %s%s%s\n", argv[1], argv[i], argv[i + 1],
				strerror(-err), *zcq_nl_reason(nl) ? ": " : "", zcq_nl_reason(nl));
	}
	zcq_nl_close(nl);
	return err ? 1 : 0;
}
