/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read-only settings of the BPF programs: user space fills zcq_cfg before load, so the
 * verifier drops what a filter makes dead. 0 in a filter field means "any".
 */
#ifndef ZCQ_CONFIG_H
#define ZCQ_CONFIG_H

#include <zcq/types.h>

/*
 * Addresses of kernel functions by which an operations table is recognised: text symbols,
 * which kallsyms has in every configuration. User space looks them up; 0: hidden or absent.
 * (Typeless __ksym externs would do, but libbpf's linker can't merge them.)
 */
enum zcq_sym {
	ZCQ_SYM_IOU_ALLOC = 0,	/* io_pp_zc_alloc_netmems: memory_provider_ops.alloc_netmems of zcrx */
	ZCQ_SYM_DEVMEM_ALLOC,	/* mp_dmabuf_devmem_alloc_netmems */
	ZCQ_SYM_URING_RELEASE,	/* io_uring_release: file_operations.release of a ring */
	ZCQ_SYM_ZCRX_RELEASE,	/* zcrx_box_release: file_operations.release of an exported instance */
	ZCQ_SYM_ZCRX_RECV_SKB,	/* io_zcrx_recv_skb: the actor zcrx gives to tcp_read_sock() */
	ZCQ_SYMS,
};

struct zcq_config {
	__u64 event_mask;	/* bit n: events of type n are wanted (enum zcq_event_type < 64) */
	__u64 alloc_quiet_ns;	/* an allocation failure this long after the last one is a new edge */
	__u64 starved_ns;	/* failing for this long without a success: a starved event */
	__u64 stall_ns;		/* a destroyed pool with buffers out for this long: a stalled event */
	__u64 copy_report_ns;	/* at most one copied event for each flow in this time */
	__u64 sym[ZCQ_SYMS];
	__u32 netns;		/* filter: inode of a network namespace */
	__u32 ifindex;		/* filter: netdev (in netns when that is set) */
	__u32 rxq;		/* filter: valid only when has_rxq is 1 */
	__u32 has_rxq;
	__u32 pid;		/* filter: process */
	__u32 sample;		/* of frequent events (ZCQ_EVENT_FREQUENT) send one in N; 0 or 1: all */
	__u32 page_size;	/* bytes, of this kernel */
	__u32 page_shift;
	__u32 coalesced_all;	/* count coalesced packets of queues without a provider too */
	__u32 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_config, 120);

#endif
