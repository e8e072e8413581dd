/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hot hooks count: per-CPU maps keyed by queue, and per subject the records that were
 * lost. Only BPF writes; user/lib/bpf/session.c adds the CPUs up. Counters only grow while a
 * session lives and start at 0 with it.
 */
#ifndef ZCQ_COUNTERS_H
#define ZCQ_COUNTERS_H

#include <zcq/types.h>
#include <zcq/flow.h>

/* Coalesced packets by their segments: 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, more. */
#define ZCQ_SEG_BUCKETS	8

/* Key: struct zcq_queue_id. For an instance, its queue (not the one the packets came by). */
struct zcq_queue_counters {
	__u64 zc_bytes;		/* received without a copy */
	__u64 zc_recvs;		/* receive calls that gave bytes without any copy */
	__u64 copied_bytes[ZCQ_COPY_REASONS];
	__u64 copies[ZCQ_COPY_REASONS];	/* calls that copied */
	__u64 recv_ended[ZCQ_END_CLASSES];	/* receive requests that ended */
	__u64 alloc_calls;	/* times the driver's pool asked the provider for buffers */
	__u64 alloc_bufs;	/* buffers handed out */
	__u64 alloc_fails;	/* times there was none */
	__u64 returned_bufs;	/* buffers given back (devmem: dontneed; zcrx: heavy profile only) */
	__u64 coalesced_pkts;	/* HW-GRO packets flushed by the driver */
	__u64 coalesced_segs;	/* wire segments in them */
	__u64 coalesced_bytes;	/* payload bytes in them */
	__u64 coalesced_hist[ZCQ_SEG_BUCKETS];	/* coalesced packets by number of segments */
	__u64 unsplit_pkts;	/* dropped: header not separated on a provider queue */
	__u64 unsplit_bytes;
	__u64 reconfigs;	/* reconfigure events of this queue (whole-netdev ones are under ZCQ_NO_QUEUE) */
};
ZCQ_ASSERT_SIZE(struct zcq_queue_counters, 312);
ZCQ_ASSERT_OFFSET(struct zcq_queue_counters, reconfigs, 304);

/* One for each enum zcq_subject, in a per-CPU array. Nothing is lost in silence: always shown. */
struct zcq_lost {
	__u64 ring_full;	/* events not sent: no room in the ring buffer */
	__u64 map_full;		/* entries not stored: a map was full */
	__u64 read_fail;	/* kernel or user memory that could not be read: event sent with gaps */
	__u64 filtered;		/* events held back by the filters in struct zcq_config; not a loss */
	__u64 sampled_out;	/* events held back by sampling; not a loss */
	__u64 missed;		/* runs of a program the kernel skipped (recursion); filled by user space */
};
ZCQ_ASSERT_SIZE(struct zcq_lost, 48);

#endif
