/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver's page pool gets from its memory provider, for zcrx.bpf.c and devmem.bpf.c:
 * counted for each queue, and runs of failures told as events: alloc-failed at the first
 * failure, starved when there was no success for a while, alloc-recovered at the first
 * success after a quiet time. Called from NAPI, one at a time for a queue. Not a hook.
 *
 * Starved is told by a timer: a queue that ran dry gets no packets, so its driver may not ask
 * again until something else wakes it, and nothing here would run.
 */
#ifndef ZCQ_ALLOC_BPF_H
#define ZCQ_ALLOC_BPF_H

#include "alloc_run.bpf.h"
#include "compat.bpf.h"
#include "ifq.bpf.h"
#include "maps.bpf.h"

/* The hardware queue a pool feeds; the kernel's own note, valid while the pool lives. */
static __always_inline void pool_queue(const struct page_pool *pp, struct zcq_queue_id *q)
{
	const struct page_pool___opt *o = (const void *)pp;
	const struct net_device *dev = pool_dev(pp);

	if (dev) {
		queue_of_dev(dev, BPF_CORE_READ(o, slow.queue_idx), q);
		return;
	}
	__builtin_memset(q, 0, sizeof(*q));
	q->rxq = ZCQ_NO_QUEUE;
}

static __always_inline struct zcq_ifq *alloc_ifq(enum zcq_subject subject,
						 enum zcq_provider provider,
						 const struct page_pool *pp,
						 const struct zcq_queue_id *q)
{
	__u64 key = (__u64)BPF_CORE_READ(pp, mp_priv);
	struct zcq_ifq *i = bpf_map_lookup_elem(&zcq_ifqs, &key);
	const struct net_device *dev;
	struct zcq_ifq fresh;

	if (i)
		return i;
	/* Bound before this session: the owner is unknown until an iterator finds it. */
	__builtin_memset(&fresh, 0, sizeof(fresh));
	fresh.queue = *q;
	fresh.provider = provider;
	fresh.buf_bytes = zcq_cfg.page_size << BPF_CORE_READ(pp, p.order);
	dev = pool_dev(pp);
	if (dev)
		dev_name_read(dev, fresh.ifname);
	if (!MAP_STORE(subject, zcq_ifqs, &key, &fresh))
		return NULL;
	return bpf_map_lookup_elem(&zcq_ifqs, &key);
}

struct alloc_event_args {
	enum zcq_subject subject;
	enum zcq_event_type type;
	__u64 now;
};

/* What the instance has; of more areas than these the sums are lower bounds. */
#define ALLOC_EVENT_AREAS 8

static __always_inline void alloc_sizes(const struct io_zcrx_ifq *ifq, struct zcq_ev_alloc *ev)
{
	const struct io_zcrx_area *area;
	struct ifq_areas areas;

	ifq_refill(ifq, &ev->refill_entries, &ev->refill_pending);
	ifq_areas_read(ifq, &areas);
	for (__u32 i = 0; i < ALLOC_EVENT_AREAS; i++) {
		area = ifq_area(&areas, i);
		if (!area)
			break;
		ev->bufs += BPF_CORE_READ(area, nia.num_niovs);
		ev->free_bufs += BPF_CORE_READ(area, free_count);
	}
}

static __noinline int alloc_event(const struct zcq_ifq *i, const struct alloc_run *r,
				  const struct zcq_queue_id *q, const struct alloc_event_args *a)
{
	struct zcq_ev_alloc *ev;

	if (!i || !r || !q || !a)
		return 0;
	if (!event_pass(a->subject, a->type, q, i->owner.pid, 0))
		return 0;
	ev = EVENT_NEW(a->subject, a->type, zcq_ev_alloc);
	if (!ev)
		return 0;
	ev->queue = *q;
	__builtin_memcpy(ev->ifname, i->ifname, sizeof(ev->ifname));
	ev->owner = i->owner;
	ev->instance = r->instance;
	ev->run_ns = a->now - r->first_ns;
	ev->run_fails = r->fails;
	ev->provider = i->provider;
	if (i->provider == ZCQ_PROVIDER_IO_URING)
		alloc_sizes((const void *)r->instance, ev);
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

#define CLOCK_MONOTONIC 1

struct alloc_timer {
	struct bpf_timer timer;
	__u32 subject;
	__u32 pad;
};

/* LRU: a queue that is left while it is starved leaves its timer behind. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, struct zcq_queue_id);
	__type(value, struct alloc_timer);
} alloc_timers SEC(".maps") __weak;

static int alloc_still_dry(void *map, struct zcq_queue_id *key, struct alloc_timer *t)
{
	struct alloc_event_args a = { .subject = t->subject, .type = ZCQ_EVENT_STARVED };
	struct zcq_queue_id q = *key;
	struct alloc_run *r = bpf_map_lookup_elem(&alloc_runs, &q);
	__u64 dry, instance;

	if (!r || !r->dry_ns || (r->flags & ALLOC_STARVED))
		return 0;
	a.now = bpf_ktime_get_ns();
	dry = a.now - r->dry_ns;
	if (dry < zcq_cfg.starved_ns) { /* there was a success, then it ran dry again */
		bpf_timer_start(&t->timer, zcq_cfg.starved_ns - dry, 0);
		return 0;
	}
	instance = r->instance;
	r->flags |= ALLOC_STARVED;
	alloc_event(bpf_map_lookup_elem(&zcq_ifqs, &instance), r, &q, &a);
	return 0;
}

static __always_inline void alloc_watch_dry(const struct zcq_queue_id *q,
					    const struct alloc_event_args *a)
{
	static const struct alloc_timer zero;
	struct alloc_timer *t = bpf_map_lookup_elem(&alloc_timers, q);

	if (!t) {
		if (!MAP_STORE(a->subject, alloc_timers, q, &zero))
			return;
		t = bpf_map_lookup_elem(&alloc_timers, q);
		if (!t)
			return;
		bpf_timer_init(&t->timer, &alloc_timers, CLOCK_MONOTONIC);
		bpf_timer_set_callback(&t->timer, alloc_still_dry);
	}
	t->subject = a->subject;
	bpf_timer_start(&t->timer, zcq_cfg.starved_ns, 0);
}

/* The queue's run, begun when there is none; what another instance left there is ended. */
static __always_inline struct alloc_run *alloc_run_get(const struct zcq_queue_id *q, __u64 instance,
						       const struct alloc_event_args *a)
{
	static const struct alloc_run zero;
	struct alloc_run *r = bpf_map_lookup_elem(&alloc_runs, q);

	if (!r) {
		if (!MAP_STORE(a->subject, alloc_runs, q, &zero))
			return NULL;
		r = bpf_map_lookup_elem(&alloc_runs, q);
		if (!r)
			return NULL;
	}
	if (r->instance != instance)
		alloc_run_end(r);
	if (r->first_ns)
		return r;
	r->instance = instance;
	r->fails = 0;
	r->flags = 0;
	r->dry_ns = 0;
	r->first_ns = a->now;
	__sync_fetch_and_add(&zcq_alloc_runs, 1);
	return r;
}

static __always_inline void alloc_failed(const struct zcq_ifq *i, const struct zcq_queue_id *q,
					 __u64 instance, struct alloc_event_args *a)
{
	struct alloc_run *r = alloc_run_get(q, instance, a);

	if (!r)
		return;
	r->fails++;
	r->last_ns = a->now;
	if (!r->dry_ns) {
		r->dry_ns = a->now;
		if (event_wanted(ZCQ_EVENT_STARVED) && !(r->flags & ALLOC_STARVED))
			alloc_watch_dry(q, a);
	}
	if (!(r->flags & ALLOC_FAILING)) {
		r->flags |= ALLOC_FAILING;
		a->type = ZCQ_EVENT_ALLOC_FAILED;
		alloc_event(i, r, q, a);
	}
}

static __always_inline void alloc_succeeded(const struct zcq_queue_id *q, __u64 instance,
					    struct alloc_event_args *a)
{
	struct alloc_run *r = bpf_map_lookup_elem(&alloc_runs, q);

	if (!r || !r->first_ns)
		return;
	if (r->instance != instance) { /* its end was not seen */
		alloc_run_end(r);
		return;
	}
	r->dry_ns = 0;
	if (a->now - r->last_ns < zcq_cfg.alloc_quiet_ns)
		return; /* may fail again at once: the run goes on */
	a->type = ZCQ_EVENT_ALLOC_RECOVERED;
	alloc_event(bpf_map_lookup_elem(&zcq_ifqs, &instance), r, q, a);
	alloc_run_end(r);
}

/* The provider answered the pool: bufs buffers, 0 when it had none. */
static __always_inline int alloc_done(enum zcq_subject subject, enum zcq_provider provider,
				      const struct page_pool *pp, __u32 bufs)
{
	struct alloc_event_args a = { .subject = subject };
	struct zcq_queue_counters *c;
	struct zcq_queue_id q;
	__u64 instance;

	pool_queue(pp, &q);
	c = counters_of(subject, &q);
	if (c) {
		c->alloc_calls++;
		c->alloc_bufs += bufs;
		if (!bufs)
			c->alloc_fails++;
	}
	if (bufs && !zcq_alloc_runs)
		return 0;
	instance = (__u64)BPF_CORE_READ(pp, mp_priv);
	a.now = bpf_ktime_get_ns();
	if (bufs)
		alloc_succeeded(&q, instance, &a);
	else
		alloc_failed(alloc_ifq(subject, provider, pp, &q), &q, instance, &a);
	return 0;
}

#endif
