// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What points at a queue: flow rules that name it, and entries of RSS tables. A rule to
 * an RSS context points at queues through that context's table, and is not counted as
 * one that names the queue.
 */
#include "lib/model/join.h"

#include <errno.h>
#include <stdlib.h>

static int add_rule(struct zcq_queue *q, const struct zcq_nic_rule *rule)
{
	struct zcq_nic_rule *rules;

	rules = reallocarray(q->rules, q->n_rules + 1, sizeof(*rules));
	if (!rules)
		return -ENOMEM;
	q->rules = rules;
	rules[q->n_rules++] = *rule;
	return 0;
}

static int join_rule_list(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_rule_info *info = in->rule_infos.v;
	const struct zcq_nic_rule *rule = in->rules.v;
	struct zcq_netdev *nd;
	struct zcq_queue *q;
	size_t i, j;
	int err;

	for (i = 0; i < in->rule_infos.n; i++) {
		nd = zcq_join_netdev(snap, info[i].ifindex);
		if (!nd)
			continue;
		nd->n_rules = info[i].rules;
		nd->max_rules = info[i].max;
		for (j = 0; j < nd->n_queues; j++)
			nd->queues[j].rules_known = info[i].rules.known;
	}
	for (i = 0; i < in->rules.n; i++) {
		q = zcq_join_queue(zcq_join_netdev(snap, rule[i].ifindex), rule[i].queue);
		if (!q || rule[i].action != ZCQ_RULE_QUEUE)
			continue;
		err = add_rule(q, &rule[i]);
		if (err)
			return err;
	}
	return 0;
}

static int add_share(struct zcq_queue *q, const struct zcq_nic_rss *rss, uint32_t entries)
{
	struct zcq_rss_share *shares;

	if (!rss->context) {
		q->rss_entries = zcq_num(entries);
		q->rss_of = zcq_num(rss->n_indir);
		return 0;
	}
	if (!entries)
		return 0;
	shares = reallocarray(q->rss, q->n_rss + 1, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	q->rss = shares;
	shares[q->n_rss++] = (struct zcq_rss_share) {
		.context = rss->context,
		.entries = entries,
		.of = (uint32_t)rss->n_indir,
	};
	return 0;
}

static int join_table(struct zcq_netdev *nd, const struct zcq_nic_rss *rss)
{
	uint32_t *entries;
	size_t i;
	int err = 0;

	entries = calloc(nd->n_queues + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (i = 0; i < rss->n_indir; i++)
		if (rss->indir[i] < nd->n_queues)
			entries[rss->indir[i]]++;
	for (i = 0; i < nd->n_queues && !err; i++)
		err = add_share(&nd->queues[i], rss, entries[i]);
	free(entries);
	return err;
}

int zcq_join_rules(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_rss *rss = in->rss.v;
	struct zcq_netdev *nd;
	size_t i;
	int err;

	err = join_rule_list(in, snap);
	for (i = 0; i < in->rss.n && !err; i++) {
		nd = zcq_join_netdev(snap, rss[i].ifindex);
		if (nd && rss[i].n_indir)
			err = join_table(nd, &rss[i]);
	}
	return err;
}
