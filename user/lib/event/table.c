// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events and their fields in words. The fields stand in the order in which describe*.c
 * walks them; a test compares both. Data, and the few functions that search it.
 */
#include "lib/event/table.h"

#include <errno.h>
#include <string.h>

#define F(key, unit, meaning) { key, unit, meaning }
#define END { NULL, NULL, NULL }
#define NETDEV F("netdev", "text", "netdev; with @net:INODE when it is in another namespace")
#define QUEUE F("queue", "number", "rx queue; null: none or unknown")
#define PID F("pid", "number", "process that was running; null: the kernel itself")
#define COMM F("comm", "text", "its name")
#define OWNER_PID F("owner_pid", "number", "process that bound it; null: unknown (before zcq started)")
#define OWNER_COMM F("owner_comm", "text", "its name")
#define INSTANCE F("instance", "number", "which instance (or dmabuf binding), numbered by this zcq")
#define RING F("ring", "number", "which ring, numbered by this zcq")
#define PROVIDER F("provider", "text", "io-uring, dmabuf, other or none")
#define ERROR F("error", "text", "errno by name; null: none")

static const struct zcq_event_field register_fields[] = {
	NETDEV, QUEUE, PID, COMM, ERROR,
	F("reason", "text", "the kernel's own words from within this call; null: it gave none"),
	F("area_bytes", "bytes", "memory of the first area; null: could not be read"),
	F("buffer_bytes", "bytes", "size of one buffer; null: the default was asked for"),
	F("refill_entries", "number", "entries of the refill ring"),
	F("flags", "list", "import, nodev, dmabuf"),
	RING,
	INSTANCE,
	F("duration_ns", "ns", "of the call; null: its start was not seen"),
	END
};

static const struct zcq_event_field unregister_fields[] = {
	NETDEV, QUEUE, PID, COMM, OWNER_PID, OWNER_COMM, INSTANCE,
	F("age_ns", "ns", "since it was bound; null: unknown"),
	END
};

static const struct zcq_event_field control_fields[] = {
	PID, COMM,
	F("operation", "text", "flush, export, arm-event, add-area; null: could not be read"),
	ERROR,
	F("area_bytes", "bytes", "add-area: how much"),
	RING,
	F("zcrx_id", "number", "the instance's number in that ring"),
	END
};

#define PAGE_BYTES F("page_bytes", "bytes", "size of one buffer, asked for or found out; null: the driver's default")
#define LEASE									\
	F("lease_netdev", "text", "the virtual netdev it came through; null: none"),	\
	F("lease_queue", "number", "and its queue")
#define CALL_NS F("duration_ns", "ns", "of the call, reconfigure included")

static const struct zcq_event_field bound_fields[] = {
	NETDEV, QUEUE, PROVIDER, PID, COMM, OWNER_PID, OWNER_COMM, PAGE_BYTES, INSTANCE, LEASE,
	CALL_NS,
	END
};

static const struct zcq_event_field bind_failed_fields[] = {
	NETDEV, QUEUE, PROVIDER, PID, COMM, ERROR, PAGE_BYTES, LEASE, CALL_NS,
	END
};

static const struct zcq_event_field unbound_fields[] = {
	NETDEV, QUEUE, PROVIDER, PID, COMM, OWNER_PID, OWNER_COMM, PAGE_BYTES, INSTANCE, LEASE,
	F("cause", "text", "close, or netdev-removed"),
	CALL_NS,
	F("age_ns", "ns", "since it was bound; null: unknown"),
	END
};

static const struct zcq_event_field reconfig_fields[] = {
	NETDEV,
	QUEUE,
	F("cause", "text", "bind, unbind, restart, reopen, up, down"),
	ERROR,
	F("health", "text",
	  "ok; restored (the new queue failed, the old one runs again); unhealthy (neither runs)"),
	F("duration_ns", "ns", "of the whole"),
	F("standstill_ns", "ns",
	  "how long all queues of the netdev stood still; null: not measured"),
	F("stages", "object", "alloc_ns, stop_ns, start_ns, free_ns; null: not measured"),
	F("queues", "number", "rx queues concerned"),
	F("provider", "flag", "a provider is, was or will be on one of them"),
	F("running", "flag", "the netdev was up"),
	F("page_bytes_old", "bytes", "buffer size before; null: the kernel does not say"),
	F("page_bytes_new", "bytes", "and after"),
	PID,
	COMM,
	END
};

static const struct zcq_event_field pool_fields[] = {
	NETDEV,
	QUEUE,
	F("pool", "number", "the kernel's id of the page pool, as in netlink"),
	PROVIDER,
	ERROR,
	F("inflight", "number", "buffers that are out"),
	F("age_ns", "ns",
	  "destroyed: since created; stalled: since its driver let go; null: unknown"),
	F("ring_entries", "number", "entries of its recycle ring; null: the default"),
	F("buffer_bytes", "bytes", "size of one allocation"),
	F("napi", "number", "NAPI instance it belongs to; null: none"),
	INSTANCE,
	PID,
	COMM,
	END
};

static const struct zcq_event_field alloc_fields[] = {
	NETDEV, QUEUE, PROVIDER,
	F("fails", "number", "failures in this run"),
	F("run_ns", "ns", "since the first of them"),
	F("buffers", "number", "buffers of the instance; null: unknown"),
	F("free", "number", "of them on its free lists"),
	F("refill_entries", "number", "size of the refill ring"),
	F("refill_pending", "number", "returned buffers waiting in it"),
	INSTANCE, OWNER_PID, OWNER_COMM,
	END
};

static const struct zcq_event_field copied_fields[] = {
	F("flow", "text", "the peer's address and port > our own"),
	F("netdev", "text", "netdev of the instance; null: it has none"),
	F("queue_wanted", "number", "queue of the instance; null: it has none"),
	F("netdev_seen", "text", "netdev the packets arrive by; null: unknown"),
	F("queue_seen", "number", "queue they arrive on; null: unknown"),
	F("reason", "text", "wrong-queue, wrong-netdev, nodev, linear, page, unknown"),
	F("bytes", "bytes", "copied since the last event about this flow"),
	F("copies", "number", "receive calls that copied, since then"),
	F("total_bytes", "bytes", "copied since zcq knows the flow"),
	PID, COMM, INSTANCE,
	END
};

static const struct zcq_event_field recv_ended_fields[] = {
	F("flow", "text", "the peer's address and port > our own"),
	NETDEV, QUEUE,
	F("end", "text", "eof, enospc, enomem, efault, reset, length, other"),
	ERROR,
	F("zc_bytes", "bytes", "received without a copy since zcq knows the flow"),
	F("copied_bytes", "bytes", "received by copying"),
	PID, COMM, INSTANCE,
	END
};

static const struct zcq_event_field unsplit_fields[] = {
	NETDEV, QUEUE,
	F("packets", "number", "dropped since the last such event of this queue"),
	F("bytes", "bytes", "in them; null: unknown"),
	END
};

static const struct zcq_event_field flow_fields[] = {
	F("flow", "text", "the peer's address and port > our own"),
	NETDEV,
	F("queue_wanted", "number", "queue of the instance that receives; null: it has none"),
	F("queue_seen", "number", "queue the packets arrive on; null: unknown"),
	F("receiver", "text", "zcrx or devmem"),
	F("zc_bytes", "bytes", "received without a copy"),
	F("copied_bytes", "bytes", "received by copying"),
	F("duration_ns", "ns", "from the first receive to the last"),
	ERROR, PID, COMM, INSTANCE,
	END
};

static const struct zcq_event_field dmabuf_fields[] = {
	NETDEV, PID, COMM, OWNER_PID, OWNER_COMM, ERROR,
	F("dmabuf", "number", "the kernel's id of the binding, as in netlink"),
	F("direction", "text", "rx or tx"),
	F("area_bytes", "bytes", "size of the dmabuf"),
	F("buffer_bytes", "bytes", "size of one buffer; null: unknown"),
	INSTANCE,
	END
};

static const struct zcq_event_field buffer_fields[] = {
	NETDEV, QUEUE,
	F("action", "text", "given (to the application) or returned (to the pool)"),
	F("buffer", "number", "which buffer, numbered by this zcq"),
	F("offset", "bytes", "given: where the data begin in it"),
	F("bytes", "bytes", "given: how much"),
	INSTANCE,
	END
};

static const struct zcq_event_field traffic_fields[] = {
	NETDEV, QUEUE,
	F("interval_ns", "ns", "the time measured"),
	F("zc_bytes", "bytes", "received without a copy in it"),
	F("zc_receives", "number", "receive calls without any copy"),
	F("copied_bytes", "bytes", "received by copying"),
	F("copies", "number", "receive calls that copied"),
	F("receives_ended", "number", "receive requests that ended; null: none, or not counted"),
	END
};

static const struct zcq_event_field coalesced_fields[] = {
	NETDEV, QUEUE,
	F("interval_ns", "ns", "the time measured"),
	F("packets", "number", "coalesced packets the driver handed up"),
	F("segments", "number", "wire segments in them"),
	F("bytes", "bytes", "payload in them"),
	F("segments_per_packet", "number", "on average"),
	F("histogram", "list",
	  "how many `packets` had at most `segments_max` segments and more than half of that; "
	  "segments_max null: more than 64; without those that had none"),
	F("unsplit_packets", "number",
	  "dropped because the header was not separated; null: none, or not counted (without `--heavy`)"),
	F("unsplit_bytes", "bytes", "in them"),
	END
};

static const struct zcq_event_field alloc_rate_fields[] = {
	NETDEV, QUEUE,
	F("interval_ns", "ns", "the time measured"),
	F("fails", "number", "times the driver asked for buffers and there was none"),
	F("buffers", "number", "buffers given to the driver"),
	F("returned", "number",
	  "buffers given back; null: none, or not counted (zcrx: only with `--heavy`)"),
	END
};

#define P(probe) (1ULL << ZCQ_PROBE_##probe)

/* Receives: what begins one makes a flow, and without the end of flows their table would fill up. */
#define RECEIVES (P(ZCRX_READ) | P(DEVMEM_RECV))
#define FLOWS	 (P(ZCRX_COPY) | P(FLOW_STATE))
#define ALLOCS	 (P(ZCRX_ALLOC) | P(DEVMEM_ALLOC))
/* Who owns an instance, be it older than this zcq. */
#define OWNERS	 (P(MP_OPEN) | P(REGISTER_AREA) | P(ITER_FILES) | P(ITER_TASKS))

#define EVENT(sym, name_, st, subject_, fields_, ...)				\
	{ .type = ZCQ_EVENT_##sym, .name = name_, .subject = ZCQ_SUBJECT_##subject_,	\
	  .size = sizeof(struct st), .fields = fields_, __VA_ARGS__ }

static const struct zcq_event_desc table[] = {
	EVENT(REGISTERED, "registered", zcq_ev_register, REGISTER, register_fields,
	      .all = P(REGISTER_RESULT), .with = P(REGISTER_CALL) | OWNERS,
	      .summary = "a zcrx instance was registered"),
	EVENT(REJECTED, "rejected", zcq_ev_register, REGISTER, register_fields,
	      .all = P(REGISTER_RESULT), .with = P(REGISTER_CALL) | P(REGISTER_REASON) | OWNERS,
	      .summary = "a zcrx registration was refused",
	      .notes = "The errno is all the application gets; `reason` is what the kernel wrote "
		       "down inside this very call. Many refusals have no text."),
	EVENT(UNREGISTERED, "unregistered", zcq_ev_unregister, REGISTER, unregister_fields,
	      .all = P(UNREGISTER), .with = OWNERS,
	      .summary = "the last user of a zcrx instance let go",
	      .notes = "Often in a kernel worker, after the owner exited."),
	EVENT(CONTROL, "control", zcq_ev_control, REGISTER, control_fields,
	      .all = P(REGISTER_RESULT), .with = P(CONTROL) | OWNERS,
	      .summary = "a control call on an instance (export, more area, failures)",
	      .notes = "Flushes and armed events that succeed are routine and not shown."),
	EVENT(BOUND, "bound", zcq_ev_provider, QUEUE, bound_fields,
	      .any = P(MP_OPEN) | P(MP_OPEN_INNER), .with = OWNERS,
	      .summary = "a memory provider was bound to a queue"),
	EVENT(UNBOUND, "unbound", zcq_ev_provider, QUEUE, unbound_fields,
	      .any = P(MP_CLOSE) | P(MP_CLOSE_INNER) | P(MP_UNINSTALL_IOU) | P(MP_UNINSTALL_DMABUF),
	      .with = OWNERS, .summary = "a memory provider left a queue"),
	EVENT(RECONFIGURED, "reconfigured", zcq_ev_reconfig, QUEUE, reconfig_fields,
	      .any = P(RECONFIG) | P(MLX5_REOPEN) | P(MLX5_UP) | P(MLX5_DOWN) | P(BNXT_REOPEN) |
		     P(BNXT_UP) | P(BNXT_DOWN),
	      .with = OWNERS, .summary = "a queue, or a whole netdev, was stopped and started",
	      .notes =
		      "`queue` is null when the driver did it to all its queues (reopen, up, down). "
		      "Stages, standstill and health come from the driver: mlx5 and bnxt."),
	EVENT(POOL_CREATED, "pool-created", zcq_ev_pool, POOL, pool_fields,
	      .any = P(POOL_CREATE) | P(POOL_HOLD), .with = OWNERS,
	      .summary = "a page pool was created, or the attempt failed",
	      .notes = "Where neither fentry nor kprobes can be had: at a pool's first buffer, and only "
		       "with `--heavy`."),
	EVENT(POOL_DESTROYED, "pool-destroyed", zcq_ev_pool, POOL, pool_fields,
	      .all = P(POOL_RELEASE), .with = P(POOL_CREATE) | OWNERS,
	      .summary = "a page pool is gone, all its buffers are back"),
	EVENT(POOL_STALLED, "pool-stalled", zcq_ev_pool, POOL, pool_fields,
	      .all = P(POOL_RELEASE), .with = P(POOL_CREATE) | OWNERS,
	      .summary = "a page pool can't be freed: somebody still holds buffers",
	      .notes = "First 5 s after its driver let go, then each time the wait has doubled."),
	EVENT(ALLOC_FAILED, "alloc-failed", zcq_ev_alloc, ZCRX, alloc_fields, .any = ALLOCS,
	      .with = FLOWS | OWNERS,
	      .summary = "the driver asked for buffers and there was none: first of a run",
	      .notes = "One event for a run of failures, however long; `alloc-rate` has the rate."),
	EVENT(ALLOC_RECOVERED, "alloc-recovered", zcq_ev_alloc, ZCRX, alloc_fields, .any = ALLOCS,
	      .with = FLOWS | OWNERS, .summary = "the run of failures is over"),
	EVENT(STARVED, "starved", zcq_ev_alloc, ZCRX, alloc_fields, .any = ALLOCS,
	      .with = FLOWS | OWNERS,
	      .summary = "the failures last: the queue drops what arrives"),
	EVENT(COPIED, "copied", zcq_ev_copied, ZCRX, copied_fields,
	      .all = P(ZCRX_COPY) | P(ZCRX_READ), .with = FLOWS | OWNERS,
	      .summary = "a flow is received by copying instead of zero-copy",
	      .notes = "At most one event a second for each flow."),
	EVENT(RECV_ENDED, "recv-ended", zcq_ev_recv_ended, ZCRX, recv_ended_fields,
	      .all = P(ZCRX_RECV), .with = P(ZCRX_READ) | FLOWS | OWNERS,
	      .summary = "a zero-copy receive request came to its end",
	      .notes = "enospc: the completion queue was full, the application must arm it again. "
		       "efault: the data lie in a buffer of another instance."),
	EVENT(UNSPLIT, "unsplit", zcq_ev_unsplit, HWGRO, unsplit_fields, .optional = true,
	      .all = P(MLX5_UNSPLIT), .with = OWNERS,
	      .summary = "packets dropped: their header was not separated"),
	EVENT(FLOW_STARTED, "flow-started", zcq_ev_flow, FLOW, flow_fields, .any = RECEIVES,
	      .with = FLOWS | OWNERS, .summary = "a connection's first receive through a provider"),
	EVENT(FLOW_ENDED, "flow-ended", zcq_ev_flow, FLOW, flow_fields, .all = P(FLOW_STATE),
	      .any = RECEIVES, .with = FLOWS | OWNERS,
	      .summary = "such a connection is gone, with its totals"),
	EVENT(DMABUF_BOUND, "dmabuf-bound", zcq_ev_dmabuf, DEVMEM, dmabuf_fields,
	      .all = P(DEVMEM_BIND), .with = FLOWS | OWNERS,
	      .summary = "a dmabuf was bound for devmem TCP, or the attempt failed",
	      .notes = "The binding as a whole; its queues show as `bound`."),
	EVENT(DMABUF_UNBOUND, "dmabuf-unbound", zcq_ev_dmabuf, DEVMEM, dmabuf_fields,
	      .all = P(DEVMEM_UNBIND), .with = P(DEVMEM_BIND) | FLOWS | OWNERS,
	      .summary = "a devmem binding is gone"),
	EVENT(BUFFER, "buffer", zcq_ev_buffer, ZCRX, buffer_fields, .optional = true,
	      .any = P(ZCRX_QUEUE_CQE) | P(ZCRX_RELEASE), .with = FLOWS | OWNERS,
	      .summary = "one buffer given to the application, or returned"),
	EVENT(BIND_FAILED, "bind-failed", zcq_ev_provider, QUEUE, bind_failed_fields,
	      .any = P(MP_OPEN) | P(MP_OPEN_INNER), .with = OWNERS,
	      .summary = "a memory provider could not be bound to a queue",
	      .notes = "What the application asked for, and the kernel's own words, are in the "
		       "`rejected` event that follows (zcrx)."),
	EVENT(TRAFFIC, "traffic", zcq_ev_interval, ZCRX, traffic_fields, .interval = true,
	      .any = RECEIVES, .with = P(ZCRX_RECV) | FLOWS | OWNERS,
	      .summary = "received on a queue, zero-copied and copied"),
	EVENT(COALESCED, "coalesced", zcq_ev_interval, HWGRO, coalesced_fields, .interval = true,
	      .any = P(MLX5_SHAMPO_FLUSH) | P(BNXT_TPA), .with = OWNERS,
	      .summary = "packets that hardware coalesced on a queue",
	      .notes = "Only of queues with a provider; of all queues when named by `--event`."),
	EVENT(ALLOC_RATE, "alloc-rate", zcq_ev_interval, ZCRX, alloc_rate_fields, .interval = true,
	      .any = ALLOCS, .with = P(DEVMEM_DONTNEED) | FLOWS | OWNERS,
	      .summary = "allocation failures of a queue, buffers returned"),
};

#define N_EVENTS (sizeof(table) / sizeof(table[0]))

const struct zcq_event_desc *zcq_event_nth(size_t i)
{
	return i < N_EVENTS ? &table[i] : NULL;
}

const struct zcq_event_desc *zcq_event_desc(unsigned int type)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (table[i].type == type)
			return &table[i];
	return NULL;
}

const struct zcq_event_desc *zcq_event_find(const char *name)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

bool zcq_event_list(uint64_t types, size_t *i, char *line, size_t size)
{
	size_t len = 0, more;

	for (; *i < N_EVENTS; ++*i) {
		if (!(types & 1ULL << table[*i].type))
			continue;
		more = strlen(table[*i].name) + (len ? 2 : 0);
		if (len + more >= size)
			break;
		len += snprintf(line + len, size - len, "%s%s", len ? ", " : "", table[*i].name);
	}
	return len;
}

bool zcq_event_seen(const struct zcq_event_desc *desc, uint64_t attached)
{
	return (attached & desc->all) == desc->all && (!desc->any || attached & desc->any);
}

int zcq_event_check(const void *record, size_t size)
{
	const struct zcq_event_desc *desc;
	struct zcq_hdr hdr;

	if (size < sizeof(hdr))
		return -EINVAL;
	memcpy(&hdr, record, sizeof(hdr));
	if (hdr.version != ZCQ_EVENT_VERSION)
		return -EPROTO;
	desc = zcq_event_desc(hdr.type);
	if (!desc)
		return -ENOENT;
	if (hdr.size > size || hdr.size < desc->size)
		return -EINVAL;
	return 0;
}
