/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shorthand for the candidates in the probe tables. The wrappers in bpf/ are named
 * <what>__<kind>, so what and target say it all. Included by probe_table*.c only.
 */
#ifndef ZCQ_BPF_PROBE_CAND_H
#define ZCQ_BPF_PROBE_CAND_H

#define FENTRY(what, target_)	{ .prog = what "__fentry", .kind = ZCQ_ATTACH_FENTRY, .target = target_ }
#define FEXIT(what, target_)	{ .prog = what "__fexit", .kind = ZCQ_ATTACH_FEXIT, .target = target_ }
#define KPROBE(what, target_)	{ .prog = what "__kprobe", .kind = ZCQ_ATTACH_KPROBE, .target = target_ }
#define KRETPROBE(what, target_) { .prog = what "__kretprobe", .kind = ZCQ_ATTACH_KRETPROBE, .target = target_ }
#define TP_BTF(what, target_)	{ .prog = what "__tp_btf", .kind = ZCQ_ATTACH_TP_BTF, .target = target_ }
#define TP(what, target_)	{ .prog = what "__tp", .kind = ZCQ_ATTACH_TP, .target = target_ }
#define ITER(what, target_)	{ .prog = what "__iter", .kind = ZCQ_ATTACH_ITER, .target = target_ }

/*
 * A function of every kernel that has zcrx: what is hooked by something that all kernels have, and
 * many use, needs it.
 */
#define HAS_ZCRX "io_recvzc"

/* Entry and exit of one function by two programs. */
#define FPAIR2(in, in_target, out, out_target)						\
	{ .prog = in "__fentry", .kind = ZCQ_ATTACH_FENTRY, .target = in_target,	\
	  .prog2 = out "__fexit", .kind2 = ZCQ_ATTACH_FEXIT, .target2 = out_target }
#define KPAIR2(in, in_target, out, out_target)						\
	{ .prog = in "__kprobe", .kind = ZCQ_ATTACH_KPROBE, .target = in_target,	\
	  .prog2 = out "__kretprobe", .kind2 = ZCQ_ATTACH_KRETPROBE, .target2 = out_target }
#define FPAIR(in, out, target_)	FPAIR2(in, target_, out, target_)
#define KPAIR(in, out, target_)	KPAIR2(in, target_, out, target_)

#endif
