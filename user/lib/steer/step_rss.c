// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The default RSS table, whole. Whether it was the driver's or the user's can't be read
 * back: one that looks like the driver's is given back by a reset, so that it follows
 * changes of channels again.
 */
#include "lib/steer/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ntuple_set.h"
#include "lib/steer/json.h"

static bool is_table(const struct zcq_nic_state *state, const uint32_t *indir, size_t n)
{
	const struct zcq_nic_rss *rss = zcq_nic_state_rss(state, 0);

	return rss && rss->n_indir == n && !memcmp(rss->indir, indir, n * sizeof(*indir));
}

static int apply(struct zcq_nic_ask *ask, const struct zcq_nic_link *link, struct zcq_step *step)
{
	return zcq_nic_rss_set(ask->fd, link->name, 0, step->rss.indir, step->rss.n);
}

static int undo(struct zcq_nic_ask *ask, const struct zcq_nic_state *state, const struct zcq_step *step)
{
	/* Somebody else's table by now: not ours to touch. */
	if (!is_table(state, step->rss.indir, step->rss.n))
		return is_table(state, step->rss.was, step->rss.n) ? 0 : -EEXIST;
	if (step->rss.was_default)
		return zcq_nic_rss_reset(ask->fd, state->link.name);
	return zcq_nic_rss_set(ask->fd, state->link.name, 0, step->rss.was, step->rss.n);
}

static bool stands(const struct zcq_nic_state *state, const struct zcq_step *step)
{
	return is_table(state, step->rss.indir, step->rss.n);
}

/* "0-5,7": the queues that a table names. */
static void queues_text(const uint32_t *indir, size_t n, char *buf, size_t size)
{
	uint32_t top = 0;
	size_t len = 0;
	bool *in;

	for (size_t i = 0; i < n; i++)
		if (indir[i] > top)
			top = indir[i];
	in = calloc((size_t)top + 2, sizeof(*in));
	snprintf(buf, size, "?");
	for (size_t i = 0; in && i < n; i++)
		in[indir[i]] = true;
	for (uint32_t q = 0, first; in && q <= top && len < size; q++) {
		if (!in[q])
			continue;
		for (first = q; in[q + 1]; q++)
			;
		len += (size_t)snprintf(buf + len, size - len, first == q ? "%s%u" : "%s%u-%u",
					len ? "," : "", first, q);
	}
	free(in);
}

static void text(const struct zcq_step *step, char *buf, size_t size)
{
	char was[64], indir[64];

	queues_text(step->rss.was, step->rss.n, was, sizeof(was));
	queues_text(step->rss.indir, step->rss.n, indir, sizeof(indir));
	snprintf(buf, size, "RSS queues %s%s -> %s", was, step->rss.was_default ? " (default)" : "", indir);
}

static int to_json(const struct zcq_step *step, struct json_object *obj)
{
	int err = zcq_json_put_u32s(obj, "was", step->rss.was, step->rss.n);

	if (!err)
		err = zcq_json_put_u32s(obj, "indir", step->rss.indir, step->rss.n);
	return err ? err : zcq_json_put_bool(obj, "was_default", step->rss.was_default);
}

static int from_json(struct zcq_step *step, struct json_object *obj)
{
	size_t n_was;
	int err = zcq_json_get_u32s(obj, "was", &step->rss.was, &n_was);

	if (!err)
		err = zcq_json_get_u32s(obj, "indir", &step->rss.indir, &step->rss.n);
	if (!err && (!n_was || n_was != step->rss.n))
		err = -EINVAL;
	return err ? err : zcq_json_get_bool(obj, "was_default", &step->rss.was_default);
}

static void drop(struct zcq_step *step)
{
	free(step->rss.was);
	free(step->rss.indir);
}

const struct zcq_step_ops zcq_step_rss = {
	.name = "rss",
	.apply = apply,
	.undo = undo,
	.stands = stands,
	.text = text,
	.to_json = to_json,
	.from_json = from_json,
	.drop = drop,
};
