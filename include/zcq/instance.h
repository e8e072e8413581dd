/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instances (zcrx ifqs). struct zcq_instance is what the iterators of instance.bpf.c write
 * to their seq file, one for each owner found: an instance shared by several rings or held by
 * an exported file appears several times with one `instance` identity and is joined in
 * user/lib/bpf/instances.c. struct zcq_ifq is the value of the map from the instance's
 * address to its queue and owner, filled at bind time and by the iterators.
 */
#ifndef ZCQ_INSTANCE_H
#define ZCQ_INSTANCE_H

#include <zcq/types.h>

enum zcq_found_by {
	ZCQ_FOUND_RING_FD = 1,		/* an io_uring file in the task's fd table */
	ZCQ_FOUND_REGISTERED_RING,	/* a ring registered with the task, without an fd */
	ZCQ_FOUND_EXPORTED_FD,		/* an exported zcrx file */
};

#define ZCQ_INSTANCE_DMABUF	(1U << 0)	/* areas are dmabufs */
#define ZCQ_INSTANCE_NODEV	(1U << 1)	/* no netdev: everything is copied */
#define ZCQ_INSTANCE_STARTING	(1U << 2)	/* its registration is still under way */
#define ZCQ_INSTANCE_PARTIAL	(1U << 3)	/* more areas or buffers than were counted: sums are lower bounds */
#define ZCQ_INSTANCE_HELD_OK	(1U << 4)	/* held was counted */

struct zcq_instance {
	__u64 instance;		/* address of the ifq, an identity */
	__u64 ring;		/* address of the io_ring_ctx, an identity; 0 for an exported file */
	struct zcq_queue_id queue;
	char ifname[ZCQ_NAME_LEN];	/* in the netdev's own namespace; "" without a netdev */
	struct zcq_task owner;
	__s32 fd;		/* of the ring or exported file, -1: none */
	__u32 found_by;		/* enum zcq_found_by */
	__u32 zcrx_id;		/* id within the ring */
	__u32 flags;		/* ZCQ_INSTANCE_* */
	__u32 areas;
	__u32 buf_bytes;	/* size of one buffer (niov) */
	__u64 area_bytes;	/* all areas */
	__u32 bufs;		/* niovs of all areas */
	__u32 free_bufs;	/* on the areas' free lists */
	__u32 held_bufs;	/* with the application; valid with ZCQ_INSTANCE_HELD_OK */
	__u32 refill_entries;	/* size of the refill ring */
	__u32 refill_pending;	/* entries the kernel has not taken yet */
	__u32 users;		/* user references: rings and exported files that share it; 0: unknown */
};
ZCQ_ASSERT_SIZE(struct zcq_instance, 128);
ZCQ_ASSERT_OFFSET(struct zcq_instance, users, 124);

/* Map value; key: __u64 address of the ifq (or of the dmabuf binding). */
struct zcq_ifq {
	struct zcq_queue_id queue;
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task owner;	/* who bound it */
	__u64 bound_ns;		/* CLOCK_MONOTONIC; 0: before this session */
	__u32 provider;		/* enum zcq_provider */
	__u32 buf_bytes;	/* 0: unknown */
	__u32 queues;		/* bound in this session; a dmabuf binding may have several */
	__u32 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_ifq, 80);

#endif
