/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logical probes and how each attaches on this kernel. The tables (probe_table.c and
 * probe_table_zc.c) are data: candidates in order of preference. zcq_probes_decide()
 * answers from BTF, loaded modules and one trial load; it loads and attaches nothing of the
 * skeleton. Called by session.c and by `zcq probes`.
 */
#ifndef ZCQ_BPF_PROBE_H
#define ZCQ_BPF_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zcq/config.h>
#include <zcq/probes.h>
#include <zcq/types.h>

enum zcq_attach {
	ZCQ_ATTACH_FENTRY,
	ZCQ_ATTACH_FEXIT,
	ZCQ_ATTACH_KPROBE,
	ZCQ_ATTACH_KRETPROBE,
	ZCQ_ATTACH_TP_BTF,
	ZCQ_ATTACH_TP,
	ZCQ_ATTACH_ITER,
};

enum zcq_profile {
	ZCQ_PROFILE_DEFAULT,	/* nothing that fires for each buffer or packet */
	ZCQ_PROFILE_HEAVY,	/* attached only on request, while somebody looks */
};

/*
 * One program of the skeleton and what it hooks. A candidate that needs two programs (entry
 * and exit) names the second in prog2/kind2/target2: both attach or neither counts.
 */
struct zcq_cand {
	const char *prog;	/* name in the skeleton; NULL ends the list */
	enum zcq_attach kind;
	const char *
		target; /* function, tracepoint ("name" or "category:name" for TP) or iterator type */
	const char *prog2;
	enum zcq_attach kind2;
	const char *target2;
	const char *needs;	/* a function that must be there, though it is not hooked; NULL: none */
	const char *poorer;	/* what this candidate gives less than the first; NULL: nothing */
};

#define ZCQ_MAX_CANDS	12

struct zcq_probe {
	enum zcq_probe_id id;
	const char *name;	/* "queue.mp-open" */
	enum zcq_subject subject;
	enum zcq_profile profile;
	const char *module;	/* driver that must be loaded; NULL: the kernel itself */
	uint32_t syms;		/* bit n: its programs need the address of enum zcq_sym n */
	const char *gives;	/* what it tells */
	const char *lost;	/* what is lost without it */
	struct zcq_cand cands[ZCQ_MAX_CANDS];
};

/* The tables; each ends with name NULL. */
extern const struct zcq_probe zcq_probe_table_core[];	/* queue, register, pool */
extern const struct zcq_probe zcq_probe_table_zc[];	/* zcrx, devmem, hwgro, flow, instance */

/* What was decided for one probe. */
struct zcq_probe_state {
	const struct zcq_probe *probe;
	const struct zcq_cand *cand;	/* NULL: unavailable */
	bool wanted;		/* asked for by subject and profile */
	bool attached;		/* set by session.c */
	bool refused;		/* a candidate looked fine, but failed to load or attach */
	char why[160];		/* unavailable or poorer: why */
};

/* What this kernel lets BPF do, found once. */
struct zcq_bpf_caps {
	bool btf;		/* /sys/kernel/btf/vmlinux is there */
	char why[128];		/* why nothing at all works; "": something does */
	int fentry_err;		/* 0, or -errno of a trial load: -EPERM on hardened kernels */
	int kprobe_err;
	int tp_btf_err;
	int iter_err;
	int tp_err;
	char fentry_why[96];	/* in words; "" when it works */
	char kprobe_why[96];
	char tp_btf_why[96];
	char tp_why[96];
	char iter_why[96];
};

struct zcq_probe_opts {
	uint32_t subjects;	/* bit n: enum zcq_subject n; 0: all */
	bool heavy;		/* all of the heavy profile */
	uint64_t extra;		/* bit n: probe n although it is heavy */
	bool no_driver_probes;
};

struct zcq_knames;

struct zcq_probe_set {
	struct zcq_probe_state state[ZCQ_PROBES];
	struct zcq_bpf_caps caps;
	struct zcq_knames *names;	/* what of the targets this kernel has */
	unsigned long long sym[ZCQ_SYMS];	/* addresses for struct zcq_config; 0: not known */
	int sym_err;		/* -errno: they can't be read, -EACCES: they are hidden */
};

/*
 * Fills set for every probe of both tables. 0, or -errno when the kernel can't be asked at
 * all (no permission for BPF: -EPERM; no memory); set->caps.why then says why.
 */
int zcq_probes_decide(struct zcq_probe_set *set, const struct zcq_probe_opts *opts);
void zcq_probes_free(struct zcq_probe_set *set);

/* For session.c: the next candidate after one that failed to load or attach (NULL: the first). */
void zcq_probe_choose(struct zcq_probe_state *state, const struct zcq_bpf_caps *caps,
		      const struct zcq_knames *names, const struct zcq_cand *after);

const char *zcq_subject_name(enum zcq_subject subject);
const char *zcq_attach_name(enum zcq_attach kind);
/* The number for "queue", "register", ...; -EINVAL when there is no such subject. */
int zcq_subject_parse(const char *name);

#endif
