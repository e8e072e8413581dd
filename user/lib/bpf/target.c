// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf lets a program register its own handler for a section name; ours differs from the
 * built-in one only in where the BTF id comes from.
 */
#include "lib/bpf/target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One load at a time, in one thread: libbpf hands our handler no context. */
static __thread const struct zcq_targets *in_use;

static int prepare_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)cookie;
	for (size_t i = 0; in_use && i < in_use->n; i++) {
		if (in_use->v[i].prog != prog)
			continue;
		opts->attach_btf_id = in_use->v[i].btf_id;
		opts->attach_btf_obj_fd = in_use->v[i].btf_fd;
		return 0;
	}
	return -ENOENT;
}

int zcq_targets_hook(void)
{
	static const struct {
		const char *section;
		enum bpf_attach_type attach;
	} sections[] = {
		{ "fentry+", BPF_TRACE_FENTRY },
		{ "fexit+", BPF_TRACE_FEXIT },
		{ "tp_btf+", BPF_TRACE_RAW_TP },
	};
	static bool hooked;
	int err;

	for (size_t i = 0; !hooked && i < sizeof(sections) / sizeof(sections[0]); i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare_load);

		err = libbpf_register_prog_handler(sections[i].section, BPF_PROG_TYPE_TRACING,
						   sections[i].attach, &opts);
		if (err < 0)
			return err;
	}
	hooked = true;
	return 0;
}

/* An fd of the BTF that the kernel has for a module: found by name among all BTF objects. */
static int module_btf_fd(const char *module)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		struct bpf_btf_info info = { 0 };
		char name[64] = "";
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

int zcq_targets_add(struct zcq_targets *t, const struct zcq_knames *names,
		    const struct bpf_program *prog, enum zcq_attach kind, const char *target)
{
	const struct zcq_kname *found;
	struct zcq_target *v;
	char text[96];
	int fd = 0;

	if (kind == ZCQ_ATTACH_TP_BTF) {
		snprintf(text, sizeof(text), "btf_trace_%s", target);
		found = zcq_knames_get(names, text, ZCQ_KNAME_TYPEDEF);
	} else {
		found = zcq_knames_get(names, target, ZCQ_KNAME_FUNC);
	}
	if (!found || !found->btf_id)
		return -ENOENT;
	for (size_t i = 0; found->module && i < t->n && !fd; i++)
		if (t->v[i].module == found->module)
			fd = t->v[i].btf_fd;
	if (found->module && !fd) {
		fd = module_btf_fd(found->module);
		if (fd < 0)
			return fd;
	}
	v = realloc(t->v, (t->n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->v = v;
	v[t->n++] = (struct zcq_target){ prog, found->module, found->btf_id, fd };
	return 0;
}

void zcq_targets_use(const struct zcq_targets *t)
{
	in_use = t;
}

void zcq_targets_free(struct zcq_targets *t)
{
	for (size_t i = 0; i < t->n; i++) {
		int fd = t->v[i].btf_fd;

		/* one fd for all targets of a module */
		for (size_t k = i; k < t->n; k++)
			if (t->v[k].btf_fd == fd)
				t->v[k].btf_fd = 0;
		if (fd)
			close(fd);
	}
	free(t->v);
	t->v = NULL;
	t->n = 0;
}
