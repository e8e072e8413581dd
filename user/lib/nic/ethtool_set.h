/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing a NIC's settings by ethtool's netlink family. Each call makes one change of
 * one netdev; the caller reads the old value first and decides about undoing. Called by
 * steering and by tests/tools/nicset.c, never by an observing command.
 */
#ifndef ZCQ_NIC_ETHTOOL_SET_H
#define ZCQ_NIC_ETHTOOL_SET_H

#include "lib/nic/ethtool.h"

/* Unknown fields are left as they are. */
struct zcq_nic_rings_set {
	struct zcq_num rx;		/* descriptors */
	struct zcq_num rx_buf_len;	/* bytes */
	struct zcq_num split;		/* enum zcq_nic_split; UNKNOWN: let the driver choose */
	struct zcq_num hds_thresh;	/* bytes */
};

struct zcq_nic_channels_set {
	struct zcq_num rx, tx, combined;
};

/*
 * 0 or the kernel's -errno, with zcq_nl_reason() holding its words. A kernel that does
 * not know an attribute answers -EINVAL or -EOPNOTSUPP.
 */
int zcq_nic_set_rings(struct zcq_nl *nl, uint32_t ifindex, const struct zcq_nic_rings_set *set);
int zcq_nic_set_channels(struct zcq_nl *nl, uint32_t ifindex,
			 const struct zcq_nic_channels_set *set);

/* name as ethtool -k shows it, e.g. "rx-gro-hw". -EIO: the kernel took it, but it has not changed. */
int zcq_nic_set_feature(struct zcq_nl *nl, uint32_t ifindex, const char *name, bool on);

#endif
