// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq trace: live events of zero-copy queues, until --duration, --count or a signal. One
 * epoll loop over the event ring, a signalfd and two timers. Looks only; changes nothing.
 * Ends with a summary that says what was shown, held back and lost.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/bpf/instances.h"
#include "lib/bpf/session.h"
#include "lib/event/describe.h"
#include "lib/event/filter.h"
#include "lib/event/interval.h"
#include "lib/event/table.h"
#include "lib/log.h"
#include "lib/opt.h"
#include "lib/out.h"

#define NS_PER_S	1000000000ULL
#define MAX_TIME	(366ULL * 86400 * NS_PER_S)

static struct {
	struct zcq_strv events, netdevs, comms;
	uint32_t queue, pid, sample, ready_fd;
	uint64_t duration_ns, interval_ns, count;
	bool heavy;
} arg = { .queue = ZCQ_NO_QUEUE, .sample = 1, .interval_ns = NS_PER_S, .ready_fd = ~0U };

static const struct zcq_opt opts[] = {
	{ "event", 'e', ZCQ_OPT_LIST, &arg.events, "EVENT",
	  "only these events (repeatable, comma-separated);\n\"help\" lists them" },
	{ "netdev", 'i', ZCQ_OPT_LIST, &arg.netdevs, "IF",
	  "only events of this netdev (repeatable)" },
	{ "queue", 'Q', ZCQ_OPT_U32, &arg.queue, "N",
	  "only events of this rx queue, and of its whole\nnetdev", 0, ZCQ_NO_QUEUE - 1 },
	{ "pid", 'p', ZCQ_OPT_U32, &arg.pid, "PID", "only events this process caused or owns", 1,
	  1U << 22 },
	{ "comm", 'c', ZCQ_OPT_LIST, &arg.comms, "NAME",
	  "only events of tasks with this name (repeatable)" },
	{ "duration", 'd', ZCQ_OPT_DURATION, &arg.duration_ns, "TIME",
	  "end after this time (0: never)", 0, MAX_TIME },
	{ "count", 'n', ZCQ_OPT_U64, &arg.count, "N", "end after N events were shown (0: never)" },
	{ "sample", 'S', ZCQ_OPT_U32, &arg.sample, "N",
	  "of events that traffic causes often, take 1 in N", 1, 1000000 },
	{ "interval", 'I', ZCQ_OPT_DURATION, &arg.interval_ns, "TIME",
	  "time between summaries of counters (1s); 0: none", 0, MAX_TIME },
	{ "heavy", 'H', ZCQ_OPT_FLAG, &arg.heavy, NULL,
	  "attach also what fires for each packet or buffer;\ncosts throughput" },
	{ "ready-fd", 0, ZCQ_OPT_U32, &arg.ready_fd, "FD",
	  "write a line to this file descriptor once all is\nattached", 0, 1U << 20 },
	{ NULL },
};

static const struct zcq_opt_spec spec = {
	.cmd = "trace",
	.summary = "Show live what happens on zero-copy receive queues.",
	.notes = "Ends on SIGINT or SIGTERM with a summary of what was shown, held back and lost.",
	.opts = opts,
};

struct trace {
	struct zcq_session *session;
	struct zcq_names *names;
	struct zcq_out *out;
	struct zcq_event_filter filter;
	struct zcq_interval interval;
	struct zcq_lost lost_before[ZCQ_SUBJECTS];	/* as last reported */
	int epoll_fd, signal_fd, interval_fd, duration_fd;
	uint64_t start_ns, shown, filtered, broken;
	bool stop;		/* the loop ends; events may still come */
	bool counted;		/* --count is reached: no more */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* --- events ------------------------------------------------------------------------------- */

static int on_event(void *ctx, const struct zcq_hdr *event, size_t size)
{
	struct trace *t = ctx;

	if (t->counted)
		return 0;
	if (zcq_event_check(event, size)) {
		t->broken++;
		return 0;
	}
	if (!zcq_event_match(&t->filter, t->names, event)) {
		t->filtered++;
		return 0;
	}
	zcq_event_describe(t->out, t->names, event, size);
	if (++t->shown == arg.count)
		t->counted = t->stop = true;
	return 0;
}

static uint64_t lost_of(const struct zcq_lost *l)
{
	return l->ring_full + l->map_full + l->missed;
}

static void put_lost(struct zcq_out *out, const struct zcq_lost lost[ZCQ_SUBJECTS])
{
	zcq_out_arr_begin(out, "lost_by");
	for (int i = 0; i < ZCQ_SUBJECTS; i++) {
		if (!lost_of(&lost[i]) && !lost[i].read_fail)
			continue;
		zcq_out_obj_begin(out, NULL);
		zcq_out_str(out, "subject", zcq_subject_name(i));
		zcq_out_u64(out, "ring_full", lost[i].ring_full);
		zcq_out_u64(out, "map_full", lost[i].map_full);
		zcq_out_u64(out, "missed", lost[i].missed);
		zcq_out_u64(out, "unreadable", lost[i].read_fail);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}

/* A loss is told when it happens, not only at the end. */
static void report_lost(struct trace *t)
{
	struct zcq_lost lost[ZCQ_SUBJECTS];
	uint64_t total = 0, before = 0;

	if (zcq_session_lost(t->session, lost))
		return;
	for (int i = 0; i < ZCQ_SUBJECTS; i++) {
		total += lost_of(&lost[i]);
		before += lost_of(&t->lost_before[i]);
	}
	memcpy(t->lost_before, lost, sizeof(lost));
	if (total == before)
		return;
	zcq_out_begin(t->out, "lost");
	zcq_out_time(t->out, "time", zcq_names_realtime(t->names, now_ns()));
	zcq_out_severity(t->out, ZCQ_OUT_BAD);
	zcq_out_u64(t->out, "lost", total - before);
	put_lost(t->out, lost);
	zcq_out_end(t->out);
}

static int on_interval(struct trace *t)
{
	struct zcq_queue_count *counts;
	size_t n;
	int err = zcq_session_counters(t->session, &counts, &n);

	if (err) {
		zcq_err("the counters can't be read: %s", strerror(-err));
		return err;
	}
	return zcq_interval_step(&t->interval, counts, n, now_ns(), on_event, t);
}

static int put_summary(struct trace *t)
{
	struct zcq_lost lost[ZCQ_SUBJECTS];
	uint64_t total = t->broken, filtered = t->filtered, sampled = 0, gaps = 0;
	int err = zcq_session_lost(t->session, lost);

	if (err) {
		zcq_err("the lost counts can't be read: %s", strerror(-err));
		return err;
	}
	for (int i = 0; i < ZCQ_SUBJECTS; i++) {
		total += lost_of(&lost[i]);
		gaps += lost[i].read_fail;
		filtered += lost[i].filtered;
		sampled += lost[i].sampled_out;
	}
	zcq_out_begin(t->out, "summary");
	zcq_out_time(t->out, "time", zcq_names_realtime(t->names, now_ns()));
	if (total)
		zcq_out_severity(t->out, ZCQ_OUT_BAD);
	zcq_out_ns(t->out, "duration_ns", now_ns() - t->start_ns);
	zcq_out_u64(t->out, "shown", t->shown);
	zcq_out_u64(t->out, "filtered", filtered);
	zcq_out_u64(t->out, "sampled_out", sampled);
	zcq_out_u64(t->out, "lost", total);
	zcq_out_u64(t->out, "unreadable", gaps);
	put_lost(t->out, lost);
	zcq_out_end(t->out);
	return 0;
}

/* --- the loop ------------------------------------------------------------------------------- */

static int watch(struct trace *t, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int timer(struct trace *t, uint64_t ns, bool again, int *fd)
{
	struct itimerspec its = { .it_value = { ns / NS_PER_S, ns % NS_PER_S } };

	if (!ns)
		return 0;
	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0)
		return -errno;
	if (again)
		its.it_interval = its.it_value;
	if (timerfd_settime(*fd, 0, &its, NULL))
		return -errno;
	return watch(t, *fd);
}

static int loop_init(struct trace *t)
{
	sigset_t set;
	int err;

	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		return -errno;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	t->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (t->signal_fd < 0)
		return -errno;
	err = watch(t, t->signal_fd);
	if (!err)
		err = watch(t, zcq_session_fd(t->session));
	if (!err)
		err = timer(t, arg.interval_ns, true, &t->interval_fd);
	if (!err)
		err = timer(t, arg.duration_ns, false, &t->duration_fd);
	return err;
}

static int on_ready(struct trace *t, int fd)
{
	uint64_t ticks;
	int err;

	if (fd == t->signal_fd || fd == t->duration_fd) {
		t->stop = true;
		return 0;
	}
	if (fd == t->interval_fd) {
		if (read(fd, &ticks, sizeof(ticks)) != sizeof(ticks))
			return 0;
		err = on_interval(t);
		report_lost(t);
		return err;
	}
	err = zcq_session_drain(t->session, on_event, t);
	return err < 0 ? err : 0;
}

static int loop(struct trace *t)
{
	struct epoll_event ev[4];
	int n, err = 0;

	while (!t->stop && !err) {
		n = epoll_wait(t->epoll_fd, ev, 4, -1);
		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !err; i++)
			err = on_ready(t, ev[i].data.fd);
		if (!err)
			err = zcq_out_flush(t->out);
	}
	return err;
}

/* A signal or --duration must not cut off what is in the ring already; --count does. */
static int run(struct trace *t)
{
	int err = loop(t);

	if (!err && !t->counted) {
		err = zcq_session_drain(t->session, on_event, t);
		if (err >= 0)
			err = arg.interval_ns ? on_interval(t) : 0;
	}
	if (!err)
		err = put_summary(t);
	if (!err)
		err = zcq_out_flush(t->out);
	return err;
}

/* --- before the loop -------------------------------------------------------------------------- */

static void list_events(void)
{
	const struct zcq_event_desc *d;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		printf("%-16s %s%s\n", d->name, d->summary,
		       d->interval ? " (--interval)" : d->optional ? " (heavy)" : "");
}

/* Events named one by one bring the heavy probes they need, and no others. */
static uint64_t heavy_of(uint64_t types)
{
	const struct zcq_event_desc *d;
	uint64_t probes = 0;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		if (types & (1ULL << d->type))
			probes |= d->heavy;
	return probes;
}

/* Which subjects the wanted events need; what tells owners is always there, and is rare. */
static uint32_t subjects_of(uint64_t types)
{
	uint32_t subjects = 1U << ZCQ_SUBJECT_QUEUE | 1U << ZCQ_SUBJECT_REGISTER |
			    1U << ZCQ_SUBJECT_INSTANCE;
	const struct zcq_event_desc *d;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		if (types & (1ULL << d->type))
			subjects |= 1U << d->subject;
	/* flows come from receives, and a receive's record from its flow */
	if (subjects & (1U << ZCQ_SUBJECT_FLOW | 1U << ZCQ_SUBJECT_ZCRX))
		subjects |= 1U << ZCQ_SUBJECT_FLOW | 1U << ZCQ_SUBJECT_ZCRX |
			    1U << ZCQ_SUBJECT_DEVMEM;
	return subjects;
}

/*
 * Says what of the wanted events can't be seen here. -EOPNOTSUPP when the user named events
 * and none of them can.
 */
static int check_probes(const struct trace *t)
{
	const struct zcq_probe_set *set = zcq_session_probes(t->session);
	const struct zcq_event_desc *d;
	size_t missing = 0, seen = 0;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		const struct zcq_probe_state *state = &set->state[d->probe];

		if (!(t->filter.types & (1ULL << d->type)))
			continue;
		if (state->attached) {
			seen++;
			continue;
		}
		missing += !state->probe->module;
		if (arg.events.n)
			zcq_warn("%s events can't be seen: %s", d->name,
				 state->why[0] ? state->why : "not attached");
	}
	if (arg.events.n && !seen) {
		zcq_err("none of the events asked for can be seen on this kernel: see zcq probes");
		return -EOPNOTSUPP;
	}
	if (!arg.events.n && missing)
		zcq_warn("%zu kinds of events can't be seen on this kernel: see zcq probes",
			 missing);
	return 0;
}

/* Instances older than this session: their owners go into the map that unbinds look into. */
static void find_old_instances(const struct trace *t)
{
	struct zcq_instance *instances = NULL;
	size_t n = 0;
	int err = zcq_instances_read(t->session, &instances, &n);

	if (err)
		zcq_info("owners of older instances are unknown: %s", strerror(-err));
	free(instances);
}

static int open_all(struct trace *t)
{
	struct zcq_session_opts so;
	int err;

	zcq_session_defaults(&so);
	so.probes.subjects = subjects_of(t->filter.types);
	so.probes.heavy = arg.heavy;
	so.probes.extra = heavy_of(t->filter.types);
	so.probes.no_driver_probes = zcq_opt_common.no_driver_probes;
	so.cfg.event_mask = t->filter.types;
	so.cfg.pid = arg.pid;
	so.cfg.sample = arg.sample;
	t->session = zcq_session_open(&so);
	if (!t->session)
		return -errno;
	err = check_probes(t);
	if (err)
		return err;
	t->names = zcq_names_new();
	t->out = zcq_out_new(stdout, zcq_opt_common.json ? ZCQ_OUT_JSON : ZCQ_OUT_TERSE, NULL,
			     zcq_out_colour_ok(stdout));
	if (!t->names || !t->out)
		return -errno;
	t->start_ns = now_ns();
	zcq_interval_start(&t->interval, t->start_ns);
	find_old_instances(t);
	return loop_init(t);
}

static void say_ready(void)
{
	zcq_info("attached");
	if (arg.ready_fd == ~0U)
		return;
	if (write(arg.ready_fd, "attached\n", 9) != 9)
		zcq_warn("--ready-fd %u: %s", arg.ready_fd, strerror(errno));
	close(arg.ready_fd);
}

static void close_all(struct trace *t)
{
	const int fds[] = { t->duration_fd, t->interval_fd, t->signal_fd, t->epoll_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	zcq_interval_free(&t->interval);
	zcq_out_free(t->out);
	zcq_names_free(t->names);
	zcq_session_close(t->session);
}

int zcq_cmd_trace(int argc, char **argv)
{
	struct trace t = { .epoll_fd = -1, .signal_fd = -1, .interval_fd = -1, .duration_fd = -1 };
	const char *bad;
	int first, err;

	err = zcq_opt_parse(&spec, argc, argv, &first);
	if (err)
		return zcq_opt_exit(err);
	if (zcq_strv_has(&arg.events, "help")) {
		list_events();
		return ZCQ_EXIT_OK;
	}
	if (zcq_event_types(&arg.events, arg.heavy, &t.filter.types, &bad)) {
		zcq_err("--event \"%s\": no such event; --event help lists them", bad);
		return ZCQ_EXIT_USAGE;
	}
	t.filter.netdevs = &arg.netdevs;
	t.filter.comms = &arg.comms;
	t.filter.queue = arg.queue;
	t.filter.pid = arg.pid;

	err = open_all(&t);
	if (!err) {
		say_ready();
		zcq_out_header(t.out, "trace");
		zcq_out_flush(t.out);
		err = run(&t);
		if (err && err != -EPIPE)
			zcq_err("trace: %s", strerror(-err));
	}
	close_all(&t);
	zcq_strv_free(&arg.events);
	zcq_strv_free(&arg.netdevs);
	zcq_strv_free(&arg.comms);
	if (err == -EOPNOTSUPP)
		return ZCQ_EXIT_UNSUPPORTED;
	return err && err != -EPIPE ? ZCQ_EXIT_FAILED : ZCQ_EXIT_OK;
}
