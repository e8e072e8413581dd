// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame of a snapshot: netdevs and their rx queues, with what netdev-genl and
 * ethtool say about each. The other subjects are joined to it by the steps of join.h.
 */
#include "lib/model/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/uapi.h"

/* A queue number from a broken driver must not become an allocation. */
#define MAX_QUEUES	65536U

#define for_each(elem, array) \
	for ((elem) = (array)->v; (elem) && (elem) < (__typeof__(elem))(array)->v + (array)->n; (elem)++)

static int by_ifindex(const void *a, const void *b)
{
	const struct zcq_netdev *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

struct zcq_netdev *zcq_join_netdev(const struct zcq_snapshot *snap, uint32_t ifindex)
{
	struct zcq_netdev key = { .ifindex = ifindex };

	if (!snap->n_netdevs)
		return NULL;
	return bsearch(&key, snap->netdevs, snap->n_netdevs, sizeof(key), by_ifindex);
}

struct zcq_queue *zcq_join_queue(const struct zcq_netdev *nd, uint32_t id)
{
	return nd && id < nd->n_queues ? &nd->queues[id] : NULL;
}

static int add_netdevs(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_link *link;
	struct zcq_netdev *nd;

	snap->netdevs = calloc(in->links.n + 1, sizeof(*snap->netdevs));
	if (!snap->netdevs)
		return -ENOMEM;
	for_each(link, &in->links) {
		nd = &snap->netdevs[snap->n_netdevs++];
		nd->ifindex = link->ifindex;
		memcpy(nd->name, link->name, sizeof(nd->name));
		memcpy(nd->kind, link->kind, sizeof(nd->kind));
		memcpy(nd->driver, link->driver, sizeof(nd->driver));
		memcpy(nd->bus_addr, link->bus_addr, sizeof(nd->bus_addr));
		nd->up = link->up;
		nd->xdp = link->xdp;
	}
	qsort(snap->netdevs, snap->n_netdevs, sizeof(*snap->netdevs), by_ifindex);
	return 0;
}

/* How many rx queues each netdev has, by all who can say so. */
static void count_queues(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_model_rx_count *rc;
	const struct zcq_nic_queue *q;
	struct zcq_netdev *nd;

	for_each(rc, &in->rx_counts) {
		nd = zcq_join_netdev(snap, rc->ifindex);
		if (nd && rc->n <= MAX_QUEUES)
			nd->n_queues = rc->n;
	}
	for_each(q, &in->queues) {
		nd = zcq_join_netdev(snap, q->ifindex);
		if (nd && q->type == ZCQ_QUEUE_RX && q->id < MAX_QUEUES && q->id >= nd->n_queues)
			nd->n_queues = q->id + 1;
	}
}

static int alloc_queues(struct zcq_snapshot *snap)
{
	size_t i, q;

	for (i = 0; i < snap->n_netdevs; i++) {
		struct zcq_netdev *nd = &snap->netdevs[i];

		nd->queues = calloc(nd->n_queues + 1, sizeof(*nd->queues));
		if (!nd->queues) {
			nd->n_queues = 0;
			return -ENOMEM;
		}
		for (q = 0; q < nd->n_queues; q++)
			nd->queues[q].id = (uint32_t)q;
	}
	return 0;
}

static void take_queue(struct zcq_queue *q, const struct zcq_nic_queue *nlq)
{
	q->listed = true;
	q->napi_id = nlq->napi_id;
	q->xsk = nlq->xsk;
	q->dmabuf = nlq->dmabuf;
	if (nlq->io_uring) {
		q->provider = ZCQ_PROVIDER_IO_URING;
		q->buf_bytes = nlq->rx_buf_len;
	} else if (nlq->dmabuf.known) {
		q->provider = ZCQ_PROVIDER_DMABUF;
	}
}

static int add_queues(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_queue *nlq;
	struct zcq_queue *q;
	int err;

	count_queues(in, snap);
	err = alloc_queues(snap);
	if (err)
		return err;
	for_each(nlq, &in->queues) {
		q = zcq_join_queue(zcq_join_netdev(snap, nlq->ifindex), nlq->id);
		if (q && nlq->type == ZCQ_QUEUE_RX)
			take_queue(q, nlq);
	}
	return 0;
}

static int by_napi_id(const void *a, const void *b)
{
	const struct zcq_nic_napi *x = *(void *const *)a, *y = *(void *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

static void take_irq(const struct zcq_model_inputs *in, struct zcq_queue *q)
{
	const struct zcq_model_irq *irq;

	for_each(irq, &in->irqs) {
		if (irq->irq == q->irq.v) {
			memcpy(q->cpus, irq->cpus, sizeof(q->cpus));
			return;
		}
	}
}

/* NAPI ids are unique in a namespace; a host may have thousands of them. */
static int add_napis(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	struct zcq_nic_napi key, *pkey = &key, **found, **sorted, *napi;
	size_t n = 0, i, j;

	sorted = calloc(in->napis.n + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for_each(napi, &in->napis)
		sorted[n++] = napi;
	qsort(sorted, n, sizeof(*sorted), by_napi_id);
	for (i = 0; i < snap->n_netdevs; i++) {
		for (j = 0; j < snap->netdevs[i].n_queues; j++) {
			struct zcq_queue *q = &snap->netdevs[i].queues[j];

			key.id = (uint32_t)q->napi_id.v;
			found = q->napi_id.known ?
				bsearch(&pkey, sorted, n, sizeof(*sorted), by_napi_id) : NULL;
			if (!found)
				continue;
			q->irq = (*found)->irq;
			q->napi_pid = (*found)->pid;
			if (q->irq.known)
				take_irq(in, q);
		}
	}
	free(sorted);
	return 0;
}

static void add_settings(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_features *ft;
	const struct zcq_nic_rings *rings;
	struct zcq_netdev *nd;

	for_each(rings, &in->rings) {
		nd = zcq_join_netdev(snap, rings->ifindex);
		if (!nd)
			continue;
		nd->split = rings->split;
		nd->hds_thresh = rings->hds_thresh;
		nd->rx_buf_len = rings->rx_buf_len;
		nd->ring_entries = rings->rx;
	}
	for_each(ft, &in->features) {
		nd = zcq_join_netdev(snap, ft->ifindex);
		if (!nd)
			continue;
		nd->features_known = true;
		nd->rx_gro_hw = ft->rx_gro_hw;
		nd->ntuple = ft->ntuple;
	}
}

int zcq_model_join(const struct zcq_model_inputs *in, struct zcq_snapshot **out)
{
	struct zcq_snapshot *snap = calloc(1, sizeof(*snap));
	int err;

	*out = NULL;
	if (!snap)
		return -ENOMEM;
	snap->interval_ns = in->interval_ns;
	snap->stats_ns = in->stats_ns;
	snap->lost_known = in->lost_known;
	memcpy(snap->lost, in->lost, sizeof(snap->lost));
	snap->netns = in->netns;
	err = add_netdevs(in, snap);
	if (!err)
		err = add_queues(in, snap);
	if (!err)
		err = add_napis(in, snap);
	if (!err) {
		add_settings(in, snap);
		zcq_join_leases(in, snap);
		err = zcq_join_rules(in, snap);
	}
	if (!err)
		err = zcq_join_instances(in, snap);
	if (!err) {
		zcq_join_rates(in, snap);
		err = zcq_join_pools(in, snap);
	}
	if (err) {
		zcq_snapshot_free(snap);
		return err;
	}
	*out = snap;
	return 0;
}

void zcq_snapshot_free(struct zcq_snapshot *snap)
{
	size_t i, j;

	if (!snap)
		return;
	for (i = 0; i < snap->n_netdevs; i++) {
		struct zcq_netdev *nd = &snap->netdevs[i];

		for (j = 0; j < nd->n_queues; j++) {
			free(nd->queues[j].insts);
			free(nd->queues[j].rss);
			free(nd->queues[j].rules);
		}
		free(nd->queues);
		free(nd->pools);
	}
	for (i = 0; i < snap->n_insts; i++)
		free(snap->insts[i].owners);
	free(snap->netdevs);
	free(snap->orphans);
	free(snap->insts);
	free(snap);
}

struct zcq_netdev *zcq_snapshot_netdev(const struct zcq_snapshot *snap, const char *name)
{
	size_t i;

	for (i = 0; i < snap->n_netdevs; i++)
		if (!strcmp(snap->netdevs[i].name, name))
			return &snap->netdevs[i];
	return NULL;
}

struct zcq_num zcq_snapshot_rate(struct zcq_num v, uint64_t interval_ns)
{
	if (!v.known || !interval_ns)
		return (struct zcq_num){ 0 };
	return zcq_num((uint64_t)((double)v.v * 1e9 / (double)interval_ns + 0.5));
}

void zcq_model_inputs_free(struct zcq_model_inputs *in)
{
	struct zcq_array *plain[] = {
		&in->links, &in->queues, &in->rx_counts, &in->napis, &in->irqs, &in->pools,
		&in->qstats_before, &in->qstats, &in->channels, &in->rings, &in->features,
		&in->rule_infos, &in->rules, &in->lease_names, &in->instances, &in->bound,
		&in->counts,
	};
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		zcq_array_clear(plain[i], NULL);
	zcq_array_clear(&in->rss, zcq_nic_rss_drop);
}
