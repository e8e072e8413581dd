// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trial loads of two-instruction programs, one for each kind of attachment. A load that
 * works is attached too where only that tells (fentry, kprobe), to a function that the
 * kernel keeps for such tests and nobody calls, and detached at once.
 */
#include "lib/bpf/caps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIAL_FUNC "bpf_fentry_test1"

/* r0 = 0; exit */
static const struct bpf_insn trial_insns[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int trial_load(enum bpf_prog_type type, enum bpf_attach_type attach, int32_t btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach,
		    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, "zcq_trial", "GPL", trial_insns, 2, &opts);

	return fd < 0 ? -errno : fd;
}

/* fentry and tp_btf attach through the same call. */
static int trial_tracing(enum bpf_attach_type attach, int32_t btf_id, bool do_attach)
{
	int prog, link, err = 0;

	if (!btf_id)
		return -ENOENT;
	prog = trial_load(BPF_PROG_TYPE_TRACING, attach, btf_id);
	if (prog < 0)
		return prog;
	if (do_attach) {
		link = bpf_raw_tracepoint_open(NULL, prog);
		if (link < 0)
			err = -errno;
		else
			close(link);
	}
	close(prog);
	return err;
}

static int read_int(const char *path)
{
	FILE *f = fopen(path, "re");
	int value;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &value) != 1)
		value = -EINVAL;
	fclose(f);
	return value;
}

static int trial_kprobe(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type = read_int("/sys/bus/event_source/devices/kprobe/type");
	int prog, fd;

	if (type < 0)
		return type;
	prog = trial_load(BPF_PROG_TYPE_KPROBE, 0, 0);
	if (prog < 0)
		return prog;
	close(prog);
	attr.type = type;
	attr.config1 = (uintptr_t)TRIAL_FUNC;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int trial_tracepoint(void)
{
	int prog;

	if (access("/sys/kernel/tracing/events", X_OK) &&
	    access("/sys/kernel/debug/tracing/events", X_OK))
		return -errno;
	prog = trial_load(BPF_PROG_TYPE_TRACEPOINT, 0, 0);
	if (prog < 0)
		return prog;
	close(prog);
	return 0;
}

/* "lockdown: integrity" when the kernel is locked down, else "". */
static void lockdown_text(char *text, size_t size)
{
	char line[128] = "", *begin, *end;
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	text[0] = '\0';
	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && (begin = strchr(line, '[')) &&
	    (end = strchr(begin, ']'))) {
		*end = '\0';
		if (strcmp(begin + 1, "none"))
			snprintf(text, size, ", lockdown: %s", begin + 1);
	}
	fclose(f);
}

static void refusal_text(char *why, size_t size, const char *what, int err)
{
	char lockdown[64];

	why[0] = '\0';
	if (!err)
		return;
	if (err == -ENOENT) {
		snprintf(why, size, "this kernel has no %s", what);
		return;
	}
	lockdown_text(lockdown, sizeof(lockdown));
	if (err == -EPERM || err == -EACCES)
		snprintf(why, size, "the kernel refuses %s (%s%s)", what, strerrorname_np(-err),
			 lockdown[0] ? lockdown : "; hardening");
	else
		snprintf(why, size, "the kernel can't do %s (%s)", what, strerror(-err));
}

void zcq_bpf_caps_find(struct zcq_bpf_caps *caps, const struct zcq_trial_ids *ids)
{
	caps->fentry_err = trial_tracing(BPF_TRACE_FENTRY, ids->fentry_func, true);
	caps->tp_btf_err = trial_tracing(BPF_TRACE_RAW_TP, ids->tp_typedef, false);
	caps->iter_err = trial_tracing(BPF_TRACE_ITER, ids->iter_func, false);
	caps->kprobe_err = trial_kprobe();
	caps->tp_err = trial_tracepoint();
	refusal_text(caps->fentry_why, sizeof(caps->fentry_why), "fentry", caps->fentry_err);
	refusal_text(caps->tp_btf_why, sizeof(caps->tp_btf_why), "tp_btf", caps->tp_btf_err);
	refusal_text(caps->kprobe_why, sizeof(caps->kprobe_why), "kprobes", caps->kprobe_err);
	refusal_text(caps->tp_why, sizeof(caps->tp_why), "tracepoints", caps->tp_err);
	if (caps->tp_err == -ENOENT)
		snprintf(caps->tp_why, sizeof(caps->tp_why), "tracefs is not mounted");
	refusal_text(caps->iter_why, sizeof(caps->iter_why), "iterators", caps->iter_err);
}

bool zcq_have_cap(int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective & (1U << (cap % 32));
}

int zcq_bpf_permitted(char *why, size_t size)
{
	int fd;

	/* It includes CAP_BPF and CAP_PERFMON, which are not enough: libbpf lists BTF objects. */
	if (!zcq_have_cap(CAP_SYS_ADMIN)) {
		snprintf(why, size, "CAP_SYS_ADMIN is missing, nothing can be attached: run as root");
		return -EPERM;
	}
	fd = trial_load(BPF_PROG_TYPE_SOCKET_FILTER, 0, 0);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (fd == -ENOSYS)
		snprintf(why, size, "this kernel is built without BPF");
	else
		snprintf(why, size, "the kernel refuses even the simplest BPF program: %s%s",
			 strerror(-fd), fd == -EPERM ? " (in a user namespace?)" : "");
	return fd;
}
