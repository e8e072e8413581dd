// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A snapshot from the start to the end of its interval. BPF is attached first, because that
 * takes longest; what was measured is read where the interval ends, settings last, so that
 * they are the newest.
 */
#include "lib/model/snapshot.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "lib/log.h"
#include "lib/model/collect.h"

#define NS_PER_S	1000000000ULL

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Until then, or a SIGINT: its process ends the interval, not us. */
static void wait_until(uint64_t ns, const sigset_t *interrupt)
{
	uint64_t now, left;
	int sig;

	for (now = now_ns(); now < ns; now = now_ns()) {
		left = ns - now;
		sig = sigtimedwait(interrupt, NULL,
				   &(struct timespec){ left / NS_PER_S, left % NS_PER_S });
		if (sig == SIGINT)
			return;
	}
}

static void wait_interval(const struct zcq_snapshot_opts *opts, uint64_t end)
{
	sigset_t interrupt, old;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &old);
	if (opts->begun)
		opts->begun(opts->begun_arg);
	wait_until(end, &interrupt);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/*
 * Two sources, each with the time between its own two readings: the second of them, and what
 * takes longer still (instances, settings), comes late.
 */
static int measure_start(struct zcq_collect *c, struct zcq_watch *w, struct zcq_model_inputs *in,
			 uint64_t *stats_at, uint64_t *counts_at)
{
	int err = zcq_collect_qstats(c, &in->qstats_before);

	*stats_at = now_ns();
	if (!err && w)
		err = zcq_watch_start(w);
	*counts_at = now_ns();
	return err;
}

static int measure_end(struct zcq_collect *c, struct zcq_watch *w, struct zcq_model_inputs *in,
		       uint64_t stats_at, uint64_t counts_at)
{
	int err = zcq_collect_qstats(c, &in->qstats);

	in->stats_ns = now_ns() - stats_at;
	if (!err && w)
		err = zcq_watch_counts(w, in);
	in->interval_ns = now_ns() - counts_at;
	return err;
}

static int measure(const struct zcq_snapshot_opts *opts, struct zcq_collect *c,
		   struct zcq_watch *w, struct zcq_model_inputs *in)
{
	uint64_t stats_at, counts_at;
	int err = 0;

	if (opts->interval_ns) {
		err = measure_start(c, w, in, &stats_at, &counts_at);
		if (err)
			return err;
		wait_interval(opts, counts_at + opts->interval_ns);
		err = measure_end(c, w, in, stats_at, counts_at);
	}
	if (!err)
		err = zcq_watch_read(w, in);
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
