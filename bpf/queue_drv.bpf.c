// SPDX-License-Identifier: GPL-2.0-only
/*
 * The drivers' part of a reconfigure: how long each stage takes, whether the old queue could
 * be restarted after a failure, how long the other queues stood still; and the reopening of a
 * whole netdev (rings, channels, features, MTU, up, down), which never passes the core's
 * reconfigure. Context: process or kworker, rare. Drivers: mlx5_core, bnxt_en; a probe here
 * pins its module. Without them reconfigures still show, with result and duration only.
 */
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

SEC("fexit/mlx5e_queue_mem_alloc")
int mlx5_alloc__fexit(void *ctx)
{
	return on_alloc_exit();
}

SEC("kretprobe/mlx5e_queue_mem_alloc")
int mlx5_alloc__kretprobe(void *ctx)
{
	return on_alloc_exit();
}

SEC("fentry/mlx5e_queue_stop")
int mlx5_stop__fentry(void *ctx)
{
	return on_stop_enter();
}

SEC("kprobe/mlx5e_queue_stop")
int mlx5_stop__kprobe(void *ctx)
{
	return on_stop_enter();
}

SEC("fentry/mlx5e_queue_start")
int mlx5_start_in__fentry(void *ctx)
{
	return on_start_enter();
}

SEC("fexit/mlx5e_queue_start")
int mlx5_start_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_start_exit(ret);
}

SEC("kprobe/mlx5e_queue_start")
int mlx5_start_in__kprobe(void *ctx)
{
	return on_start_enter();
}

SEC("kretprobe/mlx5e_queue_start")
int BPF_KRETPROBE(mlx5_start_out__kretprobe, int ret)
{
	return on_start_exit(ret);
}

SEC("fentry/mlx5e_queue_mem_free")
int mlx5_free__fentry(void *ctx)
{
	return on_free_enter();
}

SEC("kprobe/mlx5e_queue_mem_free")
int mlx5_free__kprobe(void *ctx)
{
	return on_free_enter();
}

SEC("fexit/bnxt_queue_mem_alloc")
int bnxt_alloc__fexit(void *ctx)
{
	return on_alloc_exit();
}

SEC("kretprobe/bnxt_queue_mem_alloc")
int bnxt_alloc__kretprobe(void *ctx)
{
	return on_alloc_exit();
}

SEC("fentry/bnxt_queue_stop")
int bnxt_stop__fentry(void *ctx)
{
	return on_stop_enter();
}

SEC("kprobe/bnxt_queue_stop")
int bnxt_stop__kprobe(void *ctx)
{
	return on_stop_enter();
}

SEC("fentry/bnxt_queue_start")
int bnxt_start_in__fentry(void *ctx)
{
	return on_start_enter();
}

SEC("fexit/bnxt_queue_start")
int bnxt_start_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_start_exit(ret);
}

SEC("kprobe/bnxt_queue_start")
int bnxt_start_in__kprobe(void *ctx)
{
	return on_start_enter();
}

SEC("kretprobe/bnxt_queue_start")
int BPF_KRETPROBE(bnxt_start_out__kretprobe, int ret)
{
	return on_start_exit(ret);
}

SEC("fentry/bnxt_queue_mem_free")
int bnxt_free__fentry(void *ctx)
{
	return on_free_enter();
}

SEC("kprobe/bnxt_queue_mem_free")
int bnxt_free__kprobe(void *ctx)
{
	return on_free_enter();
}

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

SEC("fentry/mlx5e_deactivate_priv_channels")
int mlx5_still_in__fentry(void *ctx)
{
	return on_still_begin();
}

SEC("fexit/mlx5e_activate_priv_channels")
int mlx5_still_out__fexit(void *ctx)
{
	return on_still_end();
}

SEC("kprobe/mlx5e_deactivate_priv_channels")
int mlx5_still_in__kprobe(void *ctx)
{
	return on_still_begin();
}

SEC("kretprobe/mlx5e_activate_priv_channels")
int mlx5_still_out__kretprobe(void *ctx)
{
	return on_still_end();
}

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

SEC("fexit/mlx5e_open_channels")
int mlx5_channels__fexit(void *ctx)
{
	return on_channels_exit();
}

SEC("kretprobe/mlx5e_open_channels")
int mlx5_channels__kretprobe(void *ctx)
{
	return on_channels_exit();
}

SEC("fentry/mlx5e_safe_switch_params")
int BPF_PROG(mlx5_reopen_in__fentry, struct mlx5e_priv *priv)
{
	return on_dev_enter(BPF_CORE_READ(priv, netdev), ZCQ_CAUSE_REOPEN);
}

SEC("fexit/mlx5e_safe_switch_params")
int mlx5_reopen_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_switch_exit(ret);
}

SEC("kprobe/mlx5e_safe_switch_params")
int BPF_KPROBE(mlx5_reopen_in__kprobe, struct mlx5e_priv *priv)
{
	return on_dev_enter(BPF_CORE_READ(priv, netdev), ZCQ_CAUSE_REOPEN);
}

SEC("kretprobe/mlx5e_safe_switch_params")
int BPF_KRETPROBE(mlx5_reopen_out__kretprobe, int ret)
{
	return on_switch_exit(ret);
}

SEC("fentry/mlx5e_open_locked")
int BPF_PROG(mlx5_up_in__fentry, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_UP);
}

SEC("fexit/mlx5e_open_locked")
int mlx5_up_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_dev_exit(ret);
}

SEC("kprobe/mlx5e_open_locked")
int BPF_KPROBE(mlx5_up_in__kprobe, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_UP);
}

SEC("kretprobe/mlx5e_open_locked")
int BPF_KRETPROBE(mlx5_up_out__kretprobe, int ret)
{
	return on_dev_exit(ret);
}

SEC("fentry/mlx5e_close_locked")
int BPF_PROG(mlx5_down_in__fentry, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_DOWN);
}

SEC("fexit/mlx5e_close_locked")
int mlx5_down_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_dev_exit(ret);
}

SEC("kprobe/mlx5e_close_locked")
int BPF_KPROBE(mlx5_down_in__kprobe, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_DOWN);
}

SEC("kretprobe/mlx5e_close_locked")
int BPF_KRETPROBE(mlx5_down_out__kretprobe, int ret)
{
	return on_dev_exit(ret);
}

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

SEC("fentry/bnxt_close_nic")
int BPF_PROG(bnxt_reopen_in__fentry, struct bnxt *bp)
{
	return on_nic_close(BPF_CORE_READ(bp, dev));
}

SEC("fexit/bnxt_open_nic")
int bnxt_reopen_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_nic_open_exit(ret);
}

SEC("kprobe/bnxt_close_nic")
int BPF_KPROBE(bnxt_reopen_in__kprobe, struct bnxt *bp)
{
	return on_nic_close(BPF_CORE_READ(bp, dev));
}

SEC("kretprobe/bnxt_open_nic")
int BPF_KRETPROBE(bnxt_reopen_out__kretprobe, int ret)
{
	return on_nic_open_exit(ret);
}

SEC("fentry/bnxt_open")
int BPF_PROG(bnxt_up_in__fentry, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_UP);
}

SEC("fexit/bnxt_open")
int bnxt_up_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_dev_exit(ret);
}

SEC("kprobe/bnxt_open")
int BPF_KPROBE(bnxt_up_in__kprobe, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_UP);
}

SEC("kretprobe/bnxt_open")
int BPF_KRETPROBE(bnxt_up_out__kretprobe, int ret)
{
	return on_dev_exit(ret);
}

SEC("fentry/bnxt_close")
int BPF_PROG(bnxt_down_in__fentry, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_DOWN);
}

SEC("fexit/bnxt_close")
int bnxt_down_out__fexit(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_dev_exit(ret);
}

SEC("kprobe/bnxt_close")
int BPF_KPROBE(bnxt_down_in__kprobe, struct net_device *dev)
{
	return on_dev_enter(dev, ZCQ_CAUSE_DOWN);
}

SEC("kretprobe/bnxt_close")
int BPF_KRETPROBE(bnxt_down_out__kretprobe, int ret)
{
	return on_dev_exit(ret);
}
