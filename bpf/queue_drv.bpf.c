// SPDX-License-Identifier: GPL-2.0-only
/*
 * The drivers' part of a reconfigure: how long each stage takes, whether the old queue could
 * be restarted after a failure, how long the other queues stood still; and the reopening of a
 * whole netdev (rings, channels, features, MTU, up, down), which never passes the core's
 * reconfigure. Context: process or kworker, rare. Drivers: mlx5_core, bnxt_en; a probe here
 * pins its module. Without them reconfigures still show, with result and duration only.
 */
#include "hook.bpf.h"
#include "queue.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mlx5e_priv {
	struct net_device *netdev;
};

struct bnxt {
	struct net_device *dev;
};

#pragma clang attribute pop

/* --- stages of one queue -------------------------------------------------------------------- */

/* The operation whose driver stages we are in, or NULL: called by the driver for itself. */
static __always_inline struct queue_op *op_of_stage(void)
{
	struct queue_op *op = op_find();

	if (!op || !op->rc_depth || op->rc_queue.rxq == ZCQ_NO_QUEUE)
		return NULL;
	op->rc_flags |= ZCQ_RECONFIG_STAGES;
	return op;
}

static __always_inline int on_alloc_exit(void)
{
	struct queue_op *op = op_of_stage();

	if (op)
		op->stage_ns[ZCQ_STAGE_ALLOC] = bpf_ktime_get_ns() - op->rc_start;
	return 0;
}

static __always_inline int on_stop_enter(void)
{
	struct queue_op *op = op_of_stage();

	if (op)
		op->stage_mark = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int on_start_enter(void)
{
	struct queue_op *op = op_of_stage();
	__u64 now = bpf_ktime_get_ns();

	if (!op)
		return 0;
	if (!op->rc_starts && op->stage_mark)
		op->stage_ns[ZCQ_STAGE_STOP] = now - op->stage_mark;
	op->stage_mark = now;
	op->rc_starts++;
	return 0;
}

/* A second start in one reconfigure is the core putting the old queue back. */
static __always_inline int on_start_exit(int result)
{
	struct queue_op *op = op_of_stage();
	__u64 now = bpf_ktime_get_ns();

	if (!op)
		return 0;
	op->stage_ns[ZCQ_STAGE_START] += now - op->stage_mark;
	op->stage_mark = now;
	if (op->rc_starts > 1)
		op->rc_flags |= result ? ZCQ_RECONFIG_UNHEALTHY : ZCQ_RECONFIG_RESTORED;
	return 0;
}

static __always_inline int on_free_enter(void)
{
	struct queue_op *op = op_of_stage();

	if (op && op->rc_starts)
		op->stage_mark = bpf_ktime_get_ns();
	return 0;
}

/* The driver's four queue operations: ops is how their names begin. */
#define ON_STAGES(drv, ops)							\
	ON_EXIT(drv##_alloc, ops "_mem_alloc", on_alloc_exit())			\
	ON_ENTRY(drv##_stop, ops "_stop", on_stop_enter())			\
	ON_ENTRY(drv##_start_in, ops "_start", on_start_enter())		\
	ON_RESULT(drv##_start_out, ops "_start", on_start_exit(ret))		\
	ON_ENTRY(drv##_free, ops "_mem_free", on_free_enter())

ON_STAGES(mlx5, "mlx5e_queue")
ON_STAGES(bnxt, "bnxt_queue")

/* --- all queues of a netdev -------------------------------------------------------------------- */

static __always_inline int on_dev_enter(struct net_device *dev, __u32 cause)
{
	struct queue_op *op = rc_begin(dev, ZCQ_NO_QUEUE, cause);

	if (op && dev_has_provider(dev))
		op->rc_flags |= ZCQ_RECONFIG_PROVIDER;
	return 0;
}

static __always_inline int on_dev_exit(int result)
{
	struct queue_op *op = op_find();

	if (op)
		rc_end(op, result, true);
	return 0;
}

/* Channels stop and start again: everything on this netdev stands still in between. */
static __always_inline int on_still_begin(void)
{
	struct queue_op *op = op_find();

	if (op && op->rc_depth && op->rc_cause != ZCQ_CAUSE_DOWN)
		op->still_mark = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int on_still_end(void)
{
	struct queue_op *op = op_find();

	if (!op || !op->rc_depth || !op->still_mark)
		return 0;
	op->still_ns += bpf_ktime_get_ns() - op->still_mark;
	op->still_mark = 0;
	op->rc_flags |= ZCQ_RECONFIG_STANDSTILL;
	return 0;
}

ON_ENTRY(mlx5_still_in, "mlx5e_deactivate_priv_channels", on_still_begin())
ON_EXIT(mlx5_still_out, "mlx5e_activate_priv_channels", on_still_end())

/* mlx5e_safe_switch_params() reopens only when it must: the channels it opens tell. */
static __always_inline int on_channels_exit(void)
{
	struct queue_op *op = op_find();

	if (op && op->rc_depth && op->rc_cause == ZCQ_CAUSE_REOPEN && !op->rc_channels) {
		op->rc_channels = 1;
		op->stage_ns[ZCQ_STAGE_ALLOC] = bpf_ktime_get_ns() - op->rc_start;
		op->rc_flags |= ZCQ_RECONFIG_STAGES;
	}
	return 0;
}

static __always_inline int on_switch_exit(int result)
{
	struct queue_op *op = op_find();

	if (op)
		rc_end(op, result, op->rc_channels);
	return 0;
}

ON_EXIT(mlx5_channels, "mlx5e_open_channels", on_channels_exit())
ON_ENTRY(mlx5_reopen_in, "mlx5e_safe_switch_params",
	 on_dev_enter(BPF_CORE_READ(priv, netdev), ZCQ_CAUSE_REOPEN), struct mlx5e_priv *priv)
ON_RESULT(mlx5_reopen_out, "mlx5e_safe_switch_params", on_switch_exit(ret))

/* The netdev goes up and down: the functions that do it. */
#define ON_UP_DOWN(drv, open, close)							\
	ON_ENTRY(drv##_up_in, open, on_dev_enter(dev, ZCQ_CAUSE_UP), struct net_device *dev) \
	ON_RESULT(drv##_up_out, open, on_dev_exit(ret))					\
	ON_ENTRY(drv##_down_in, close, on_dev_enter(dev, ZCQ_CAUSE_DOWN), struct net_device *dev) \
	ON_RESULT(drv##_down_out, close, on_dev_exit(ret))

ON_UP_DOWN(mlx5, "mlx5e_open_locked", "mlx5e_close_locked")
ON_UP_DOWN(bnxt, "bnxt_open", "bnxt_close")

/*
 * bnxt closes and opens by two calls of one task. Its ndo_stop closes the same way, but then
 * the depth is already taken by ZCQ_CAUSE_DOWN, and nothing opens.
 */
static __always_inline int on_nic_close(struct net_device *dev)
{
	struct queue_op *op = op_get();

	if (!op || (op->rc_depth && !op->rc_loose))
		return 0;
	if (rc_begin(dev, ZCQ_NO_QUEUE, ZCQ_CAUSE_REOPEN)) {
		op->rc_loose = 1;
		if (dev_has_provider(dev))
			op->rc_flags |= ZCQ_RECONFIG_PROVIDER;
		op->still_mark = op->rc_start;
	}
	return 0;
}

static __always_inline int on_nic_open_exit(int result)
{
	struct queue_op *op = op_find();

	if (!op || !op->rc_loose || !op->rc_depth)
		return 0;
	op->rc_loose = 0;
	on_still_end();
	rc_end(op, result, true);
	return 0;
}

ON_ENTRY(bnxt_reopen_in, "bnxt_close_nic", on_nic_close(BPF_CORE_READ(bp, dev)), struct bnxt *bp)
ON_RESULT(bnxt_reopen_out, "bnxt_open_nic", on_nic_open_exit(ret))
