/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a NIC is set to, by ethtool's netlink family: channels, rings with header
 * split, the two features zero copy needs, RSS. ntuple rules have no netlink: see
 * ntuple.h. Setting is in ethtool_set.h. Called by user/lib/model.
 */
#ifndef ZCQ_NIC_ETHTOOL_H
#define ZCQ_NIC_ETHTOOL_H

#include "lib/nic/netdev.h"

struct zcq_nic_channels {
	uint32_t ifindex;
	struct zcq_num rx, tx, combined;		/* in use */
	struct zcq_num rx_max, tx_max, combined_max;
};

/* tcp-data-split as the kernel reports it. */
enum zcq_nic_split {
	ZCQ_SPLIT_UNKNOWN = 0,	/* the driver does not say; as a request: let the driver choose */
	ZCQ_SPLIT_OFF = 1,
	ZCQ_SPLIT_ON = 2,
};

struct zcq_nic_rings {
	uint32_t ifindex;
	struct zcq_num rx, rx_max;		/* descriptors */
	struct zcq_num rx_buf_len;		/* bytes */
	struct zcq_num split;			/* enum zcq_nic_split */
	struct zcq_num hds_thresh, hds_thresh_max;	/* bytes */
};

/* A feature is known only when the kernel lists it for this netdev. */
struct zcq_nic_feature {
	bool hw;	/* can be changed */
	bool wanted;
	bool active;
	bool fixed;	/* can't be changed */
};

struct zcq_nic_features {
	uint32_t ifindex;
	struct zcq_nic_feature rx_gro_hw;	/* "rx-gro-hw" */
	struct zcq_nic_feature ntuple;		/* "rx-ntuple-filter" */
};

struct zcq_nic_rss {
	uint32_t ifindex;
	uint32_t context;	/* 0: the default table */
	struct zcq_num hfunc;	/* bits, ETH_RSS_HASH_* */
	uint32_t *indir;	/* queue of each entry; NULL if the NIC has no table */
	size_t n_indir;
	uint8_t *key;
	size_t n_key;
};

int zcq_nic_parse_channels(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_rings(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_features(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_rss(const struct nlattr *attrs, size_t len, void *out);
void zcq_nic_rss_drop(void *rss);

/* For zcq_nic_dump(). */
extern const struct zcq_nic_table zcq_nic_channelss;	/* struct zcq_nic_channels */
extern const struct zcq_nic_table zcq_nic_ringss;	/* struct zcq_nic_rings */
extern const struct zcq_nic_table zcq_nic_featuress;	/* struct zcq_nic_features */
extern const struct zcq_nic_table zcq_nic_rsss;	/* struct zcq_nic_rss; dump is in 6.11 and later */

#endif
