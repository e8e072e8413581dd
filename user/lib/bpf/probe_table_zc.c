// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of zcrx.bpf.c, zcrx_end.bpf.c, devmem.bpf.c, hwgro.bpf.c, flow.bpf.c and
 * instance.bpf.c: what each tells, what is lost without it, and by what it may attach, best
 * first. Data only; the rest is in probe_table.c. The order matters: a flow's end is watched
 * before flows are made, copies before the receive calls they are part of.
 */
#include "lib/bpf/probe.h"
#include "lib/bpf/probe_cand.h"

#define MLX5 "mlx5_core"
#define BNXT "bnxt_en"

/* Two programs of one kind on two functions: one without the other would count wrong. */
#define FEXIT2(a, a_target, b, b_target)                                             \
	{                                                                            \
		.prog = a "__fexit", .kind = ZCQ_ATTACH_FEXIT, .target = a_target,   \
		.prog2 = b "__fexit", .kind2 = ZCQ_ATTACH_FEXIT, .target2 = b_target \
	}
#define FENTRY2(a, a_target, b, b_target)                                              \
	{                                                                              \
		.prog = a "__fentry", .kind = ZCQ_ATTACH_FENTRY, .target = a_target,   \
		.prog2 = b "__fentry", .kind2 = ZCQ_ATTACH_FENTRY, .target2 = b_target \
	}

const struct zcq_probe zcq_probe_table_zc[] = {
	{
		.id = ZCQ_PROBE_FLOW_STATE, .name = "flow.end", .subject = ZCQ_SUBJECT_FLOW,
		.gives = "the end of a flow: its socket is destroyed",
		.lost = "flow-ended events; ended flows stay in the table",
		.cands = {
			TP_BTF("flow_destroy", "tcp_destroy_sock"),
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_COPY, .name = "zcrx.copied", .subject = ZCQ_SUBJECT_ZCRX,
		.syms = 1U << ZCQ_SYM_ZCRX_RECV_SKB,
		.gives = "bytes that zcrx copied, and why; with zcrx.received, bytes it did not copy",
		.lost = "zero-copied and copied bytes of queues and flows; copied events",
		.cands = {
			FEXIT2("zcrx_copy", "io_zcrx_copy_chunk", "zcrx_read_out", "tcp_read_sock"),
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_READ, .name = "zcrx.received", .subject = ZCQ_SUBJECT_ZCRX,
		.syms = 1U << ZCQ_SYM_ZCRX_RECV_SKB,
		.gives = "where a zcrx receive call begins, so that only whole calls are counted",
		.lost = "zero-copied and copied bytes of queues and flows; flow-started events",
		.cands = {
			FENTRY("zcrx_read_in", "tcp_read_sock"),
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_RECV, .name = "zcrx.end", .subject = ZCQ_SUBJECT_ZCRX,
		.gives = "the end of a receive request, with its errno",
		.lost = "recv-ended events",
		.cands = {
			FEXIT("zcrx_end", "io_recvzc"),
			{ .prog = "zcrx_end__tp_btf", .kind = ZCQ_ATTACH_TP_BTF, .target = "io_uring_complete",
			  .needs = HAS_ZCRX, .poorer = "fires for every io_uring completion of the host; no bytes of the flow" },
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_ALLOC, .name = "zcrx.alloc", .subject = ZCQ_SUBJECT_ZCRX,
		.gives = "buffers an instance gave its queue, and when it had none",
		.lost = "allocation failures; alloc-failed, starved and alloc-recovered events",
		.cands = {
			FEXIT("zcrx_alloc", "io_pp_zc_alloc_netmems"),
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_QUEUE_CQE, .name = "zcrx.buffer-given", .subject = ZCQ_SUBJECT_ZCRX,
		.profile = ZCQ_PROFILE_HEAVY,
		.gives = "each buffer given to the application",
		.lost = "buffer events of buffers given",
		.cands = {
			FEXIT("zcrx_queue_cqe", "io_zcrx_queue_cqe"),
		},
	}, {
		.id = ZCQ_PROBE_ZCRX_RELEASE, .name = "zcrx.buffer-returned", .subject = ZCQ_SUBJECT_ZCRX,
		.profile = ZCQ_PROFILE_HEAVY,
		.gives = "each buffer that comes back to its area's free list",
		.lost = "buffer events of buffers returned; their count",
		.cands = {
			FENTRY("zcrx_release", "io_pp_zc_release_netmem"),
		},
	}, {
		.id = ZCQ_PROBE_DEVMEM_BIND, .name = "devmem.bind", .subject = ZCQ_SUBJECT_DEVMEM,
		.gives = "a dmabuf bound to a netdev, by whom, with what result",
		.lost = "dmabuf-bound events; the owner of a binding made from now on",
		.cands = {
			FEXIT("devmem_bind", "net_devmem_bind_dmabuf"),
		},
	}, {
		.id = ZCQ_PROBE_DEVMEM_UNBIND, .name = "devmem.unbind", .subject = ZCQ_SUBJECT_DEVMEM,
		.gives = "a dmabuf binding coming to its end",
		.lost = "dmabuf-unbound events",
		.cands = {
			FENTRY("devmem_unbind", "net_devmem_unbind_dmabuf"),
		},
	}, {
		.id = ZCQ_PROBE_DEVMEM_ALLOC, .name = "devmem.alloc", .subject = ZCQ_SUBJECT_DEVMEM,
		.gives = "buffers a binding gave its queues, and when it had none",
		.lost = "allocation failures of dmabuf queues",
		.cands = {
			FEXIT("devmem_alloc", "mp_dmabuf_devmem_alloc_netmems"),
		},
	}, {
		.id = ZCQ_PROBE_DEVMEM_RECV, .name = "devmem.received", .subject = ZCQ_SUBJECT_DEVMEM,
		.gives = "bytes received in a dmabuf, and bytes copied from the header part",
		.lost = "bytes and flows of dmabuf queues",
		.cands = {
			FEXIT("devmem_recv", "tcp_recvmsg_dmabuf"),
		},
	}, {
		.id = ZCQ_PROBE_DEVMEM_DONTNEED, .name = "devmem.returned", .subject = ZCQ_SUBJECT_DEVMEM,
		.gives = "buffers the application gave back",
		.lost = "returned buffers of dmabuf queues",
		.cands = {
			FEXIT("devmem_dontneed", "sock_devmem_dontneed"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_SHAMPO_FLUSH, .name = "hwgro.mlx5", .subject = ZCQ_SUBJECT_HWGRO, .module = MLX5,
		.gives = "mlx5: coalesced packets, their segments and bytes",
		.lost = "mlx5: coalesced summaries",
		.cands = {
			FENTRY("mlx5_flush", "mlx5e_shampo_flush_skb"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_UNSPLIT, .name = "hwgro.mlx5-unsplit", .subject = ZCQ_SUBJECT_HWGRO,
		.profile = ZCQ_PROFILE_HEAVY, .module = MLX5,
		.gives = "mlx5: packets dropped because their header was not split (fires for each packet)",
		.lost = "mlx5: unsplit drops, which no counter of the driver has",
		.cands = {
			FENTRY("mlx5_cqe", "mlx5e_handle_rx_cqe_mpwrq_shampo"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_TPA, .name = "hwgro.bnxt", .subject = ZCQ_SUBJECT_HWGRO, .module = BNXT,
		.gives = "bnxt: coalesced packets, their segments and bytes",
		.lost = "bnxt: coalesced summaries",
		.cands = {
			FENTRY2("bnxt_poll", "bnxt_poll_p5", "bnxt_gro", "bnxt_gro_func_5750x"),
		},
	}, {
		.id = ZCQ_PROBE_ITER_FILES, .name = "instance.files", .subject = ZCQ_SUBJECT_INSTANCE,
		.syms = 1U << ZCQ_SYM_URING_RELEASE,
		.gives = "instances of rings and exported files in fd tables, older ones too",
		.lost = "instances, their owners, free and held buffers",
		.cands = {
			ITER("instance_files", "task_file"),
		},
	}, {
		.id = ZCQ_PROBE_ITER_TASKS, .name = "instance.tasks", .subject = ZCQ_SUBJECT_INSTANCE,
		.syms = 1U << ZCQ_SYM_URING_RELEASE,
		.gives = "instances of rings that are registered with a task and have no fd",
		.lost = "instances of rings without an fd",
		.cands = {
			ITER("instance_tasks", "task"),
		},
	},
	{ .name = NULL },
};
