// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a session and what is read from it: events, counters, lost counts.
 */
#include "lib/bpf/session.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/bpf/caps.h"
#include "lib/bpf/fds.h"
#include "lib/bpf/session_load.h"
#include "lib/log.h"
#include "zcq.skel.h"

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

void zcq_session_defaults(struct zcq_session_opts *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->ring_bytes = 1 << 20;
	opts->cfg.event_mask = ~0ULL;
	opts->cfg.alloc_quiet_ns = NS_PER_S;
	opts->cfg.starved_ns = 100 * NS_PER_MS;
	opts->cfg.stall_ns = 5 * NS_PER_S;
	opts->cfg.copy_report_ns = NS_PER_S;
	opts->cfg.page_size = sysconf(_SC_PAGESIZE);
	opts->cfg.page_shift = __builtin_ctz(opts->cfg.page_size);
}

/* Who goes on without BPF is warned. */
static enum zcq_log_level level(const struct zcq_session *s)
{
	return s->opts.optional ? ZCQ_LOG_WARN : ZCQ_LOG_ERR;
}

/* Says why nothing attached. -EOPNOTSUPP, or -EPERM when it takes no more than a capability. */
static int nothing_attached(const struct zcq_session *s)
{
	bool hidden = s->set.sym_err == -EACCES && !zcq_have_cap(CAP_SYSLOG);
	const char *why = s->set.caps.why[0] ? s->set.caps.why : NULL;
	bool same = true;

	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *state = &s->set.state[i];

		if (!state->wanted)
			continue;
		zcq_info("probe %s: %s", state->probe->name, state->why);
		hidden = hidden && state->probe->syms;
		same = same && (!why || !strcmp(why, state->why));
		why = why ? why : state->why;
	}
	if (same && why)
		zcq_log(level(s), "no BPF program can be attached: %s", why);
	else
		zcq_log(level(s), "no BPF program can be attached on this kernel: see zcq probes");
	return hidden ? -EPERM : -EOPNOTSUPP;
}

static void not_loaded(const struct zcq_session *s, int err)
{
	char why[128];

	if (err != -EMFILE && err != -ENFILE) {
		zcq_log(level(s), "BPF programs can't be loaded: %s (-vv shows the kernel's words)",
			strerror(-err));
		return;
	}
	zcq_fds_why(err, why, sizeof(why));
	zcq_log(level(s), "BPF programs can't be loaded: %s", why);
}

/* libbpf ends a drain only for a negative value; this one is told from fn's own. */
#define RING_STOP	(-ECANCELED)
#define BUSY_WAIT_NS	100000
#define BUSY_WAITS	100

static unsigned long ring_pos(const unsigned long *pos)
{
	return __atomic_load_n(pos, __ATOMIC_ACQUIRE);
}

static int ring_cb(void *ctx, void *data, size_t size)
{
	struct zcq_session *s = ctx;
	unsigned long next = ring_pos(s->consumed) + ((BPF_RINGBUF_HDR_SZ + size + 7) & ~7UL);

	s->drained++;
	s->drain_err = s->drain_fn(s->drain_arg, data, size);
	if (s->drain_err)
		return RING_STOP;
	return (long)(s->drain_end - next) <= 0 ? RING_STOP : 0;
}

/* libbpf tells no positions before 1.3: they are mapped once more, to be read only. */
static int ring_map(struct zcq_session *s)
{
	int fd = bpf_map__fd(s->skel->maps.zcq_ring);
	long page = sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	s->consumed = p;
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, page);
	if (p == MAP_FAILED)
		return -errno;
	s->produced = p;
	return 0;
}

static void ring_unmap(const unsigned long *pos)
{
	if (pos)
		munmap((void *)pos, sysconf(_SC_PAGESIZE));
}

struct zcq_session *zcq_session_open(const struct zcq_session_opts *opts)
{
	struct zcq_session *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		goto fail;
	s->opts = *opts;
	if (!s->opts.ring_bytes)
		s->opts.ring_bytes = 1 << 20;
	err = zcq_probes_decide(&s->set, &opts->probes);
	if (err) {
		zcq_log(level(s), "BPF can't be used: %s",
			s->set.caps.why[0] ? s->set.caps.why : strerror(-err));
		goto fail;
	}
	for (int i = 0; i < ZCQ_SYMS; i++)
		s->opts.cfg.sym[i] = s->set.sym[i];
	err = zcq_session_load(s);
	if (err == -EOPNOTSUPP) {
		err = nothing_attached(s);
		goto fail;
	}
	if (err) {
		not_loaded(s, err);
		goto fail;
	}
	s->cpus = libbpf_num_possible_cpus();
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.zcq_ring), ring_cb, s, NULL);
	if (s->cpus < 0 || !s->ring) {
		err = s->cpus < 0 ? s->cpus : -errno;
		zcq_log(level(s), "the event ring can't be read: %s", strerror(-err));
		goto fail;
	}
	err = ring_map(s);
	if (err) {
		zcq_log(level(s), "the event ring's positions can't be read: %s", strerror(-err));
		goto fail;
	}
	return s;
fail:
	zcq_session_close(s);
	errno = -err;
	return NULL;
}

void zcq_session_close(struct zcq_session *s)
{
	if (!s)
		return;
	ring_unmap(s->produced);
	ring_unmap(s->consumed);
	ring_buffer__free(s->ring);
	zcq_session_unload(s);
	zcq_probes_free(&s->set);
	free(s);
}

const struct zcq_probe_set *zcq_session_probes(const struct zcq_session *s)
{
	return &s->set;
}

int zcq_session_fd(const struct zcq_session *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

int zcq_session_drain(struct zcq_session *s, zcq_event_fn fn, void *arg)
{
	const struct timespec busy = { .tv_nsec = BUSY_WAIT_NS };
	int n, before, waits = 0;

	s->drain_fn = fn;
	s->drain_arg = arg;
	s->drain_err = 0;
	s->drained = 0;
	s->drain_end = ring_pos(s->produced);
	while (!s->drain_err && (long)(s->drain_end - ring_pos(s->consumed)) > 0) {
		before = s->drained;
		n = ring_buffer__consume(s->ring);
		if (n < 0 && n != RING_STOP)
			return n;
		if (s->drained != before || s->drain_err)
			continue;
		/* a program is writing the next one right now */
		if (++waits > BUSY_WAITS)
			break;
		nanosleep(&busy, NULL);
	}
	return s->drain_err < 0 ? s->drain_err : s->drained;
}

/* --- counters ------------------------------------------------------------------------------------ */

/* Both are nothing but __u64: the CPUs' values add up word by word. */
static void add_words(void *sum, const void *percpu, size_t size, int cpus)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		const __u64 *from = (const __u64 *)((const char *)percpu + size * cpu);

		for (size_t i = 0; i < size / sizeof(__u64); i++)
			((__u64 *)sum)[i] += from[i];
	}
}

int zcq_session_counters(const struct zcq_session *s, struct zcq_queue_count **counts, size_t *n)
{
	int fd = bpf_map__fd(s->skel->maps.zcq_counters), err = 0;
	struct zcq_queue_counters *percpu;
	struct zcq_queue_id key, *prev = NULL;
	struct zcq_queue_count *v = NULL;
	size_t used = 0, room = 0;

	percpu = calloc(s->cpus, sizeof(*percpu));
	if (!percpu)
		return -ENOMEM;
	while (!bpf_map_get_next_key(fd, prev, &key)) {
		prev = &key;
		if (bpf_map_lookup_elem(fd, &key, percpu))
			continue;
		if (used == room) {
			struct zcq_queue_count *more =
				realloc(v, (room = room * 2 + 16) * sizeof(*v));

			if (!more) {
				err = -ENOMEM;
				goto out;
			}
			v = more;
		}
		memset(&v[used], 0, sizeof(v[used]));
		v[used].queue = key;
		add_words(&v[used].c, percpu, sizeof(*percpu), s->cpus);
		used++;
	}
out:
	free(percpu);
	if (err) {
		free(v);
		return err;
	}
	*counts = v;
	*n = used;
	return 0;
}

/* Runs of this subject's programs that the kernel itself skipped. */
static void add_missed(const struct zcq_session *s, struct zcq_lost lost[ZCQ_SUBJECTS])
{
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *state = &s->set.state[i];
		const char *names[2] = { NULL, NULL };

		if (state->attached) {
			names[0] = state->cand->prog;
			names[1] = state->cand->prog2;
		}
		for (size_t k = 0; k < 2; k++) {
			struct bpf_prog_info info = { 0 };
			__u32 len = sizeof(info);
			struct bpf_program *prog;

			if (!names[k])
				continue;
			prog = bpf_object__find_program_by_name(s->skel->obj, names[k]);
			if (prog && !bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
				lost[state->probe->subject].missed += info.recursion_misses;
		}
	}
}

int zcq_session_lost(const struct zcq_session *s, struct zcq_lost lost[ZCQ_SUBJECTS])
{
	int fd = bpf_map__fd(s->skel->maps.zcq_lost), err = 0;
	struct zcq_lost *percpu = calloc(s->cpus, sizeof(*percpu));

	if (!percpu)
		return -ENOMEM;
	memset(lost, 0, sizeof(*lost) * ZCQ_SUBJECTS);
	for (__u32 i = 0; i < ZCQ_SUBJECTS; i++) {
		if (bpf_map_lookup_elem(fd, &i, percpu)) {
			err = -errno;
			goto out;
		}
		add_words(&lost[i], percpu, sizeof(*percpu), s->cpus);
	}
	add_missed(s, lost);
out:
	free(percpu);
	return err;
}

int zcq_session_map_fd(const struct zcq_session *s, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->skel->obj, name);

	return map ? bpf_map__fd(map) : -ENOENT;
}

int zcq_session_iter(const struct zcq_session *s, enum zcq_probe_id probe)
{
	int fd;

	if ((unsigned int)probe >= ZCQ_PROBES || !s->links[probe][0])
		return -ENOENT;
	fd = bpf_iter_create(bpf_link__fd(s->links[probe][0]));
	return fd < 0 ? -errno : fd;
}
