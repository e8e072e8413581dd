// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A feature turned on or off. What was is what was wanted, not what was active: that is
 * the kernel's business.
 */
#include "lib/steer/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/steer/json.h"

/* NULL: not one that steering changes, or the kernel does not list it. */
static const struct zcq_nic_feature *find_feature(const struct zcq_nic_state *state, const char *name)
{
	if (!state->features_known)
		return NULL;
	if (!strcmp(name, "rx-gro-hw"))
		return &state->features.rx_gro_hw;
	return strcmp(name, "rx-ntuple-filter") ? NULL : &state->features.ntuple;
}

static int apply(struct zcq_nic_ask *ask, const struct zcq_nic_link *link, struct zcq_step *step)
{
	return zcq_nic_set_feature(ask->genl, link->ifindex, step->feature.name, step->feature.on);
}

static int undo(struct zcq_nic_ask *ask, const struct zcq_nic_state *state, const struct zcq_step *step)
{
	const struct zcq_nic_feature *f = find_feature(state, step->feature.name);

	if (!f)
		return -EOPNOTSUPP;
	if (f->wanted == step->feature.was)
		return 0;
	return zcq_nic_set_feature(ask->genl, state->link.ifindex, step->feature.name,
				   step->feature.was);
}

static bool stands(const struct zcq_nic_state *state, const struct zcq_step *step)
{
	const struct zcq_nic_feature *f = find_feature(state, step->feature.name);

	return f && f->active == step->feature.on;
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static void text(const struct zcq_step *step, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s -> %s", step->feature.name, on_off(step->feature.was),
		 on_off(step->feature.on));
}

static int to_json(const struct zcq_step *step, struct json_object *obj)
{
	int err = zcq_json_put_str(obj, "name", step->feature.name);

	if (!err)
		err = zcq_json_put_bool(obj, "was", step->feature.was);
	return err ? err : zcq_json_put_bool(obj, "on", step->feature.on);
}

static int from_json(struct zcq_step *step, struct json_object *obj)
{
	struct zcq_step_feature *f = &step->feature;
	int err = zcq_json_get_str(obj, "name", f->name, sizeof(f->name));

	if (!err)
		err = zcq_json_get_bool(obj, "was", &f->was);
	return err ? err : zcq_json_get_bool(obj, "on", &f->on);
}

const struct zcq_step_ops zcq_step_feature = {
	.name = "feature",
	.apply = apply,
	.undo = undo,
	.stands = stands,
	.text = text,
	.to_json = to_json,
	.from_json = from_json,
};
