// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Differences of counters. They only grow, and a queue once counted stays in the map, so a
 * queue that is new starts from 0.
 */
#include "lib/event/interval.h"

#include <stdlib.h>
#include <string.h>

void zcq_interval_start(struct zcq_interval *iv, uint64_t now_ns, uint64_t types)
{
	memset(iv, 0, sizeof(*iv));
	iv->types = types;
	iv->last_ns = now_ns;
}

void zcq_interval_free(struct zcq_interval *iv)
{
	free(iv->last);
	iv->last = NULL;
	iv->n = 0;
}

static const struct zcq_queue_counters *last_of(const struct zcq_interval *iv,
						const struct zcq_queue_id *q)
{
	static const struct zcq_queue_counters zero;

	for (size_t i = 0; i < iv->n; i++)
		if (!memcmp(&iv->last[i].queue, q, sizeof(*q)))
			return &iv->last[i].c;
	return &zero;
}

static void gained(struct zcq_ev_interval *e, const struct zcq_queue_counters *now,
		   const struct zcq_queue_counters *was)
{
	e->zc_bytes = now->zc_bytes - was->zc_bytes;
	e->zc_recvs = now->zc_recvs - was->zc_recvs;
	for (int i = 0; i < ZCQ_COPY_REASONS; i++) {
		e->copied_bytes += now->copied_bytes[i] - was->copied_bytes[i];
		e->copies += now->copies[i] - was->copies[i];
	}
	e->alloc_bufs = now->alloc_bufs - was->alloc_bufs;
	e->alloc_fails = now->alloc_fails - was->alloc_fails;
	e->coalesced_pkts = now->coalesced_pkts - was->coalesced_pkts;
	e->coalesced_segs = now->coalesced_segs - was->coalesced_segs;
	e->coalesced_bytes = now->coalesced_bytes - was->coalesced_bytes;
	e->unsplit_pkts = now->unsplit_pkts - was->unsplit_pkts;
	e->unsplit_bytes = now->unsplit_bytes - was->unsplit_bytes;
	e->returned_bufs = now->returned_bufs - was->returned_bufs;
	for (int i = 0; i < ZCQ_END_CLASSES; i++)
		e->recv_ended += now->recv_ended[i] - was->recv_ended[i];
	for (int i = 0; i < ZCQ_SEG_BUCKETS; i++)
		e->coalesced_hist[i] = now->coalesced_hist[i] - was->coalesced_hist[i];
}

static int hand(const struct zcq_interval *iv, struct zcq_ev_interval *e, unsigned int type,
		zcq_event_fn fn, void *arg)
{
	if (!(iv->types & (1ULL << type)))
		return 0;
	e->hdr.type = type;
	return fn(arg, &e->hdr, sizeof(*e));
}

int zcq_interval_step(struct zcq_interval *iv, struct zcq_queue_count *counts, size_t n,
		      uint64_t now_ns, zcq_event_fn fn, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < n && err >= 0; i++) {
		struct zcq_ev_interval e = {
			.hdr = { .version = ZCQ_EVENT_VERSION,
				 .size = sizeof(e),
				 .time_ns = now_ns },
			.queue = counts[i].queue,
			.interval_ns = now_ns - iv->last_ns,
		};

		gained(&e, &counts[i].c, last_of(iv, &counts[i].queue));
		if (e.zc_bytes || e.copied_bytes || e.recv_ended)
			err = hand(iv, &e, ZCQ_EVENT_TRAFFIC, fn, arg);
		if (err >= 0 && (e.coalesced_pkts || e.unsplit_pkts))
			err = hand(iv, &e, ZCQ_EVENT_COALESCED, fn, arg);
		if (err >= 0 && (e.alloc_fails || e.returned_bufs))
			err = hand(iv, &e, ZCQ_EVENT_ALLOC_RATE, fn, arg);
	}
	free(iv->last);
	iv->last = counts;
	iv->n = n;
	iv->last_ns = now_ns;
	return err < 0 ? err : 0;
}
