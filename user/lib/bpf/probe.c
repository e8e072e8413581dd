// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses a candidate for each probe: the first whose targets this kernel (or the loaded
 * driver) has, by a kind of attachment the kernel allows. What is left is the reason why not.
 */
#include "lib/bpf/probe.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bpf/caps.h"
#include "lib/bpf/fds.h"
#include "lib/bpf/kfind.h"
#include "lib/log.h"

static const char *const subject_names[] = {
	[ZCQ_SUBJECT_QUEUE] = "queue",
	[ZCQ_SUBJECT_REGISTER] = "register",
	[ZCQ_SUBJECT_ZCRX] = "zcrx",
	[ZCQ_SUBJECT_DEVMEM] = "devmem",
	[ZCQ_SUBJECT_POOL] = "pool",
	[ZCQ_SUBJECT_HWGRO] = "hwgro",
	[ZCQ_SUBJECT_FLOW] = "flow",
	[ZCQ_SUBJECT_INSTANCE] = "instance",
};

static const char *const attach_names[] = {
	[ZCQ_ATTACH_FENTRY] = "fentry",
	[ZCQ_ATTACH_FEXIT] = "fexit",
	[ZCQ_ATTACH_KPROBE] = "kprobe",
	[ZCQ_ATTACH_KRETPROBE] = "kretprobe",
	[ZCQ_ATTACH_TP_BTF] = "tp_btf",
	[ZCQ_ATTACH_TP] = "tracepoint",
	[ZCQ_ATTACH_ITER] = "iterator",
};

static const char *const sym_names[ZCQ_SYMS] = {
	[ZCQ_SYM_IOU_ALLOC] = "io_pp_zc_alloc_netmems",
	[ZCQ_SYM_DEVMEM_ALLOC] = "mp_dmabuf_devmem_alloc_netmems",
	[ZCQ_SYM_URING_RELEASE] = "io_uring_release",
	[ZCQ_SYM_ZCRX_RELEASE] = "zcrx_box_release",
	[ZCQ_SYM_ZCRX_RECV_SKB] = "io_zcrx_recv_skb",
};

const char *zcq_subject_name(enum zcq_subject subject)
{
	return (unsigned int)subject < ZCQ_SUBJECTS ? subject_names[subject] : "?";
}

const char *zcq_attach_name(enum zcq_attach kind)
{
	return (unsigned int)kind <= ZCQ_ATTACH_ITER ? attach_names[kind] : "?";
}

int zcq_subject_parse(const char *name)
{
	for (int i = 0; i < ZCQ_SUBJECTS; i++)
		if (!strcmp(name, subject_names[i]))
			return i;
	return -EINVAL;
}

/* --- what the kernel has ---------------------------------------------------------------------- */

static int names_add_target(struct zcq_knames *names, enum zcq_attach kind, const char *target)
{
	char text[96];

	switch (kind) {
	case ZCQ_ATTACH_FENTRY:
	case ZCQ_ATTACH_FEXIT:
	case ZCQ_ATTACH_KPROBE:
	case ZCQ_ATTACH_KRETPROBE:
		return zcq_knames_add(names, target, ZCQ_KNAME_FUNC);
	case ZCQ_ATTACH_TP_BTF:
		snprintf(text, sizeof(text), "btf_trace_%s", target);
		return zcq_knames_add(names, text, ZCQ_KNAME_TYPEDEF);
	case ZCQ_ATTACH_ITER:
		snprintf(text, sizeof(text), "bpf_iter_%s", target);
		return zcq_knames_add(names, text, ZCQ_KNAME_FUNC);
	case ZCQ_ATTACH_TP:
		break;
	}
	return 0;
}

static int names_add_table(struct zcq_knames *names, const struct zcq_probe *table)
{
	int err;

	for (const struct zcq_probe *p = table; p->name; p++) {
		for (const struct zcq_cand *c = p->cands; c < p->cands + ZCQ_MAX_CANDS && c->prog;
		     c++) {
			err = names_add_target(names, c->kind, c->target);
			if (!err && c->prog2)
				err = names_add_target(names, c->kind2, c->target2);
			if (!err && c->needs)
				err = zcq_knames_add(names, c->needs, ZCQ_KNAME_FUNC);
			if (err)
				return err;
		}
	}
	return 0;
}

static bool module_loaded(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

/* Each driver of the table once. One without BTF of its own just adds nothing. */
static void names_scan_modules(struct zcq_knames *names, const struct zcq_probe *table,
			       struct btf *vmlinux)
{
	const char *done[8] = { NULL };
	size_t n = 0, i;

	for (const struct zcq_probe *p = table; p->name; p++) {
		struct btf *btf;

		if (!p->module || !module_loaded(p->module))
			continue;
		for (i = 0; i < n && strcmp(done[i], p->module); i++)
			;
		if (i < n || n == sizeof(done) / sizeof(done[0]))
			continue;
		done[n++] = p->module;
		btf = btf__load_module_btf(p->module, vmlinux);
		if (!btf) {
			zcq_dbg("no BTF for module %s: %s", p->module, strerror(errno));
			continue;
		}
		zcq_knames_scan(names, btf, btf__type_cnt(vmlinux), p->module);
		btf__free(btf);
	}
}

static bool tracepoint_exists(const char *target)
{
	char path[192];
	int len = strcspn(target, ":");

	if (!target[len])
		return false;
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%s/id", len, target,
		 target + len + 1);
	if (!access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "/sys/kernel/debug/tracing/events/%.*s/%s/id", len, target,
		 target + len + 1);
	return !access(path, F_OK);
}

static bool target_exists(const struct zcq_knames *names, enum zcq_attach kind, const char *target)
{
	const struct zcq_kname *found = NULL;
	char text[96];

	switch (kind) {
	case ZCQ_ATTACH_FENTRY:
	case ZCQ_ATTACH_FEXIT:
	case ZCQ_ATTACH_KPROBE:
	case ZCQ_ATTACH_KRETPROBE:
		found = zcq_knames_get(names, target, ZCQ_KNAME_FUNC);
		break;
	case ZCQ_ATTACH_TP_BTF:
		snprintf(text, sizeof(text), "btf_trace_%s", target);
		found = zcq_knames_get(names, text, ZCQ_KNAME_TYPEDEF);
		break;
	case ZCQ_ATTACH_ITER:
		snprintf(text, sizeof(text), "bpf_iter_%s", target);
		found = zcq_knames_get(names, text, ZCQ_KNAME_FUNC);
		break;
	case ZCQ_ATTACH_TP:
		return tracepoint_exists(target);
	}
	return found && found->btf_id;
}

static bool cand_possible(const struct zcq_knames *names, const struct zcq_cand *c)
{
	return target_exists(names, c->kind, c->target) &&
	       (!c->prog2 || target_exists(names, c->kind2, c->target2)) &&
	       (!c->needs || target_exists(names, ZCQ_ATTACH_FENTRY, c->needs));
}

/* --- the choice ------------------------------------------------------------------------------------ */

static int kind_err(const struct zcq_bpf_caps *caps, enum zcq_attach kind, const char **why)
{
	switch (kind) {
	case ZCQ_ATTACH_FENTRY:
	case ZCQ_ATTACH_FEXIT:
		*why = caps->fentry_why;
		return caps->fentry_err;
	case ZCQ_ATTACH_KPROBE:
	case ZCQ_ATTACH_KRETPROBE:
		*why = caps->kprobe_why;
		return caps->kprobe_err;
	case ZCQ_ATTACH_TP_BTF:
		*why = caps->tp_btf_why;
		return caps->tp_btf_err;
	case ZCQ_ATTACH_TP:
		*why = caps->tp_why;
		return caps->tp_err;
	case ZCQ_ATTACH_ITER:
		*why = caps->iter_why;
		return caps->iter_err;
	}
	*why = "unknown kind of attachment";
	return -EINVAL;
}

void zcq_probe_choose(struct zcq_probe_state *state, const struct zcq_bpf_caps *caps,
		      const struct zcq_knames *names, const struct zcq_cand *after)
{
	const struct zcq_cand *first = state->probe->cands, *c = after ? after + 1 : first;
	bool any_target = false;
	const char *why;

	state->cand = NULL;
	for (; c < first + ZCQ_MAX_CANDS && c->prog; c++) {
		if (!cand_possible(names, c))
			continue;
		any_target = true;
		if (kind_err(caps, c->kind, &why)) {
			if (!state->why[0])
				snprintf(state->why, sizeof(state->why), "%s", why);
			continue;
		}
		state->cand = c;
		return;
	}
	if (!any_target && !state->why[0])
		snprintf(state->why, sizeof(state->why), "this kernel has no %s", first->target);
}

/* Why the address of a function is not known. */
static void sym_missing(const struct zcq_probe_set *set, struct zcq_probe_state *state,
			const char *name)
{
	const char *why = "/proc/kallsyms can't be read";

	if (!set->sym_err) {
		snprintf(state->why, sizeof(state->why), "this kernel has no %s", name);
		return;
	}
	if (set->sym_err == -EACCES)
		why = zcq_have_cap(CAP_SYSLOG) ? "kernel.kptr_restrict hides kernel addresses" :
						 "CAP_SYSLOG is missing, which shows kernel addresses";
	snprintf(state->why, sizeof(state->why), "%s", why);
}

static void decide_one(struct zcq_probe_set *set, const struct zcq_probe *p,
		       const struct zcq_probe_opts *opts)
{
	struct zcq_probe_state *state = &set->state[p->id];

	state->probe = p;
	state->wanted = (!opts->subjects || (opts->subjects & (1U << p->subject))) &&
			(opts->heavy || p->profile == ZCQ_PROFILE_DEFAULT ||
			 (opts->extra & (1ULL << p->id)));
	if (p->module && opts->no_driver_probes) {
		snprintf(state->why, sizeof(state->why), "left out by --no-driver-probes");
		return;
	}
	if (p->module && !module_loaded(p->module)) {
		snprintf(state->why, sizeof(state->why), "driver %s is not loaded", p->module);
		return;
	}
	/* Without it the program would attach and count nothing: worse than not attaching. */
	for (int i = 0; i < ZCQ_SYMS; i++) {
		if (!(p->syms & 1U << i) || set->sym[i])
			continue;
		sym_missing(set, state, sym_names[i]);
		return;
	}
	zcq_probe_choose(state, &set->caps, set->names, NULL);
}

static int names_fill(struct zcq_knames *names, struct zcq_trial_ids *ids)
{
	int err = zcq_knames_add(names, "bpf_fentry_test1", ZCQ_KNAME_FUNC);

	if (!err)
		err = zcq_knames_add(names, "bpf_iter_task", ZCQ_KNAME_FUNC);
	if (!err)
		err = zcq_knames_add(names, "btf_trace_netlink_extack", ZCQ_KNAME_TYPEDEF);
	if (!err)
		err = names_add_table(names, zcq_probe_table_core);
	if (!err)
		err = names_add_table(names, zcq_probe_table_zc);
	if (err)
		return err;
	zcq_knames_ready(names);
	memset(ids, 0, sizeof(*ids));
	return 0;
}

/* More than the trials have open at one time. */
#define TRIAL_FDS	8

int zcq_probes_decide(struct zcq_probe_set *set, const struct zcq_probe_opts *opts)
{
	const struct zcq_probe *const tables[] = { zcq_probe_table_core, zcq_probe_table_zc };
	struct zcq_trial_ids ids;
	struct btf *btf;
	int err;

	memset(set, 0, sizeof(*set));
	zcq_fds_raise();
	err = zcq_fds_spare(TRIAL_FDS);
	if (err) {
		zcq_fds_why(err, set->caps.why, sizeof(set->caps.why));
		return err;
	}
	err = zcq_bpf_permitted(set->caps.why, sizeof(set->caps.why));
	if (err)
		return err;
	set->names = calloc(1, sizeof(*set->names));
	if (!set->names)
		return -ENOMEM;
	err = names_fill(set->names, &ids);
	if (err)
		goto fail;
	set->sym_err = zcq_kallsyms_find(sym_names, set->sym, ZCQ_SYMS);
	btf = btf__load_vmlinux_btf();
	if (btf) {
		set->caps.btf = true;
		zcq_knames_scan(set->names, btf, 1, NULL);
		for (size_t i = 0; i < 2; i++)
			names_scan_modules(set->names, tables[i], btf);
		ids.fentry_func =
			zcq_knames_get(set->names, "bpf_fentry_test1", ZCQ_KNAME_FUNC)->btf_id;
		ids.iter_func = zcq_knames_get(set->names, "bpf_iter_task", ZCQ_KNAME_FUNC)->btf_id;
		ids.tp_typedef =
			zcq_knames_get(set->names, "btf_trace_netlink_extack", ZCQ_KNAME_TYPEDEF)
				->btf_id;
		btf__free(btf);
		zcq_bpf_caps_find(&set->caps, &ids);
	} else {
		snprintf(set->caps.why, sizeof(set->caps.why),
			 "the kernel has no BTF (/sys/kernel/btf/vmlinux): nothing can be attached");
	}
	for (size_t i = 0; i < 2; i++) {
		for (const struct zcq_probe *p = tables[i]; p->name; p++) {
			if (set->caps.btf) {
				decide_one(set, p, opts);
				continue;
			}
			set->state[p->id].probe = p;
			snprintf(set->state[p->id].why, sizeof(set->state[p->id].why),
				 "the kernel has no BTF");
		}
	}
	return 0;
fail:
	zcq_probes_free(set);
	return err;
}

void zcq_probes_free(struct zcq_probe_set *set)
{
	if (!set || !set->names)
		return;
	zcq_knames_free(set->names);
	free(set->names);
	set->names = NULL;
}
