/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of a snapshot's records for lib/out.h. A record is walked whole for JSON. As
 * text a queue is a row, and what belongs to it (instances, rules, ...) are records of
 * their own, walked by the same functions. Called by user/cmd/queues.c.
 */
#ifndef ZCQ_MODEL_SHOW_H
#define ZCQ_MODEL_SHOW_H

#include "lib/model/model.h"
#include "lib/out.h"

/* Columns for a table of zcq_show_queue() records. */
extern const struct zcq_out_col zcq_show_queue_cols[];

/* One record each. */
void zcq_show_netdev(struct zcq_out *out, const struct zcq_netdev *nd);
void zcq_show_queue(struct zcq_out *out, const struct zcq_snapshot *snap,
		    const struct zcq_netdev *nd, const struct zcq_queue *q);
/* nd NULL: its netdev is gone, or has moved to another namespace. */
void zcq_show_pool(struct zcq_out *out, const struct zcq_netdev *nd, const struct zcq_pool *pool);
void zcq_show_instance(struct zcq_out *out, const struct zcq_inst *inst);

/* What was lost; in JSON only, the text has a warning instead. */
void zcq_show_summary(struct zcq_out *out, const struct zcq_snapshot *snap);

/*
 * Text: what a queue's row has no room for, a record for each thing; nothing for a plain
 * queue. JSON has it in the queue's record: nothing is written.
 */
void zcq_show_queue_details(struct zcq_out *out, const struct zcq_snapshot *snap,
			    const struct zcq_queue *q);

#endif
