// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One try: open, choose, load, attach. When a program is refused (by the verifier, by its
 * target, at attach) its probe goes on to the next candidate, or to "unavailable, because",
 * and everything is done again: one bad program never costs the others.
 */
#include "lib/bpf/session_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bpf/fds.h"
#include "lib/bpf/kfind.h"
#include "lib/bpf/target.h"
#include "lib/log.h"
#include "zcq.skel.h"

/* BTF, the event ring, libbpf's own trials, and what the caller opens: epoll, signals, timers. */
#define OTHER_FDS	16

/* The program libbpf complained about last: its errors name it only in the log. */
static __thread char blamed[64];

static int libbpf_says(enum libbpf_print_level level, const char *fmt, va_list args)
{
	const char *prog;
	char text[1024];
	size_t len;

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(text, sizeof(text), fmt, args);
	prog = strstr(text, "prog '");
	if (prog)
		snprintf(blamed, sizeof(blamed), "%.*s", (int)strcspn(prog + 6, "'"), prog + 6);
	len = strlen(text);
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	if (len)
		zcq_dbg("%s", text);
	return 0;
}

static struct zcq_probe_state *state_of_prog(struct zcq_session *s, const char *prog)
{
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_cand *c = s->set.state[i].cand;

		if (c && s->set.state[i].wanted &&
		    (!strcmp(c->prog, prog) || (c->prog2 && !strcmp(c->prog2, prog))))
			return &s->set.state[i];
	}
	return NULL;
}

/* The candidate failed: the next one's turn. -EAGAIN; or err, when it is not the candidate's fault. */
static int reject(struct zcq_session *s, struct zcq_probe_state *state, const char *what, int err)
{
	const struct zcq_cand *bad = state->cand;

	if (err == -EMFILE || err == -ENFILE)
		return err;
	state->refused = true;
	zcq_dbg("probe %s: %s %s of %s failed: %s", state->probe->name, what,
		zcq_attach_name(bad->kind), bad->target, strerror(-err));
	if (!state->why[0])
		snprintf(state->why, sizeof(state->why), "%s %s: %s", zcq_attach_name(bad->kind),
			 bad->target, strerror(-err));
	zcq_probe_choose(state, &s->set.caps, s->set.names, bad);
	return -EAGAIN;
}

static int prog_choose(struct zcq_session *s, struct zcq_targets *targets, const char *name,
		       enum zcq_attach kind, const char *target)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(s->skel->obj, name);
	int err;

	if (!prog) {
		zcq_dbg("no program %s in the BPF object", name);
		return -ENOENT;
	}
	err = bpf_program__set_autoload(prog, true);
	if (err)
		return err;
	if (kind == ZCQ_ATTACH_FENTRY || kind == ZCQ_ATTACH_FEXIT || kind == ZCQ_ATTACH_TP_BTF)
		return zcq_targets_add(targets, s->set.names, prog, kind, target);
	return 0;
}

/* Marks what is to be loaded. Returns the number of probes, -EAGAIN after a rejection, or -errno. */
static int choose_all(struct zcq_session *s, struct zcq_targets *targets)
{
	struct bpf_program *prog;
	int n = 0, err;

	bpf_object__for_each_program(prog, s->skel->obj)
		bpf_program__set_autoload(prog, false);
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		struct zcq_probe_state *state = &s->set.state[i];
		const struct zcq_cand *c = state->cand;

		if (!c || !state->wanted)
			continue;
		err = prog_choose(s, targets, c->prog, c->kind, c->target);
		if (!err && c->prog2)
			err = prog_choose(s, targets, c->prog2, c->kind2, c->target2);
		if (err)
			return reject(s, state, "choosing", err);
		n++;
	}
	return n;
}

static struct bpf_link *prog_attach(struct zcq_session *s, const char *name, enum zcq_attach kind,
				    const char *target)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(s->skel->obj, name);
	char category[64];
	int len;

	switch (kind) {
	case ZCQ_ATTACH_FENTRY:
	case ZCQ_ATTACH_FEXIT:
	case ZCQ_ATTACH_TP_BTF:
		return bpf_program__attach_trace(prog);
	case ZCQ_ATTACH_KPROBE:
		return bpf_program__attach_kprobe(prog, false, target);
	case ZCQ_ATTACH_KRETPROBE:
		return bpf_program__attach_kprobe(prog, true, target);
	case ZCQ_ATTACH_TP:
		len = strcspn(target, ":");
		snprintf(category, sizeof(category), "%.*s", len, target);
		return bpf_program__attach_tracepoint(prog, category, target + len + 1);
	case ZCQ_ATTACH_ITER:
		return bpf_program__attach_iter(prog, NULL);
	}
	errno = EINVAL;
	return NULL;
}

/* The exit first: an entry without its exit would leave an operation open for ever. */
static int attach_one(struct zcq_session *s, size_t i)
{
	const struct zcq_cand *c = s->set.state[i].cand;
	int err;

	if (c->prog2) {
		s->links[i][1] = prog_attach(s, c->prog2, c->kind2, c->target2);
		if (!s->links[i][1])
			return -errno;
	}
	s->links[i][0] = prog_attach(s, c->prog, c->kind, c->target);
	if (s->links[i][0])
		return 0;
	err = -errno;
	bpf_link__destroy(s->links[i][1]);
	s->links[i][1] = NULL;
	return err;
}

/* In the tables' order, which says what must be watched before what. */
static int attach_table(struct zcq_session *s, const struct zcq_probe *table)
{
	int err;

	for (const struct zcq_probe *p = table; p->name; p++) {
		struct zcq_probe_state *state = &s->set.state[p->id];

		if (!state->cand || !state->wanted)
			continue;
		err = attach_one(s, p->id);
		if (err)
			return reject(s, state, "attaching", err);
		state->attached = true;
	}
	return 0;
}

static int attach_all(struct zcq_session *s)
{
	int err = attach_table(s, zcq_probe_table_core);

	return err ? err : attach_table(s, zcq_probe_table_zc);
}

/* Loads what is chosen. 0, -EAGAIN when a candidate was rejected, or -errno. */
static int load_chosen(struct zcq_session *s, const struct zcq_targets *targets)
{
	struct zcq_probe_state *state;
	int err;

	blamed[0] = '\0';
	zcq_targets_use(targets);
	err = zcq_bpf__load(s->skel);
	zcq_targets_use(NULL);
	if (!err)
		return 0;
	state = blamed[0] ? state_of_prog(s, blamed) : NULL;
	if (!state)
		return err;
	return reject(s, state, "loading", err);
}

/* Of what is chosen: programs and their links (a kprobe's is two), maps, and a few more. */
static int fds_enough(struct zcq_session *s)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	size_t n = OTHER_FDS;

	bpf_object__for_each_program(prog, s->skel->obj)
		if (bpf_program__autoload(prog))
			n += bpf_program__type(prog) == BPF_PROG_TYPE_TRACING ? 2 : 3;
	bpf_object__for_each_map(map, s->skel->obj)
		n++;
	return zcq_fds_spare(n);
}

/* 0, -EAGAIN when a candidate was rejected and it is worth another try, or -errno. */
static int try_once(struct zcq_session *s)
{
	struct zcq_targets targets = { 0 };
	int n, err;

	s->skel = zcq_bpf__open();
	if (!s->skel)
		return -errno;
	s->skel->rodata->zcq_cfg = s->opts.cfg;
	err = bpf_map__set_max_entries(s->skel->maps.zcq_ring, s->opts.ring_bytes);
	if (err)
		return err;
	n = choose_all(s, &targets);
	err = n > 0 ? fds_enough(s) : n ? n : -EOPNOTSUPP;
	if (!err)
		err = load_chosen(s, &targets);
	zcq_targets_free(&targets);
	return err ? err : attach_all(s);
}

int zcq_session_load(struct zcq_session *s)
{
	int err;

	libbpf_set_print(libbpf_says);
	err = zcq_targets_hook();
	if (err < 0)
		return err;
	do {
		err = try_once(s);
		if (err)
			zcq_session_unload(s);
	} while (err == -EAGAIN);	/* ends: each round uses up a candidate */
	return err;
}

void zcq_session_unload(struct zcq_session *s)
{
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		for (size_t k = 0; k < 2; k++) {
			bpf_link__destroy(s->links[i][k]);
			s->links[i][k] = NULL;
		}
		s->set.state[i].attached = false;
	}
	zcq_bpf__destroy(s->skel);
	s->skel = NULL;
}
