// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Header split, its threshold, the size of rings and buffers: one call to the kernel, as
 * most drivers reopen the netdev for each. That header split was left to the driver can't
 * be read back, so "was" of it is "auto" unless it was on already.
 */
#include "lib/steer/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/steer/json.h"

/* The numbers of a setting, by the names ethtool gives them. */
static const struct field {
	const char *name;
	size_t set;	/* in struct zcq_nic_rings_set */
	size_t has;	/* in struct zcq_nic_rings */
} fields[] = {
	{ "tcp-data-split", offsetof(struct zcq_nic_rings_set, split), offsetof(struct zcq_nic_rings, split) },
	{ "hds-thresh", offsetof(struct zcq_nic_rings_set, hds_thresh), offsetof(struct zcq_nic_rings, hds_thresh) },
	{ "rx", offsetof(struct zcq_nic_rings_set, rx), offsetof(struct zcq_nic_rings, rx) },
	{ "rx-buf-len", offsetof(struct zcq_nic_rings_set, rx_buf_len), offsetof(struct zcq_nic_rings, rx_buf_len) },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static struct zcq_num *num_of(const void *of, size_t offset)
{
	return (struct zcq_num *)((char *)of + offset);
}

/* "auto" is met by whatever the driver made of it. */
static bool same(const struct field *f, struct zcq_num want, struct zcq_num has)
{
	if (!want.known)
		return true;
	if (f == &fields[0] && want.v == ZCQ_SPLIT_UNKNOWN)
		return true;
	return has.known && has.v == want.v;
}

static bool is(const struct zcq_nic_state *state, const struct zcq_nic_rings_set *set)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (!same(&fields[i], *num_of(set, fields[i].set), *num_of(&state->rings, fields[i].has)))
			return false;
	return true;
}

static int apply(struct zcq_nic_ask *ask, const struct zcq_nic_link *link, struct zcq_step *step)
{
	return zcq_nic_set_rings(ask->genl, link->ifindex, &step->rings.set);
}

static int undo(struct zcq_nic_ask *ask, const struct zcq_nic_state *state, const struct zcq_step *step)
{
	return zcq_nic_set_rings(ask->genl, state->link.ifindex, &step->rings.was);
}

static bool stands(const struct zcq_nic_state *state, const struct zcq_step *step)
{
	return is(state, &step->rings.set);
}

static void value_text(const struct field *f, struct zcq_num v, char *buf, size_t size)
{
	static const char *const split[] = { "auto", "off", "on" };

	if (!v.known)
		snprintf(buf, size, "?");
	else if (f == &fields[0] && v.v < 3)
		snprintf(buf, size, "%s", split[v.v]);
	else
		snprintf(buf, size, "%llu", (unsigned long long)v.v);
}

static void text(const struct zcq_step *step, char *buf, size_t size)
{
	size_t len = 0;

	if (size)
		*buf = '\0';
	for (size_t i = 0; i < N_FIELDS && len < size; i++) {
		char was[24], set[24];

		if (!num_of(&step->rings.set, fields[i].set)->known)
			continue;
		value_text(&fields[i], *num_of(&step->rings.was, fields[i].set), was, sizeof(was));
		value_text(&fields[i], *num_of(&step->rings.set, fields[i].set), set, sizeof(set));
		len += (size_t)snprintf(buf + len, size - len, "%s%s %s -> %s", len ? ", " : "",
					fields[i].name, was, set);
	}
}

static int put_side(struct json_object *obj, const char *key, const struct zcq_nic_rings_set *side)
{
	struct json_object *o = json_object_new_object();
	int err = o ? 0 : -ENOMEM;

	for (size_t i = 0; i < N_FIELDS && !err; i++)
		err = zcq_json_put_num(o, fields[i].name, *num_of(side, fields[i].set));
	if (!err && !json_object_object_add(obj, key, o))
		return 0;
	json_object_put(o);
	return -ENOMEM;
}

static int get_side(struct json_object *obj, const char *key, struct zcq_nic_rings_set *side)
{
	struct json_object *o;
	int err = 0;

	if (!json_object_object_get_ex(obj, key, &o) || !json_object_is_type(o, json_type_object))
		return -EINVAL;
	for (size_t i = 0; i < N_FIELDS && !err; i++)
		err = zcq_json_get_num(o, fields[i].name, num_of(side, fields[i].set));
	return err;
}

static int to_json(const struct zcq_step *step, struct json_object *obj)
{
	int err = put_side(obj, "was", &step->rings.was);

	return err ? err : put_side(obj, "set", &step->rings.set);
}

static int from_json(struct zcq_step *step, struct json_object *obj)
{
	int err = get_side(obj, "was", &step->rings.was);

	return err ? err : get_side(obj, "set", &step->rings.set);
}

const struct zcq_step_ops zcq_step_rings = {
	.name = "rings",
	.apply = apply,
	.undo = undo,
	.stands = stands,
	.text = text,
	.to_json = to_json,
	.from_json = from_json,
};
