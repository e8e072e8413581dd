// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One pass over 150,000 BTF types with a binary search in our few names, instead of a
 * hundred passes. The names are copied: "btf_trace_" + tracepoint has no other owner.
 */
#include "lib/bpf/kfind.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int kname_cmp(const void *a, const void *b)
{
	const struct zcq_kname *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (int)x->kind - (int)y->kind;
}

int zcq_knames_add(struct zcq_knames *set, const char *name, enum zcq_kname_kind kind)
{
	struct zcq_kname *v;
	char *copy;

	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].kind == kind && !strcmp(set->v[i].name, name))
			return 0;
	copy = strdup(name);
	v = realloc(set->v, (set->n + 1) * sizeof(*v));
	if (v)
		set->v = v;
	if (!v || !copy) {
		free(copy);
		return -ENOMEM;
	}
	v[set->n++] = (struct zcq_kname){ .name = copy, .kind = kind };
	return 0;
}

void zcq_knames_ready(struct zcq_knames *set)
{
	if (set->n)
		qsort(set->v, set->n, sizeof(*set->v), kname_cmp);
}

struct zcq_kname *zcq_knames_get(const struct zcq_knames *set, const char *name,
				 enum zcq_kname_kind kind)
{
	struct zcq_kname key = { .name = name, .kind = kind };

	return set->n ? bsearch(&key, set->v, set->n, sizeof(*set->v), kname_cmp) : NULL;
}

void zcq_knames_free(struct zcq_knames *set)
{
	for (size_t i = 0; i < set->n; i++)
		free((char *)set->v[i].name);
	free(set->v);
	set->v = NULL;
	set->n = 0;
}

void zcq_knames_scan(struct zcq_knames *set, const struct btf *btf, uint32_t first,
		     const char *module)
{
	uint32_t end = btf__type_cnt(btf);

	for (uint32_t id = first; id < end; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		enum zcq_kname_kind kind;
		struct zcq_kname *found;

		if (btf_is_func(t))
			kind = ZCQ_KNAME_FUNC;
		else if (btf_is_typedef(t))
			kind = ZCQ_KNAME_TYPEDEF;
		else
			continue;
		found = zcq_knames_get(set, btf__name_by_offset(btf, t->name_off), kind);
		if (found && !found->btf_id) {
			found->btf_id = id;
			found->module = module;
		}
	}
}

/* "ffffffff81000000 T name" or "... t name\t[module]"; the name ends the line when it returns. */
static char *kallsyms_parse(char *line, unsigned long long *addr)
{
	unsigned long long value = 0;
	char *p = line;

	for (; *p && *p != ' '; p++)
		value = value << 4 | (*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
	if (p[0] != ' ' || !p[1] || p[2] != ' ')
		return NULL;
	*addr = value;
	p += 3;
	p[strcspn(p, "\t\n")] = '\0';
	return p;
}

int zcq_kallsyms_find(const char *const names[], unsigned long long addrs[], size_t n)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long addr;
	char line[768], *name;
	size_t missing = n;
	bool hidden = false;

	memset(addrs, 0, n * sizeof(*addrs));
	if (!f)
		return -errno;
	/* 100,000 lines: no scanf here */
	while (missing && fgets(line, sizeof(line), f)) {
		name = kallsyms_parse(line, &addr);
		for (size_t i = 0; name && i < n; i++) {
			if (strcmp(name, names[i]))
				continue;
			missing -= !addrs[i] && addr;
			addrs[i] = addr;
			hidden = hidden || !addr;
		}
	}
	fclose(f);
	return hidden ? -EACCES : 0;
}
