// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A new flow rule. It is ours only as long as all of it, match and action, is what we
 * inserted: a location alone proves nothing, as drivers let others replace what is there.
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
	struct zcq_step_rule *r = &step->rule;
	int err = zcq_nic_rule_insert(ask->fd, link->name, &r->spec, r->context, &r->location);

	r->made = !err;
	return err;
}

/* Fields that nobody set are not compared: drivers leave them as they like. */
static bool same_spec(const struct ethtool_rx_flow_spec *a, const struct ethtool_rx_flow_spec *b)
{
	return a->flow_type == b->flow_type && a->ring_cookie == b->ring_cookie &&
	       !memcmp(&a->m_u, &b->m_u, sizeof(a->m_u)) && !memcmp(&a->h_u, &b->h_u, sizeof(a->h_u)) &&
	       (!(a->flow_type & FLOW_EXT) ||
		(a->m_ext.vlan_tci == b->m_ext.vlan_tci && a->h_ext.vlan_tci == b->h_ext.vlan_tci));
}

static bool is_ours(const struct zcq_nic_rule *rule, const struct zcq_step_rule *r)
{
	return same_spec(&rule->spec, &r->spec) &&
	       (!(r->spec.flow_type & FLOW_RSS) || rule->context == r->context);
}

static const struct zcq_nic_rule *rule_at(const struct zcq_nic_state *state, uint32_t location)
{
	const struct zcq_nic_rule *rules = state->rules.v;

	for (size_t i = 0; i < state->rules.n; i++)
		if (rules[i].location == location)
			return &rules[i];
	return NULL;
}

static bool stands(const struct zcq_nic_state *state, const struct zcq_step *step)
{
	const struct zcq_nic_rule *rule = NULL;

	if (step->rule.made)
		rule = rule_at(state, step->rule.location);
	return rule && is_ours(rule, &step->rule);
}

static int undo(struct zcq_nic_ask *ask, const struct zcq_nic_state *state, const struct zcq_step *step)
{
	if (state->rules_err)
		return state->rules_err;
	if (!step->rule.made || !rule_at(state, step->rule.location))
		return 0;
	/* Somebody else's rule took its place. */
	if (!stands(state, step))
		return -EEXIST;
	return zcq_nic_rule_delete(ask->fd, state->link.name, step->rule.location);
}

static bool find(const struct zcq_nic_state *state, struct zcq_step *step)
{
	const struct zcq_nic_rule *rules = state->rules.v;
	struct zcq_step_rule *r = &step->rule;

	for (size_t i = 0; i < state->rules.n; i++) {
		bool old = false;

		for (size_t j = 0; j < r->before.n; j++)
			old = old || r->before.v[j] == rules[i].location;
		if (!old && is_ours(&rules[i], r)) {
			r->made = true;
			r->location = rules[i].location;
			return true;
		}
	}
	return false;
}

static void text(const struct zcq_step *step, char *buf, size_t size)
{
	struct zcq_nic_rule rule = { .spec = step->rule.spec };
	char match[160];

	zcq_nic_rule_decode(&rule, step->rule.context);
	zcq_nic_rule_text(&rule, match, sizeof(match));
	if (rule.action == ZCQ_RULE_CONTEXT)
		snprintf(buf, size, "rule %s -> RSS context %u", match, rule.context);
	else
		snprintf(buf, size, "rule %s -> queue %u", match, rule.queue);
}

static int to_json(const struct zcq_step *step, struct json_object *obj)
{
	const struct zcq_step_rule *r = &step->rule;
	char match[192];
	int err;

	text(step, match, sizeof(match));
	err = zcq_json_put_str(obj, "text", match);	/* for people; not read back */
	if (!err)
		err = zcq_json_put_hex(obj, "spec", &r->spec, sizeof(r->spec));
	if (!err)
		err = zcq_json_put_u64(obj, "context", r->context);
	if (!err)
		err = zcq_json_put_u64(obj, "context_step", r->context_step);
	if (!err)
		err = zcq_json_put_u32s(obj, "before", r->before.v, r->before.n);
	if (!err)
		err = zcq_json_put_bool(obj, "made", r->made);
	return err ? err : zcq_json_put_u64(obj, "location", r->location);
}

static int from_json(struct zcq_step *step, struct json_object *obj)
{
	struct zcq_step_rule *r = &step->rule;
	int err = zcq_json_get_hex(obj, "spec", &r->spec, sizeof(r->spec));

	if (!err)
		err = zcq_json_get_u32(obj, "context", &r->context);
	if (!err)
		err = zcq_json_get_u32(obj, "context_step", &r->context_step);
	if (!err)
		err = zcq_json_get_u32s(obj, "before", &r->before.v, &r->before.n);
	if (!err)
		err = zcq_json_get_bool(obj, "made", &r->made);
	return err ? err : zcq_json_get_u32(obj, "location", &r->location);
}

static void drop(struct zcq_step *step)
{
	free(step->rule.before.v);
}

const struct zcq_step_ops zcq_step_rule = {
	.name = "rule",
	.apply = apply,
	.undo = undo,
	.stands = stands,
	.find = find,
	.text = text,
	.to_json = to_json,
	.from_json = from_json,
	.drop = drop,
};
