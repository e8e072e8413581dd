// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes to a NIC by ethtool netlink.
 */
#include "lib/nic/ethtool_set.h"

#include <errno.h>

#include "lib/nic/attr.h"
#include "lib/nic/uapi.h"

static struct nl_msg *request(struct zcq_nl *nl, uint8_t cmd, uint32_t ifindex)
{
	struct nl_msg *msg;
	struct nlattr *nest;

	msg = zcq_nl_genl_msg(nl, ZCQ_ETHTOOL_FAMILY, ZCQ_ETHTOOL_VERSION, cmd);
	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, ZCQ_ETHTOOL_A_HEADER);
	if (!nest || nla_put_u32(msg, ZCQ_HEADER_A_DEV_INDEX, ifindex) < 0) {
		nlmsg_free(msg);
		errno = ENOMEM;
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

static int put_num(struct nl_msg *msg, int attr, struct zcq_num num)
{
	if (!num.known)
		return 0;
	if (num.v > UINT32_MAX)
		return -ERANGE;
	return nla_put_u32(msg, attr, (uint32_t)num.v) < 0 ? -ENOMEM : 0;
}

int zcq_nic_set_rings(struct zcq_nl *nl, uint32_t ifindex, const struct zcq_nic_rings_set *set)
{
	struct nl_msg *msg;
	int err;

	msg = request(nl, ZCQ_ETHTOOL_RINGS_SET, ifindex);
	if (!msg)
		return -errno;
	err = put_num(msg, ZCQ_RINGS_A_RX, set->rx);
	if (!err)
		err = put_num(msg, ZCQ_RINGS_A_RX_BUF_LEN, set->rx_buf_len);
	if (!err)
		err = put_num(msg, ZCQ_RINGS_A_HDS_THRESH, set->hds_thresh);
	if (!err && set->split.known &&
	    nla_put_u8(msg, ZCQ_RINGS_A_TCP_DATA_SPLIT, (uint8_t)set->split.v) < 0)
		err = -ENOMEM;
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return zcq_nl_call(nl, msg, false, NULL, NULL);
}

int zcq_nic_set_channels(struct zcq_nl *nl, uint32_t ifindex,
			 const struct zcq_nic_channels_set *set)
{
	struct nl_msg *msg;
	int err;

	msg = request(nl, ZCQ_ETHTOOL_CHANNELS_SET, ifindex);
	if (!msg)
		return -errno;
	err = put_num(msg, ZCQ_CHANNELS_A_RX_COUNT, set->rx);
	if (!err)
		err = put_num(msg, ZCQ_CHANNELS_A_TX_COUNT, set->tx);
	if (!err)
		err = put_num(msg, ZCQ_CHANNELS_A_COMBINED_COUNT, set->combined);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return zcq_nl_call(nl, msg, false, NULL, NULL);
}

/* A bitset with a mask of one bit. */
static int put_feature(struct nl_msg *msg, const char *name, bool on)
{
	struct nlattr *set, *bits, *bit;

	set = nla_nest_start(msg, ZCQ_FEATURES_A_WANTED);
	bits = set ? nla_nest_start(msg, ZCQ_BITSET_A_BITS) : NULL;
	bit = bits ? nla_nest_start(msg, ZCQ_BITSET_A_BIT) : NULL;
	if (!bit || nla_put_string(msg, ZCQ_BIT_A_NAME, name) < 0)
		return -ENOMEM;
	if (on && nla_put_flag(msg, ZCQ_BIT_A_VALUE) < 0)
		return -ENOMEM;
	nla_nest_end(msg, bit);
	nla_nest_end(msg, bits);
	nla_nest_end(msg, set);
	return 0;
}

/*
 * The answer to a features change is two bitsets with masks: bits of which the wish and
 * the result differ, and bits that have changed.
 */
static int take_outcome(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[ZCQ_FEATURES_A_MAX + 1], *set[ZCQ_BITSET_A_MAX + 1];
	const struct nlattr *attrs;
	bool *refused = arg;
	size_t len;

	attrs = zcq_nl_genl_attrs(nlh, &len);
	zcq_attr_index(attrs, len, tb, ZCQ_FEATURES_A_MAX);
	zcq_attr_index_nest(tb[ZCQ_FEATURES_A_WANTED], set, ZCQ_BITSET_A_MAX);
	if (set[ZCQ_BITSET_A_BITS] && nla_len(set[ZCQ_BITSET_A_BITS]) > 0)
		*refused = true;
	return 0;
}

int zcq_nic_set_feature(struct zcq_nl *nl, uint32_t ifindex, const char *name, bool on)
{
	bool refused = false;
	struct nl_msg *msg;
	int err;

	msg = request(nl, ZCQ_ETHTOOL_FEATURES_SET, ifindex);
	if (!msg)
		return -errno;
	err = put_feature(msg, name, on);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	err = zcq_nl_call(nl, msg, false, take_outcome, &refused);
	if (!err && refused)
		return -EIO;
	return err;
}
