// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq trace: live events of zero-copy queues, until --duration, --count or a signal. One
 * epoll loop over the event ring, a signalfd and two timers. Looks only; changes nothing.
 * Ends with a summary that says what was shown, held back and lost.
 */
#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/bpf/instances.h"
#include "lib/bpf/session.h"
#include "lib/event/describe.h"
#include "lib/event/filter.h"
#include "lib/event/interval.h"
#include "lib/event/lost.h"
#include "lib/event/table.h"
#include "lib/log.h"
#include "lib/opt.h"
#include "lib/out.h"

#define NS_PER_S	1000000000ULL

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
	  "only events of tasks with this name (repeatable);\nthe kernel keeps 15 characters of it" },
	{ "duration", 'd', ZCQ_OPT_DURATION, &arg.duration_ns, "TIME",
	  "end after this time (0: never)", 0, ZCQ_OPT_YEAR },
	{ "count", 'n', ZCQ_OPT_U64, &arg.count, "N", "end after N events were shown (0: never)" },
	{ "sample", 'S', ZCQ_OPT_U32, &arg.sample, "N",
	  "of events that traffic causes often, take 1 in N", 1, 1000000 },
	{ "interval", 'I', ZCQ_OPT_DURATION, &arg.interval_ns, "TIME",
	  "time between summaries of counters (1s); 0: none", 0, ZCQ_OPT_YEAR },
	{ "heavy", 'H', ZCQ_OPT_FLAG, &arg.heavy, NULL,
	  "attach also what fires for each packet or buffer;\ncosts throughput" },
	{ "ready-fd", 0, ZCQ_OPT_FD, &arg.ready_fd, "FD",
	  "write a line to this file descriptor once all is\nattached", 3, 1U << 20 },
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
	unsigned int burst;	/* events until the loop goes round */
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
		return ZCQ_DRAIN_STOP;
	if (zcq_event_check(event, size)) {
		t->broken++;
		return 0;
	}
	if (!zcq_event_match(&t->filter, t->names, event)) {
		t->filtered++;
		return 0;
	}
	zcq_event_describe(t->out, t->names, event, size);
	if (++t->shown != arg.count)
		return 0;
	t->counted = t->stop = true;
	return ZCQ_DRAIN_STOP;
}

/* A loss is told when it happens, not only at the end. */
static void report_lost(struct trace *t)
{
	struct zcq_lost lost[ZCQ_SUBJECTS];
	uint64_t total, before = zcq_lost_total(t->lost_before);

	if (zcq_session_lost(t->session, lost))
		return;
	total = zcq_lost_total(lost);
	memcpy(t->lost_before, lost, sizeof(lost));
	if (total == before)
		return;
	zcq_out_begin(t->out, "lost");
	zcq_out_time(t->out, "time", zcq_names_realtime(t->names, now_ns()));
	zcq_out_severity(t->out, ZCQ_OUT_BAD);
	zcq_out_u64(t->out, "lost", total - before);
	zcq_put_lost(t->out, lost);
	zcq_out_end(t->out);
}

/* A signal is looked for at least after so many events, however many wait. */
#define BURST	512

static int on_burst(void *ctx, const struct zcq_hdr *event, size_t size)
{
	struct trace *t = ctx;
	int err = on_event(t, event, size);

	if (!err && !--t->burst)
		err = ZCQ_DRAIN_STOP;
	return err;
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
	uint64_t total, filtered = t->filtered, sampled = 0;
	int err = zcq_session_lost(t->session, lost);

	if (err) {
		zcq_err("the lost counts can't be read: %s", strerror(-err));
		return err;
	}
	total = t->broken + zcq_lost_total(lost);
	for (int i = 0; i < ZCQ_SUBJECTS; i++) {
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
	zcq_out_u64(t->out, "unreadable", zcq_lost_unreadable(lost));
	zcq_put_lost(t->out, lost);
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
	t->burst = BURST;
	err = zcq_session_drain(t->session, on_burst, t);
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

/*
 * A signal or --duration must not cut off what is in the ring already; --count does. What
 * comes while that is read is after the end, and not of this trace.
 */
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

/* The probes that the wanted events are made of. */
static uint64_t probes_of(uint64_t types)
{
	const struct zcq_event_desc *d;
	uint64_t probes = 0;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		if (types & (1ULL << d->type))
			probes |= d->all | d->any | d->with;
	return probes;
}

/* Events named one by one bring the heavy probes they need, and no others. */
static uint64_t heavy_of(uint64_t types)
{
	const struct zcq_event_desc *d;
	uint64_t probes = 0;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		if (d->optional && types & (1ULL << d->type))
			probes |= d->all | d->any;
	return probes;
}

/* Probes are loaded by subject. */
static uint32_t subjects_of(uint64_t probes)
{
	const struct zcq_probe *const tables[] = { zcq_probe_table_core, zcq_probe_table_zc };
	uint32_t subjects = 0;

	for (size_t i = 0; i < 2; i++)
		for (const struct zcq_probe *p = tables[i]; p->name; p++)
			if (probes & (1ULL << p->id))
				subjects |= 1U << p->subject;
	return subjects;
}

/* What of an event is missing: as a warning when nothing of it is seen. */
static void tell_missing(const struct zcq_probe_set *set, const struct zcq_event_desc *d, bool seen)
{
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *state = &set->state[i];
		const char *why = state->why;

		if (!((d->all | d->any) & (1ULL << i)) || state->attached)
			continue;
		if (!why[0])
			why = state->cand && !state->wanted ? "it is attached with --heavy only" :
							      "not attached";
		if (seen)
			zcq_info("%s events: without %s: %s", d->name, state->probe->name, why);
		else
			zcq_warn("%s events can't be seen: %s: %s", d->name, state->probe->name,
				 why);
	}
}

/* Is it missing only because there is no such NIC here? */
static bool of_absent_driver(const struct zcq_probe_set *set, const struct zcq_event_desc *d)
{
	for (size_t i = 0; i < ZCQ_PROBES; i++)
		if ((d->all | d->any) & (1ULL << i) && !set->state[i].probe->module)
			return false;
	return true;
}

static void warn_missing(uint64_t types)
{
	char line[64];
	size_t i = 0;

	zcq_warn("these events can't be seen here (zcq probes says why):");
	while (zcq_event_list(types, &i, line, sizeof(line)))
		zcq_warn("  %s", line);
}

/* It costs parts of events too, which no list of events shows. */
static void warn_no_symbols(const struct zcq_probe_set *set)
{
	if (set->sym_err == -EACCES)
		zcq_warn("without kernel addresses (CAP_SYSLOG, kernel.kptr_restrict) zero-copied bytes of "
			 "flows and instances from before are unknown");
}

/*
 * Says what of the wanted events can't be seen here. -EOPNOTSUPP when nothing of them can.
 */
static int check_probes(const struct trace *t, uint64_t *seen)
{
	const struct zcq_probe_set *set = zcq_session_probes(t->session);
	const struct zcq_event_desc *d;
	uint64_t attached = 0, missing = 0;

	*seen = 0;
	for (size_t i = 0; i < ZCQ_PROBES; i++)
		attached |= (uint64_t)set->state[i].attached << i;
	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		bool is_seen = zcq_event_seen(d, attached);

		if (!(t->filter.types & (1ULL << d->type)))
			continue;
		if (is_seen)
			*seen |= 1ULL << d->type;
		else if (!of_absent_driver(set, d))
			missing |= 1ULL << d->type;
		if (arg.events.n)
			tell_missing(set, d, is_seen);
	}
	if (!*seen) {
		zcq_err("none of the events asked for can be seen on this kernel: see zcq probes");
		return -EOPNOTSUPP;
	}
	if (!arg.events.n && missing)
		warn_missing(missing);
	if (!arg.events.n)
		warn_no_symbols(set);
	return 0;
}

/*
 * Events that may come for each buffer or packet, and that name one queue, are held back in
 * the kernel already. Others can match by their second queue (where a flow arrives, a lease),
 * or be of a netdev that is not there yet.
 */
static void filter_early(struct zcq_config *cfg, uint64_t types)
{
	const uint64_t often = 1ULL << ZCQ_EVENT_BUFFER | 1ULL << ZCQ_EVENT_UNSPLIT;
	const uint64_t ring = (1ULL << ZCQ_EVENT_USER) - 1;
	struct stat st;

	for (size_t i = 0; i < arg.netdevs.n; i++)
		if (!strstr(arg.netdevs.v[i], "@net:") && !if_nametoindex(arg.netdevs.v[i]))
			zcq_warn("--netdev %s: there is no such netdev here now; waiting for one",
				 arg.netdevs.v[i]);
	if (types & ring & ~often)
		return;
	if (arg.queue != ZCQ_NO_QUEUE) {
		cfg->rxq = arg.queue;
		cfg->has_rxq = 1;
	}
	if (arg.netdevs.n != 1 || stat("/proc/self/ns/net", &st))
		return;
	cfg->ifindex = if_nametoindex(arg.netdevs.v[0]);
	cfg->netns = cfg->ifindex ? st.st_ino : 0;
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
	uint64_t seen;
	int err;

	zcq_session_defaults(&so);
	so.probes.subjects = subjects_of(probes_of(t->filter.types));
	so.probes.heavy = arg.heavy;
	so.probes.extra = heavy_of(t->filter.types);
	so.probes.no_driver_probes = zcq_opt_common.no_driver_probes;
	so.cfg.event_mask = t->filter.types;
	so.cfg.pid = arg.pid;
	so.cfg.sample = arg.sample;
	so.cfg.coalesced_all = arg.events.n && t->filter.types & 1ULL << ZCQ_EVENT_COALESCED;
	filter_early(&so.cfg, t->filter.types);
	t->session = zcq_session_open(&so);
	if (!t->session)
		return errno == ENOSYS ? -EOPNOTSUPP : -errno;	/* a kernel without BPF */
	err = check_probes(t, &seen);
	if (err)
		return err;
	t->names = zcq_names_new();
	if (t->names)
		t->out = zcq_out_new(stdout, zcq_opt_common.json ? ZCQ_OUT_JSON : ZCQ_OUT_TERSE, NULL,
				     zcq_out_colour_ok(stdout));
	if (!t->out) {
		err = -errno;
		goto out;
	}
	t->start_ns = now_ns();
	zcq_interval_start(&t->interval, t->start_ns, seen);
	find_old_instances(t);
	err = loop_init(t);
out:
	if (err)
		zcq_err("trace can't start: %s", strerror(-err));
	return err;
}

static void say_ready(void)
{
	zcq_info("attached");
	/* For who sits before it; a pipeline and -q want no word. */
	if (isatty(STDERR_FILENO) && !zcq_opt_common.quiet && !zcq_opt_common.verbose)
		fprintf(stderr, "zcq: attached; Ctrl-C ends it\n");
	if (arg.ready_fd == ~0U)
		return;
	if (write(arg.ready_fd, "attached\n", 9) != 9)
		zcq_warn("--ready-fd %u: %s", arg.ready_fd, strerror(errno));
	close(arg.ready_fd);
}

static int finish(struct trace *t, int err)
{
	int written = zcq_out_flush(t->out);

	if (written)
		return zcq_exit_written("the events", written);
	if (err)
		zcq_err("trace: %s", strerror(-err));
	return err ? ZCQ_EXIT_FAILED : ZCQ_EXIT_OK;
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
	int first, err, status;

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
	for (size_t i = 0; i < arg.comms.n; i++)
		if (strlen(arg.comms.v[i]) >= ZCQ_COMM_LEN)
			arg.comms.v[i][ZCQ_COMM_LEN - 1] = '\0';
	t.filter.netdevs = &arg.netdevs;
	t.filter.comms = &arg.comms;
	t.filter.queue = arg.queue;
	t.filter.pid = arg.pid;

	err = open_all(&t);
	if (!err) {
		say_ready();
		zcq_out_header(t.out, "trace");
		zcq_out_flush(t.out);
		status = finish(&t, run(&t));
	} else {
		status = err == -EOPNOTSUPP ? ZCQ_EXIT_UNSUPPORTED : ZCQ_EXIT_FAILED;
	}
	close_all(&t);
	zcq_strv_free(&arg.events);
	zcq_strv_free(&arg.netdevs);
	zcq_strv_free(&arg.comms);
	return status;
}
