/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow table: one entry for each TCP socket that receives through a provider, keyed by
 * the socket, written by zcrx.bpf.c and devmem.bpf.c, removed by flow.bpf.c when the socket
 * closes, read by user/lib/bpf/flows.c. A socket's receives are serialised by its lock, so
 * the entry is updated without atomics.
 */
#ifndef ZCQ_FLOW_H
#define ZCQ_FLOW_H

#include <zcq/types.h>

#define ZCQ_AF_INET	2
#define ZCQ_AF_INET6	10

/* A connection as its socket sees it; an IPv4-mapped IPv6 address is given as IPv4. */
struct zcq_tuple {
	__u8 local[16];		/* address bytes in network order; IPv4 uses the first 4, the rest are 0 */
	__u8 remote[16];
	__u16 local_port;	/* host byte order */
	__u16 remote_port;	/* host byte order */
	__u16 family;		/* ZCQ_AF_INET or ZCQ_AF_INET6; 0: unknown */
	__u16 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_tuple, 40);

/* Why zcrx copied bytes instead of handing over the buffer. */
enum zcq_copy_reason {
	ZCQ_COPY_QUEUE = 0,	/* the packet arrived on another queue of the instance's netdev */
	ZCQ_COPY_NETDEV,	/* the packet arrived by another netdev (loopback, tunnel, other port, a VLAN on it) */
	ZCQ_COPY_NODEV,		/* the instance has no netdev: everything is copied */
	ZCQ_COPY_LINEAR,	/* right queue, but the payload was in the header part (header not split) */
	ZCQ_COPY_PAGE,		/* right queue, but the payload was in an ordinary page */
	ZCQ_COPY_UNKNOWN,	/* the packet carries no queue, or was gone before it could be read */
	ZCQ_COPY_REASONS,
};

/* How a receive request ended, for counting; the exact errno is in the event. */
enum zcq_recv_end {
	ZCQ_END_EOF = 0,	/* the peer closed: 0 */
	ZCQ_END_ENOSPC,		/* completion queue full: re-arm the receive */
	ZCQ_END_ENOMEM,		/* no free buffer to copy into */
	ZCQ_END_EFAULT,		/* a buffer of another instance, or unreadable */
	ZCQ_END_RESET,		/* ECONNRESET, EPIPE, ETIMEDOUT, ENOTCONN */
	ZCQ_END_OTHER,
	ZCQ_END_LENGTH,		/* the length asked for was received: 0 */
	ZCQ_END_CLASSES,
};

struct zcq_flow_key {
	__u64 sock;		/* address of the struct sock; an identity, never shown */
};
ZCQ_ASSERT_SIZE(struct zcq_flow_key, 8);

#define ZCQ_FLOW_REPORTED_COPY	(1U << 0)	/* a copied event was sent since the queue seen changed */
#define ZCQ_FLOW_DEVMEM		(1U << 1)	/* receives by devmem TCP, not by io_uring */

struct zcq_flow {
	struct zcq_tuple tuple;
	struct zcq_queue_id wanted;	/* the queue of the instance that receives; rxq ZCQ_NO_QUEUE: none */
	__u32 seen_ifindex;	/* netdev the packets arrive by; 0: unknown */
	__u32 seen_rxq;		/* queue they arrive on, ZCQ_NO_QUEUE: unknown */
	__u64 instance;		/* identity of the instance (its address in the kernel); 0: none */
	__u64 first_ns;		/* CLOCK_MONOTONIC of the first receive seen */
	__u64 last_ns;
	__u64 zc_bytes;		/* handed over without a copy */
	__u64 copied_bytes[ZCQ_COPY_REASONS];
	__u64 copies;		/* calls that copied */
	__u64 recvs;		/* receive calls that gave bytes */
	struct zcq_task task;	/* who received last */
	__s32 err;		/* errno (negative) the last receive ended with; 0: none or EOF */
	__u32 flags;		/* ZCQ_FLOW_* */
	__u32 netns;		/* inode of the socket's network namespace */
	__u32 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_flow, 200);
ZCQ_ASSERT_OFFSET(struct zcq_flow, pad, 196);

/*
 * Value of the flow table: the flow, and what BPF keeps to fill it. call_* belong to the
 * receive call that is under way; a call that began before the programs were attached has
 * in_call 0 and is not counted at all, so zc_bytes and copied_bytes are of whole calls.
 */
struct zcq_flow_entry {
	struct zcq_flow flow;
	char ifname[ZCQ_NAME_LEN];	/* of flow.wanted */
	__u64 cookie;		/* the socket's, so that a reused address is noticed */
	__u64 reported_ns;	/* time of the last copied event; 0: none */
	__u64 reported_bytes;	/* copied bytes told of in copied events */
	__u64 reported_copies;
	__u32 call_copied[ZCQ_COPY_REASONS];	/* bytes */
	__u32 in_call;		/* 1: between entry and exit of a receive call */
	__s32 last_ret;		/* of the last call: bytes, 0 or -errno */
	__u32 if_rxq;		/* the instance's queue as its application named it */
	__u32 reason;		/* enum zcq_copy_reason of the latest copy */
};
ZCQ_ASSERT_SIZE(struct zcq_flow_entry, 288);
ZCQ_ASSERT_OFFSET(struct zcq_flow_entry, reason, 284);

#endif
