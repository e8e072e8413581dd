/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attach targets by the BTF ids that probe.c found in its one pass. libbpf would search all
 * types again for each program, which is most of a start's time. Called by session_load.c.
 */
#ifndef ZCQ_BPF_TARGET_H
#define ZCQ_BPF_TARGET_H

#include "lib/bpf/kfind.h"
#include "lib/bpf/probe.h"

struct bpf_program;

struct zcq_target {
	const struct bpf_program *prog;
	const char *module;	/* NULL: the kernel itself */
	int32_t btf_id;
	int btf_fd;		/* of the module's BTF, shared by its targets; 0: the kernel's */
};

/* The targets of one load; zero-initialised. */
struct zcq_targets {
	struct zcq_target *v;
	size_t n;
};

/*
 * Tells libbpf to ask us; once, before the object is opened. 0 or -errno.
 */
int zcq_targets_hook(void);

/* prog (fentry, fexit or tp_btf) is to be attached to target. 0 or -errno. */
int zcq_targets_add(struct zcq_targets *t, const struct zcq_knames *names,
		    const struct bpf_program *prog, enum zcq_attach kind, const char *target);

/* Those that the next load uses; NULL after it. */
void zcq_targets_use(const struct zcq_targets *t);
void zcq_targets_free(struct zcq_targets *t);

#endif
