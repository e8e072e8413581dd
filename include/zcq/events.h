/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event records: what BPF puts into the ring buffer for rare things, and what user space
 * makes at each interval from the counters (types from ZCQ_EVENT_USER on). Each starts with
 * struct zcq_hdr. A reader accepts a longer record of the same version (new fields are added
 * at the end) and refuses another version. Identities (instance, ring, pool) are kernel
 * addresses and are shown only as small numbers.
 */
#ifndef ZCQ_EVENTS_H
#define ZCQ_EVENTS_H

#include <zcq/types.h>
#include <zcq/counters.h>
#include <zcq/flow.h>

#define ZCQ_EVENT_VERSION	1

struct zcq_hdr {
	__u16 version;		/* ZCQ_EVENT_VERSION */
	__u16 type;		/* enum zcq_event_type */
	__u32 size;		/* bytes of the whole record, this header included */
	__u32 cpu;		/* where it was written */
	__u32 pad;		/* 0 */
	__u64 time_ns;		/* CLOCK_MONOTONIC */
};
ZCQ_ASSERT_SIZE(struct zcq_hdr, 24);

/*
 * X(NUMBER, SYMBOL, "name", struct, subject): the one list of events. Numbers are never reused.
 * What each means is in user/lib/event/table.c.
 */
#define ZCQ_EVENT_TABLE(X) \
	X( 1, REGISTERED,	"registered",	  zcq_ev_register,	REGISTER) \
	X( 2, REJECTED,		"rejected",	  zcq_ev_register,	REGISTER) \
	X( 3, UNREGISTERED,	"unregistered",	  zcq_ev_unregister,	REGISTER) \
	X( 4, CONTROL,		"control",	  zcq_ev_control,	REGISTER) \
	X( 5, BOUND,		"bound",	  zcq_ev_provider,	QUEUE) \
	X( 6, UNBOUND,		"unbound",	  zcq_ev_provider,	QUEUE) \
	X( 7, RECONFIGURED,	"reconfigured",	  zcq_ev_reconfig,	QUEUE) \
	X( 8, POOL_CREATED,	"pool-created",	  zcq_ev_pool,		POOL) \
	X( 9, POOL_DESTROYED,	"pool-destroyed", zcq_ev_pool,		POOL) \
	X(10, POOL_STALLED,	"pool-stalled",	  zcq_ev_pool,		POOL) \
	X(11, ALLOC_FAILED,	"alloc-failed",	  zcq_ev_alloc,		ZCRX) \
	X(12, ALLOC_RECOVERED,	"alloc-recovered", zcq_ev_alloc,	ZCRX) \
	X(13, STARVED,		"starved",	  zcq_ev_alloc,		ZCRX) \
	X(14, COPIED,		"copied",	  zcq_ev_copied,	ZCRX) \
	X(15, RECV_ENDED,	"recv-ended",	  zcq_ev_recv_ended,	ZCRX) \
	X(16, UNSPLIT,		"unsplit",	  zcq_ev_unsplit,	HWGRO) \
	X(17, FLOW_STARTED,	"flow-started",	  zcq_ev_flow,		FLOW) \
	X(18, FLOW_ENDED,	"flow-ended",	  zcq_ev_flow,		FLOW) \
	X(19, DMABUF_BOUND,	"dmabuf-bound",	  zcq_ev_dmabuf,	DEVMEM) \
	X(20, DMABUF_UNBOUND,	"dmabuf-unbound", zcq_ev_dmabuf,	DEVMEM) \
	X(21, BUFFER,		"buffer",	  zcq_ev_buffer,	ZCRX) \
	X(22, BIND_FAILED,	"bind-failed",	  zcq_ev_provider,	QUEUE) \
	/* from here on: made by user space, never in the ring buffer */ \
	X(48, TRAFFIC,		"traffic",	  zcq_ev_interval,	ZCRX) \
	X(49, COALESCED,	"coalesced",	  zcq_ev_interval,	HWGRO) \
	X(50, ALLOC_RATE,	"alloc-rate",	  zcq_ev_interval,	ZCRX)

enum zcq_event_type {
#define ZCQ_X(nr, sym, name, st, subject) ZCQ_EVENT_##sym = nr,
	ZCQ_EVENT_TABLE(ZCQ_X)
#undef ZCQ_X
	ZCQ_EVENT_USER = 48,	/* first type that user space makes */
	ZCQ_EVENT_MAX = 64,	/* types stay below this: event_mask is 64 bits */
};

/* Events that traffic or an application can cause often: struct zcq_config.sample applies. */
#define ZCQ_EVENT_FREQUENT \
	((1ULL << ZCQ_EVENT_COPIED) | (1ULL << ZCQ_EVENT_RECV_ENDED) | (1ULL << ZCQ_EVENT_UNSPLIT) | \
	 (1ULL << ZCQ_EVENT_FLOW_STARTED) | (1ULL << ZCQ_EVENT_FLOW_ENDED) | (1ULL << ZCQ_EVENT_BUFFER))

/* registered, rejected: one call of io_uring_register(2) with IORING_REGISTER_ZCRX_IFQ. */
#define ZCQ_REG_ARGS	(1U << 0)	/* the arguments could be read: the fields marked (a) are valid */
#define ZCQ_REG_AREA	(1U << 1)	/* and the area descriptor: the fields marked (b) */
#define ZCQ_REG_NEST	(1U << 2)	/* more than one reason text was given: reason is the last */

struct zcq_ev_register {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;	/* (a) as asked for; ifindex 0: no netdev */
	char ifname[ZCQ_NAME_LEN];	/* "" when the call did not come as far as the netdev */
	struct zcq_task task;
	__u64 ring;		/* identity of the ring */
	__u64 instance;		/* identity of the instance; 0: not seen */
	__u64 area_bytes;	/* (b) */
	__u64 duration_ns;	/* of the call; 0: its start was not seen */
	__s32 result;		/* 0 or -errno */
	__u32 flags;		/* ZCQ_REG_* */
	__u32 reg_flags;	/* (a) ZCRX_REG_*: 1 import, 2 no device */
	__u32 rq_entries;	/* (a) as asked for; as given when registered */
	__u32 rx_buf_len;	/* (a) 0: default; as given when registered */
	__u32 zcrx_id;		/* (a) valid when registered */
	__u32 area_flags;	/* (b) 1: dmabuf */
	__u32 import_fd;	/* (a) with import: the exported file */
	char reason[ZCQ_TEXT_LEN];	/* the kernel's own text from within this call; "": none given */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_register, 240);
ZCQ_ASSERT_OFFSET(struct zcq_ev_register, reason, 144);

/* unregistered: the last user of an instance let go. */
struct zcq_ev_unregister {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task task;	/* who let go (may be a kernel worker) */
	struct zcq_task owner;	/* who registered it; pid 0: before this session and not found */
	__u64 instance;
	__u64 age_ns;		/* since it was bound; 0: unknown */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_unregister, 120);

/* control: IORING_REGISTER_ZCRX_CTRL. Successful flushes and arms are not reported. */
enum zcq_ctrl_op {
	ZCQ_CTRL_FLUSH = 0,
	ZCQ_CTRL_EXPORT = 1,
	ZCQ_CTRL_ARM_EVENT = 2,
	ZCQ_CTRL_ADD_AREA = 3,
	ZCQ_CTRL_UNREAD = 0xffffffffU,	/* the arguments could not be read */
};

struct zcq_ev_control {
	struct zcq_hdr hdr;
	struct zcq_task task;
	__u64 ring;
	__u64 area_bytes;	/* add-area */
	__s32 result;
	__u32 op;		/* enum zcq_ctrl_op, or one that is newer */
	__u32 zcrx_id;
	__u32 pad;
};
ZCQ_ASSERT_SIZE(struct zcq_ev_control, 80);

/* bound, unbound: a memory provider came to or left a queue; bind-failed: it could not come. */
#define ZCQ_PROV_LEASED		(1U << 0)	/* through a virtual netdev: lease_* say which */
#define ZCQ_PROV_UNINSTALL	(1U << 1)	/* unbound because the netdev went away */

struct zcq_ev_provider {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;	/* the physical queue */
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task task;	/* who was running */
	struct zcq_task owner;	/* who bound it (unbound: remembered; pid 0: before this session) */
	__u64 instance;		/* identity of the instance or binding */
	__u64 duration_ns;	/* of the call */
	__u64 age_ns;		/* unbound: since it was bound; 0: unknown */
	__s32 result;		/* 0; bind-failed: -errno */
	__u32 provider;		/* enum zcq_provider */
	__u32 page_size;	/* bytes asked for; 0: the driver's default */
	__u32 flags;		/* ZCQ_PROV_* */
	struct zcq_queue_id lease;	/* the virtual queue */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_provider, 160);

/* reconfigured: a queue (or, as a reopen, the whole netdev) stopped and started. */
enum zcq_reconfig_cause {
	ZCQ_CAUSE_UNKNOWN = 0,
	ZCQ_CAUSE_BIND,
	ZCQ_CAUSE_UNBIND,
	ZCQ_CAUSE_RESTART,	/* netdev_rx_queue_restart(): the driver or an administrator */
	ZCQ_CAUSE_REOPEN,	/* the driver reopened all its queues (rings, channels, features, MTU) */
	ZCQ_CAUSE_UP,		/* the netdev went up */
	ZCQ_CAUSE_DOWN,		/* the netdev went down */
};

enum zcq_stage {
	ZCQ_STAGE_ALLOC = 0,	/* memory for the new queue (reopen: the new channels) */
	ZCQ_STAGE_STOP,		/* the old queue stopped */
	ZCQ_STAGE_START,	/* the new queue started */
	ZCQ_STAGE_FREE,		/* the old queue's memory freed */
	ZCQ_STAGES,
};

#define ZCQ_RECONFIG_STAGES	(1U << 0)	/* stage_ns was measured; a stage that did not happen is 0 */
#define ZCQ_RECONFIG_UNHEALTHY	(1U << 1)	/* the old queue could not be restarted: the queue is dead */
#define ZCQ_RECONFIG_STANDSTILL	(1U << 2)	/* standstill_ns was measured */
#define ZCQ_RECONFIG_DOWN	(1U << 3)	/* the netdev was down: nothing was stopped or started */
#define ZCQ_RECONFIG_RESTORED	(1U << 4)	/* the new queue failed, the old one runs again */
#define ZCQ_RECONFIG_PROVIDER	(1U << 5)	/* the queue had a provider, or gets one */

struct zcq_ev_reconfig {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;	/* rxq ZCQ_NO_QUEUE: all queues of the netdev */
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task task;
	__u64 duration_ns;	/* of the whole */
	__u64 stage_ns[ZCQ_STAGES];
	__u64 standstill_ns;	/* how long the other queues of the netdev stood still */
	__u32 cause;		/* enum zcq_reconfig_cause */
	__s32 result;		/* 0 or -errno */
	__u32 flags;		/* ZCQ_RECONFIG_* */
	__u32 page_size_old;	/* bytes; 0: the kernel does not say */
	__u32 page_size_new;
	__u32 queues;		/* reopen: how many rx queues; else 1 */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_reconfig, 152);

/* pool-created, -destroyed, -stalled. */
struct zcq_ev_pool {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;	/* rxq ZCQ_NO_QUEUE when the kernel does not know it */
	char ifname[ZCQ_NAME_LEN];	/* "": a pool that belongs to no netdev (or lost it) */
	struct zcq_task task;
	__u64 pool;		/* identity */
	__u64 instance;		/* what provides its memory; 0: ordinary pages */
	__u64 age_ns;		/* destroyed: since created; stalled: since detached; 0: unknown */
	__u32 id;		/* the kernel's page pool id, as in netlink */
	__u32 napi_id;		/* 0: none */
	__u32 provider;		/* enum zcq_provider */
	__u32 order;		/* of one allocation */
	__u32 ring_size;	/* entries of its recycle ring */
	__s32 inflight;		/* buffers out */
	__s32 result;		/* created: 0 or -errno */
	__u32 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_pool, 136);

/* alloc-failed (first of a run), starved (the run lasts), alloc-recovered (its end). */
struct zcq_ev_alloc {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task owner;
	__u64 instance;
	__u64 run_ns;		/* since the first failure of the run */
	__u64 run_fails;	/* failures in the run so far */
	__u32 provider;
	__u32 bufs;		/* buffers of the instance; 0: unknown */
	__u32 free_bufs;	/* on its free lists */
	__u32 refill_entries;	/* size of the refill ring */
	__u32 refill_pending;	/* entries waiting in it */
	__u32 pad;
};
ZCQ_ASSERT_SIZE(struct zcq_ev_alloc, 128);

/* copied: a flow that zcrx receives by copying. */
struct zcq_ev_copied {
	struct zcq_hdr hdr;
	struct zcq_tuple tuple;
	struct zcq_queue_id wanted;	/* the instance's queue */
	char ifname[ZCQ_NAME_LEN];	/* of wanted */
	struct zcq_task task;
	__u64 instance;
	__u64 bytes;		/* copied since the last event about this flow */
	__u64 total_bytes;	/* copied since the flow was first seen */
	__u32 seen_ifindex;	/* where its packets arrive; 0: unknown */
	__u32 seen_rxq;		/* ZCQ_NO_QUEUE: unknown */
	__u32 reason;		/* enum zcq_copy_reason */
	__u32 copies;		/* calls since the last event */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_copied, 160);

/* recv-ended: a receive request came to its end. */
struct zcq_ev_recv_ended {
	struct zcq_hdr hdr;
	struct zcq_tuple tuple;
	struct zcq_queue_id queue;	/* the instance's */
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task task;
	__u64 instance;
	__u64 zc_bytes;		/* of the flow so far */
	__u64 copied_bytes;
	__s32 result;		/* 0: end of stream, else -errno */
	__u32 end;		/* enum zcq_recv_end */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_recv_ended, 152);

/* unsplit: the driver dropped packets of a provider queue because the header was not separated. */
struct zcq_ev_unsplit {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;
	char ifname[ZCQ_NAME_LEN];
	__u64 pkts;		/* since the last such event of this queue */
	__u64 bytes;
};
ZCQ_ASSERT_SIZE(struct zcq_ev_unsplit, 72);

/* flow-started, flow-ended. */
struct zcq_ev_flow {
	struct zcq_hdr hdr;
	struct zcq_flow flow;	/* as in the table at that time */
	char ifname[ZCQ_NAME_LEN];	/* of flow.wanted */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_flow, 240);

/* dmabuf-bound, dmabuf-unbound: a devmem binding as a whole; its queues come as bound/unbound. */
struct zcq_ev_dmabuf {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;	/* the netdev; rxq is ZCQ_NO_QUEUE */
	char ifname[ZCQ_NAME_LEN];
	struct zcq_task task;
	struct zcq_task owner;
	__u64 instance;		/* identity of the binding */
	__u64 bytes;		/* of the dmabuf */
	__s32 result;
	__u32 id;		/* the kernel's binding id */
	__u32 chunk_bytes;	/* size of one buffer; 0: unknown */
	__u32 tx;		/* 1: a binding for sending */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_dmabuf, 136);

/* buffer: heavy profile only; one buffer queued to the application or returned. */
struct zcq_ev_buffer {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;
	__u64 instance;
	__u64 buffer;		/* identity of the niov */
	__u32 bytes;		/* queued */
	__u32 offset;		/* in the buffer */
	__u32 what;		/* 0: given to the application, 1: returned to the pool */
	__u32 pad;
};
ZCQ_ASSERT_SIZE(struct zcq_ev_buffer, 72);

/* traffic, coalesced, alloc-rate: what the counters of one queue gained in an interval. */
struct zcq_ev_interval {
	struct zcq_hdr hdr;
	struct zcq_queue_id queue;
	__u64 interval_ns;	/* the interval that was really measured */
	__u64 zc_bytes;
	__u64 zc_recvs;
	__u64 copied_bytes;
	__u64 copies;
	__u64 alloc_bufs;
	__u64 alloc_fails;
	__u64 coalesced_pkts;
	__u64 coalesced_segs;
	__u64 coalesced_bytes;
	__u64 unsplit_pkts;
	__u64 unsplit_bytes;
	__u64 recv_ended;	/* receive requests that ended, all classes */
	__u64 returned_bufs;
	__u64 coalesced_hist[ZCQ_SEG_BUCKETS];	/* coalesced packets by number of segments */
};
ZCQ_ASSERT_SIZE(struct zcq_ev_interval, 216);
ZCQ_ASSERT_OFFSET(struct zcq_ev_interval, coalesced_hist, 152);

#endif
