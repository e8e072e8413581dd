/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flow table's own helpers: find or make a socket's entry, say which queue its packets
 * arrive on, and send what is reported about a flow. Not hooks: zcrx.bpf.c, devmem.bpf.c and
 * flow.bpf.c call these. Every caller that writes an entry holds the socket's lock (a receive
 * call), or is the last to see the socket (flow.bpf.c), so entries need no atomics.
 */
#ifndef ZCQ_FLOW_BPF_H
#define ZCQ_FLOW_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

/* A function of its own in BPF too; not every file that includes this calls every one. */
#define SUBPROG static __noinline __attribute__((unused))

#define NO_QUEUE_MAPPING 0xffff /* the kernel's: no packet with a queue was seen */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* An rx queue knows its NAPI, and a packet the NAPI it came by. */
struct netdev_rx_queue___napi {
	struct napi_struct *napi;
};

#pragma clang attribute pop

/* ::ffff:a.b.c.d is the IPv4 address it means: rules and people know it as such. */
static __always_inline bool addr_is_mapped(const __be32 a[4])
{
	return !a[0] && !a[1] && a[2] == bpf_htonl(0xffff);
}

static __always_inline void tuple_of(const struct sock *sk, struct zcq_tuple *t)
{
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct in6_addr local, remote;

	t->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	t->remote_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	t->family = family;
	if (family == ZCQ_AF_INET) {
		__be32 a = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		__be32 b = BPF_CORE_READ(sk, __sk_common.skc_daddr);

		__builtin_memcpy(t->local, &a, 4);
		__builtin_memcpy(t->remote, &b, 4);
		return;
	}
	if (family != ZCQ_AF_INET6) {
		t->family = 0;
		return;
	}
	BPF_CORE_READ_INTO(&local, sk, __sk_common.skc_v6_rcv_saddr);
	BPF_CORE_READ_INTO(&remote, sk, __sk_common.skc_v6_daddr);
	if (addr_is_mapped(remote.in6_u.u6_addr32)) {
		t->family = ZCQ_AF_INET;
		__builtin_memcpy(t->local, &local.in6_u.u6_addr32[3], 4);
		__builtin_memcpy(t->remote, &remote.in6_u.u6_addr32[3], 4);
		return;
	}
	__builtin_memcpy(t->local, &local, 16);
	__builtin_memcpy(t->remote, &remote, 16);
}

static __always_inline struct zcq_flow_entry *flow_find(const struct sock *sk)
{
	struct zcq_flow_key key = { .sock = (__u64)sk };

	return bpf_map_lookup_elem(&zcq_flows, &key);
}

/* A new entry, or the old one made anew when the address now belongs to another socket. */
SUBPROG struct zcq_flow_entry *flow_make(struct sock *sk, __u64 cookie)
{
	static const struct zcq_flow_entry zero;
	struct zcq_flow_key key = { .sock = (__u64)sk };
	struct zcq_flow_entry *e;

	if (!MAP_STORE(ZCQ_SUBJECT_FLOW, zcq_flows, &key, &zero))
		return NULL;
	e = bpf_map_lookup_elem(&zcq_flows, &key);
	if (!e)
		return NULL;
	tuple_of(sk, &e->flow.tuple);
	e->flow.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	e->flow.wanted.rxq = ZCQ_NO_QUEUE;
	e->flow.seen_rxq = ZCQ_NO_QUEUE;
	e->cookie = cookie;
	return e;
}

/* sk must be a pointer the verifier trusts: an argument of the hook. */
#define FLOW_GET(sk)                                        \
	({                                                  \
		__u64 cookie__ = bpf_get_socket_cookie(sk); \
		struct zcq_flow_entry *e__ = flow_find(sk); \
                                                            \
		if (!e__ || e__->cookie != cookie__)        \
			e__ = flow_make(sk, cookie__);      \
		e__;                                        \
	})

/* Where the flow's packets come in; a change makes the next copy worth a report at once. */
static __always_inline void flow_set_seen(struct zcq_flow *f, __u32 ifindex, __u32 rxq)
{
	if (f->seen_ifindex == ifindex && f->seen_rxq == rxq)
		return;
	f->seen_ifindex = ifindex;
	f->seen_rxq = rxq;
	f->flags &= ~ZCQ_FLOW_REPORTED_COPY;
}

/*
 * The same from the socket, which knows of its latest packet. A packet through loopback, or
 * one whose driver records no queue, leaves the queue unknown.
 */
static __always_inline void flow_seen(struct zcq_flow *f, const struct sock *sk)
{
	__u16 rxq = BPF_CORE_READ(sk, __sk_common.skc_rx_queue_mapping);

	flow_set_seen(f, BPF_CORE_READ(sk, sk_rx_dst_ifindex),
		      rxq == NO_QUEUE_MAPPING ? ZCQ_NO_QUEUE : rxq);
}

/* Who receives; the name is read only when it is another thread than the last time. */
static __always_inline void flow_task(struct zcq_flow *f)
{
	if (f->task.tid != (__u32)bpf_get_current_pid_tgid())
		task_fill(&f->task);
}

static __always_inline bool flow_event_pass(enum zcq_subject subject, enum zcq_event_type type,
					    const struct zcq_flow *f)
{
	struct zcq_queue_id seen = {
		.netns = f->netns,
		.ifindex = f->seen_ifindex,
		.rxq = f->seen_rxq,
	};

	return event_pass2(subject, type, &f->wanted, f->seen_ifindex ? &seen : NULL, f->task.pid,
			   0);
}

SUBPROG int flow_event(struct zcq_flow_entry *e, enum zcq_event_type type)
{
	struct zcq_ev_flow *ev;

	if (!e || !flow_event_pass(ZCQ_SUBJECT_FLOW, type, &e->flow))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_FLOW, type, zcq_ev_flow);
	if (!ev)
		return 0;
	__builtin_memcpy(&ev->flow, &e->flow, sizeof(ev->flow));
	__builtin_memcpy(ev->ifname, e->ifname, sizeof(ev->ifname));
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

static __always_inline __u64 flow_copied(const struct zcq_flow *f)
{
	__u64 sum = 0;

	for (int i = 0; i < ZCQ_COPY_REASONS; i++)
		sum += f->copied_bytes[i];
	return sum;
}

/*
 * Tells of the bytes copied since the last such event, so that a flow's copied events add up
 * to its copied bytes; a sampled-out or lost event is made up for by the next.
 */
SUBPROG int flow_report_copied(struct zcq_flow_entry *e)
{
	struct zcq_ev_copied *ev;
	__u64 total;

	if (!e)
		return 0;
	total = flow_copied(&e->flow);
	if (total == e->reported_bytes)
		return 0;
	e->reported_ns = bpf_ktime_get_ns();
	e->flow.flags |= ZCQ_FLOW_REPORTED_COPY;
	if (!flow_event_pass(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_COPIED, &e->flow))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_COPIED, zcq_ev_copied);
	if (!ev)
		return 0;
	ev->tuple = e->flow.tuple;
	ev->wanted = e->flow.wanted;
	__builtin_memcpy(ev->ifname, e->ifname, sizeof(ev->ifname));
	ev->task = e->flow.task;
	ev->instance = e->flow.instance;
	ev->bytes = total - e->reported_bytes;
	ev->total_bytes = total;
	ev->seen_ifindex = e->flow.seen_ifindex;
	ev->seen_rxq = e->flow.seen_rxq;
	ev->reason = e->reason;
	ev->copies = e->flow.copies - e->reported_copies;
	e->reported_bytes = total;
	e->reported_copies = e->flow.copies;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

/* At the first copied byte, soon when the queue seen changed, else now and then. */
static __always_inline bool copy_report_due(const struct zcq_flow_entry *e, __u64 now)
{
	__u64 quiet = zcq_cfg.copy_report_ns;

	if (!(e->flow.flags & ZCQ_FLOW_REPORTED_COPY))
		quiet /= 16; /* but a flow that flutters between queues must not flood */
	return !e->reported_ns || now - e->reported_ns >= quiet;
}

#endif
