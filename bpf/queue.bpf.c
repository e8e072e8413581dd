// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory providers coming to and leaving rx queues, and queues being reconfigured, as the
 * network core does it. Context: process or kworker, under the netdev's lock; rare. Kernels:
 * 6.15 (net_mp_*, netdev_rx_queue_restart) to 7.3 (netif_mp_*, netdev_rx_queue_reconfig).
 * The driver's part (stages, standstill, reopen) is in queue_drv.bpf.c.
 * When the ring or a map is full the event is lost and counted in zcq_lost[queue].
 */
#include "alloc_run.bpf.h"
#include "hook.bpf.h"
#include "queue.bpf.h"
#include "register.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

/* --- bind and unbind ---------------------------------------------------------------------
 *
 * Some kernels have an outer function (takes the lock, resolves a lease) and an inner one
 * that others call directly: both are hooked and the depth tells which call is the outermost.
 */

static __always_inline int on_mp_enter(struct net_device *dev, __u32 rxq,
				       const struct pp_memory_provider_params *p, __u32 cause)
{
	struct netdev_rx_queue *q, *lease;
	__u64 now = bpf_ktime_get_ns();
	struct queue_op *op = op_get();
	struct zcq_ifq *ifq;

	if (!op)
		return 0;
	if (now - op->mp_start > OP_STALE_NS)
		op->mp_depth = 0;
	if (op->mp_depth++)
		return 0;
	op->mp_start = now;
	op->mp_priv = (__u64)BPF_CORE_READ(p, mp_priv);
	op->mp_cause = cause;
	op->mp_page_size = mp_page_size(p);
	op->mp_provider = provider_of(BPF_CORE_READ(p, mp_ops));
	op->mp_was_bound = 0;
	op->rc_seen = 0;
	queue_of_dev(dev, rxq, &op->mp_queue);
	dev_name_read(dev, op->mp_ifname);
	ifq = bpf_map_lookup_elem(&zcq_ifqs, &op->mp_priv);
	if (cause == ZCQ_CAUSE_UNBIND && ifq)
		op->mp_provider = ifq->provider;
	if (cause == ZCQ_CAUSE_BIND && ifq && op->mp_provider != ZCQ_PROVIDER_DMABUF)
		bpf_map_delete_elem(&zcq_ifqs, &op->mp_priv);	/* an old one at this address */
	reg_seen_bind(op->mp_ifname, &op->mp_provider);
	if (rxq >= netdev_rx_queues(dev))
		return 0;
	q = rx_queue(dev, rxq);
	lease = rx_queue_lease(q);
	if (lease && !BPF_CORE_READ(dev, dev.parent))
		q = lease;
	op->mp_was_bound = (__u64)BPF_CORE_READ(q, mp_params.mp_priv) == op->mp_priv;
	return 0;
}

/* Fills what bound, bind-failed and unbound have in common; the owner stays empty. */
static __always_inline void provider_fill(struct zcq_ev_provider *e, const struct queue_op *op)
{
	e->queue = op->mp_queue;
	if (op->rc_seen) {
		e->queue = op->mp_phys;
		if (op->mp_phys.ifindex != op->mp_queue.ifindex ||
		    op->mp_phys.netns != op->mp_queue.netns) {
			e->lease = op->mp_queue;
			e->flags |= ZCQ_PROV_LEASED;
		}
	}
	__builtin_memcpy(e->ifname, op->mp_ifname, sizeof(e->ifname));
	task_fill(&e->task);
	e->instance = op->mp_priv;
	e->duration_ns = e->hdr.time_ns - op->mp_start;
	e->provider = op->mp_provider;
	e->page_size = op->mp_page_size;
}

/* Allocations during the bind may have made the entry already: their state stays. */
static __always_inline void bound_remember(const struct queue_op *op)
{
	struct zcq_ifq fresh = {}, *ifq;

	ifq = bpf_map_lookup_elem(&zcq_ifqs, &op->mp_priv);
	if (!ifq) {
		if (!MAP_STORE(ZCQ_SUBJECT_QUEUE, zcq_ifqs, &op->mp_priv, &fresh))
			return;
		ifq = bpf_map_lookup_elem(&zcq_ifqs, &op->mp_priv);
		if (!ifq)
			return;
	}
	ifq->queue = op->rc_seen ? op->mp_phys : op->mp_queue;
	__builtin_memcpy(ifq->ifname, op->mp_ifname, sizeof(ifq->ifname));
	task_fill(&ifq->owner);
	ifq->bound_ns = bpf_ktime_get_ns();
	ifq->provider = op->mp_provider;
	ifq->queues++;
	if (op->mp_page_size)
		ifq->buf_bytes = op->mp_page_size;
}

static __always_inline int on_open_exit(int result)
{
	enum zcq_event_type type = result ? ZCQ_EVENT_BIND_FAILED : ZCQ_EVENT_BOUND;
	struct queue_op *op = op_find();
	struct zcq_ev_provider *e;

	if (!op || !op->mp_depth || --op->mp_depth)
		return 0;
	if (result == 0)
		bound_remember(op);
	else if (op->mp_provider != ZCQ_PROVIDER_DMABUF)	/* allocations may have made it */
		bpf_map_delete_elem(&zcq_ifqs, &op->mp_priv);
	if (!event_pass2(ZCQ_SUBJECT_QUEUE, type, op->rc_seen ? &op->mp_phys : &op->mp_queue,
			 &op->mp_queue, current_pid(), 0))
		goto out;
	e = EVENT_NEW(ZCQ_SUBJECT_QUEUE, type, zcq_ev_provider);
	if (!e)
		goto out;
	provider_fill(e, op);
	e->owner = e->task;
	e->result = result;
	bpf_ringbuf_submit(e, 0);
out:
	op_done(op);
	return 0;
}

/* The unbind often runs in a kworker: the owner is the one remembered from the bind. */
static __always_inline int on_close_exit(void)
{
	struct queue_op *op = op_find();
	struct zcq_ev_provider *e;
	struct zcq_queue_id *q;
	struct zcq_ifq *ifq;

	if (!op || !op->mp_depth || --op->mp_depth)
		return 0;
	if (!op->mp_was_bound && !op->rc_seen)
		goto out;
	q = op->rc_seen ? &op->mp_phys : &op->mp_queue;
	ifq = bpf_map_lookup_elem(&zcq_ifqs, &op->mp_priv);
	alloc_run_forget(q);
	if (event_pass2(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_UNBOUND, q, &op->mp_queue, current_pid(),
			ifq ? ifq->owner.pid : 0)) {
		e = EVENT_NEW(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_UNBOUND, zcq_ev_provider);
		if (e) {
			provider_fill(e, op);
			if (ifq) {
				e->owner = ifq->owner;
				e->page_size = ifq->buf_bytes;
				if (ifq->bound_ns)
					e->age_ns = e->hdr.time_ns - ifq->bound_ns;
			}
			bpf_ringbuf_submit(e, 0);
		}
	}
	if (ifq && ifq->queues > 1)
		ifq->queues--;
	else if (ifq)
		bpf_map_delete_elem(&zcq_ifqs, &op->mp_priv);
out:
	op_done(op);
	return 0;
}

#define MP_ARGS struct net_device *dev, unsigned int rxq, struct pp_memory_provider_params *p
#define MP_BIND on_mp_enter(dev, rxq, p, ZCQ_CAUSE_BIND)
#define MP_UNBIND on_mp_enter(dev, rxq, p, ZCQ_CAUSE_UNBIND)

ON_ENTRY(mp_open_in, "netif_mp_open_rxq", MP_BIND, MP_ARGS)
ON_RESULT(mp_open_out, "netif_mp_open_rxq", on_open_exit(ret))
ON_ENTRY(mp_open_inner_in, "__netif_mp_open_rxq", MP_BIND, MP_ARGS)
ON_RESULT(mp_open_inner_out, "__netif_mp_open_rxq", on_open_exit(ret))
ON_ENTRY(mp_close_in, "netif_mp_close_rxq", MP_UNBIND, MP_ARGS)
ON_EXIT(mp_close_out, "netif_mp_close_rxq", on_close_exit())
ON_ENTRY(mp_close_inner_in, "__netif_mp_close_rxq", MP_UNBIND, MP_ARGS)
ON_EXIT(mp_close_inner_out, "__netif_mp_close_rxq", on_close_exit())

/* --- the netdev goes away under a provider -------------------------------------------------- */

static __always_inline int on_uninstall(void *mp_priv, struct netdev_rx_queue *rxq, __u32 provider)
{
	__u64 key = (__u64)mp_priv;
	struct zcq_ifq *ifq = bpf_map_lookup_elem(&zcq_ifqs, &key);
	struct net_device *dev = BPF_CORE_READ(rxq, dev);
	struct zcq_ev_provider *e;
	struct zcq_queue_id q;

	/* a lease's end closes first and uninstalls then: already told */
	if (BPF_CORE_READ(rxq, mp_params.mp_priv) != mp_priv)
		return 0;
	queue_of_dev(dev, rx_queue_index(rxq), &q);
	alloc_run_forget(&q);
	if (event_pass(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_UNBOUND, &q, current_pid(),
		       ifq ? ifq->owner.pid : 0)) {
		e = EVENT_NEW(ZCQ_SUBJECT_QUEUE, ZCQ_EVENT_UNBOUND, zcq_ev_provider);
		if (e) {
			e->queue = q;
			dev_name_read(dev, e->ifname);
			task_fill(&e->task);
			e->instance = key;
			e->provider = provider;
			e->flags = ZCQ_PROV_UNINSTALL;
			if (ifq) {
				e->owner = ifq->owner;
				e->page_size = ifq->buf_bytes;
				if (ifq->bound_ns)
					e->age_ns = e->hdr.time_ns - ifq->bound_ns;
			}
			bpf_ringbuf_submit(e, 0);
		}
	}
	if (!ifq)
		return 0;
	if (ifq->queues > 1) {
		ifq->queues--;
	} else if (provider == ZCQ_PROVIDER_IO_URING) {
		/* the instance lives on without a netdev, and so does its owner's name */
		ifq->queue.netns = 0;
		ifq->queue.ifindex = 0;
		ifq->queue.rxq = ZCQ_NO_QUEUE;
	} else {
		bpf_map_delete_elem(&zcq_ifqs, &key);
	}
	return 0;
}

#define UNINSTALL_ARGS void *mp_priv, struct netdev_rx_queue *rxq

ON_ENTRY(mp_uninstall_iou, "io_pp_uninstall",
	 on_uninstall(mp_priv, rxq, ZCQ_PROVIDER_IO_URING), UNINSTALL_ARGS)
ON_ENTRY(mp_uninstall_dmabuf, "mp_dmabuf_devmem_uninstall",
	 on_uninstall(mp_priv, rxq, ZCQ_PROVIDER_DMABUF), UNINSTALL_ARGS)

/* --- one queue stopped and started ----------------------------------------------------------- */

static __always_inline int on_reconfig_enter(struct net_device *dev, __u32 rxq, __u32 old_bytes,
					     __u32 new_bytes)
{
	struct queue_op *op = rc_begin(dev, rxq, ZCQ_CAUSE_RESTART);

	if (!op)
		return 0;
	op->page_size_old = old_bytes;
	op->page_size_new = new_bytes;
	if (rx_queue_provider(dev, rxq))
		op->rc_flags |= ZCQ_RECONFIG_PROVIDER;
	if (!(BPF_CORE_READ(dev, state) & 1))	/* __LINK_STATE_START */
		op->rc_flags |= ZCQ_RECONFIG_DOWN;
	if (op->mp_depth) {
		op->rc_cause = op->mp_cause;
		op->rc_flags |= ZCQ_RECONFIG_PROVIDER;
		op->rc_seen = 1;
		op->mp_phys = op->rc_queue;
		__builtin_memcpy(op->mp_ifname, op->rc_ifname, sizeof(op->mp_ifname));
	}
	return 0;
}

static __always_inline int on_reconfig_exit(int result)
{
	struct queue_op *op = op_find();
	__u64 now = bpf_ktime_get_ns();

	if (!op)
		return 0;
	/* the free stage is the last and has no end of its own */
	if (op->rc_depth == 1 && op->stage_mark && op->rc_starts)
		op->stage_ns[ZCQ_STAGE_FREE] = now - op->stage_mark;
	rc_end(op, result, true);
	return 0;
}

ON_ENTRY(reconfig_in, "netdev_rx_queue_reconfig",
	 on_reconfig_enter(dev, rxq, qcfg_page_size(qcfg_old), qcfg_page_size(qcfg_new)),
	 struct net_device *dev, unsigned int rxq, struct netdev_queue_config *qcfg_old,
	 struct netdev_queue_config *qcfg_new)
ON_RESULT(reconfig_out, "netdev_rx_queue_reconfig", on_reconfig_exit(ret))

/* 6.x: no configuration is handed over */
ON_ENTRY(restart_in, "netdev_rx_queue_restart", on_reconfig_enter(dev, rxq, 0, 0),
	 struct net_device *dev, unsigned int rxq)
