// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A new RSS context, for a flow that is spread over several queues. The kernel chooses its
 * number: one that is not among those before and has our table is ours, also when the
 * answer was never written down.
 */
#include "lib/steer/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ntuple_set.h"
#include "lib/steer/json.h"

static int apply(struct zcq_nic_ask *ask, const struct zcq_nic_link *link, struct zcq_step *step)
{
	struct zcq_step_context *c = &step->context;

	return zcq_nic_rss_context_new(ask->fd, link->name, c->indir, c->n, &c->id);
}

static bool has_our_table(const struct zcq_nic_rss *rss, const struct zcq_step_context *c)
{
	return rss->n_indir == c->n && !memcmp(rss->indir, c->indir, c->n * sizeof(*c->indir));
}

static bool stands(const struct zcq_nic_state *state, const struct zcq_step *step)
{
	const struct zcq_nic_rss *rss = NULL;

	if (step->context.id)
		rss = zcq_nic_state_rss(state, step->context.id);
	return rss && has_our_table(rss, &step->context);
}

static int undo(struct zcq_nic_ask *ask, const struct zcq_nic_state *state, const struct zcq_step *step)
{
	if (!step->context.id || !zcq_nic_state_rss(state, step->context.id))
		return 0;
	/* The number went to somebody else meanwhile. */
	if (!stands(state, step))
		return -EEXIST;
	return zcq_nic_rss_context_delete(ask->fd, state->link.name, step->context.id);
}

static bool find(const struct zcq_nic_state *state, struct zcq_step *step)
{
	struct zcq_step_context *c = &step->context;
	const struct zcq_nic_rss *r = state->rss.v;

	for (size_t i = 0; i < state->rss.n; i++) {
		bool old = !r[i].context;

		for (size_t j = 0; j < c->before.n; j++)
			old = old || c->before.v[j] == r[i].context;
		if (!old && has_our_table(&r[i], c)) {
			c->id = r[i].context;
			return true;
		}
	}
	return false;
}

static void text(const struct zcq_step *step, char *buf, size_t size)
{
	snprintf(buf, size, "a new RSS context");
	if (step->context.id)
		snprintf(buf, size, "RSS context %u", step->context.id);
}

static int to_json(const struct zcq_step *step, struct json_object *obj)
{
	const struct zcq_step_context *c = &step->context;
	int err = zcq_json_put_u32s(obj, "indir", c->indir, c->n);

	if (!err)
		err = zcq_json_put_u32s(obj, "before", c->before.v, c->before.n);
	return err ? err : zcq_json_put_u64(obj, "id", c->id);
}

static int from_json(struct zcq_step *step, struct json_object *obj)
{
	struct zcq_step_context *c = &step->context;
	int err = zcq_json_get_u32s(obj, "indir", &c->indir, &c->n);

	if (!err && !c->n)
		err = -EINVAL;
	if (!err)
		err = zcq_json_get_u32s(obj, "before", &c->before.v, &c->before.n);
	return err ? err : zcq_json_get_u32(obj, "id", &c->id);
}

static void drop(struct zcq_step *step)
{
	free(step->context.indir);
	free(step->context.before.v);
}

const struct zcq_step_ops zcq_step_context = {
	.name = "context",
	.apply = apply,
	.undo = undo,
	.stands = stands,
	.find = find,
	.text = text,
	.to_json = to_json,
	.from_json = from_json,
	.drop = drop,
};
