// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page pools under their netdevs. The kernel does not say which queue a pool feeds; its
 * NAPI does, where one queue alone is served by that NAPI.
 */
#include "lib/model/join.h"

#include <errno.h>
#include <stdlib.h>

static struct zcq_num queue_of_napi(const struct zcq_netdev *nd, struct zcq_num napi_id)
{
	struct zcq_num found = { 0 };
	size_t i;

	for (i = 0; napi_id.known && i < nd->n_queues; i++) {
		const struct zcq_queue *q = &nd->queues[i];

		if (!q->napi_id.known || q->napi_id.v != napi_id.v)
			continue;
		if (found.known)
			return (struct zcq_num){ 0 };
		found = zcq_num(q->id);
	}
	return found;
}

static void take_pool(const struct zcq_model_inputs *in, const struct zcq_nic_pool *nlp,
		      struct zcq_pool *pool)
{
	pool->id = nlp->id;
	pool->napi_id = nlp->napi_id;
	pool->inflight = nlp->inflight;
	pool->inflight_bytes = nlp->inflight_bytes;
	if (nlp->detach_s.known)
		pool->detached_s = zcq_num(in->boottime_s > nlp->detach_s.v ?
					   in->boottime_s - nlp->detach_s.v : 0);
	pool->dmabuf = nlp->dmabuf;
	pool->buf_bytes = nlp->rx_buf_len;
	if (nlp->io_uring)
		pool->provider = ZCQ_PROVIDER_IO_URING;
	else if (nlp->dmabuf.known)
		pool->provider = ZCQ_PROVIDER_DMABUF;
}

static int append(struct zcq_pool **pools, size_t *n, const struct zcq_pool *pool)
{
	struct zcq_pool *grown = reallocarray(*pools, *n + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*pools = grown;
	grown[(*n)++] = *pool;
	return 0;
}

static int by_queue(const void *a, const void *b)
{
	const struct zcq_pool *x = a, *y = b;

	if (x->queue.known != y->queue.known)
		return x->queue.known ? -1 : 1;
	if (x->queue.v != y->queue.v)
		return x->queue.v < y->queue.v ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

int zcq_join_pools(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_pool *nlp = in->pools.v;
	struct zcq_netdev *nd;
	size_t i;
	int err;

	for (i = 0; i < in->pools.n; i++) {
		struct zcq_pool pool = { 0 };

		take_pool(in, &nlp[i], &pool);
		nd = nlp[i].ifindex ? zcq_join_netdev(snap, nlp[i].ifindex) : NULL;
		if (nd) {
			pool.queue = queue_of_napi(nd, pool.napi_id);
			err = append(&nd->pools, &nd->n_pools, &pool);
		} else {
			err = append(&snap->orphans, &snap->n_orphans, &pool);
		}
		if (err)
			return err;
	}
	for (i = 0; i < snap->n_netdevs; i++)
		if (snap->netdevs[i].n_pools)
			qsort(snap->netdevs[i].pools, snap->netdevs[i].n_pools,
			      sizeof(struct zcq_pool), by_queue);
	return 0;
}
