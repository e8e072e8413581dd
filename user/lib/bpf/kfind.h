/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a list of names this kernel has: one pass over its BTF (functions, tracepoints)
 * and one over /proc/kallsyms (addresses). Called by probe.c and session.c.
 */
#ifndef ZCQ_BPF_KFIND_H
#define ZCQ_BPF_KFIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zcq_kname_kind {
	ZCQ_KNAME_FUNC,		/* a function */
	ZCQ_KNAME_TYPEDEF,	/* btf_trace_<tracepoint> */
};

struct zcq_kname {
	const char *name;	/* owned by the set */
	enum zcq_kname_kind kind;
	int32_t btf_id;		/* 0: not found */
	const char *module;	/* whose BTF it is in; NULL: the kernel's */
};

/* A growing set of names; a name is there once for each kind. */
struct zcq_knames {
	struct zcq_kname *v;
	size_t n;
};

int zcq_knames_add(struct zcq_knames *set, const char *name, enum zcq_kname_kind kind);
/* Sorts; to be called before the finders. */
void zcq_knames_ready(struct zcq_knames *set);
struct zcq_kname *zcq_knames_get(const struct zcq_knames *set, const char *name,
				 enum zcq_kname_kind kind);
void zcq_knames_free(struct zcq_knames *set);

struct btf;

/* Marks what types first..last of btf hold; module as in struct zcq_kname. */
void zcq_knames_scan(struct zcq_knames *set, const struct btf *btf, uint32_t first,
		     const char *module);

/*
 * Addresses of the named symbols, 0 where absent. 0; -EACCES when they are there but their
 * addresses are hidden; or another -errno.
 */
int zcq_kallsyms_find(const char *const names[], unsigned long long addrs[], size_t n);

#endif
