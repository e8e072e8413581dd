/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has no netlink: flow rules (ntuple), by SIOCETHTOOL; and RSS tables by the same
 * way, for kernels whose netlink can't dump them (before 6.11). Reading only. fd is any
 * socket of the network namespace. Called by user/lib/model.
 */
#ifndef ZCQ_NIC_NTUPLE_H
#define ZCQ_NIC_NTUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ethtool.h>

#include "lib/nic/array.h"
#include "lib/nic/ethtool.h"
#include "lib/nic/num.h"

enum zcq_nic_rule_action {
	ZCQ_RULE_QUEUE,		/* to .queue */
	ZCQ_RULE_CONTEXT,	/* to the RSS context .context; .queue is added to its entries */
	ZCQ_RULE_DROP,
	ZCQ_RULE_OTHER,		/* wake up, or to a virtual function */
};

struct zcq_nic_rule {
	uint32_t ifindex;
	uint32_t location;
	enum zcq_nic_rule_action action;
	uint32_t queue;
	uint32_t context;
	struct ethtool_rx_flow_spec spec;	/* as the kernel gave it */
};

/* A netdev's rule table. */
struct zcq_nic_rule_info {
	uint32_t ifindex;
	struct zcq_num rules;	/* unknown: the driver has no rules at all */
	struct zcq_num max;	/* size of the table, unknown if the driver does not say */
	bool any_location;	/* it chooses a location itself (RX_CLS_LOC_SPECIAL) */
};

/*
 * Adds the netdev's rules to out (struct zcq_nic_rule). 0, -EOPNOTSUPP where there are
 * no rules, or -errno.
 */
int zcq_nic_rules(int fd, const char *ifname, uint32_t ifindex, struct zcq_nic_rule_info *info,
		  struct zcq_array *out);

/* Fills action, queue and context from the spec and the context the kernel gave with it. */
void zcq_nic_rule_decode(struct zcq_nic_rule *rule, uint32_t rss_context);

/* What a rule matches: "tcp4 dst 192.0.2.1 dport 5201", "ether vlan 7". Always terminated. */
void zcq_nic_rule_text(const struct zcq_nic_rule *rule, char *buf, size_t size);

/* An RSS table by ioctl. 0, -EOPNOTSUPP, -ENOENT (no such context) or -errno. */
int zcq_nic_rss_ioctl(int fd, const char *ifname, uint32_t ifindex, uint32_t context,
		      struct zcq_nic_rss *rss);

#endif
