// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The netdev's settings; rules and contexts are in plan_rules.c. See plan.h.
 */
#include "lib/steer/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/steer/plan_make.h"

int zcq_plan_refuse(struct zcq_plan_make *m, struct zcq_policy_pos pos, const char *fmt, ...)
{
	struct zcq_plan_refusal *r = zcq_array_push(&m->plan->refusals);
	va_list ap;

	if (!r)
		return -ENOMEM;
	r->pos = pos;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
	return 0;
}

struct zcq_step *zcq_plan_step(struct zcq_plan_make *m, int kind, bool resets)
{
	struct zcq_step *s = zcq_array_push(&m->plan->steps);

	if (!s)
		return NULL;
	s->seq = m->next_seq++;
	s->kind = kind;
	s->resets = resets;
	m->plan->resets += resets;
	return s;
}

bool zcq_plan_is_zc(const struct zcq_plan_make *m, uint32_t queue)
{
	const uint32_t *q = m->plan->queues.v;

	for (size_t i = 0; i < m->plan->queues.n; i++)
		if (q[i] == queue)
			return true;
	return false;
}

/* --- queues ----------------------------------------------------------------------------------------- */

static int add_queue(struct zcq_plan_make *m, uint32_t queue)
{
	uint32_t *q = zcq_array_push(&m->plan->queues);

	if (!q)
		return -ENOMEM;
	*q = queue;
	return 0;
}

static int plan_queues(struct zcq_plan_make *m)
{
	const struct zcq_policy_netdev *p = m->policy;
	const uint32_t *list = p->queues.v;
	uint32_t n = m->state->n_queues;
	int err = 0;

	if (p->top > n)
		return zcq_plan_refuse(m, p->pos, "%s has %u rx queues, not %u: ethtool -L %s", p->name, n,
				       p->top, p->name);
	for (uint32_t i = 0; i < p->top && !err; i++)
		err = add_queue(m, n - p->top + i);
	for (size_t i = 0; i < p->queues.n && !err; i++) {
		if (list[i] >= n)
			err = zcq_plan_refuse(m, p->pos, "%s has no rx queue %u, only %u: ethtool -L %s", p->name,
					      list[i], n, p->name);
		else
			err = add_queue(m, list[i]);
	}
	if (!err && p->rss == ZCQ_POLICY_RSS_CARVE_OUT && m->plan->queues.n && m->plan->queues.n >= n)
		err = zcq_plan_refuse(m, p->pos, "all %u queues of %s would be zero-copy: none is left for "
				      "ordinary traffic", n, p->name);
	return err;
}

/* What excludes a memory provider on the netdev or the queue. */
static int plan_users(struct zcq_plan_make *m)
{
	const struct zcq_policy_netdev *p = m->policy;
	const uint32_t *list = m->plan->queues.v;
	int err = 0;

	if (m->state->link.xdp)
		err = zcq_plan_refuse(m, p->pos, "an XDP program is attached to %s: ip link set %s xdp off",
				      p->name, p->name);
	for (size_t i = 0; i < m->plan->queues.n && !err; i++) {
		const struct zcq_nic_queue *q = zcq_nic_state_queue(m->state, list[i]);

		if (q && q->xsk)
			err = zcq_plan_refuse(m, p->pos, "%s queue %u is used by an AF_XDP socket", p->name, q->id);
		if (!err && q && q->leased)
			err = zcq_plan_refuse(m, p->pos, "%s queue %u is leased to another netdev", p->name, q->id);
	}
	return err;
}

/* --- features and rings -------------------------------------------------------------------------------- */

static int plan_feature(struct zcq_plan_make *m, const char *name, const struct zcq_nic_feature *f,
			bool resets, const char *why)
{
	struct zcq_step *s;

	if (!m->state->features_known || (!f->hw && !f->active) || (f->fixed && !f->active))
		return zcq_plan_refuse(m, m->policy->pos, "%s can't turn %s on, %s", m->policy->name, name, why);
	if (f->active)
		return 0;
	s = zcq_plan_step(m, ZCQ_STEP_FEATURE, resets);
	if (!s)
		return -ENOMEM;
	snprintf(s->feature.name, sizeof(s->feature.name), "%s", name);
	s->feature.was = f->wanted;
	s->feature.on = true;
	return 0;
}

static int plan_features(struct zcq_plan_make *m)
{
	const struct zcq_nic_features *f = &m->state->features;
	int err = 0;

	if (m->policy->split == ZCQ_POLICY_SPLIT_ON && !strcmp(m->state->link.driver, "mlx5_core"))
		err = plan_feature(m, "rx-gro-hw", &f->rx_gro_hw, true, "without which mlx5 splits no headers");
	if (!err && m->policy->flows.n)
		err = plan_feature(m, "rx-ntuple-filter", &f->ntuple, false, "without which it takes no rules");
	return err;
}

static bool provider_bound(const struct zcq_nic_state *s)
{
	const struct zcq_nic_queue *q = s->queues.v;

	for (size_t i = 0; i < s->queues.n; i++)
		if (q[i].io_uring || q[i].dmabuf.known)
			return true;
	return false;
}

/* A number that is to change: both sides are set. Otherwise both stay unknown. */
static void change(struct zcq_num want, struct zcq_num has, struct zcq_num *was, struct zcq_num *set)
{
	if (!want.known || (has.known && has.v == want.v))
		return;
	*was = has;
	*set = want;
}

static struct zcq_num wanted_split(int split)
{
	if (split == ZCQ_POLICY_SPLIT_KEEP)
		return (struct zcq_num){ 0 };
	return zcq_num(split == ZCQ_POLICY_SPLIT_ON ? ZCQ_SPLIT_ON : ZCQ_SPLIT_OFF);
}

/*
 * "on" may be the driver's own choice, which a provider does not accept: it is asked for again, which
 * changes nothing where it was asked for already.
 */
static void plan_split(struct zcq_plan_make *m, struct zcq_step_rings *r)
{
	struct zcq_num want = wanted_split(m->policy->split), has = m->state->rings.split;

	if (!want.known || (want.v != ZCQ_SPLIT_ON && has.v == want.v))
		return;
	if (want.v == ZCQ_SPLIT_ON && has.v == ZCQ_SPLIT_ON && provider_bound(m->state))
		return;	/* it was accepted */
	r->set.split = want;
	r->was.split = zcq_num(ZCQ_SPLIT_UNKNOWN);
}

static int plan_rings(struct zcq_plan_make *m)
{
	const struct zcq_policy_netdev *p = m->policy;
	const struct zcq_nic_rings *has = &m->state->rings;
	struct zcq_step_rings r = { 0 };
	struct zcq_step *s;

	plan_split(m, &r);
	if (r.set.split.known && !has->split.known)
		return zcq_plan_refuse(m, p->pos, "%s (%s) has no header split to set", p->name,
				       m->state->link.driver);
	change(p->hds_thresh, has->hds_thresh, &r.was.hds_thresh, &r.set.hds_thresh);
	change(p->ring_entries, has->rx, &r.was.rx, &r.set.rx);
	change(p->rx_buf_len, has->rx_buf_len, &r.was.rx_buf_len, &r.set.rx_buf_len);
	if (!r.set.split.known && !r.set.hds_thresh.known && !r.set.rx.known && !r.set.rx_buf_len.known)
		return 0;
	if (r.set.rx.known && has->rx_max.known && r.set.rx.v > has->rx_max.v)
		return zcq_plan_refuse(m, p->pos, "ring-entries %llu: %s takes at most %llu",
				       (unsigned long long)r.set.rx.v, p->name, (unsigned long long)has->rx_max.v);
	if ((r.set.split.known || r.set.hds_thresh.known) && provider_bound(m->state))
		return zcq_plan_refuse(m, p->pos, "header split of %s can't change while a memory provider is "
				       "bound: zcq queues --zc %s", p->name, p->name);
	s = zcq_plan_step(m, ZCQ_STEP_RINGS, true);
	if (!s)
		return -ENOMEM;
	s->rings = r;
	return 0;
}

/* --- RSS ------------------------------------------------------------------------------------------------- */

/* Queues that take over: those the table uses already, or, where all of it was zero-copy, all others. */
static size_t ordinary(const struct zcq_plan_make *m, const struct zcq_nic_rss *rss, uint32_t *queues)
{
	uint32_t n_queues = m->state->n_queues;
	size_t n = 0;

	for (uint32_t q = 0; q < n_queues; q++) {
		bool used = false;

		for (size_t i = 0; i < rss->n_indir; i++)
			used = used || rss->indir[i] == q;
		if (used && !zcq_plan_is_zc(m, q))
			queues[n++] = q;
	}
	for (uint32_t q = 0; !n && q < n_queues; q++)
		if (!zcq_plan_is_zc(m, q))
			queues[n++] = q;
	return n;
}

static int carve_out(struct zcq_plan_make *m, const struct zcq_nic_rss *rss)
{
	uint32_t *queues = calloc(m->state->n_queues, sizeof(*queues));
	size_t n = queues ? ordinary(m, rss, queues) : 0, next = 0;
	size_t bytes = rss->n_indir * sizeof(uint32_t);
	struct zcq_step *s;

	if (!n || !(s = zcq_plan_step(m, ZCQ_STEP_RSS, false))) {
		free(queues);
		return n || !queues ? -ENOMEM : 0;	/* none left: refused before */
	}
	s->rss.n = rss->n_indir;
	s->rss.was_default = zcq_nic_rss_is_default(rss, m->state->n_queues);
	s->rss.was = malloc(bytes);
	s->rss.indir = malloc(bytes);
	if (s->rss.was && s->rss.indir) {
		memcpy(s->rss.was, rss->indir, bytes);
		for (size_t i = 0; i < rss->n_indir; i++)
			s->rss.indir[i] = zcq_plan_is_zc(m, rss->indir[i]) ? queues[next++ % n] : rss->indir[i];
	}
	free(queues);
	return s->rss.was && s->rss.indir ? 0 : -ENOMEM;
}

static int plan_rss(struct zcq_plan_make *m)
{
	const struct zcq_nic_rss *rss = zcq_nic_state_rss(m->state, 0);

	if (m->policy->rss != ZCQ_POLICY_RSS_CARVE_OUT)
		return 0;
	if (!rss)
		return zcq_plan_refuse(m, m->policy->pos, "%s has no RSS table to keep ordinary traffic off its "
				       "zero-copy queues: rss: keep", m->policy->name);
	for (size_t i = 0; i < rss->n_indir; i++)
		if (zcq_plan_is_zc(m, rss->indir[i]))
			return carve_out(m, rss);
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------------------- */

int zcq_plan_make(const struct zcq_policy_netdev *policy, const struct zcq_nic_state *state,
		  uint32_t first_seq, struct zcq_plan *plan)
{
	static int (*const parts[])(struct zcq_plan_make *m) = {
		plan_queues, plan_users, plan_features, plan_rings, plan_rss, zcq_plan_flows,
	};
	struct zcq_plan_make m = {
		.policy = policy, .state = state, .plan = plan, .next_seq = first_seq,
	};
	int err = 0;

	*plan = (struct zcq_plan){
		.queues.size = sizeof(uint32_t), .steps.size = sizeof(struct zcq_step),
		.refusals.size = sizeof(struct zcq_plan_refusal),
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++)
		err = parts[i](&m);
	if (err)
		zcq_plan_free(plan);
	return err;
}

void zcq_plan_free(struct zcq_plan *plan)
{
	zcq_array_clear(&plan->queues, NULL);
	zcq_array_clear(&plan->steps, zcq_step_drop);
	zcq_array_clear(&plan->refusals, NULL);
}
