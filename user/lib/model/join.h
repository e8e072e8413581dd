/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of zcq_model_join(), each in a file by subject. Used in this folder only.
 * All return 0 or -ENOMEM; pointers into a step's arrays are set only after the arrays
 * have their final size.
 */
#ifndef ZCQ_MODEL_JOIN_H
#define ZCQ_MODEL_JOIN_H

#include "lib/model/model.h"

struct zcq_netdev *zcq_join_netdev(const struct zcq_snapshot *snap, uint32_t ifindex);
struct zcq_queue *zcq_join_queue(const struct zcq_netdev *nd, uint32_t id);

/* leases.c: both ends of each lease. */
void zcq_join_leases(const struct zcq_model_inputs *in, struct zcq_snapshot *snap);
/* rules.c: rules and RSS entries to the queues they point at. */
int zcq_join_rules(const struct zcq_model_inputs *in, struct zcq_snapshot *snap);
/* instances.c: instances, their owners, and the queues they feed. */
int zcq_join_instances(const struct zcq_model_inputs *in, struct zcq_snapshot *snap);
/* rates.c: totals and what was measured. */
void zcq_join_rates(const struct zcq_model_inputs *in, struct zcq_snapshot *snap);
/* pools.c: pools to netdevs, and by NAPI to queues. */
int zcq_join_pools(const struct zcq_model_inputs *in, struct zcq_snapshot *snap);

#endif
