/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an instance (ifq) whatever the kernel's layout: its physical queue, buffer size,
 * refill ring and areas. Not hooks and no writes: zcrx.bpf.c and instance.bpf.c call these.
 * Nothing here takes a lock: numbers that change meanwhile are a moment's, each by itself.
 *
 * barrier() after a test for a member keeps the compiler from moving that member's offset in
 * front of the test: where the member does not exist the verifier must never come by it.
 */
#ifndef ZCQ_IFQ_BPF_H
#define ZCQ_IFQ_BPF_H

#include "compat.bpf.h"

#define IFQ_MAX_AREAS 1024 /* the kernel's own limit in 7.3 */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* 6.17 and 6.18: a size for the buffers, the ring header as before. 6.15 and 6.16: pages. */
struct io_zcrx_ifq___shift {
	unsigned int niov_shift;
};

/* 6.16 and on: an area may be a dmabuf. */
struct io_zcrx_area___mem {
	struct io_zcrx_mem mem;
};

#pragma clang attribute pop

static __always_inline __u32 ifq_shift(const struct io_zcrx_ifq *ifq)
{
	const struct io_zcrx_ifq___shift *s = (const void *)ifq;

	if (bpf_core_field_exists(s->niov_shift)) {
		barrier();
		return BPF_CORE_READ(s, niov_shift);
	}
	return zcq_cfg.page_shift;
}

/*
 * The queue that feeds the instance, as hardware has it: an instance on a virtual netdev
 * (netkit) leases a physical one. Returns that queue's netdev, NULL without.
 */
static __always_inline const struct net_device *ifq_phys_queue(const struct io_zcrx_ifq *ifq,
							       struct zcq_queue_id *q)
{
	const struct net_device *dev = BPF_CORE_READ(ifq, netdev);
	__u32 rxq = BPF_CORE_READ(ifq, if_rxq);
	struct netdev_rx_queue *lease;

	q->netns = 0;
	q->ifindex = 0;
	q->rxq = ZCQ_NO_QUEUE;
	q->pad = 0;
	if (!dev)
		return NULL;
	if (rxq < BPF_CORE_READ(dev, num_rx_queues)) {
		lease = rx_queue_lease(rx_queue(dev, rxq));
		if (lease) {
			dev = BPF_CORE_READ(lease, dev);
			rxq = rx_queue_index(lease);
		}
	}
	queue_of_dev(dev, rxq, q);
	return dev;
}

/* Refill ring: its size and the entries the kernel has not taken yet. */
static __always_inline void ifq_refill(const struct io_zcrx_ifq *ifq, __u32 *entries,
				       __u32 *pending)
{
	const struct io_zcrx_ifq___73 *n = (const void *)ifq;
	const struct io_zcrx_ifq___618 *o = (const void *)ifq;
	__u32 head = 0, tail = 0;

	*entries = 0;
	if (bpf_core_field_exists(n->rq)) {
		barrier();
		*entries = BPF_CORE_READ(n, rq.nr_entries);
		head = BPF_CORE_READ(n, rq.cached_head);
		tail = BPF_CORE_READ(n, rq.ring, tail);
	} else if (bpf_core_field_exists(o->rq_ring)) {
		barrier();
		*entries = BPF_CORE_READ(o, rq_entries);
		head = BPF_CORE_READ(o, cached_rq_head);
		tail = BPF_CORE_READ(o, rq_ring, tail);
	}
	*pending = tail - head;
	if (*pending > *entries) /* the application owns tail: it may hold anything */
		*pending = *entries;
}

/* Where the areas are: an array (7.x), or the only one (before). */
struct ifq_areas {
	struct io_zcrx_area **array;
	struct io_zcrx_area *only;
	__u32 n;
};

static __always_inline void ifq_areas_read(const struct io_zcrx_ifq *ifq, struct ifq_areas *a)
{
	const struct io_zcrx_ifq___73 *n = (const void *)ifq;
	const struct io_zcrx_ifq___618 *o = (const void *)ifq;

	a->array = NULL;
	a->only = NULL;
	if (bpf_core_field_exists(n->areas)) {
		barrier();
		a->array = BPF_CORE_READ(n, areas);
		a->n = BPF_CORE_READ(n, nr_areas);
	} else {
		barrier();
		a->only = BPF_CORE_READ(o, area);
		a->n = a->only ? 1 : 0;
	}
}

static __always_inline const struct io_zcrx_area *ifq_area(const struct ifq_areas *a, __u32 i)
{
	struct io_zcrx_area *area = NULL;

	if (i >= a->n)
		return NULL;
	if (!a->array)
		return a->only;
	bpf_probe_read_kernel(&area, sizeof(area), a->array + i);
	return area;
}

static __always_inline bool area_is_dmabuf(const struct io_zcrx_area *area)
{
	const struct io_zcrx_area___mem *a = (const void *)area;

	if (bpf_core_field_exists(a->mem.is_dmabuf)) {
		barrier();
		return BPF_CORE_READ(a, mem.is_dmabuf);
	}
	return false;
}

#endif
