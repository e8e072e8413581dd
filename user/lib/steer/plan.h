/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what is wanted (policy) and what is (state) to the fewest and safest changes, or to
 * every reason why not. A pure function: nothing is asked and nothing changed. Steps come
 * in the order in which they are applied: features, rings, RSS, contexts, rules.
 */
#ifndef ZCQ_STEER_PLAN_H
#define ZCQ_STEER_PLAN_H

#include "lib/steer/policy.h"
#include "lib/steer/step.h"

/* Why a policy can't be applied to this netdev as it is. */
struct zcq_plan_refusal {
	struct zcq_policy_pos pos;	/* of what is asked for */
	char text[200];			/* what is in the way, and what to do */
};

struct zcq_plan {
	struct zcq_array queues;	/* uint32_t: the zero-copy queues, "top" worked out */
	struct zcq_array steps;		/* struct zcq_step; seq from first_seq on */
	struct zcq_array refusals;	/* struct zcq_plan_refusal; any: nothing may be applied */
	unsigned int resets;		/* steps that reopen the whole netdev */
	unsigned int rules_there;	/* wanted rules that exist already, by whoever */
};

/* 0 (also when refused) or -ENOMEM. On failure nothing is left to free. */
int zcq_plan_make(const struct zcq_policy_netdev *policy, const struct zcq_nic_state *state,
		  uint32_t first_seq, struct zcq_plan *plan);
void zcq_plan_free(struct zcq_plan *plan);

#endif
