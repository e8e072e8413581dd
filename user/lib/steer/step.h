/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One change of a NIC as data: what it was, what it becomes, and what the kernel answered.
 * A plan is a list of these; the journal holds them as JSON; apply and restore carry them
 * out. Each kind of change is a row of functions, and a file step_KIND.c.
 */
#ifndef ZCQ_STEER_STEP_H
#define ZCQ_STEER_STEP_H

#include <json-c/json.h>

#include "lib/nic/ethtool_set.h"
#include "lib/nic/state.h"

enum zcq_step_kind {
	ZCQ_STEP_FEATURE,
	ZCQ_STEP_RINGS,
	ZCQ_STEP_RSS,		/* the default table */
	ZCQ_STEP_CONTEXT,	/* a new RSS context */
	ZCQ_STEP_RULE,		/* a new flow rule */
	ZCQ_STEP_KINDS,
};

/* Numbers that were taken before ours was made: contexts, or locations. */
struct zcq_step_before {
	uint32_t *v;
	size_t n;
};

struct zcq_step_feature {
	char name[32];			/* as ethtool -k shows it */
	bool was, on;
};

/* Only what changes is known in set; was has the same fields. */
struct zcq_step_rings {
	struct zcq_nic_rings_set was, set;
};

struct zcq_step_rss {
	uint32_t *was, *indir;		/* queue of each entry */
	size_t n;
	bool was_default;		/* undone by a reset, so that it follows the channels again */
};

struct zcq_step_context {
	uint32_t *indir;
	size_t n;
	struct zcq_step_before before;
	uint32_t id;			/* ours; 0: not made yet */
};

struct zcq_step_rule {
	struct ethtool_rx_flow_spec spec;	/* location: as asked for; RX_CLS_LOC_ANY: the driver's choice */
	uint32_t context;		/* of a spread, once made; 0: spec names a queue */
	uint32_t context_step;		/* seq of the step that makes it; 0: none does */
	struct zcq_step_before before;
	bool made;
	uint32_t location;		/* ours, once made */
};

struct zcq_step {
	uint32_t seq;			/* in its journal, from 1 */
	int kind;			/* enum zcq_step_kind */
	bool resets;			/* the driver reopens every queue of the netdev for it */
	union {
		struct zcq_step_feature feature;
		struct zcq_step_rings rings;
		struct zcq_step_rss rss;
		struct zcq_step_context context;
		struct zcq_step_rule rule;
	};
};

/* What a kind of change is. ask: in the netdev's network namespace. */
struct zcq_step_ops {
	const char *name;		/* in the journal */
	/* Changes the NIC and fills in what the kernel chose. 0 or -errno, and zcq_nl_reason() of ask->genl. */
	int (*apply)(struct zcq_nic_ask *ask, const struct zcq_nic_link *link, struct zcq_step *step);
	/* Puts back what was, as it stands in state. 0, also when it is so already; or -errno as above. */
	int (*undo)(struct zcq_nic_ask *ask, const struct zcq_nic_state *state,
		    const struct zcq_step *step);
	/* Whether the NIC is as the step made it, whole. */
	bool (*stands)(const struct zcq_nic_state *state, const struct zcq_step *step);
	/* Where the answer was never written down (killed meanwhile): finds it by difference and content. */
	bool (*find)(const struct zcq_nic_state *state, struct zcq_step *step);
	/* "tcp-data-split off -> on"; always terminated. */
	void (*text)(const struct zcq_step *step, char *buf, size_t size);
	int (*to_json)(const struct zcq_step *step, struct json_object *obj);
	/* 0; -EINVAL: not whole, or not of this kind; -ENOMEM. */
	int (*from_json)(struct zcq_step *step, struct json_object *obj);
	void (*drop)(struct zcq_step *step);
};

extern const struct zcq_step_ops zcq_step_feature, zcq_step_rings, zcq_step_rss, zcq_step_context,
	zcq_step_rule;

/* kind: of a step that this library made or read. */
const struct zcq_step_ops *zcq_step_ops(int kind);

/* A step as the journal has it: {"seq":1,"kind":"feature","resets":true,...}. NULL and ENOMEM. */
struct json_object *zcq_step_to_json(const struct zcq_step *step);

/* 0; -EINVAL: no step of a known kind, or not whole; -ENOMEM. On failure nothing is left to free. */
int zcq_step_from_json(struct zcq_step *step, struct json_object *obj);

/* Frees what a step owns; for zcq_array_clear(). */
void zcq_step_drop(void *step);

#endif
