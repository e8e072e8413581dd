// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF's part of a snapshot: instances by the iterators, who bound what while we watched,
 * and the counters' growth. Without an interval only the iterators are loaded.
 */
#include "lib/model/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "lib/bpf/instances.h"
#include "lib/bpf/session.h"
#include "lib/log.h"

struct zcq_watch {
	struct zcq_session *s;
	struct zcq_queue_count *start;	/* counters when the interval began */
	size_t n_start;
	bool counting;
};

struct zcq_watch *zcq_watch_open(const struct zcq_snapshot_opts *opts)
{
	struct zcq_session_opts so = { 0 };
	struct zcq_watch *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return NULL;
	zcq_session_defaults(&so);
	so.optional = true;
	so.cfg.event_mask = 0;
	so.ring_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	so.probes.no_driver_probes = opts->no_driver_probes;
	so.probes.subjects = 1U << ZCQ_SUBJECT_INSTANCE;
	if (opts->interval_ns)
		so.probes.subjects |= 1U << ZCQ_SUBJECT_ZCRX | 1U << ZCQ_SUBJECT_DEVMEM |
				      1U << ZCQ_SUBJECT_QUEUE | 1U << ZCQ_SUBJECT_FLOW;
	w->s = zcq_session_open(&so);
	if (!w->s) {
		err = errno;
		free(w);
		errno = err;
		return NULL;
	}
	return w;
}

void zcq_watch_close(struct zcq_watch *w)
{
	if (!w)
		return;
	zcq_session_close(w->s);
	free(w->start);
	free(w);
}

int zcq_watch_start(struct zcq_watch *w)
{
	int err;

	free(w->start);
	w->start = NULL;
	w->n_start = 0;
	err = zcq_session_counters(w->s, &w->start, &w->n_start);
	if (err) {
		zcq_warn("can't read BPF's counters: %s", strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	w->counting = true;
	return 0;
}

static void subtract(struct zcq_queue_counters *c, const struct zcq_queue_counters *start)
{
	const uint64_t *s = (const uint64_t *)start;
	uint64_t *v = (uint64_t *)c;
	size_t i;

	/* all fields are __u64 */
	for (i = 0; i < sizeof(*c) / sizeof(*v); i++)
		v[i] -= s[i];
}

static int take_counts(struct zcq_watch *w, struct zcq_model_inputs *in)
{
	struct zcq_queue_count *now = NULL;
	struct zcq_model_count *count;
	size_t n = 0, i, j;
	int err;

	in->counts.size = sizeof(*count);
	err = zcq_session_counters(w->s, &now, &n);
	for (i = 0; i < n && !err; i++) {
		count = zcq_array_push(&in->counts);
		if (!count) {
			err = -ENOMEM;
			break;
		}
		count->queue = now[i].queue;
		count->c = now[i].c;
		for (j = 0; j < w->n_start; j++)
			if (!memcmp(&w->start[j].queue, &now[i].queue, sizeof(now[i].queue)))
				subtract(&count->c, &w->start[j].c);
	}
	free(now);
	return err;
}

static bool attached(const struct zcq_watch *w, enum zcq_probe_id id)
{
	return zcq_session_probes(w->s)->state[id].attached;
}

static void take_measured(const struct zcq_watch *w, struct zcq_model_measured *m)
{
	/* zero-copied bytes are what a receive gave less what was copied: both are needed */
	m->copied_bytes = attached(w, ZCQ_PROBE_ZCRX_COPY);
	m->zc_bytes = m->copied_bytes && attached(w, ZCQ_PROBE_ZCRX_READ);
	m->alloc_fails = attached(w, ZCQ_PROBE_ZCRX_ALLOC);
	m->devmem_bytes = attached(w, ZCQ_PROBE_DEVMEM_RECV);
	m->devmem_allocs = attached(w, ZCQ_PROBE_DEVMEM_ALLOC);
	m->reconfigs = attached(w, ZCQ_PROBE_RECONFIG);
	m->mlx5_reopens = attached(w, ZCQ_PROBE_MLX5_REOPEN) && attached(w, ZCQ_PROBE_MLX5_CHANNELS);
	m->bnxt_reopens = attached(w, ZCQ_PROBE_BNXT_REOPEN);
}

static int take_bound(struct zcq_watch *w, struct zcq_model_inputs *in)
{
	int fd = zcq_session_map_fd(w->s, "zcq_ifqs");
	uint64_t key, *prev = NULL;
	struct zcq_ifq *ifq;

	in->bound.size = sizeof(*ifq);
	while (fd >= 0 && !bpf_map_get_next_key(fd, prev, &key)) {
		prev = &key;
		ifq = zcq_array_push(&in->bound);
		if (!ifq)
			return -ENOMEM;
		if (bpf_map_lookup_elem(fd, &key, ifq))
			in->bound.n--;
	}
	return 0;
}

/* Owners of instances; where they can't be looked for they are unknown, not absent. */
static int take_instances(struct zcq_watch *w, struct zcq_model_inputs *in)
{
	struct zcq_instance *recs = NULL;
	size_t n = 0;
	int err;

	err = zcq_instances_read(w->s, &recs, &n);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		zcq_warn("instances and their owners can't be listed: %s",
			 zcq_session_probes(w->s)->state[ZCQ_PROBE_ITER_FILES].why);
	else if (err)
		zcq_warn("instances and their owners can't be listed: %s", strerror(-err));
	if (err)
		return 0;
	in->instances_known = true;
	in->instances = (struct zcq_array) { .v = recs, .n = n, .room = n, .size = sizeof(*recs) };
	return 0;
}

int zcq_watch_counts(struct zcq_watch *w, struct zcq_model_inputs *in)
{
	int err;

	if (!w->counting)
		return 0;
	err = take_counts(w, in);
	if (err == -ENOMEM)
		return err;
	if (err)
		zcq_warn("can't read BPF's counters: %s", strerror(-err));
	else
		take_measured(w, &in->measured);
	return 0;
}

int zcq_watch_read(struct zcq_watch *w, struct zcq_model_inputs *in)
{
	int err;

	if (!w)
		return 0;
	err = take_instances(w, in);
	if (!err)
		err = take_bound(w, in);
	if (err)
		return err;
	/* last, so that what reading the others lost is among it */
	err = zcq_session_lost(w->s, in->lost);
	if (err == -ENOMEM)
		return err;
	if (err)
		zcq_warn("can't read what BPF lost: %s", strerror(-err));
	in->lost_known = !err;
	return 0;
}
