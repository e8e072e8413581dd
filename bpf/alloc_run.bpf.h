/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of failed allocations, one for each queue: a binding may feed several, of which one
 * starves while the others have buffers. Written by alloc.bpf.h from the queue's NAPI; ended by
 * it, or by queue.bpf.c when the provider leaves the queue in the middle of one. Not a hook.
 * No timer in here: kprobe programs may not touch a map that has one.
 */
#ifndef ZCQ_ALLOC_RUN_BPF_H
#define ZCQ_ALLOC_RUN_BPF_H

#include "maps.bpf.h"

#define ALLOC_FAILING	(1U << 0)	/* an alloc-failed event was due in this run */
#define ALLOC_STARVED	(1U << 1)	/* and a starved event */

struct alloc_run {
	__u64 instance;		/* who had no buffer */
	__u64 first_ns;		/* first failure of the run; 0: no run */
	__u64 last_ns;		/* last failure */
	__u64 dry_ns;		/* first failure since the last success; 0: that was later */
	__u64 fails;
	__u32 flags;		/* ALLOC_* */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct zcq_queue_id);
	__type(value, struct alloc_run);
} alloc_runs SEC(".maps") __weak;

/* Queues in a run: while 0, a success has nothing to look up. */
__u32 zcq_alloc_runs __weak = 0;

/* The one place where a run ends, whoever sees it first; true when there was one. */
static __always_inline bool alloc_run_end(struct alloc_run *r)
{
	r->dry_ns = 0;
	if (!__sync_lock_test_and_set(&r->first_ns, 0))
		return false;
	__sync_fetch_and_add(&zcq_alloc_runs, -1);
	return true;
}

/* The provider left this queue: nothing will recover any more. */
static __always_inline void alloc_run_forget(const struct zcq_queue_id *q)
{
	struct alloc_run *r = bpf_map_lookup_elem(&alloc_runs, q);

	if (!r)
		return;
	alloc_run_end(r);
	bpf_map_delete_elem(&alloc_runs, q);
}

#endif
