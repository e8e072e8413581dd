/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two sources of facts behind zcq_snapshot_take(): what the kernel tells when asked
 * (collect.c) and what BPF sees (watch.c). Used in this folder only.
 */
#ifndef ZCQ_MODEL_COLLECT_H
#define ZCQ_MODEL_COLLECT_H

#include "lib/model/model.h"
#include "lib/model/snapshot.h"
#include "lib/nic/nl.h"

/* Open sockets and what has been found missing so far. */
struct zcq_collect {
	struct zcq_nl *genl, *route;
	int fd;				/* for SIOCETHTOOL */
	bool no_netdev_family;
	char missing[160];		/* dumps this kernel does not have, "queues, page pools" */
};

int zcq_collect_open(struct zcq_collect *c);
void zcq_collect_close(struct zcq_collect *c);

/* Only the drivers' per-queue statistics: the start and the end of an interval. */
int zcq_collect_qstats(struct zcq_collect *c, struct zcq_array *out);
/* Everything, but no statistics when in->stats_ns is set. 0, or -errno after its own message when not even the netdevs can be listed. */
int zcq_collect_all(struct zcq_collect *c, struct zcq_model_inputs *in);
/* Says once what this kernel could not tell. */
void zcq_collect_warn(const struct zcq_collect *c);

/* BPF's part; NULL and errno, after its own message, where BPF can't be used. */
struct zcq_watch;

struct zcq_watch *zcq_watch_open(const struct zcq_snapshot_opts *opts);
void zcq_watch_close(struct zcq_watch *w);
/* The counters' values now count as 0. */
int zcq_watch_start(struct zcq_watch *w);
/* The counters' growth since the start. */
int zcq_watch_counts(struct zcq_watch *w, struct zcq_model_inputs *in);
/* Instances, binders and lost counts. w may be NULL. */
int zcq_watch_read(struct zcq_watch *w, struct zcq_model_inputs *in);

#endif
