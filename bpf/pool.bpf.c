// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of page pools: created, destroyed, and destroyed but waiting for buffers that
 * somebody still holds (stalled). Context: process or kworker; a pool that waits is looked at
 * once a second by the kernel itself, so nothing here is hot. Kernels: all with BTF.
 * Only pool_hold (heavy profile: a pool is seen by its first buffer) fires per buffer on
 * provider queues. Lost when the ring is full: the event, counted in zcq_lost[pool]; when
 * the table of pools is full: the age.
 */
#include "maps.bpf.h"
#include "compat.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define PP_ALLOW_UNREADABLE	(1U << 3)	/* such pools say which queue they serve */
#define ERRNO_MAX		4095UL

struct pool_life {
	__u64 created_ns;	/* 0: before this session */
	__u64 report_ns;	/* a stalled event is due when it has waited this long */
	struct zcq_queue_id queue;	/* as long as it had a netdev */
	char ifname[ZCQ_NAME_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct pool_life);
} pool_lives SEC(".maps") __weak;

/* Netdev and queue of a pool as long as it has one. */
static __always_inline void pool_where(const struct page_pool *pool, struct pool_life *life)
{
	const struct page_pool___opt *opt = (const void *)pool;
	const struct net_device *dev = pool_dev(pool);

	if (!dev)
		return;
	queue_of_dev(dev, ZCQ_NO_QUEUE, &life->queue);
	if (bpf_core_field_exists(opt->slow.queue_idx) &&
	    (BPF_CORE_READ(opt, slow.flags) & PP_ALLOW_UNREADABLE))
		life->queue.rxq = BPF_CORE_READ(opt, slow.queue_idx);
	dev_name_read(dev, life->ifname);
}

static __always_inline void pool_fill(struct zcq_ev_pool *e, const struct page_pool *pool)
{
	const struct page_pool___opt *opt = (const void *)pool;
	struct napi_struct *napi = BPF_CORE_READ(pool, p.napi);

	e->pool = (__u64)pool;
	e->id = BPF_CORE_READ(opt, user.id);
	if (napi)
		e->napi_id = BPF_CORE_READ(napi, napi_id);
	e->provider = provider_of(BPF_CORE_READ(pool, mp_ops));
	e->instance = (__u64)BPF_CORE_READ(pool, mp_priv);
	e->order = BPF_CORE_READ(pool, p.order);
	e->ring_size = BPF_CORE_READ(pool, p.pool_size);
}

/* A record with where and who filled in, if it passes the filters. */
static __always_inline struct zcq_ev_pool *pool_event(enum zcq_event_type type,
						      const struct pool_life *life)
{
	struct zcq_ev_pool *e;

	if (!event_pass(ZCQ_SUBJECT_POOL, type, &life->queue, current_pid(), 0))
		return NULL;
	e = EVENT_NEW(ZCQ_SUBJECT_POOL, type, zcq_ev_pool);
	if (!e)
		return NULL;
	e->queue = life->queue;
	__builtin_memcpy(e->ifname, life->ifname, sizeof(e->ifname));
	task_fill(&e->task);
	return e;
}

static __always_inline void pool_send(enum zcq_event_type type, const struct page_pool *pool,
				      const struct pool_life *life, int inflight, __u64 age_ns)
{
	struct zcq_ev_pool *e;

	e = pool_event(type, life);
	if (!e)
		return;
	pool_fill(e, pool);
	e->inflight = inflight;
	e->age_ns = age_ns;
	bpf_ringbuf_submit(e, 0);
}

/* --- created ---------------------------------------------------------------------------------- */

static __always_inline int pool_created(const struct page_pool *pool)
{
	struct pool_life life = { .queue.rxq = ZCQ_NO_QUEUE };
	__u64 key = (__u64)pool;

	life.created_ns = bpf_ktime_get_ns();
	pool_where(pool, &life);
	MAP_STORE(ZCQ_SUBJECT_POOL, pool_lives, &key, &life);
	if (event_wanted(ZCQ_EVENT_POOL_CREATED))
		pool_send(ZCQ_EVENT_POOL_CREATED, pool, &life, 0, 0);
	return 0;
}

/* params is NULL where only the result can be seen. */
static __always_inline int on_create(const struct page_pool_params *params, __u64 ret)
{
	struct page_pool_params_slow___opt *opt = (void *)params;
	struct pool_life life = { .queue.rxq = ZCQ_NO_QUEUE };
	struct net_device *dev = NULL;
	struct zcq_ev_pool *e;

	if (ret < -ERRNO_MAX)
		return pool_created((const struct page_pool *)ret);
	if (!event_wanted(ZCQ_EVENT_POOL_CREATED))
		return 0;
	if (params)
		dev = BPF_CORE_READ(opt, netdev);
	if (dev) {
		queue_of_dev(dev, ZCQ_NO_QUEUE, &life.queue);
		if (BPF_CORE_READ(opt, flags) & PP_ALLOW_UNREADABLE)
			life.queue.rxq = BPF_CORE_READ(opt, queue_idx);
		dev_name_read(dev, life.ifname);
	}
	e = pool_event(ZCQ_EVENT_POOL_CREATED, &life);
	if (!e)
		return 0;
	if (dev) {
		e->order = BPF_CORE_READ(params, order);
		e->ring_size = BPF_CORE_READ(params, pool_size);
	}
	e->result = (__s32)(__s64)ret;
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("fexit/page_pool_create")
int BPF_PROG(pool_create__fexit, struct page_pool_params *params, struct page_pool *ret)
{
	return on_create(params, (__u64)ret);
}

SEC("kretprobe/page_pool_create")
int BPF_KRETPROBE(pool_create__kretprobe, struct page_pool *ret)
{
	return on_create(NULL, (__u64)ret);
}

/* Without fexit and kprobes: a pool shows itself when it takes its first buffer. */
SEC("tp_btf/page_pool_state_hold")
int BPF_PROG(pool_hold__tp_btf, const struct page_pool *pool, netmem_ref netmem, __u32 hold)
{
	__u64 key = (__u64)pool;

	/* the count of buffers ever held, this one not yet in it or just so */
	if (hold > 1 || bpf_map_lookup_elem(&pool_lives, &key))
		return 0;
	return pool_created(pool);
}

/* --- destroyed, or waiting ------------------------------------------------------------------------ */

/*
 * How long a pool has been waiting, from the kernel's own note of when it was detached: since boot, in
 * ns (7.3) or in seconds (earlier kernels); no machine is up for 10^9 of those.
 */
#define NS_PER_S	1000000000ULL

static __always_inline __u64 pool_waited_ns(const struct page_pool *pool)
{
	const struct page_pool___opt *opt = (const void *)pool;
	__u64 since, now;

	if (!bpf_core_field_exists(opt->user.detach_time))
		return 0;
	since = BPF_CORE_READ(opt, user.detach_time);
	if (since < NS_PER_S)
		since *= NS_PER_S;
	now = bpf_ktime_get_boot_ns();
	return since && now > since ? now - since : 0;
}

static __always_inline int on_release(const struct page_pool *pool, int inflight)
{
	struct pool_life *life, fresh = { .queue.rxq = ZCQ_NO_QUEUE };
	__u64 key = (__u64)pool;
	__u64 waited;

	life = bpf_map_lookup_elem(&pool_lives, &key);
	if (!life)
		pool_where(pool, &fresh);
	if (inflight <= 0) {
		if (event_wanted(ZCQ_EVENT_POOL_DESTROYED))
			pool_send(ZCQ_EVENT_POOL_DESTROYED, pool, life ? life : &fresh, inflight,
				  life && life->created_ns ? bpf_ktime_get_ns() - life->created_ns
							   : 0);
		bpf_map_delete_elem(&pool_lives, &key);
		return 0;
	}
	if (!life) {
		if (!MAP_STORE(ZCQ_SUBJECT_POOL, pool_lives, &key, &fresh))
			return 0;
		life = bpf_map_lookup_elem(&pool_lives, &key);
		if (!life)
			return 0;
	}
	if (!life->report_ns)
		life->report_ns = zcq_cfg.stall_ns;
	waited = pool_waited_ns(pool);
	if (waited < life->report_ns)
		return 0;
	/* told again each time the wait has doubled */
	life->report_ns = waited * 2;
	if (event_wanted(ZCQ_EVENT_POOL_STALLED))
		pool_send(ZCQ_EVENT_POOL_STALLED, pool, life, inflight, waited);
	return 0;
}

SEC("tp_btf/page_pool_release")
int BPF_PROG(pool_release__tp_btf, const struct page_pool *pool, int inflight, __u32 hold,
	     __u32 release)
{
	return on_release(pool, inflight);
}

struct tp_page_pool_release {
	__u64 common;
	__u64 pool;
	__s32 inflight;
	__u32 hold;
	__u32 release;
};

SEC("tp/page_pool/page_pool_release")
int pool_release__tp(struct tp_page_pool_release *ctx)
{
	return on_release((const struct page_pool *)ctx->pool, ctx->inflight);
}
