/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What plan.c and plan_rules.c share while a plan is made. Not for others.
 */
#ifndef ZCQ_STEER_PLAN_MAKE_H
#define ZCQ_STEER_PLAN_MAKE_H

#include "lib/steer/plan.h"

struct zcq_plan_make {
	const struct zcq_policy_netdev *policy;
	const struct zcq_nic_state *state;
	struct zcq_plan *plan;
	uint32_t next_seq;
	bool next_location_known;
	uint32_t next_location;		/* above the next one to be tried */
};

/* 0 or -ENOMEM. */
int zcq_plan_refuse(struct zcq_plan_make *m, struct zcq_policy_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A new last step, NULL: out of memory. Pointers to older ones become invalid. */
struct zcq_step *zcq_plan_step(struct zcq_plan_make *m, int kind, bool resets);

bool zcq_plan_is_zc(const struct zcq_plan_make *m, uint32_t queue);

/* plan_rules.c: contexts and rules of all flows. */
int zcq_plan_flows(struct zcq_plan_make *m);

#endif
