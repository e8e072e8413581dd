/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows how kernels differ (6.15 to 7.3 and on): CO-RE flavours and the
 * readers that choose among them. Programs call these and never test a version.
 */
#ifndef ZCQ_COMPAT_BPF_H
#define ZCQ_COMPAT_BPF_H

#include "kernel.bpf.h"
#include "maps.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* 7.x: provider parameters carry the page size; a queue knows whom it is leased to. */
struct pp_memory_provider_params___70 {
	__u32 rx_page_size;
};

struct netdev_rx_queue___70 {
	struct netdev_rx_queue *lease;
};

/* 7.x: the configuration a queue is started with. */
struct netdev_queue_config___70 {
	__u32 rx_page_size;
};

/* 7.3: many areas, the refill ring as a struct of its own. */
struct zcrx_rq_hdr___73 {
	__u32 head;
	__u32 tail;
};

struct zcrx_rq___73 {
	struct zcrx_rq_hdr___73 *ring;
	__u32 cached_head;
	__u32 cached_tail;
	__u32 nr_entries;
};

struct io_zcrx_ifq___73 {
	struct io_zcrx_area **areas;
	unsigned int nr_areas;
	unsigned int niov_shift;
	refcount_t user_refs;
	struct zcrx_rq___73 rq;
};

/* 6.15 to 6.19: one area, the refill ring's fields in the ifq. */
struct io_uring___618 {
	__u32 head;
	__u32 tail;
};

struct io_zcrx_ifq___618 {
	struct io_zcrx_area *area;
	struct io_uring___618 *rq_ring;
	__u32 cached_rq_head;
	__u32 rq_entries;
};

/* 6.15: one instance for each ring, no xarray. */
struct io_ring_ctx___615 {
	struct io_zcrx_ifq *ifq;
};

/* The page pool's members that only some kernels or configurations have. */
struct page_pool_params_slow___opt {
	struct net_device *netdev;
	unsigned int queue_idx;
	unsigned int flags;
};

struct page_pool_user___opt {
	__u32 id;
	__u64 detach_time;	/* since boot, suspend included, in s or ns by kernel; 0: not detached */
};

struct page_pool___opt {
	struct page_pool_params_slow___opt slow;
	struct page_pool_user___opt user;
};

#pragma clang attribute pop

/* Which queue, and its netdev's name in its own namespace. */
static __always_inline void queue_of_dev(const struct net_device *dev, __u32 rxq,
					 struct zcq_queue_id *q)
{
	q->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	q->ifindex = BPF_CORE_READ(dev, ifindex);
	q->rxq = rxq;
	q->pad = 0;
}

/*
 * A pool's netdev, NULL: none, or it is gone. The kernel gives a pool whose buffers are still out
 * to its namespace's loopback (always ifindex 1), and poisons the pointer when that goes too:
 * NET_PTR_POISON, a small number above POISON_POINTER_DELTA.
 */
#define LOOPBACK_IFINDEX	1
#define POISON_DELTA		0xdead000000000000ULL

static __always_inline const struct net_device *pool_dev(const struct page_pool *pool)
{
	const struct page_pool___opt *opt = (const void *)pool;
	const struct net_device *dev = NULL;

	if (bpf_core_field_exists(opt->slow.netdev))
		dev = BPF_CORE_READ(opt, slow.netdev);
	if ((__u64)dev <= 4096 || (__u64)dev - POISON_DELTA <= 4096)
		return NULL;
	return BPF_CORE_READ(dev, ifindex) == LOOPBACK_IFINDEX ? NULL : dev;
}

static __always_inline void dev_name_read(const struct net_device *dev, char name[ZCQ_NAME_LEN])
{
	bpf_core_read_str(name, ZCQ_NAME_LEN, &dev->name);
}

static __always_inline __u32 current_netns(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return BPF_CORE_READ(task, nsproxy, net_ns, ns.inum);
}

static __always_inline __u32 netdev_rx_queues(const struct net_device *dev)
{
	return BPF_CORE_READ(dev, real_num_rx_queues);
}

/* Page size a provider asks for; 0: the driver's default (or a kernel that knows only that). */
static __always_inline __u32 mp_page_size(const struct pp_memory_provider_params *p)
{
	const struct pp_memory_provider_params___70 *p70 = (const void *)p;

	if (bpf_core_field_exists(p70->rx_page_size))
		return BPF_CORE_READ(p70, rx_page_size);
	return 0;
}

static __always_inline __u32 qcfg_page_size(const struct netdev_queue_config *qcfg)
{
	const struct netdev_queue_config___70 *q70 = (const void *)qcfg;

	if (qcfg && bpf_core_field_exists(q70->rx_page_size))
		return BPF_CORE_READ(q70, rx_page_size);
	return 0;
}

/* Whose memory: decided by the provider's own function, as its ops have no name or number. */
static __always_inline enum zcq_provider provider_of(const struct memory_provider_ops *ops)
{
	__u64 alloc;

	if (!ops)
		return ZCQ_PROVIDER_NONE;
	alloc = (__u64)BPF_CORE_READ(ops, alloc_netmems);
	if (alloc && alloc == zcq_cfg.sym[ZCQ_SYM_IOU_ALLOC])
		return ZCQ_PROVIDER_IO_URING;
	if (alloc && alloc == zcq_cfg.sym[ZCQ_SYM_DEVMEM_ALLOC])
		return ZCQ_PROVIDER_DMABUF;
	return ZCQ_PROVIDER_OTHER;
}

/* Entry i of a netdev's rx queues; the caller knows that i is in range. */
static __always_inline struct netdev_rx_queue *rx_queue(const struct net_device *dev, __u32 i)
{
	struct netdev_rx_queue *rx = BPF_CORE_READ(dev, _rx);

	return (void *)rx + (__u64)i * bpf_core_type_size(struct netdev_rx_queue);
}

/*
 * The verifier lets nobody calculate with a pointer it knows the type of; read back from the
 * stack it is a number.
 */
static __always_inline __u64 address_of(const void *ptr)
{
	__u64 addr = 0;

	bpf_probe_read_kernel(&addr, sizeof(addr), &ptr);
	return addr;
}

static __always_inline __u32 rx_queue_index(const struct netdev_rx_queue *rxq)
{
	__u64 first = (__u64)BPF_CORE_READ(rxq, dev, _rx);

	return (address_of(rxq) - first) / bpf_core_type_size(struct netdev_rx_queue);
}

/* The operations of the provider that feeds a queue; NULL: none, or there is no such queue. */
static __always_inline const void *rx_queue_provider(const struct net_device *dev, __u32 i)
{
	return i < netdev_rx_queues(dev) ? BPF_CORE_READ(rx_queue(dev, i), mp_params.mp_ops) : NULL;
}

/* The queue this one is leased to or from; NULL: none, or a kernel without leases. */
static __always_inline struct netdev_rx_queue *rx_queue_lease(const struct netdev_rx_queue *rxq)
{
	const struct netdev_rx_queue___70 *rxq70 = (const void *)rxq;

	if (bpf_core_field_exists(rxq70->lease))
		return BPF_CORE_READ(rxq70, lease);
	return NULL;
}

/* Does this kernel share instances, so that it counts who uses one? */
static __always_inline bool ifq_counts_users(void)
{
	const struct io_zcrx_ifq___73 *ifq73 = NULL;

	return bpf_core_field_exists(ifq73->user_refs);
}

/* How many rings and exported files use an instance; 0: this kernel does not count them. */
static __always_inline __u32 ifq_users(const struct io_zcrx_ifq *ifq)
{
	const struct io_zcrx_ifq___73 *ifq73 = (const void *)ifq;

	if (bpf_core_field_exists(ifq73->user_refs))
		return BPF_CORE_READ(ifq73, user_refs.refs.counter);
	return 0;
}

/* The queue of an instance; rxq is ZCQ_NO_QUEUE without a netdev or once it is closed. */
static __always_inline void ifq_queue(const struct io_zcrx_ifq *ifq, struct zcq_queue_id *q)
{
	const struct net_device *dev = BPF_CORE_READ(ifq, netdev);

	if (dev) {
		queue_of_dev(dev, BPF_CORE_READ(ifq, if_rxq), q);
		return;
	}
	q->netns = 0;
	q->ifindex = 0;
	q->rxq = ZCQ_NO_QUEUE;
	q->pad = 0;
}

#endif
