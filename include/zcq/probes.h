/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The logical probes: what is watched, whatever kernel function or tracepoint it takes here.
 * Numbers index the probe table of user/lib/bpf/probe_table.c, which names the candidates and
 * what is lost without each. Bit n of struct zcq_bpf's attached set is probe n.
 */
#ifndef ZCQ_PROBES_H
#define ZCQ_PROBES_H

enum zcq_probe_id {
	/* queue */
	ZCQ_PROBE_MP_OPEN = 0,		/* provider bound to a queue */
	ZCQ_PROBE_MP_OPEN_INNER,	/* the same by callers that hold the lock already */
	ZCQ_PROBE_MP_CLOSE,		/* provider leaves a queue */
	ZCQ_PROBE_MP_CLOSE_INNER,
	ZCQ_PROBE_MP_UNINSTALL_IOU,	/* provider leaves because the netdev goes */
	ZCQ_PROBE_MP_UNINSTALL_DMABUF,
	ZCQ_PROBE_RECONFIG,		/* one queue stopped and started */
	ZCQ_PROBE_MLX5_ALLOC,		/* stages of one queue in mlx5 */
	ZCQ_PROBE_MLX5_STOP,
	ZCQ_PROBE_MLX5_START,
	ZCQ_PROBE_MLX5_FREE,
	ZCQ_PROBE_MLX5_STANDSTILL,	/* all queues of mlx5 standing still */
	ZCQ_PROBE_MLX5_REOPEN,		/* all queues of mlx5 reopened */
	ZCQ_PROBE_MLX5_CHANNELS,	/* that they really were: a parameter may change without it */
	ZCQ_PROBE_MLX5_UP,
	ZCQ_PROBE_MLX5_DOWN,
	ZCQ_PROBE_BNXT_ALLOC,
	ZCQ_PROBE_BNXT_STOP,
	ZCQ_PROBE_BNXT_START,
	ZCQ_PROBE_BNXT_FREE,
	ZCQ_PROBE_BNXT_REOPEN,
	ZCQ_PROBE_BNXT_UP,
	ZCQ_PROBE_BNXT_DOWN,
	/* register */
	ZCQ_PROBE_REGISTER_CALL,	/* the arguments of a registration */
	ZCQ_PROBE_REGISTER_RESULT,	/* its result */
	ZCQ_PROBE_REGISTER_REASON,	/* the kernel's reason text */
	ZCQ_PROBE_REGISTER_AREA,	/* which instance the call makes */
	ZCQ_PROBE_CONTROL,		/* the arguments of a control call */
	ZCQ_PROBE_UNREGISTER,		/* the last user of an instance lets go */
	/* pool */
	ZCQ_PROBE_POOL_CREATE,
	ZCQ_PROBE_POOL_RELEASE,		/* destroyed, or waiting for its buffers */
	ZCQ_PROBE_POOL_HOLD,		/* heavy: a pool seen by its first buffer */
	/* flow: before what makes flows, as probes attach in this order */
	ZCQ_PROBE_FLOW_STATE,		/* the end of a flow */
	/* zcrx */
	ZCQ_PROBE_ZCRX_COPY,		/* copied bytes and why; a receive call's end. Before its begin: */
	ZCQ_PROBE_ZCRX_READ,		/* a receive call's begin */
	ZCQ_PROBE_ZCRX_RECV,		/* end of a receive request */
	ZCQ_PROBE_ZCRX_ALLOC,		/* buffers given to the driver, failures */
	ZCQ_PROBE_ZCRX_QUEUE_CQE,	/* heavy: each buffer given to the application */
	ZCQ_PROBE_ZCRX_RELEASE,		/* heavy: each buffer back in the free list */
	/* devmem */
	ZCQ_PROBE_DEVMEM_BIND,
	ZCQ_PROBE_DEVMEM_UNBIND,
	ZCQ_PROBE_DEVMEM_ALLOC,
	ZCQ_PROBE_DEVMEM_RECV,
	ZCQ_PROBE_DEVMEM_DONTNEED,
	/* hwgro */
	ZCQ_PROBE_MLX5_SHAMPO_FLUSH,
	ZCQ_PROBE_MLX5_UNSPLIT,
	ZCQ_PROBE_BNXT_TPA,
	/* instance */
	ZCQ_PROBE_ITER_FILES,		/* rings and exported instances in fd tables */
	ZCQ_PROBE_ITER_TASKS,		/* registered rings without an fd */
	ZCQ_PROBES,
};

_Static_assert(ZCQ_PROBES <= 64, "sets of probes are kept in 64 bits");

#endif
