// SPDX-License-Identifier: GPL-2.0-only
/*
 * devmem TCP: dmabuf bindings come and go, what their queues take, and what sockets receive
 * from them.
 *
 * Hooks: fexit net_devmem_bind_dmabuf, fentry net_devmem_unbind_dmabuf (rare); fexit
 * mp_dmabuf_devmem_alloc_netmems (NAPI, for each buffer that the pool has not recycled: the one
 * hook of the default profile that may fire per buffer, as the kernel asks a dmabuf for one at
 * a time and tells of a refusal nowhere else); fexit tcp_recvmsg_dmabuf (the receiving task, under the socket's lock, once for each packet or
 * run of packets); fexit sock_devmem_dontneed (once for each setsockopt). Kernels 6.12 and on.
 *
 * Bytes: tcp_recvmsg_dmabuf's return value; of these, what lay in the linear part of the first
 * packet was copied (reason linear), the rest stayed in the dmabuf. When one call went on into
 * a packet with a linear part of its own, those bytes count as not copied. The queue is the
 * one whose page pool the first fragment belongs to. Bytes received from a provider queue's
 * socket by an ordinary recvmsg are not seen (the kernel refuses them).
 *
 * Cost: not measured; devmem_alloc is zcrx_alloc's work and devmem_recv zcrx_read_out's, see
 * zcrx.bpf.c. Lost: events when the ring is full, flows when the table is (zcq_lost). The owner
 * of a binding made before the session is unknowable.
 */
#include "alloc.bpf.h"
#include "compat.bpf.h"
#include "flow.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define IS_ERR_PTR(p) ((__u64)(p) >= (__u64)-4095LL)

enum dma_data_direction {
	DMA_TO_DEVICE = 1, /* a binding for sending */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct dma_buf {
	size_t size;
};

struct net_devmem_dmabuf_binding {
	struct dma_buf *dmabuf;
	struct net_device *dev;
	__u32 id;
	enum dma_data_direction direction;
	struct xarray bound_rxqs; /* empty: of a binding for sending, or no queue took it */
};

struct net_devmem_dmabuf_binding___73 {
	unsigned int niov_shift;
};

struct skb_frag {
	netmem_ref netmem;
};

struct skb_shared_info___dm {
	__u8 nr_frags;
	struct skb_frag frags[1];
};

struct net_iov_desc___dm {
	struct page_pool *pp;
};

/* 6.17 and on keep the pool in a descriptor; before, in the niov itself. */
struct net_iov___desc {
	struct net_iov_desc___dm desc;
};

struct net_iov___flat {
	struct page_pool *pp;
};

#pragma clang attribute pop

/* --- bindings ------------------------------------------------------------------------ */

/*
 * A binding that has queues is forgotten when it leaves the last of them, which comes later; one
 * whose coming to a queue was not seen, or that has none, now.
 */
static __always_inline void binding_forget(const struct net_devmem_dmabuf_binding *b,
					   const struct zcq_ifq *bound)
{
	__u64 key = (__u64)b;

	if (bound && ((bound->bound_ns && !bound->queues) ||
		      !BPF_CORE_READ(b, bound_rxqs.xa_head)))
		bpf_map_delete_elem(&zcq_ifqs, &key);
}

static __always_inline void binding_read(const struct net_devmem_dmabuf_binding *b,
					 struct zcq_ev_dmabuf *ev)
{
	const struct net_devmem_dmabuf_binding___73 *n = (const void *)b;

	ev->instance = (__u64)b;
	ev->bytes = BPF_CORE_READ(b, dmabuf, size);
	ev->id = BPF_CORE_READ(b, id);
	if (bpf_core_field_exists(b->direction)) { /* before: for receiving only */
		barrier();
		ev->tx = BPF_CORE_READ(b, direction) == DMA_TO_DEVICE;
	}
	ev->chunk_bytes = zcq_cfg.page_size;
	if (bpf_core_field_exists(n->niov_shift)) {
		barrier();
		ev->chunk_bytes = 1U << BPF_CORE_READ(n, niov_shift);
	}
}

SEC("fexit/net_devmem_bind_dmabuf")
int BPF_PROG(devmem_bind__fexit, struct net_device *dev)
{
	struct zcq_ev_dmabuf *ev;
	struct zcq_queue_id q;
	struct zcq_ifq bound;
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret); /* the arguments differ from kernel to kernel */
	queue_of_dev(dev, ZCQ_NO_QUEUE, &q);
	if (ret && !IS_ERR_PTR(ret)) {
		__builtin_memset(&bound, 0, sizeof(bound));
		bound.queue = q;
		dev_name_read(dev, bound.ifname);
		task_fill(&bound.owner);
		bound.bound_ns = bpf_ktime_get_ns();
		bound.provider = ZCQ_PROVIDER_DMABUF;
		MAP_STORE(ZCQ_SUBJECT_DEVMEM, zcq_ifqs, &ret, &bound);
	}
	if (!event_pass(ZCQ_SUBJECT_DEVMEM, ZCQ_EVENT_DMABUF_BOUND, &q, current_pid(), 0))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_DEVMEM, ZCQ_EVENT_DMABUF_BOUND, zcq_ev_dmabuf);
	if (!ev)
		return 0;
	ev->queue = q;
	dev_name_read(dev, ev->ifname);
	task_fill(&ev->task);
	ev->owner = ev->task;
	if (ret && !IS_ERR_PTR(ret))
		binding_read((const void *)ret, ev);
	else
		ev->result = (__s32)ret;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

SEC("fentry/net_devmem_unbind_dmabuf")
int BPF_PROG(devmem_unbind__fentry, struct net_devmem_dmabuf_binding *binding)
{
	const struct net_device *dev = BPF_CORE_READ(binding, dev);
	__u64 key = (__u64)binding;
	struct zcq_ifq *bound = bpf_map_lookup_elem(&zcq_ifqs, &key);
	struct zcq_ev_dmabuf *ev;
	struct zcq_queue_id q = { .rxq = ZCQ_NO_QUEUE };

	if (dev)
		queue_of_dev(dev, ZCQ_NO_QUEUE, &q);
	else if (bound)
		q = bound->queue;
	q.rxq = ZCQ_NO_QUEUE;
	if (!event_pass(ZCQ_SUBJECT_DEVMEM, ZCQ_EVENT_DMABUF_UNBOUND, &q, current_pid(),
			bound ? bound->owner.pid : 0))
		goto out;
	ev = EVENT_NEW(ZCQ_SUBJECT_DEVMEM, ZCQ_EVENT_DMABUF_UNBOUND, zcq_ev_dmabuf);
	if (!ev)
		goto out;
	ev->queue = q;
	if (dev)
		dev_name_read(dev, ev->ifname);
	else if (bound)
		__builtin_memcpy(ev->ifname, bound->ifname, sizeof(ev->ifname));
	task_fill(&ev->task);
	if (bound)
		ev->owner = bound->owner;
	binding_read(binding, ev);
	bpf_ringbuf_submit(ev, 0);
out:
	binding_forget(binding, bound);
	return 0;
}

/* --- buffers ------------------------------------------------------------------------- */

SEC("fexit/mp_dmabuf_devmem_alloc_netmems")
int BPF_PROG(devmem_alloc__fexit, struct page_pool *pool, unsigned int gfp, netmem_ref ret)
{
	return alloc_done(ZCQ_SUBJECT_DEVMEM, ZCQ_PROVIDER_DMABUF, pool, ret ? 1 : 0);
}

/* --- receiving ----------------------------------------------------------------------- */

/* The pool that the packet's first fragment came from; NULL when it has none. */
static __always_inline struct page_pool *skb_pool(const struct sk_buff *skb)
{
	struct skb_shared_info___dm *shi;
	const struct net_iov___desc *d;
	const struct net_iov___flat *f;
	netmem_ref netmem;

	shi = (void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
	if (!BPF_CORE_READ(shi, nr_frags))
		return NULL;
	netmem = BPF_CORE_READ(shi, frags[0].netmem);
	if (!(netmem & 1))
		return NULL;
	d = (const void *)(netmem & ~1UL);
	f = (const void *)d;
	if (bpf_core_field_exists(d->desc.pp)) {
		barrier();
		return BPF_CORE_READ(d, desc.pp);
	}
	if (bpf_core_field_exists(f->pp)) {
		barrier();
		return BPF_CORE_READ(f, pp);
	}
	return NULL;
}

static __always_inline void flow_use_pool(struct zcq_flow_entry *e, const struct page_pool *pp)
{
	const struct page_pool___opt *o = (const void *)pp;
	const struct net_device *dev;

	e->flow.instance = (__u64)BPF_CORE_READ(pp, mp_priv);
	pool_queue(pp, &e->flow.wanted);
	dev = BPF_CORE_READ(o, slow.netdev);
	if (dev)
		dev_name_read(dev, e->ifname);
}

SEC("fexit/tcp_recvmsg_dmabuf")
int BPF_PROG(devmem_recv__fexit, struct sock *sk, struct sk_buff *skb, unsigned int offset,
	     void *msg, int remaining, int ret)
{
	struct zcq_queue_counters *c;
	struct zcq_flow_entry *e;
	struct page_pool *pp;
	__u32 headlen, linear = 0;
	bool first;

	if (ret <= 0)
		return 0;
	e = FLOW_GET(sk);
	if (!e)
		return 0;
	pp = skb_pool(skb);
	if (pp)
		flow_use_pool(e, pp);
	headlen = BPF_CORE_READ(skb, len) - BPF_CORE_READ(skb, data_len);
	if (offset < headlen)
		linear = headlen - offset;
	if (linear > (__u32)ret)
		linear = ret;
	first = !e->flow.recvs;
	e->flow.flags |= ZCQ_FLOW_DEVMEM;
	flow_task(&e->flow);
	flow_seen(&e->flow, sk);
	e->flow.last_ns = bpf_ktime_get_ns();
	if (first)
		e->flow.first_ns = e->flow.last_ns;
	e->flow.recvs++;
	e->flow.zc_bytes += ret - linear;
	e->flow.copied_bytes[ZCQ_COPY_LINEAR] += linear;
	e->flow.copies += linear ? 1 : 0;
	c = counters_of(ZCQ_SUBJECT_DEVMEM, &e->flow.wanted);
	if (c) {
		c->zc_bytes += ret - linear;
		c->zc_recvs += linear ? 0 : 1;
		c->copied_bytes[ZCQ_COPY_LINEAR] += linear;
		c->copies[ZCQ_COPY_LINEAR] += linear ? 1 : 0;
	}
	if (first)
		flow_event(e, ZCQ_EVENT_FLOW_STARTED);
	if (!linear)
		return 0;
	e->reason = ZCQ_COPY_LINEAR;
	if (event_wanted(ZCQ_EVENT_COPIED) && copy_report_due(e, e->flow.last_ns))
		flow_report_copied(e);
	return 0;
}

SEC("fexit/sock_devmem_dontneed")
int BPF_PROG(devmem_dontneed__fexit, struct sock *sk)
{
	struct zcq_queue_counters *c;
	struct zcq_flow_entry *e = flow_find(sk);
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	if (!e || (__s32)ret <= 0)
		return 0;
	c = counters_of(ZCQ_SUBJECT_DEVMEM, &e->flow.wanted);
	if (c)
		c->returned_bufs += (__u32)ret;
	return 0;
}
