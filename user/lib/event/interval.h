/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval summaries: what each queue's counters gained since the last time, as records like
 * those of BPF. Called by trace.c at each --interval.
 */
#ifndef ZCQ_EVENT_INTERVAL_H
#define ZCQ_EVENT_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

#include "lib/bpf/session.h"

struct zcq_interval {
	struct zcq_queue_count *last;
	size_t n;
	uint64_t last_ns;	/* CLOCK_MONOTONIC */
	uint64_t types;		/* bit n: type n is wanted, and measured here */
};

/* Starts at now_ns with counters at 0; types: which summaries to make. */
void zcq_interval_start(struct zcq_interval *iv, uint64_t now_ns, uint64_t types);
void zcq_interval_free(struct zcq_interval *iv);

/*
 * Hands fn one record for each queue and kind (traffic, coalesced, alloc-rate) where anything
 * changed. Takes counts over. 0, or what fn returned when negative.
 */
int zcq_interval_step(struct zcq_interval *iv, struct zcq_queue_count *counts, size_t n,
		      uint64_t now_ns, zcq_event_fn fn, void *arg);

#endif
