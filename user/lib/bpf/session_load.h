/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loading and attaching for session.c: the skeleton is opened, only the chosen programs are
 * loaded, and a program that fails is replaced by the next candidate of its probe. The
 * struct is private to session*.c.
 */
#ifndef ZCQ_BPF_SESSION_LOAD_H
#define ZCQ_BPF_SESSION_LOAD_H

#include <stddef.h>

#include "lib/bpf/session.h"

struct zcq_bpf;		/* the generated skeleton */
struct bpf_link;
struct ring_buffer;

struct zcq_session {
	struct zcq_session_opts opts;
	struct zcq_probe_set set;
	struct zcq_bpf *skel;
	struct bpf_link *links[ZCQ_PROBES][2];
	struct ring_buffer *ring;
	int cpus;
	/* pages of the ring that the kernel keeps: how far it was written and read, in bytes */
	const unsigned long *produced, *consumed;
	/* valid during zcq_session_drain() */
	zcq_event_fn drain_fn;
	void *drain_arg;
	unsigned long drain_end;
	int drain_err;
	int drained;
};

/* Until what can attach is attached. 0 or -errno; s->skel is NULL on failure. */
int zcq_session_load(struct zcq_session *s);
void zcq_session_unload(struct zcq_session *s);

#endif
