// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals by the driver's per-queue statistics, and what the interval gave: their
 * growth, and what BPF counted. A counter of a probe that did not attach is unknown;
 * one that did and counted nothing for a queue with a provider is 0.
 */
#include "lib/model/join.h"

#include "lib/nic/uapi.h"

static const struct zcq_nic_qstats *find(const struct zcq_array *all,
					 const struct zcq_nic_qstats *like, size_t hint)
{
	const struct zcq_nic_qstats *st = all->v;
	size_t i;

	/* two dumps in a row almost always list the same queues in the same order */
	if (hint < all->n && st[hint].ifindex == like->ifindex && st[hint].queue == like->queue &&
	    st[hint].type == like->type)
		return &st[hint];
	for (i = 0; i < all->n; i++)
		if (st[i].ifindex == like->ifindex && st[i].queue == like->queue &&
		    st[i].type == like->type)
			return &st[i];
	return NULL;
}

static void join_driver(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_qstats *now = in->qstats.v, *before;
	struct zcq_queue *q;
	size_t i;

	for (i = 0; i < in->qstats.n; i++) {
		if (now[i].type != ZCQ_QUEUE_RX)
			continue;
		q = zcq_join_queue(zcq_join_netdev(snap, now[i].ifindex), now[i].queue);
		if (!q)
			continue;
		q->pkts = now[i].rx_pkts;
		q->bytes = now[i].rx_bytes;
		q->alloc_fails = now[i].rx_alloc_fails;
		q->gro_pkts = now[i].rx_gro_pkts;
		q->gro_wire_pkts = now[i].rx_gro_wire_pkts;
		before = in->stats_ns ? find(&in->qstats_before, &now[i], i) : NULL;
		if (!before)
			continue;
		q->rates.pkts = zcq_num_delta(before->rx_pkts, q->pkts);
		q->rates.bytes = zcq_num_delta(before->rx_bytes, q->bytes);
		q->rates.driver_alloc_fails = zcq_num_delta(before->rx_alloc_fails, q->alloc_fails);
	}
}

/* 0 of what was watched, before the counts are added. */
static void start_rates(const struct zcq_model_measured *m, struct zcq_queue *q)
{
	struct zcq_rates *r = &q->rates;
	bool io_uring = q->provider == ZCQ_PROVIDER_IO_URING;
	bool dmabuf = q->provider == ZCQ_PROVIDER_DMABUF;
	size_t i;

	r->zc_bytes.known = (io_uring && m->zc_bytes) || (dmabuf && m->devmem_bytes);
	r->copied_bytes.known = (io_uring && m->copied_bytes) || (dmabuf && m->devmem_bytes);
	for (i = 0; i < ZCQ_COPY_REASONS; i++)
		r->copied_by[i].known = r->copied_bytes.known;
	r->alloc_fails.known = (io_uring && m->alloc_fails) || (dmabuf && m->devmem_allocs);
	r->reconfigs.known = m->reconfigs;
}

/* A queue may have had its provider for a part of the interval only: then it has counts. */
static void add_count(const struct zcq_model_measured *m, struct zcq_rates *r,
		      const struct zcq_queue_counters *c)
{
	uint64_t copied = 0;
	size_t i;

	for (i = 0; i < ZCQ_COPY_REASONS; i++) {
		copied += c->copied_bytes[i];
		if (r->copied_bytes.known || c->copied_bytes[i])
			zcq_num_add(&r->copied_by[i], zcq_num(c->copied_bytes[i]));
	}
	if (r->zc_bytes.known || c->zc_bytes)
		zcq_num_add(&r->zc_bytes, zcq_num(c->zc_bytes));
	if (r->copied_bytes.known || copied)
		zcq_num_add(&r->copied_bytes, zcq_num(copied));
	if (r->alloc_fails.known || c->alloc_calls || c->alloc_fails)
		zcq_num_add(&r->alloc_fails, zcq_num(c->alloc_fails));
	if (m->reconfigs)
		zcq_num_add(&r->reconfigs, zcq_num(c->reconfigs));
}

/* A whole netdev's reopening is seen in its driver only. */
static bool sees_reopens(const struct zcq_model_measured *m, const struct zcq_netdev *nd)
{
	return (m->mlx5_reopens && !strcmp(nd->driver, "mlx5_core")) ||
	       (m->bnxt_reopens && !strcmp(nd->driver, "bnxt_en"));
}

void zcq_join_rates(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_model_count *count = in->counts.v;
	struct zcq_netdev *nd;
	struct zcq_queue *q;
	size_t i, j;

	join_driver(in, snap);
	if (!in->interval_ns)
		return;
	for (i = 0; i < snap->n_netdevs; i++) {
		snap->netdevs[i].reopens.known = sees_reopens(&in->measured, &snap->netdevs[i]);
		for (j = 0; j < snap->netdevs[i].n_queues; j++)
			start_rates(&in->measured, &snap->netdevs[i].queues[j]);
	}
	for (i = 0; i < in->counts.n; i++) {
		if (count[i].queue.netns && count[i].queue.netns != in->netns)
			continue;
		nd = zcq_join_netdev(snap, count[i].queue.ifindex);
		if (nd && count[i].queue.rxq == ZCQ_NO_QUEUE)
			zcq_num_add(&nd->reopens, zcq_num(count[i].c.reconfigs));
		q = zcq_join_queue(nd, count[i].queue.rxq);
		if (q)
			add_count(&in->measured, &q->rates, &count[i].c);
	}
}
