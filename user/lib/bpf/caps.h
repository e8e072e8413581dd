/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the running kernel lets this process do with BPF, by trying: hardened kernels refuse
 * fentry while tracepoints load, and their version doesn't tell. Called by probe.c.
 */
#ifndef ZCQ_BPF_CAPS_H
#define ZCQ_BPF_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/bpf/probe.h"

struct btf;

/* The BTF ids the trials need; 0: absent. */
struct zcq_trial_ids {
	int32_t fentry_func;	/* a function nobody calls: bpf_fentry_test1 */
	int32_t tp_typedef;	/* a tracepoint's btf_trace_* */
	int32_t iter_func;	/* bpf_iter_task */
};

/*
 * 0: this process may load BPF. -EPERM without CAP_SYS_ADMIN, -ENOSYS without bpf(2), or
 * another -errno; why (at least 128 bytes) says it in words.
 */
int zcq_bpf_permitted(char *why, size_t size);

/* Has this process the effective capability CAP_*? */
bool zcq_have_cap(int cap);

void zcq_bpf_caps_find(struct zcq_bpf_caps *caps, const struct zcq_trial_ids *ids);

#endif
