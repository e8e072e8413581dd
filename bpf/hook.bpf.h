/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line for what attaches in two ways: by fentry or fexit, and by a kprobe or kretprobe on
 * kernels that refuse those. The work is in a function on_<what>(), which `call` calls; the
 * programs are named <what>__<kind>, as in the probe table. `func` is the newest kernel's name
 * for the function.
 *
 *	ON_ENTRY(what, func, call, args...)	args: the function's own, as far as call needs them
 *	ON_EXIT(what, func, call)
 *	ON_RESULT(what, func, call)		with what it returned, as `ret`
 *
 * The result is read by a helper and not as an argument: kernels differ in their number.
 */
#ifndef ZCQ_HOOK_BPF_H
#define ZCQ_HOOK_BPF_H

#include "kernel.bpf.h"

#define ON_ENTRY(what, func, call, ...)					\
	SEC("fentry/" func)						\
	int BPF_PROG(what##__fentry, ##__VA_ARGS__)			\
	{								\
		return call;						\
	}								\
	SEC("kprobe/" func)						\
	int BPF_KPROBE(what##__kprobe, ##__VA_ARGS__)			\
	{								\
		return call;						\
	}

#define ON_EXIT(what, func, call)					\
	SEC("fexit/" func)						\
	int what##__fexit(void *ctx)					\
	{								\
		return call;						\
	}								\
	SEC("kretprobe/" func)						\
	int what##__kretprobe(void *ctx)				\
	{								\
		return call;						\
	}

#define ON_RESULT(what, func, call)					\
	SEC("fexit/" func)						\
	int what##__fexit(void *ctx)					\
	{								\
		__u64 ret = 0;						\
									\
		bpf_get_func_ret(ctx, &ret);				\
		return call;						\
	}								\
	SEC("kretprobe/" func)						\
	int BPF_KRETPROBE(what##__kretprobe, int ret)			\
	{								\
		return call;						\
	}

#endif
