/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user wants of the NICs: one YAML file, read whole and checked as far as it can be
 * without looking at a NIC. Grammar: docs/steering.md, zcq-policy(5). A pure function of
 * the text; whether a NIC can do it is the plan's business (plan.h).
 */
#ifndef ZCQ_STEER_POLICY_H
#define ZCQ_STEER_POLICY_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/nic/array.h"
#include "lib/nic/num.h"

/* Where in the file, from 1; 0: not from a file. */
struct zcq_policy_pos {
	uint32_t line, column;
};

struct zcq_policy_error {
	struct zcq_policy_pos pos;
	char text[256];		/* what is wrong, with the offending text quoted */
};

struct zcq_prefix {
	int family;		/* AF_INET, AF_INET6; 0: any address */
	uint8_t addr[16];	/* network order, host bits 0; IPv4 in the first four */
	uint8_t len;		/* bits */
};

/* Host order, both ends included; 0 to 65535: any port. */
struct zcq_ports {
	uint16_t first, last;
};

/* A set of IP versions, bits. */
enum {
	ZCQ_PROTO_TCP4 = 1,
	ZCQ_PROTO_TCP6 = 2,
};

/* How a flow's consumers share several queues. */
enum zcq_policy_feed {
	ZCQ_FEED_UNSAID,
	ZCQ_FEED_INSTANCE,	/* one instance takes from all of them */
	ZCQ_FEED_WORKERS,	/* each connection is accepted by the worker of its hardware queue */
};

struct zcq_policy_flow {
	struct zcq_policy_pos pos;
	char name[32];			/* "" if it has none */
	unsigned int protos;		/* ZCQ_PROTO_*; never 0 */
	struct zcq_prefix src, dst;
	struct zcq_ports src_port, dst_port;
	struct zcq_num vlan;		/* 1 to 4094 */
	struct zcq_array queues;	/* uint32_t, rising; empty: all zero-copy queues of the netdev */
	int feed;			/* enum zcq_policy_feed; UNSAID with one queue only */
};

enum zcq_policy_auto_mode { ZCQ_AUTO_OFF, ZCQ_AUTO_DRY, ZCQ_AUTO_ON };

/* Limits of rules made for flows found copying. */
struct zcq_policy_auto {
	int mode;		/* enum zcq_policy_auto_mode */
	uint32_t max_rules;
	uint32_t rules_per_s;
	uint64_t back_off_ns;	/* first pause for a flow that a rule did not help */
};

/* What "keep" or a key left out means for settings: leave as found. */
enum zcq_policy_split { ZCQ_POLICY_SPLIT_KEEP, ZCQ_POLICY_SPLIT_ON, ZCQ_POLICY_SPLIT_OFF };
enum zcq_policy_rss { ZCQ_POLICY_RSS_KEEP, ZCQ_POLICY_RSS_CARVE_OUT };
enum zcq_policy_unbind { ZCQ_UNBIND_KEEP, ZCQ_UNBIND_REMOVE };

struct zcq_policy_netdev {
	struct zcq_policy_pos pos;
	char name[IF_NAMESIZE];
	struct zcq_array queues;	/* uint32_t, rising; empty with top */
	uint32_t top;			/* the last N of the netdev's; 0: a list was given */
	int split;			/* enum zcq_policy_split */
	struct zcq_num hds_thresh;	/* bytes */
	struct zcq_num ring_entries;
	struct zcq_num rx_buf_len;	/* bytes */
	int rss;			/* enum zcq_policy_rss */
	int on_unbind;			/* enum zcq_policy_unbind */
	struct zcq_array flows;		/* struct zcq_policy_flow */
	struct zcq_policy_auto automatic;
};

struct zcq_policy {
	struct zcq_array netdevs;	/* struct zcq_policy_netdev */
};

#define ZCQ_POLICY_MAX_BYTES (1U << 20)

/*
 * Reads a policy. 0; -EINVAL: it is wrong, *error says where and why; -E2BIG: longer than
 * ZCQ_POLICY_MAX_BYTES; another -errno of reading (error->text is "" then). On failure
 * nothing is left to free.
 */
int zcq_policy_parse(const char *text, size_t len, struct zcq_policy *policy,
		     struct zcq_policy_error *error);
int zcq_policy_load(const char *path, struct zcq_policy *policy, struct zcq_policy_error *error);
void zcq_policy_free(struct zcq_policy *policy);

#endif
