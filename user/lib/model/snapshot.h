/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a snapshot: asks netlink, ioctl, /sys, /proc and BPF, waits the interval out,
 * joins. What can't be had is said once, on stderr, and stays unknown in the snapshot.
 * Called by commands.
 */
#ifndef ZCQ_MODEL_SNAPSHOT_H
#define ZCQ_MODEL_SNAPSHOT_H

#include "lib/model/model.h"

struct zcq_snapshot_opts {
	uint64_t interval_ns;		/* 0: don't measure; a SIGINT within it ends it early */
	void (*begun)(void *arg);	/* called when it begins; NULL: nobody wants to know */
	void *begun_arg;
	bool no_driver_probes;
};

/*
 * Of the network namespace the caller is in. 0; -EOPNOTSUPP when nothing at all can be
 * told here; another -errno. Has said why.
 */
int zcq_snapshot_take(const struct zcq_snapshot_opts *opts, struct zcq_snapshot **snap);

#endif
