/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps and settings all programs share, and the few helpers that write to them. Each
 * object carries its own weak copy; `bpftool gen object` makes them one. Sizes are defaults,
 * user/lib/bpf/session.c may set others before load.
 *
 * How programs are written: the work is in a static function on_<what>(); thin wrappers carry
 * the SEC() and are named <what>__<kind>, kind being fentry, fexit, kprobe, kretprobe, tp_btf,
 * tp or iter. SEC() names the target of the newest kernel; the probe table
 * (user/lib/bpf/probe_table*.c) lists each wrapper with the targets it may be given, and
 * decides which one is loaded. Where two kinds do the same, hook.bpf.h writes both.
 */
#ifndef ZCQ_MAPS_BPF_H
#define ZCQ_MAPS_BPF_H

#include "kernel.bpf.h"
#include <zcq/config.h>
#include <zcq/counters.h>
#include <zcq/events.h>
#include <zcq/flow.h>
#include <zcq/instance.h>

const volatile struct zcq_config zcq_cfg __weak = {};

/* Rare events; hot hooks never reserve here. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} zcq_ring SEC(".maps") __weak;

/* Index: enum zcq_subject. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ZCQ_SUBJECTS);
	__type(key, __u32);
	__type(value, struct zcq_lost);
} zcq_lost SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 2048);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct zcq_queue_id);
	__type(value, struct zcq_queue_counters);
} zcq_counters SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct zcq_flow_key);
	__type(value, struct zcq_flow_entry);
} zcq_flows SEC(".maps") __weak;

/* Instance (address of the ifq or of the dmabuf binding) to its queue and owner. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, struct zcq_ifq);
} zcq_ifqs SEC(".maps") __weak;

static __always_inline struct zcq_lost *lost_of(enum zcq_subject subject)
{
	__u32 key = subject;

	return bpf_map_lookup_elem(&zcq_lost, &key);
}

#define LOST_ADD(subject, field)					\
	do {								\
		struct zcq_lost *lost__ = lost_of(subject);		\
									\
		if (lost__)						\
			/* a softirq may come between: not a plain ++ */ \
			__sync_fetch_and_add(&lost__->field, 1);	\
	} while (0)

/* A map update that must not fail in silence; true when stored. */
#define MAP_STORE(subject, map, key, value)				\
	({								\
		long err__ = bpf_map_update_elem(&(map), (key), (value), BPF_ANY); \
									\
		if (err__)						\
			LOST_ADD(subject, map_full);			\
		err__ == 0;						\
	})

/* Is anybody interested in this type at all? Dead code when not: the mask is rodata. */
static __always_inline bool event_wanted(enum zcq_event_type type)
{
	return zcq_cfg.event_mask & (1ULL << type);
}

/* The filters; a field of the record that is unknown (0) passes none. */
static __always_inline bool filter_queue(const struct zcq_queue_id *q)
{
	if (zcq_cfg.netns && q->netns != zcq_cfg.netns)
		return false;
	if (zcq_cfg.ifindex && q->ifindex != zcq_cfg.ifindex)
		return false;
	if (!zcq_cfg.has_rxq || q->rxq == zcq_cfg.rxq)
		return true;
	/* what is about a whole netdev is about each of its queues */
	return q->rxq == ZCQ_NO_QUEUE && q->ifindex;
}

static __always_inline bool filter_pid(__u32 pid)
{
	return !zcq_cfg.pid || zcq_cfg.pid == pid;
}

static __always_inline bool filter_sample(enum zcq_event_type type)
{
	if (!(ZCQ_EVENT_FREQUENT & (1ULL << type)) || zcq_cfg.sample <= 1)
		return true;
	return bpf_get_prandom_u32() % zcq_cfg.sample == 0;
}

/*
 * May this event be sent? Counts what is held back. Never stricter than user space's own
 * filter (user/lib/event/filter.c): q2 and pid2 are a second queue and process that would
 * match as well (where a flow's packets arrive, a leased queue; the remembered owner when a
 * kernel worker runs), NULL and 0 for none. q NULL: the event is about no queue.
 */
static __always_inline bool event_pass2(enum zcq_subject subject, enum zcq_event_type type,
					const struct zcq_queue_id *q,
					const struct zcq_queue_id *q2, __u32 pid, __u32 pid2)
{
	if (!event_wanted(type))
		return false;
	if ((q && !filter_queue(q) && !(q2 && filter_queue(q2))) ||
	    !(filter_pid(pid) || (pid2 && filter_pid(pid2)))) {
		LOST_ADD(subject, filtered);
		return false;
	}
	if (!filter_sample(type)) {
		LOST_ADD(subject, sampled_out);
		return false;
	}
	return true;
}

static __always_inline bool event_pass(enum zcq_subject subject, enum zcq_event_type type,
				       const struct zcq_queue_id *q, __u32 pid, __u32 pid2)
{
	return event_pass2(subject, type, q, NULL, pid, pid2);
}

/*
 * Room for one record of this type with its header filled and the rest zeroed, or NULL when
 * the ring is full (counted). The caller fills it and calls bpf_ringbuf_submit(e, 0).
 */
#define EVENT_NEW(subject, evtype, type)				\
	({								\
		struct type *e__ = bpf_ringbuf_reserve(&zcq_ring, sizeof(*e__), 0); \
									\
		if (e__) {						\
			__builtin_memset(e__, 0, sizeof(*e__));		\
			event_header(&e__->hdr, evtype, sizeof(*e__));	\
		} else {						\
			LOST_ADD(subject, ring_full);			\
		}							\
		e__;							\
	})

static __always_inline void event_header(struct zcq_hdr *h, enum zcq_event_type type, __u32 size)
{
	h->version = ZCQ_EVENT_VERSION;
	h->type = type;
	h->size = size;
	h->cpu = bpf_get_smp_processor_id();
	h->time_ns = bpf_ktime_get_ns();
}

static __always_inline void task_fill(struct zcq_task *t)
{
	__u64 id = bpf_get_current_pid_tgid();

	t->pid = id >> 32;
	t->tid = (__u32)id;
	bpf_get_current_comm(t->comm, sizeof(t->comm));
}

static __always_inline __u32 current_pid(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

/* The counters of a queue, made on first use; NULL when the table is full (counted). */
static __always_inline struct zcq_queue_counters *counters_of(enum zcq_subject subject,
							      const struct zcq_queue_id *q)
{
	static const struct zcq_queue_counters zero;
	struct zcq_queue_counters *c = bpf_map_lookup_elem(&zcq_counters, q);

	if (c)
		return c;
	bpf_map_update_elem(&zcq_counters, q, &zero, BPF_NOEXIST);
	c = bpf_map_lookup_elem(&zcq_counters, q);
	if (!c)
		LOST_ADD(subject, map_full);
	return c;
}

#endif
