/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that one netdev is set to, read in one go: for whoever has to explain or decide
 * something about a single netdev. Reading only. Called by user/bench and user/lib/steer.
 */
#ifndef ZCQ_NIC_STATE_H
#define ZCQ_NIC_STATE_H

#include "lib/nic/ethtool.h"
#include "lib/nic/link.h"
#include "lib/nic/netdev.h"
#include "lib/nic/ntuple.h"

/* Sockets to ask through, in the network namespace of the netdevs. */
struct zcq_nic_ask {
	struct zcq_nl *genl, *route;
	int fd;				/* for ioctl */
};

/* 0 or -errno. */
int zcq_nic_ask_open(struct zcq_nic_ask *nl);
void zcq_nic_ask_close(struct zcq_nic_ask *nl);

struct zcq_nic_state {
	struct zcq_nic_link link;		/* driver filled in */
	struct zcq_nic_channels channels;
	struct zcq_nic_rings rings;
	bool features_known;
	struct zcq_nic_features features;
	uint32_t n_queues;			/* rx queues in use */
	struct zcq_array queues;		/* struct zcq_nic_queue, rx only; empty while down */
	struct zcq_array rss;			/* struct zcq_nic_rss: default table and contexts */
	int rules_err;				/* why rules are unknown; 0: they are known */
	struct zcq_nic_rule_info rule_info;
	struct zcq_array rules;			/* struct zcq_nic_rule, by location */
};

/*
 * Reads a netdev by its name. 0; -ENODEV; or -errno with *what naming the question that got
 * no answer. What a driver or kernel does not have stays unknown.
 */
int zcq_nic_state_read(struct zcq_nic_ask *nl, const char *name, struct zcq_nic_state *state,
		       const char **what);
void zcq_nic_state_free(struct zcq_nic_state *state);

/* NULL where the NIC has no such table. context 0: the default one. */
const struct zcq_nic_rss *zcq_nic_state_rss(const struct zcq_nic_state *state, uint32_t context);

/* NULL if netlink listed no such rx queue. */
const struct zcq_nic_queue *zcq_nic_state_queue(const struct zcq_nic_state *state, uint32_t id);

/* Whether the table is what the driver makes of n_queues by itself. */
bool zcq_nic_rss_is_default(const struct zcq_nic_rss *rss, uint32_t n_queues);

#endif
