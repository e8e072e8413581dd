// SPDX-License-Identifier: GPL-2.0-only
/*
 * What zcrx receives: bytes handed over without a copy and bytes copied, for each queue and
 * flow; and the queue's appetite: buffers the driver's pool took and was refused.
 *
 * Hooks: fentry/fexit tcp_read_sock (whose receive actor is io_zcrx_recv_skb) and fexit
 * io_zcrx_copy_chunk: the receiving task, under the socket's lock; once for each receive call
 * (up to 20 packets), once more for each piece copied. fexit io_pp_zc_alloc_netmems: NAPI,
 * once for up to 64 buffers. Heavy profile, for each buffer: fexit io_zcrx_queue_cqe, fexit
 * io_pp_zc_release_netmem. Kernels 6.15 and on; the ends of receives are in zcrx_end.bpf.c.
 *
 * Exact: one receive call's bytes are tcp_read_sock's return value, its copied bytes the sum
 * of what io_zcrx_copy_chunk returned meanwhile, the rest was handed over. Only calls seen
 * from their entry on count, so attaching in mid-stream splits nothing. The kernel skips a
 * program that would nest in itself on one CPU (a preempted receiver) and counts that as the
 * program's recursion_misses: while those are 0 nothing was missed.
 *
 * Reasons: "nodev", "other netdev" and "other queue" are read from the copied packet itself.
 * On the right queue a copy is of an ordinary page when the page is among the packet's
 * fragments, else of the linear part; of a packet with a fragment list it is "unknown". A
 * packet merged from two queues counts as its first segment's.
 *
 * Cost (kernel.bpf_stats on the emulated lab machine, where the least program of this family
 * takes 400 ns a run and one look at the clock 20 us; no hardware was at hand): read_in
 * 5 us, read_out 50 us, copy 2.4 us, alloc 3.7 us, queue_cqe with its event 22 us, release 3 us.
 *
 * Lost: events when the ring is full, and flows when the table is: the bytes of a flow without
 * an entry are missing from its queue too (zcq_lost, map_full).
 */
#include "alloc.bpf.h"
#include "compat.bpf.h"
#include "flow.bpf.h"
#include "ifq.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define MAX_FRAGS 17 /* fragments looked at; MAX_SKB_FRAGS may be larger: then "unknown" */
#define OLD_COPY_ARGS 6 /* 6.15: io_zcrx_copy_chunk() has src_base as its third argument */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_zcrx_args {
	struct io_zcrx_ifq *ifq;
};

struct sk_buff_head___zc {
	struct sk_buff *next;
};

struct sock___zc {
	struct sk_buff_head___zc sk_receive_queue;
};

struct skb_frag {
	netmem_ref netmem;
	unsigned int len;
	unsigned int offset;
};

struct skb_shared_info___zc {
	__u8 nr_frags;
	struct sk_buff *frag_list;
	struct skb_frag frags[MAX_FRAGS];
};

struct sk_buff___zc {
	int skb_iif;
	unsigned int napi_id;
};

#pragma clang attribute pop

/* The third argument is a function pointer: the verifier gives it only as a number. */
static __always_inline bool is_zcrx_actor(void *ctx)
{
	__u64 actor = 0;

	bpf_get_func_arg(ctx, 2, &actor);
	return actor && actor == zcq_cfg.sym[ZCQ_SYM_ZCRX_RECV_SKB];
}

/* The flow is received by this instance now; it may be another from call to call. */
static __always_inline void flow_use(struct zcq_flow_entry *e, const struct io_zcrx_ifq *ifq)
{
	__u32 rxq = BPF_CORE_READ(ifq, if_rxq);
	const struct net_device *dev;
	struct zcq_queue_id q;

	/* A closed instance has no queue any more; what it still gives belongs to the old one. */
	if (e->flow.instance == (__u64)ifq && (rxq == e->if_rxq || rxq == ZCQ_NO_QUEUE))
		return;
	dev = ifq_phys_queue(ifq, &q);
	e->flow.wanted = q;
	e->flow.instance = (__u64)ifq;
	e->if_rxq = rxq;
	__builtin_memset(e->ifname, 0, sizeof(e->ifname));
	if (dev)
		dev_name_read(dev, e->ifname);
}

/* --- one receive call ---------------------------------------------------------------- */

SEC("fentry/tcp_read_sock")
int BPF_PROG(zcrx_read_in__fentry, struct sock *sk)
{
	struct zcq_flow_entry *e;

	if (!is_zcrx_actor(ctx))
		return 0;
	e = FLOW_GET(sk);
	if (!e)
		return 0;
	__builtin_memset(e->call_copied, 0, sizeof(e->call_copied));
	e->in_call = 1;
	return 0;
}

/* Adds one call to its flow and queue; returns how much of it was copied. */
static __always_inline __u32 count_call(struct zcq_flow_entry *e, __u32 bytes)
{
	struct zcq_queue_counters *c = counters_of(ZCQ_SUBJECT_ZCRX, &e->flow.wanted);
	__u32 copied = 0;

	for (int i = 0; i < ZCQ_COPY_REASONS; i++) {
		__u32 n = e->call_copied[i];

		if (!n)
			continue;
		copied += n;
		e->flow.copied_bytes[i] += n;
		if (c) {
			c->copied_bytes[i] += n;
			c->copies[i]++;
		}
	}
	if (copied)
		e->flow.copies++;
	e->flow.zc_bytes += bytes - copied;
	e->flow.recvs++;
	if (c) {
		c->zc_bytes += bytes - copied;
		if (!copied)
			c->zc_recvs++;
	}
	return copied;
}

SEC("fexit/tcp_read_sock")
int BPF_PROG(zcrx_read_out__fexit, struct sock *sk, read_descriptor_t *desc)
{
	struct zcq_flow_entry *e;
	struct io_zcrx_args *args;
	__u64 now, ret = 0;
	__u32 copied;
	bool first;

	if (!is_zcrx_actor(ctx))
		return 0;
	e = flow_find(sk);
	if (!e || !e->in_call)
		return 0;
	e->in_call = 0;
	bpf_get_func_ret(ctx, &ret);
	e->last_ret = (__s32)ret;
	if (e->last_ret <= 0)
		return 0;
	args = BPF_CORE_READ(desc, arg.data);
	flow_use(e, BPF_CORE_READ(args, ifq));
	flow_task(&e->flow);
	now = bpf_ktime_get_ns();
	first = !e->flow.recvs;
	if (first)
		e->flow.first_ns = now;
	e->flow.last_ns = now;
	e->flow.err = 0;
	copied = count_call(e, (__u32)ret);
	if (!copied)
		flow_seen(&e->flow, sk);
	if (first)
		flow_event(e, ZCQ_EVENT_FLOW_STARTED);
	/* What a quiet flow copied last is told with its next copy, or at its end. */
	if (copied && event_wanted(ZCQ_EVENT_COPIED) && copy_report_due(e, now))
		flow_report_copied(e);
	return 0;
}

/* --- copies -------------------------------------------------------------------------- */

/* Is [page, off] within one of the packet's fragments? -1: it can't be told. */
static __always_inline int page_in_frags(const struct sk_buff *skb, __u64 page, __u32 off)
{
	struct skb_shared_info___zc *shi;
	__u32 n;

	shi = (void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
	if (BPF_CORE_READ(shi, frag_list))
		return -1;
	n = BPF_CORE_READ(shi, nr_frags);
	for (__u32 i = 0; i < MAX_FRAGS && i < n; i++) {
		__u32 start = BPF_CORE_READ(shi, frags[i].offset);

		if (BPF_CORE_READ(shi, frags[i].netmem) == page && off >= start &&
		    off - start < BPF_CORE_READ(shi, frags[i].len))
			return 1;
	}
	return n > MAX_FRAGS ? -1 : 0;
}

/* Did the packet come by the queue of the instance, told by its NAPI (any VLAN on top)? */
static __always_inline bool by_wanted_napi(const struct sk_buff *skb, const struct net_device *dev,
					   __u32 rxq)
{
	const struct sk_buff___zc *s = (const void *)skb;
	const struct netdev_rx_queue___napi *r = NULL;
	__u32 id;

	if (!bpf_core_field_exists(s->napi_id) || !bpf_core_field_exists(r->napi))
		return false;
	barrier();
	id = BPF_CORE_READ(s, napi_id);
	if (!id || rxq >= BPF_CORE_READ(dev, num_rx_queues))
		return false;
	r = (const void *)rx_queue(dev, rxq);
	return BPF_CORE_READ(r, napi, napi_id) == id;
}

/* Why these bytes are copied, from the packet they are in: the first of the receive queue. */
static __always_inline enum zcq_copy_reason copy_reason(struct zcq_flow_entry *e,
							const struct sock *sk,
							const struct io_zcrx_ifq *ifq, void *ctx)
{
	const struct sock___zc *s = (const void *)sk;
	const struct net_device *dev = BPF_CORE_READ(ifq, netdev);
	const struct sk_buff *skb = BPF_CORE_READ(s, sk_receive_queue.next);
	const struct sk_buff___zc *z = (const void *)skb;
	__u32 iif, mapping, rxq;
	__u64 a = 0, b = 0;
	int in_page;

	if ((void *)skb == (void *)&s->sk_receive_queue)
		return ZCQ_COPY_UNKNOWN;
	iif = BPF_CORE_READ(z, skb_iif);
	mapping = BPF_CORE_READ(skb, queue_mapping);
	rxq = mapping ? mapping - 1 : ZCQ_NO_QUEUE;
	flow_set_seen(&e->flow, iif, rxq);
	if (e->flow.wanted.rxq == ZCQ_NO_QUEUE)
		return ZCQ_COPY_NODEV;
	if (dev && iif != (__u32)BPF_CORE_READ(dev, ifindex) &&
	    !by_wanted_napi(skb, dev, e->if_rxq))
		return ZCQ_COPY_NETDEV;
	if (rxq == ZCQ_NO_QUEUE)
		return ZCQ_COPY_UNKNOWN;
	if (rxq != e->flow.wanted.rxq)
		return ZCQ_COPY_QUEUE;
	bpf_get_func_arg(ctx, 2, &a);
	bpf_get_func_arg(ctx, 3, &b);
	if (bpf_get_func_arg_cnt(ctx) >= OLD_COPY_ARGS)
		return a ? ZCQ_COPY_LINEAR : ZCQ_COPY_PAGE;
	in_page = page_in_frags(skb, a, (__u32)b);
	if (in_page < 0)
		return ZCQ_COPY_UNKNOWN;
	return in_page ? ZCQ_COPY_PAGE : ZCQ_COPY_LINEAR;
}

SEC("fexit/io_zcrx_copy_chunk")
int BPF_PROG(zcrx_copy__fexit, struct io_kiocb *req, struct io_zcrx_ifq *ifq)
{
	struct zcq_flow_entry *e;
	struct socket *sock;
	struct sock *sk;
	__u64 ret = 0;
	__u32 reason;

	bpf_get_func_ret(ctx, &ret);
	if ((__s64)ret <= 0)
		return 0;
	sock = BPF_CORE_READ(req, file, private_data);
	sk = BPF_CORE_READ(sock, sk);
	e = flow_find(sk);
	if (!e || !e->in_call)
		return 0;
	flow_use(e, ifq);
	reason = copy_reason(e, sk, ifq, ctx);
	e->reason = reason;
	if (reason < ZCQ_COPY_REASONS) /* for the verifier */
		e->call_copied[reason] += (__u32)ret;
	return 0;
}

/* --- buffers ------------------------------------------------------------------------- */

SEC("fexit/io_pp_zc_alloc_netmems")
int BPF_PROG(zcrx_alloc__fexit, struct page_pool *pp, unsigned int gfp, netmem_ref ret)
{
	return alloc_done(ZCQ_SUBJECT_ZCRX, ZCQ_PROVIDER_IO_URING, pp,
			  ret ? BPF_CORE_READ(pp, alloc.count) + 1 : 0);
}

static __always_inline int buffer_event(const struct zcq_queue_id *q,
					const struct io_zcrx_ifq *ifq, const struct net_iov *niov,
					__u32 what, __u32 offset, __u32 bytes)
{
	struct zcq_ev_buffer *ev;

	if (!event_pass(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_BUFFER, q, current_pid(), 0))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_BUFFER, zcq_ev_buffer);
	if (!ev)
		return 0;
	ev->queue = *q;
	ev->instance = (__u64)ifq;
	ev->buffer = (__u64)niov;
	ev->bytes = bytes;
	ev->offset = offset;
	ev->what = what;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

SEC("fexit/io_zcrx_queue_cqe")
int BPF_PROG(zcrx_queue_cqe__fexit, struct io_kiocb *req, struct net_iov *niov,
	     struct io_zcrx_ifq *ifq, int off, int len, bool queued)
{
	struct zcq_queue_id q;

	if (!queued || !event_wanted(ZCQ_EVENT_BUFFER))
		return 0;
	ifq_phys_queue(ifq, &q);
	return buffer_event(&q, ifq, niov, 0, off, len);
}

SEC("fentry/io_pp_zc_release_netmem")
int BPF_PROG(zcrx_release__fentry, struct page_pool *pp, netmem_ref netmem)
{
	struct zcq_queue_counters *c;
	struct zcq_queue_id q;

	/* Most come back after the instance was closed: the pool still knows the queue. */
	pool_queue(pp, &q);
	c = counters_of(ZCQ_SUBJECT_ZCRX, &q);
	if (c)
		c->returned_bufs++;
	/* The lowest bit of a netmem says that it is a niov. */
	return buffer_event(&q, BPF_CORE_READ(pp, mp_priv), (void *)(netmem & ~1UL), 1, 0, 0);
}
