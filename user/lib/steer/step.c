// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of kinds, and what all kinds have in common in the journal.
 */
#include "lib/steer/step.h"

#include <errno.h>
#include <string.h>

#include "lib/steer/json.h"

static const struct zcq_step_ops *const ops[ZCQ_STEP_KINDS] = {
	[ZCQ_STEP_FEATURE] = &zcq_step_feature,
	[ZCQ_STEP_RINGS] = &zcq_step_rings,
	[ZCQ_STEP_RSS] = &zcq_step_rss,
	[ZCQ_STEP_CONTEXT] = &zcq_step_context,
	[ZCQ_STEP_RULE] = &zcq_step_rule,
};

const struct zcq_step_ops *zcq_step_ops(int kind)
{
	return ops[kind];
}

struct json_object *zcq_step_to_json(const struct zcq_step *step)
{
	struct json_object *obj = json_object_new_object();
	int err = obj ? 0 : -ENOMEM;

	if (!err)
		err = zcq_json_put_u64(obj, "seq", step->seq);
	if (!err)
		err = zcq_json_put_str(obj, "kind", ops[step->kind]->name);
	if (!err)
		err = zcq_json_put_bool(obj, "resets", step->resets);
	if (!err)
		err = ops[step->kind]->to_json(step, obj);
	if (!err)
		return obj;
	json_object_put(obj);
	errno = ENOMEM;
	return NULL;
}

static int kind_of(const char *name)
{
	for (int i = 0; i < ZCQ_STEP_KINDS; i++)
		if (!strcmp(ops[i]->name, name))
			return i;
	return -EINVAL;
}

int zcq_step_from_json(struct zcq_step *step, struct json_object *obj)
{
	char kind[16];
	int err;

	*step = (struct zcq_step){ 0 };
	err = zcq_json_get_u32(obj, "seq", &step->seq);
	if (!err && !step->seq)
		err = -EINVAL;
	if (!err)
		err = zcq_json_get_str(obj, "kind", kind, sizeof(kind));
	if (!err)
		err = zcq_json_get_bool(obj, "resets", &step->resets);
	if (err)
		return err;
	step->kind = kind_of(kind);
	if (step->kind < 0)
		return -EINVAL;
	err = ops[step->kind]->from_json(step, obj);
	if (err)
		zcq_step_drop(step);
	return err;
}

void zcq_step_drop(void *step)
{
	struct zcq_step *s = step;

	if (ops[s->kind]->drop)
		ops[s->kind]->drop(s);
}
