/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: the BPF programs of the wanted subjects loaded and attached by this process,
 * their events, counters and lost counts, until it is closed; then nothing is left in the
 * kernel. Called by user/cmd/trace.c, user/lib/model and the benchmarks.
 */
#ifndef ZCQ_BPF_SESSION_H
#define ZCQ_BPF_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include <zcq/config.h>
#include <zcq/counters.h>
#include <zcq/events.h>

#include "lib/bpf/probe.h"

struct zcq_session;

struct zcq_session_opts {
	struct zcq_probe_opts probes;
	struct zcq_config cfg; /* filters and limits; zcq_session_defaults() fills the rest */
	uint32_t ring_bytes;		/* 0: 1 MiB; a power of two of pages */
	bool optional;			/* the caller does without: failing to open is a warning */
};

/* event_mask all ones, page size, HZ and the time limits of this system. */
void zcq_session_defaults(struct zcq_session_opts *opts);

/*
 * Opens, loads and attaches what this kernel allows. NULL and errno after one clear message:
 * EOPNOTSUPP when nothing at all can be attached here (exit 3), EPERM without the
 * capabilities, anything else a failure.
 */
struct zcq_session *zcq_session_open(const struct zcq_session_opts *opts);
void zcq_session_close(struct zcq_session *s);

/* What attached and why not; valid while the session lives. */
const struct zcq_probe_set *zcq_session_probes(const struct zcq_session *s);

/* For epoll: readable when events wait. */
int zcq_session_fd(const struct zcq_session *s);

/*
 * Hands every event that waits at the time of the call to fn, and none that comes later: it
 * ends however fast they come. fn returns 0; ZCQ_DRAIN_STOP to end the drain after this
 * event, the others stay; or a negative value that ends it and is returned. Returns the
 * number of events otherwise.
 */
#define ZCQ_DRAIN_STOP	1
typedef int (*zcq_event_fn)(void *arg, const struct zcq_hdr *event, size_t size);
int zcq_session_drain(struct zcq_session *s, zcq_event_fn fn, void *arg);

/*
 * The counters of all queues, CPUs added up: an array the caller frees, *n entries. 0 or -errno.
 */
struct zcq_queue_count {
	struct zcq_queue_id queue;
	struct zcq_queue_counters c;
};

int zcq_session_counters(const struct zcq_session *s, struct zcq_queue_count **counts, size_t *n);

/* Lost counts of each subject, CPUs added up. 0 or -errno. */
int zcq_session_lost(const struct zcq_session *s, struct zcq_lost lost[ZCQ_SUBJECTS]);

/* For flows.c and instances.c: the map of that name ("zcq_flows"), or -errno. */
int zcq_session_map_fd(const struct zcq_session *s, const char *name);
/*
 * For instances.c: a new iterator fd of the probe (ZCQ_PROBE_ITER_*), for the caller to
 * close; -ENOENT when that probe is not attached here.
 */
int zcq_session_iter(const struct zcq_session *s, enum zcq_probe_id probe);

#endif
