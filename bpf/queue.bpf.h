/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What queue.bpf.c (the core's view) and queue_drv.bpf.c (the drivers') share: the operation
 * a task is in the middle of. Binding, reconfiguring and the driver's stages all run in one
 * task, under the netdev's lock, so the task is the key that ties them together.
 */
#ifndef ZCQ_QUEUE_BPF_H
#define ZCQ_QUEUE_BPF_H

#include "maps.bpf.h"
#include "compat.bpf.h"

struct queue_op {
	/* bind or unbind, mp_depth > 0 */
	__u64 mp_start;
	__u64 mp_priv;
	struct zcq_queue_id mp_queue;	/* as called */
	struct zcq_queue_id mp_phys;	/* as reconfigured, when rc_seen */
	char mp_ifname[ZCQ_NAME_LEN];	/* of the physical one once known */
	__u32 mp_depth;
	__u32 mp_cause;		/* ZCQ_CAUSE_BIND or _UNBIND */
	__u32 mp_page_size;
	__u32 mp_provider;
	__u32 mp_was_bound;	/* unbind: the queue really had this provider */
	__u32 rc_seen;
	/* reconfigure, rc_depth > 0 */
	__u64 rc_start;
	__u64 stage_mark;	/* when the stage now running began */
	__u64 stage_ns[ZCQ_STAGES];
	__u64 still_mark;	/* when all queues were stopped, 0: they run */
	__u64 still_ns;
	struct zcq_queue_id rc_queue;
	char rc_ifname[ZCQ_NAME_LEN];
	__u32 rc_depth;
	__u32 rc_cause;
	__u32 rc_flags;		/* ZCQ_RECONFIG_* */
	__u32 rc_starts;	/* how often the driver's start was called */
	__u32 rc_channels;	/* reopen: new channels were opened */
	__u32 rc_queues;
	__u32 rc_loose;		/* begun by a call that need not have an end (bnxt_close_nic) */
	__u32 page_size_old;
	__u32 page_size_new;
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 512);
	__type(key, __u64);
	__type(value, struct queue_op);
} queue_ops SEC(".maps") __weak;

/* An operation this old was left behind: its end was not seen. */
#define OP_STALE_NS	(120ULL * 1000000000ULL)

static __always_inline struct queue_op *op_find(void)
{
	__u64 key = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&queue_ops, &key);
}

/* The task's operation, a fresh one when it has none. */
static __always_inline struct queue_op *op_get(void)
{
	static const struct queue_op zero;
	__u64 key = bpf_get_current_pid_tgid();
	struct queue_op *op = bpf_map_lookup_elem(&queue_ops, &key);

	if (op)
		return op;
	if (!MAP_STORE(ZCQ_SUBJECT_QUEUE, queue_ops, &key, &zero))
		return NULL;
	return bpf_map_lookup_elem(&queue_ops, &key);
}

static __always_inline void op_done(struct queue_op *op)
{
	__u64 key = bpf_get_current_pid_tgid();

	if (!op->mp_depth && !op->rc_depth)
		bpf_map_delete_elem(&queue_ops, &key);
}

/* Has any rx queue of the netdev a provider? The first 64 are looked at. */
static __always_inline bool dev_has_provider(const struct net_device *dev)
{
	__u32 n = netdev_rx_queues(dev);

	for (__u32 i = 0; i < 64 && i < n; i++)
		if (rx_queue_provider(dev, i))
			return true;
	return false;
}

/* Begins a reconfigure; false when one is under way in this task already. */
static __always_inline struct queue_op *rc_begin(const struct net_device *dev, __u32 rxq,
						 __u32 cause)
{
	__u64 now = bpf_ktime_get_ns();
	struct queue_op *op = op_get();

	if (!op)
		return NULL;
	if (op->rc_loose || now - op->rc_start > OP_STALE_NS)
		op->rc_depth = 0;
	op->rc_loose = 0;
	if (op->rc_depth++)
		return NULL;
	op->rc_cause = cause;
	queue_of_dev(dev, rxq, &op->rc_queue);
	dev_name_read(dev, op->rc_ifname);
	op->rc_flags = 0;
	op->rc_starts = 0;
	op->rc_channels = 0;
	op->page_size_old = 0;
	op->page_size_new = 0;
	op->still_mark = 0;
	op->still_ns = 0;
	op->stage_mark = 0;
	for (int i = 0; i < ZCQ_STAGES; i++)
		op->stage_ns[i] = 0;
	op->rc_queues = rxq == ZCQ_NO_QUEUE ? netdev_rx_queues(dev) : 1;
	op->rc_start = now;
	return op;
}

/* Ends it: the event, and the count of the queue. report false: it turned out to be nothing. */
static __always_inline void rc_end(struct queue_op *op, int result, bool report)
{
	struct zcq_queue_counters *c;
	struct zcq_ev_reconfig *e;
	__u64 now = bpf_ktime_get_ns();

	if (!op->rc_depth || --op->rc_depth)
		return;
	if (!report)
		goto out;
	c = counters_of(ZCQ_SUBJECT_QUEUE, &op->rc_queue);
	if (c)
		c->reconfigs++;
	if (!event_pass(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_RECONFIGURED, &op->rc_queue, current_pid(), 0))
		goto out;
	e = EVENT_NEW(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_RECONFIGURED, zcq_ev_reconfig);
	if (!e)
		goto out;
	e->queue = op->rc_queue;
	__builtin_memcpy(e->ifname, op->rc_ifname, sizeof(e->ifname));
	task_fill(&e->task);
	e->duration_ns = now - op->rc_start;
	for (int i = 0; i < ZCQ_STAGES; i++)
		e->stage_ns[i] = op->stage_ns[i];
	e->standstill_ns = op->still_ns;
	e->cause = op->rc_cause;
	e->result = result;
	e->flags = op->rc_flags;
	e->page_size_old = op->page_size_old;
	e->page_size_new = op->page_size_new;
	e->queues = op->rc_queues;
	bpf_ringbuf_submit(e, 0);
out:
	op_done(op);
}

#endif
