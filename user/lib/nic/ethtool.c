// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parsers of ethtool netlink messages. Every message starts with a header nest that
 * names the netdev. Bitsets are asked for in their long form, with names, so that no
 * table of feature numbers is needed.
 */
#include "lib/nic/ethtool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/attr.h"
#include "lib/nic/uapi.h"

/* Indexes one message and reads its netdev. */
static bool index_msg(const struct nlattr *attrs, size_t len, const struct nlattr **tb, size_t max,
		      uint32_t *ifindex)
{
	const struct nlattr *header[ZCQ_HEADER_A_MAX + 1];
	struct zcq_num num;

	zcq_attr_index(attrs, len, tb, max);
	zcq_attr_index_nest(tb[ZCQ_ETHTOOL_A_HEADER], header, ZCQ_HEADER_A_MAX);
	num = zcq_attr_num(header[ZCQ_HEADER_A_DEV_INDEX]);
	*ifindex = (uint32_t)num.v;
	return num.known && num.v <= INT32_MAX;
}

int zcq_nic_parse_channels(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_CHANNELS_A_MAX + 1];
	struct zcq_nic_channels *ch = out;

	if (!index_msg(attrs, len, tb, ZCQ_CHANNELS_A_MAX, &ch->ifindex))
		return 0;
	ch->rx = zcq_attr_num(tb[ZCQ_CHANNELS_A_RX_COUNT]);
	ch->tx = zcq_attr_num(tb[ZCQ_CHANNELS_A_TX_COUNT]);
	ch->combined = zcq_attr_num(tb[ZCQ_CHANNELS_A_COMBINED_COUNT]);
	ch->rx_max = zcq_attr_num(tb[ZCQ_CHANNELS_A_RX_MAX]);
	ch->tx_max = zcq_attr_num(tb[ZCQ_CHANNELS_A_TX_MAX]);
	ch->combined_max = zcq_attr_num(tb[ZCQ_CHANNELS_A_COMBINED_MAX]);
	return 1;
}

int zcq_nic_parse_rings(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_RINGS_A_MAX + 1];
	struct zcq_nic_rings *rings = out;

	if (!index_msg(attrs, len, tb, ZCQ_RINGS_A_MAX, &rings->ifindex))
		return 0;
	rings->rx = zcq_attr_num(tb[ZCQ_RINGS_A_RX]);
	rings->rx_max = zcq_attr_num(tb[ZCQ_RINGS_A_RX_MAX]);
	rings->rx_buf_len = zcq_attr_num(tb[ZCQ_RINGS_A_RX_BUF_LEN]);
	rings->split = zcq_attr_num(tb[ZCQ_RINGS_A_TCP_DATA_SPLIT]);
	rings->hds_thresh = zcq_attr_num(tb[ZCQ_RINGS_A_HDS_THRESH]);
	rings->hds_thresh_max = zcq_attr_num(tb[ZCQ_RINGS_A_HDS_THRESH_MAX]);
	return 1;
}

/* Whether a bitset without mask lists name; with a mask, whether its value is set. */
static bool bitset_has(const struct nlattr *bitset, const char *name)
{
	const struct nlattr *tb[ZCQ_BITSET_A_MAX + 1], *bit[ZCQ_BIT_A_MAX + 1], *a;
	size_t left;

	zcq_attr_index_nest(bitset, tb, ZCQ_BITSET_A_MAX);
	if (!tb[ZCQ_BITSET_A_BITS])
		return false;
	left = (size_t)nla_len(tb[ZCQ_BITSET_A_BITS]);
	a = zcq_attr_first(nla_data(tb[ZCQ_BITSET_A_BITS]), &left);
	for (; a; a = zcq_attr_next(a, &left)) {
		zcq_attr_index_nest(a, bit, ZCQ_BIT_A_MAX);
		if (zcq_attr_str_is(bit[ZCQ_BIT_A_NAME], name))
			return tb[ZCQ_BITSET_A_NOMASK] || bit[ZCQ_BIT_A_VALUE];
	}
	return false;
}

static void take_feature(const struct nlattr **tb, const char *name, struct zcq_nic_feature *f)
{
	f->hw = bitset_has(tb[ZCQ_FEATURES_A_HW], name);
	f->wanted = bitset_has(tb[ZCQ_FEATURES_A_WANTED], name);
	f->active = bitset_has(tb[ZCQ_FEATURES_A_ACTIVE], name);
	f->fixed = bitset_has(tb[ZCQ_FEATURES_A_NOCHANGE], name) || !f->hw;
}

int zcq_nic_parse_features(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_FEATURES_A_MAX + 1];
	struct zcq_nic_features *ft = out;

	if (!index_msg(attrs, len, tb, ZCQ_FEATURES_A_MAX, &ft->ifindex))
		return 0;
	take_feature(tb, "rx-gro-hw", &ft->rx_gro_hw);
	take_feature(tb, "rx-ntuple-filter", &ft->ntuple);
	return 1;
}

static void *copy_data(const struct nlattr *a, size_t unit, size_t *n)
{
	void *v;

	*n = (size_t)nla_len(a) / unit;
	v = malloc(*n * unit + 1);
	if (v)
		memcpy(v, nla_data(a), *n * unit);
	return v;
}

int zcq_nic_parse_rss(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_RSS_A_MAX + 1];
	struct zcq_nic_rss *rss = out;

	if (!index_msg(attrs, len, tb, ZCQ_RSS_A_MAX, &rss->ifindex))
		return 0;
	rss->context = (uint32_t)zcq_attr_num(tb[ZCQ_RSS_A_CONTEXT]).v;
	rss->hfunc = zcq_attr_num(tb[ZCQ_RSS_A_HFUNC]);
	if (tb[ZCQ_RSS_A_INDIR]) {
		rss->indir = copy_data(tb[ZCQ_RSS_A_INDIR], sizeof(*rss->indir), &rss->n_indir);
		if (!rss->indir)
			goto nomem;
	}
	if (tb[ZCQ_RSS_A_HKEY]) {
		rss->key = copy_data(tb[ZCQ_RSS_A_HKEY], 1, &rss->n_key);
		if (!rss->key)
			goto nomem;
	}
	return 1;
nomem:
	zcq_nic_rss_drop(rss);
	return -ENOMEM;
}

void zcq_nic_rss_drop(void *obj)
{
	struct zcq_nic_rss *rss = obj;

	free(rss->indir);
	free(rss->key);
	rss->indir = NULL;
	rss->key = NULL;
}

/* A dump of all netdevs still needs the header nest, empty. */
static int ask_header(struct nl_msg *msg)
{
	struct nlattr *nest = nla_nest_start(msg, ZCQ_ETHTOOL_A_HEADER);

	if (!nest)
		return -ENOMEM;
	/* 0 flags: long bitsets. Written out, as an empty nest is removed by libnl. */
	if (nla_put_u32(msg, ZCQ_HEADER_A_FLAGS, 0) < 0)
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

#define ETHTOOL_TABLE(text, command, type, fn) \
	.what = (text), .family = ZCQ_ETHTOOL_FAMILY, .version = ZCQ_ETHTOOL_VERSION, \
	.cmd = (command), .size = sizeof(type), .parse = (fn), .ask = ask_header

const struct zcq_nic_table zcq_nic_channelss = {
	ETHTOOL_TABLE("channels", ZCQ_ETHTOOL_CHANNELS_GET, struct zcq_nic_channels,
		      zcq_nic_parse_channels),
};

const struct zcq_nic_table zcq_nic_ringss = {
	ETHTOOL_TABLE("rings", ZCQ_ETHTOOL_RINGS_GET, struct zcq_nic_rings, zcq_nic_parse_rings),
};

const struct zcq_nic_table zcq_nic_featuress = {
	ETHTOOL_TABLE("features", ZCQ_ETHTOOL_FEATURES_GET, struct zcq_nic_features,
		      zcq_nic_parse_features),
};

const struct zcq_nic_table zcq_nic_rsss = {
	ETHTOOL_TABLE("RSS tables", ZCQ_ETHTOOL_RSS_GET, struct zcq_nic_rss, zcq_nic_parse_rss),
	.drop = zcq_nic_rss_drop,
};
