// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules of all flows, and an RSS context for each flow that is spread. Rules that are there
 * already are left to whoever made them; rules of others that match the same packets stand
 * in the way. See plan.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/steer/match.h"
#include "lib/steer/plan_make.h"

/* --- queues of a flow ------------------------------------------------------------------------------- */

static const struct zcq_array *queues_of(const struct zcq_plan_make *m, const struct zcq_policy_flow *f)
{
	return f->queues.n ? &f->queues : &m->plan->queues;
}

/* With "top" only now it is known which queues there are. */
static int check_queues(struct zcq_plan_make *m, const struct zcq_policy_flow *f, bool *ok)
{
	const uint32_t *q = f->queues.v;

	*ok = m->plan->queues.n > 0;
	for (size_t i = 0; i < f->queues.n && *ok; i++) {
		if (zcq_plan_is_zc(m, q[i]))
			continue;
		*ok = false;
		return zcq_plan_refuse(m, f->pos, "queue %u is not among the zero-copy queues of %s", q[i],
				       m->policy->name);
	}
	return 0;
}

/* --- contexts --------------------------------------------------------------------------------------------- */

static int contexts_there(const struct zcq_plan_make *m, struct zcq_step_before *before)
{
	const struct zcq_nic_rss *r = m->state->rss.v;

	before->v = calloc(m->state->rss.n + 1, sizeof(*before->v));
	if (!before->v)
		return -ENOMEM;
	for (size_t i = 0; i < m->state->rss.n; i++)
		if (r[i].context)
			before->v[before->n++] = r[i].context;
	return 0;
}

/* *seq: of the step, 0 when refused. */
static int plan_context(struct zcq_plan_make *m, const struct zcq_policy_flow *f, uint32_t *seq)
{
	const struct zcq_nic_rss *table = zcq_nic_state_rss(m->state, 0);
	const struct zcq_array *queues = queues_of(m, f);
	const uint32_t *q = queues->v;
	struct zcq_step *s;

	*seq = 0;
	if (!table)
		return zcq_plan_refuse(m, f->pos, "%s has no RSS, a flow can't be spread over queues",
				       m->policy->name);
	s = zcq_plan_step(m, ZCQ_STEP_CONTEXT, false);
	if (!s)
		return -ENOMEM;
	*seq = s->seq;
	s->context.n = table->n_indir;
	s->context.indir = calloc(s->context.n, sizeof(*s->context.indir));
	if (!s->context.indir)
		return -ENOMEM;
	for (size_t i = 0; i < s->context.n; i++)
		s->context.indir[i] = q[i % queues->n];
	return contexts_there(m, &s->context.before);
}

/* --- rules ------------------------------------------------------------------------------------------------- */

/* Whether two rules match the very same packets. */
static bool same_match(const struct ethtool_rx_flow_spec *a, const struct ethtool_rx_flow_spec *b)
{
	return (a->flow_type & ~FLOW_RSS) == (b->flow_type & ~FLOW_RSS) &&
	       !memcmp(&a->h_u, &b->h_u, sizeof(a->h_u)) && !memcmp(&a->m_u, &b->m_u, sizeof(a->m_u)) &&
	       (!(a->flow_type & FLOW_EXT) || a->h_ext.vlan_tci == b->h_ext.vlan_tci);
}

/* A rule of somebody with this match, or one of this plan. */
static const struct zcq_nic_rule *find_rule(const struct zcq_plan_make *m,
					    const struct ethtool_rx_flow_spec *spec)
{
	const struct zcq_nic_rule *r = m->state->rules.v;

	for (size_t i = 0; i < m->state->rules.n; i++)
		if (same_match(&r[i].spec, spec))
			return &r[i];
	return NULL;
}

static bool planned(const struct zcq_plan_make *m, const struct ethtool_rx_flow_spec *spec)
{
	const struct zcq_step *s = m->plan->steps.v;

	for (size_t i = 0; i < m->plan->steps.n; i++)
		if (s[i].kind == ZCQ_STEP_RULE && same_match(&s[i].rule.spec, spec))
			return true;
	return false;
}

static int locations_there(const struct zcq_plan_make *m, struct zcq_step_before *before)
{
	const struct zcq_nic_rule *r = m->state->rules.v;

	before->v = calloc(m->state->rules.n + 1, sizeof(*before->v));
	if (!before->v)
		return -ENOMEM;
	for (size_t i = 0; i < m->state->rules.n; i++)
		before->v[before->n++] = r[i].location;
	return 0;
}

static bool taken(const struct zcq_plan_make *m, uint32_t location)
{
	const struct zcq_nic_rule *r = m->state->rules.v;
	const struct zcq_step *s = m->plan->steps.v;

	for (size_t i = 0; i < m->state->rules.n; i++)
		if (r[i].location == location)
			return true;
	for (size_t i = 0; i < m->plan->steps.n; i++)
		if (s[i].kind == ZCQ_STEP_RULE && s[i].rule.spec.location == location)
			return true;
	return false;
}

/* The driver's choice, or the last free one. False: the table is full. */
static bool choose_location(struct zcq_plan_make *m, uint32_t *location)
{
	const struct zcq_nic_rule_info *info = &m->state->rule_info;

	*location = RX_CLS_LOC_ANY;
	if (info->any_location)
		return true;
	if (!m->next_location_known) {
		m->next_location = info->max.known ? (uint32_t)info->max.v : 0;
		m->next_location_known = true;
	}
	while (m->next_location--) {
		*location = m->next_location;
		if (!taken(m, *location))
			return true;
	}
	m->next_location = 0;
	return false;
}

/* The rule's action: the flow's queue, or the context that a step of this plan makes. */
static void set_action(const struct zcq_plan_make *m, const struct zcq_policy_flow *f, uint32_t context_step,
		       struct ethtool_rx_flow_spec *spec)
{
	if (context_step)
		spec->flow_type |= FLOW_RSS;
	else
		spec->ring_cookie = *(const uint32_t *)queues_of(m, f)->v;
}

static int in_the_way(struct zcq_plan_make *m, const struct zcq_policy_flow *f,
		      const struct zcq_nic_rule *other)
{
	char text[120];

	zcq_nic_rule_text(other, text, sizeof(text));
	return zcq_plan_refuse(m, f->pos, "rule %u of %s matches the same (%s) and does something else: "
			       "ethtool -N %s delete %u", other->location, m->policy->name, text,
			       m->policy->name, other->location);
}

static int add_rule(struct zcq_plan_make *m, const struct zcq_policy_flow *f, uint32_t context_step,
		    struct ethtool_rx_flow_spec *spec)
{
	const struct zcq_nic_rule *other = find_rule(m, spec);
	struct zcq_step *s;

	set_action(m, f, context_step, spec);
	if (other && !context_step && other->action == ZCQ_RULE_QUEUE && other->queue == spec->ring_cookie) {
		m->plan->rules_there++;
		return 0;
	}
	if (other)
		return in_the_way(m, f, other);
	if (planned(m, spec))
		return zcq_plan_refuse(m, f->pos, "another flow of this policy matches the same");
	if (!choose_location(m, &spec->location))
		return zcq_plan_refuse(m, f->pos, "the rule table of %s is full: %llu rules", m->policy->name,
				       (unsigned long long)m->state->rule_info.max.v);
	s = zcq_plan_step(m, ZCQ_STEP_RULE, false);
	if (!s)
		return -ENOMEM;
	s->rule.spec = *spec;
	s->rule.context_step = context_step;
	return locations_there(m, &s->rule.before);
}

static int plan_flow(struct zcq_plan_make *m, const struct zcq_policy_flow *f)
{
	struct zcq_array specs = { .size = sizeof(struct ethtool_rx_flow_spec) };
	struct ethtool_rx_flow_spec *spec;
	size_t refused = m->plan->refusals.n;
	uint32_t context_step = 0;
	bool ok;
	int err = check_queues(m, f, &ok);

	if (err || !ok)
		return err;
	if (queues_of(m, f)->n > 1)
		err = plan_context(m, f, &context_step);
	if (!err)
		err = zcq_flow_to_specs(f, &specs);
	spec = specs.v;
	for (size_t i = 0; i < specs.n && !err && m->plan->refusals.n == refused; i++)
		err = add_rule(m, f, context_step, &spec[i]);
	zcq_array_clear(&specs, NULL);
	return err;
}

int zcq_plan_flows(struct zcq_plan_make *m)
{
	const struct zcq_policy_flow *f = m->policy->flows.v;
	int err = 0;

	if (m->policy->flows.n && m->state->rules_err)
		return zcq_plan_refuse(m, m->policy->pos, "%s (%s) takes no flow rules: %s", m->policy->name,
				       m->state->link.driver, strerror(-m->state->rules_err));
	for (size_t i = 0; i < m->policy->flows.n && !err; i++)
		err = plan_flow(m, &f[i]);
	return err;
}
