// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of queue.bpf.c, queue_drv.bpf.c, register.bpf.c and pool.bpf.c: what each
 * tells, what is lost without it, and by what it may attach, best first. Newest names come
 * first, then older kernels', then kprobes for kernels that refuse fentry. Data only; those
 * of zcrx, devmem, hwgro, flow and instance are in probe_table_zc.c.
 */
#include "lib/bpf/probe.h"
#include "lib/bpf/probe_cand.h"

#define MLX5	"mlx5_core"
#define BNXT	"bnxt_en"

const struct zcq_probe zcq_probe_table_core[] = {
	{
		.id = ZCQ_PROBE_MP_OPEN, .name = "queue.bind", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "a memory provider bound to an rx queue, by whom, with what result",
		.lost = "bound events; the owner of a provider that is bound from now on",
		.cands = {
			FPAIR("mp_open_in", "mp_open_out", "netif_mp_open_rxq"),
			FPAIR("mp_open_in", "mp_open_out", "net_mp_open_rxq"),
			KPAIR("mp_open_in", "mp_open_out", "netif_mp_open_rxq"),
			KPAIR("mp_open_in", "mp_open_out", "net_mp_open_rxq"),
		},
	}, {
		.id = ZCQ_PROBE_MP_OPEN_INNER, .name = "queue.bind-inner", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "the same for callers that hold the netdev's lock (devmem before 7.x)",
		.lost = "devmem's bound events on kernels before 7.x",
		.cands = {
			FPAIR("mp_open_inner_in", "mp_open_inner_out", "__netif_mp_open_rxq"),
			FPAIR("mp_open_inner_in", "mp_open_inner_out", "__net_mp_open_rxq"),
			KPAIR("mp_open_inner_in", "mp_open_inner_out", "__netif_mp_open_rxq"),
			KPAIR("mp_open_inner_in", "mp_open_inner_out", "__net_mp_open_rxq"),
		},
	}, {
		.id = ZCQ_PROBE_MP_CLOSE, .name = "queue.unbind", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "a memory provider leaving an rx queue",
		.lost = "unbound events",
		.cands = {
			FPAIR("mp_close_in", "mp_close_out", "netif_mp_close_rxq"),
			FPAIR("mp_close_in", "mp_close_out", "net_mp_close_rxq"),
			KPAIR("mp_close_in", "mp_close_out", "netif_mp_close_rxq"),
			KPAIR("mp_close_in", "mp_close_out", "net_mp_close_rxq"),
		},
	}, {
		.id = ZCQ_PROBE_MP_CLOSE_INNER, .name = "queue.unbind-inner", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "the same when a queue lease ends, and for devmem before 7.x",
		.lost = "unbound events at the end of a queue lease",
		.cands = {
			FPAIR("mp_close_inner_in", "mp_close_inner_out", "__netif_mp_close_rxq"),
			FPAIR("mp_close_inner_in", "mp_close_inner_out", "__net_mp_close_rxq"),
			KPAIR("mp_close_inner_in", "mp_close_inner_out", "__netif_mp_close_rxq"),
			KPAIR("mp_close_inner_in", "mp_close_inner_out", "__net_mp_close_rxq"),
		},
	}, {
		.id = ZCQ_PROBE_MP_UNINSTALL_IOU, .name = "queue.uninstall-zcrx", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "a zcrx instance losing its queue because the netdev goes away",
		.lost = "unbound events when a netdev is removed under an instance",
		.cands = {
			FENTRY("mp_uninstall_iou", "io_pp_uninstall"),
			KPROBE("mp_uninstall_iou", "io_pp_uninstall"),
		},
	}, {
		.id = ZCQ_PROBE_MP_UNINSTALL_DMABUF, .name = "queue.uninstall-devmem", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "a devmem binding losing its queue because the netdev goes away",
		.lost = "unbound events when a netdev is removed under a devmem binding",
		.cands = {
			FENTRY("mp_uninstall_dmabuf", "mp_dmabuf_devmem_uninstall"),
			KPROBE("mp_uninstall_dmabuf", "mp_dmabuf_devmem_uninstall"),
		},
	}, {
		.id = ZCQ_PROBE_RECONFIG, .name = "queue.reconfigure", .subject = ZCQ_SUBJECT_QUEUE,
		.gives = "an rx queue stopped and started: cause, duration, result",
		.lost = "reconfigured events of single queues (bind, unbind, restart)",
		.cands = {
			FPAIR("reconfig_in", "reconfig_out", "netdev_rx_queue_reconfig"),
			{ .prog = "restart_in__fentry", .kind = ZCQ_ATTACH_FENTRY, .target = "netdev_rx_queue_restart",
			  .prog2 = "reconfig_out__fexit", .kind2 = ZCQ_ATTACH_FEXIT,
			  .target2 = "netdev_rx_queue_restart", .poorer = "no page sizes" },
			KPAIR("reconfig_in", "reconfig_out", "netdev_rx_queue_reconfig"),
			{ .prog = "restart_in__kprobe", .kind = ZCQ_ATTACH_KPROBE, .target = "netdev_rx_queue_restart",
			  .prog2 = "reconfig_out__kretprobe", .kind2 = ZCQ_ATTACH_KRETPROBE,
			  .target2 = "netdev_rx_queue_restart", .poorer = "no page sizes" },
		},
	}, {
		.id = ZCQ_PROBE_MLX5_ALLOC, .name = "queue.mlx5-alloc", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: how long the new queue's memory took",
		.lost = "mlx5: the alloc stage of a reconfigure",
		.cands = {
			FEXIT("mlx5_alloc", "mlx5e_queue_mem_alloc"),
			KRETPROBE("mlx5_alloc", "mlx5e_queue_mem_alloc"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_STOP, .name = "queue.mlx5-stop", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: how long stopping the old queue took",
		.lost = "mlx5: the stop stage of a reconfigure",
		.cands = {
			FENTRY("mlx5_stop", "mlx5e_queue_stop"),
			KPROBE("mlx5_stop", "mlx5e_queue_stop"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_START, .name = "queue.mlx5-start", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: how long the start took, and whether the old queue could be restarted",
		.lost = "mlx5: the start stage and the unhealthy mark of a reconfigure",
		.cands = {
			FPAIR("mlx5_start_in", "mlx5_start_out", "mlx5e_queue_start"),
			KPAIR("mlx5_start_in", "mlx5_start_out", "mlx5e_queue_start"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_FREE, .name = "queue.mlx5-free", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: how long freeing the old queue took",
		.lost = "mlx5: the free stage of a reconfigure",
		.cands = {
			FENTRY("mlx5_free", "mlx5e_queue_mem_free"),
			KPROBE("mlx5_free", "mlx5e_queue_mem_free"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_STANDSTILL, .name = "queue.mlx5-standstill", .subject = ZCQ_SUBJECT_QUEUE,
		.module = MLX5,
		.gives = "mlx5: how long all queues of the netdev stood still",
		.lost = "mlx5: the standstill of the other queues",
		.cands = {
			FPAIR2("mlx5_still_in", "mlx5e_deactivate_priv_channels",
			       "mlx5_still_out", "mlx5e_activate_priv_channels"),
			KPAIR2("mlx5_still_in", "mlx5e_deactivate_priv_channels",
			       "mlx5_still_out", "mlx5e_activate_priv_channels"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_REOPEN, .name = "queue.mlx5-reopen", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: all queues reopened by a change of rings, channels, features or MTU",
		.lost = "mlx5: reconfigured events with cause reopen",
		.cands = {
			FPAIR("mlx5_reopen_in", "mlx5_reopen_out", "mlx5e_safe_switch_params"),
			KPAIR("mlx5_reopen_in", "mlx5_reopen_out", "mlx5e_safe_switch_params"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_CHANNELS, .name = "queue.mlx5-channels", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: that a change really reopened the queues",
		.lost = "mlx5: reconfigured events with cause reopen",
		.cands = {
			FEXIT("mlx5_channels", "mlx5e_open_channels"),
			KRETPROBE("mlx5_channels", "mlx5e_open_channels"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_UP, .name = "queue.mlx5-up", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: all queues opened because the netdev goes up",
		.lost = "mlx5: reconfigured events with cause up",
		.cands = {
			FPAIR("mlx5_up_in", "mlx5_up_out", "mlx5e_open_locked"),
			KPAIR("mlx5_up_in", "mlx5_up_out", "mlx5e_open_locked"),
		},
	}, {
		.id = ZCQ_PROBE_MLX5_DOWN, .name = "queue.mlx5-down", .subject = ZCQ_SUBJECT_QUEUE, .module = MLX5,
		.gives = "mlx5: all queues closed because the netdev goes down",
		.lost = "mlx5: reconfigured events with cause down",
		.cands = {
			FPAIR("mlx5_down_in", "mlx5_down_out", "mlx5e_close_locked"),
			KPAIR("mlx5_down_in", "mlx5_down_out", "mlx5e_close_locked"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_ALLOC, .name = "queue.bnxt-alloc", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: how long the new queue's memory took",
		.lost = "bnxt: the alloc stage of a reconfigure",
		.cands = {
			FEXIT("bnxt_alloc", "bnxt_queue_mem_alloc"),
			KRETPROBE("bnxt_alloc", "bnxt_queue_mem_alloc"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_STOP, .name = "queue.bnxt-stop", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: how long stopping the old queue took",
		.lost = "bnxt: the stop stage of a reconfigure",
		.cands = {
			FENTRY("bnxt_stop", "bnxt_queue_stop"),
			KPROBE("bnxt_stop", "bnxt_queue_stop"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_START, .name = "queue.bnxt-start", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: how long the start took, and whether the old queue could be restarted",
		.lost = "bnxt: the start stage and the unhealthy mark of a reconfigure",
		.cands = {
			FPAIR("bnxt_start_in", "bnxt_start_out", "bnxt_queue_start"),
			KPAIR("bnxt_start_in", "bnxt_start_out", "bnxt_queue_start"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_FREE, .name = "queue.bnxt-free", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: how long freeing the old queue took",
		.lost = "bnxt: the free stage of a reconfigure",
		.cands = {
			FENTRY("bnxt_free", "bnxt_queue_mem_free"),
			KPROBE("bnxt_free", "bnxt_queue_mem_free"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_REOPEN, .name = "queue.bnxt-reopen", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: all queues reopened by a change of rings, channels, features or MTU",
		.lost = "bnxt: reconfigured events with cause reopen",
		.cands = {
			FPAIR2("bnxt_reopen_in", "bnxt_close_nic", "bnxt_reopen_out", "bnxt_open_nic"),
			KPAIR2("bnxt_reopen_in", "bnxt_close_nic", "bnxt_reopen_out", "bnxt_open_nic"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_UP, .name = "queue.bnxt-up", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: all queues opened because the netdev goes up",
		.lost = "bnxt: reconfigured events with cause up",
		.cands = {
			FPAIR("bnxt_up_in", "bnxt_up_out", "bnxt_open"),
			KPAIR("bnxt_up_in", "bnxt_up_out", "bnxt_open"),
		},
	}, {
		.id = ZCQ_PROBE_BNXT_DOWN, .name = "queue.bnxt-down", .subject = ZCQ_SUBJECT_QUEUE, .module = BNXT,
		.gives = "bnxt: all queues closed because the netdev goes down",
		.lost = "bnxt: reconfigured events with cause down",
		.cands = {
			FPAIR("bnxt_down_in", "bnxt_down_out", "bnxt_close"),
			KPAIR("bnxt_down_in", "bnxt_down_out", "bnxt_close"),
		},
	}, {
		.id = ZCQ_PROBE_REGISTER_CALL, .name = "register.call", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "the arguments of a zcrx registration, and where it begins",
		.lost = "netdev, queue, area and reason text of registrations",
		.cands = {
			FENTRY("register_call", "io_register_zcrx"),
			FENTRY("register_call", "io_register_zcrx_ifq"),
			KPROBE("register_call", "io_register_zcrx"),
			KPROBE("register_call", "io_register_zcrx_ifq"),
			TP("register_call", "syscalls:sys_enter_io_uring_register"),
			{ .prog = "register_call__tp_btf", .kind = ZCQ_ATTACH_TP_BTF, .target = "sys_enter",
			  .needs = HAS_ZCRX, .poorer = "looks at every system call of the host" },
		},
	}, {
		.id = ZCQ_PROBE_REGISTER_RESULT, .name = "register.result", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "every zcrx registration attempt and control call, with its errno",
		.lost = "registered, rejected and control events",
		.cands = {
			TP_BTF("register_result", "io_uring_register"),
			TP("register_result", "io_uring:io_uring_register"),
		},
	}, {
		.id = ZCQ_PROBE_REGISTER_REASON, .name = "register.reason", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "the kernel's own text why a registration was refused",
		.lost = "the reason text of rejected events",
		.cands = {
			TP_BTF("register_reason", "netlink_extack"),
			TP("register_reason", "netlink:netlink_extack"),
		},
	}, {
		.id = ZCQ_PROBE_REGISTER_AREA, .name = "register.instance", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "which instance a registration makes: the owner of one without a netdev",
		.lost = "the owner of instances without a netdev, from now on",
		.cands = {
			FENTRY("register_area", "__zcrx_create_area"),
			KPROBE("register_area", "__zcrx_create_area"),
		},
	}, {
		.id = ZCQ_PROBE_CONTROL, .name = "register.control", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "what a zcrx control call asks for: export, more area",
		.lost = "the operation in control events (kernels before 7.x have no such call)",
		.cands = {
			FENTRY("control", "io_zcrx_ctrl"),
			KPROBE("control", "io_zcrx_ctrl"),
		},
	}, {
		.id = ZCQ_PROBE_UNREGISTER, .name = "register.end", .subject = ZCQ_SUBJECT_REGISTER,
		.gives = "the last user of an instance letting go",
		.lost = "unregistered events",
		.cands = {
			FENTRY("close_queue", "io_close_queue"),
			{ .prog = "unregister__fentry", .kind = ZCQ_ATTACH_FENTRY, .target = "zcrx_unregister_user",
			  .poorer = "missed when the last two users let go at the same time" },
			KPROBE("close_queue", "io_close_queue"),
			{ .prog = "unregister__kprobe", .kind = ZCQ_ATTACH_KPROBE, .target = "zcrx_unregister_user",
			  .poorer = "missed when the last two users let go at the same time" },
		},
	}, {
		.id = ZCQ_PROBE_POOL_CREATE, .name = "pool.create", .subject = ZCQ_SUBJECT_POOL,
		.gives = "a page pool created, or why not",
		.lost = "pool-created events; the age of pools created from now on",
		.cands = {
			FEXIT("pool_create", "page_pool_create"),
			{ .prog = "pool_create__kretprobe", .kind = ZCQ_ATTACH_KRETPROBE, .target = "page_pool_create",
			  .poorer = "no netdev and queue of a creation that failed" },
		},
	}, {
		.id = ZCQ_PROBE_POOL_RELEASE, .name = "pool.release", .subject = ZCQ_SUBJECT_POOL,
		.gives = "a page pool destroyed, or waiting for buffers that somebody holds",
		.lost = "pool-destroyed and pool-stalled events",
		.cands = {
			TP_BTF("pool_release", "page_pool_release"),
			TP("pool_release", "page_pool:page_pool_release"),
		},
	}, {
		.id = ZCQ_PROBE_POOL_HOLD, .name = "pool.first-buffer", .subject = ZCQ_SUBJECT_POOL,
		.profile = ZCQ_PROFILE_HEAVY,
		.gives = "pool-created where pool.create is missing, at a pool's first buffer",
		.lost = "pool-created events on kernels that refuse fentry and kprobes",
		.cands = {
			TP_BTF("pool_hold", "page_pool_state_hold"),
		},
	},
	{ .name = NULL },
};
