// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A snapshot from the start to the end of its interval. BPF is attached first, because that
 * takes longest; settings are read last, so that they are the newest.
 */
#include "lib/model/snapshot.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/log.h"
#include "lib/model/collect.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static int measure(const struct zcq_snapshot_opts *opts, struct zcq_collect *c,
		   struct zcq_watch *w, struct zcq_model_inputs *in)
{
	uint64_t start = 0;
	int err;

	if (opts->interval_ns) {
		err = zcq_collect_qstats(c, &in->qstats_before);
		if (!err && w)
			err = zcq_watch_start(w);
		if (err)
			return err;
		start = now_ns();
		sleep_until(start + opts->interval_ns);
	}
	err = zcq_watch_read(w, in);
	if (opts->interval_ns)
		in->interval_ns = now_ns() - start;
	if (!err)
		err = zcq_collect_all(c, in);
	return err;
}

int zcq_snapshot_take(const struct zcq_snapshot_opts *opts, struct zcq_snapshot **snap)
{
	struct zcq_model_inputs in = { 0 };
	struct zcq_watch *w = NULL;
	struct zcq_collect c;
	int err;

	*snap = NULL;
	err = zcq_collect_open(&c);
	if (err)
		return err;
	w = zcq_watch_open(opts);
	if (!w)
		zcq_warn("without BPF the owners and buffers of instances and what was "
			 "zero-copied or copied are unknown ('-')");
	err = measure(opts, &c, w, &in);
	if (!err)
		zcq_collect_warn(&c);
	if (!err && !in.links.n) {
		zcq_err("this network namespace has no netdevs");
		err = -EOPNOTSUPP;
	}
	if (!err)
		err = zcq_model_join(&in, snap);
	zcq_watch_close(w);
	zcq_collect_close(&c);
	zcq_model_inputs_free(&in);
	return err;
}
