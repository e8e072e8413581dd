// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rq.c - receive queues: their commands and states. Two kinds are offered:
 * cyclic, one packet per WQE, and striding, many packets in a large WQE, with
 * or without header split (shampo.c). rq_rx.c puts the packets in.
 */
#include "ifc.h"
#include "mlx5.h"

static void release_rq(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_rq *rq = container_of(obj, struct mlx5_rq, obj);

	(void)nic;
	if (rq->shampo)
		mlx5_shampo_destroy(rq);
	if (rq->cq)
		mlx5_obj_put(&rq->cq->obj);
	if (rq->qcnt)
		mlx5_obj_put(&rq->qcnt->obj);
	mlx5_ring_free(&rq->ring);
}

int mlx5_check_transition(struct mlx5_cmd *cmd, enum mlx5_q_state is, u32 from, u32 to)
{
	/* RST -> RDY, RDY -> RDY (changes settings), any -> ERR, any -> RST. */
	bool legal = to == MLX5_Q_RST || to == MLX5_Q_ERR ||
		     (to == MLX5_Q_RDY && is != MLX5_Q_ERR);

	if (is != from)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_STATE_ERR,
				     "the queue is in state %u, not %u", is, from);
	if (!legal)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_STATE_ERR,
				     "no way from state %u to %u", from, to);
	return MLX5_CMD_STAT_OK;
}

static int fill_striding(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rq *rq,
			 const u8 *wq)
{
	/* log_wqe_num_of_strides: 4 bits signed, relative to 2^9 (ext_stride_num_range). */
	int n = (int)IFC_GET(wq, wq, log_wqe_num_of_strides);

	if (!nic->nic->opt.striding)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "striding queues are not offered");
	rq->striding = true;
	rq->strides_log = (u8)(9 + (n & 8 ? n - 16 : n));
	rq->stride_log = (u8)(6 + IFC_GET(wq, wq, log_wqe_stride_size));
	if (rq->strides_log < 3 || rq->strides_log > 16 || rq->ring.entry_log < 5)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "2^%u strides, WQE of 2^%u bytes", rq->strides_log,
				     rq->ring.entry_log);
	if (!IFC_GET(wq, wq, shampo_enable))
		return MLX5_CMD_STAT_OK;
	return mlx5_shampo_create(nic, cmd, rq, wq);
}

static int fill_rq(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rq *rq)
{
	const u8 *rqc = IFC_CPTR(create_rq_in, cmd->in, ctx);
	const u8 *wq = IFC_CPTR(rqc, rqc, wq);
	u32 type = IFC_GET(wq, wq, wq_type), qcnt = IFC_GET(rqc, rqc, counter_set_id);
	int status;

	rq->cq = mlx5_obj_need(nic, cmd, MLX5_OBJ_CQ, IFC_GET(rqc, rqc, cqn));
	if (!rq->cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	mlx5_obj_get(&rq->cq->obj);
	if (qcnt) {
		rq->qcnt = mlx5_obj_need(nic, cmd, MLX5_OBJ_QCNT, qcnt);
		if (!rq->qcnt)
			return MLX5_CMD_STAT_BAD_RES_ERR;
		mlx5_obj_get(&rq->qcnt->obj);
	}
	/* The driver's "drop RQ", which never gets a WQE, has none. */
	if (IFC_GET(wq, wq, pd) && !mlx5_obj_need(nic, cmd, MLX5_OBJ_PD, IFC_GET(wq, wq, pd)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (IFC_GET(rqc, rqc, state) != MLX5_Q_RST || IFC_GET(rqc, rqc, hairpin) ||
	    IFC_GET(rqc, rqc, mem_rq_type) || IFC_GET(rqc, rqc, scatter_fcs) ||
	    (type != MLX5_WQ_TYPE_CYCLIC && type != MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "state %u, type %u, memory type %u, or a feature not offered",
				     IFC_GET(rqc, rqc, state), type,
				     IFC_GET(rqc, rqc, mem_rq_type));
	status = mlx5_ring_init(&rq->ring, cmd, IFC_CPTR(wq, wq, pas),
				12 + IFC_GET(wq, wq, log_wq_pg_sz), IFC_GET(wq, wq, log_wq_sz),
				IFC_GET(wq, wq, log_wq_stride),
				IFC_GET(wq, wq, page_offset) << 6);
	if (status)
		return status;
	rq->dbr = IFC_GET64(wq, wq, dbr_addr);
	rq->vsd = IFC_GET(rqc, rqc, vsd);
	rq->flush_in_error = IFC_GET(rqc, rqc, flush_in_error_en);
	if (type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ)
		return fill_striding(nic, cmd, rq, wq);
	if (rq->ring.entry_log < 4 || IFC_GET(wq, wq, shampo_enable))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "cyclic: WQE of 2^%u bytes, or SHAMPO", rq->ring.entry_log);
	return MLX5_CMD_STAT_OK;
}

static int create_rq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_rq *rq = mlx5_obj_new(nic, cmd, MLX5_OBJ_RQ, sizeof(*rq));
	int status;

	if (!rq)
		return MLX5_CMD_STAT_LIM_ERR;
	rq->obj.release = release_rq;
	status = fill_rq(nic, cmd, rq);
	if (status) {
		mlx5_obj_del(nic, &rq->obj);
		return status;
	}
	IFC_SET(create_rq_out, cmd->out, rqn, rq->obj.id);
	nic_info("RQ %#x: %s%s, 2^%u WQEs, CQ %#x", rq->obj.id,
		 rq->striding ? "striding" : "cyclic", rq->shampo ? " with SHAMPO" : "",
		 rq->ring.size_log, rq->cq->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int set_fields(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rq *rq)
{
	const u8 *rqc = IFC_CPTR(modify_rq_in, cmd->in, ctx);
	u64 mask = IFC_GET64(modify_rq_in, cmd->in, modify_bitmask);
	struct mlx5_qcnt *qcnt;

	if (mask & ~(u64)(MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_VSD |
			  MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_RQ_COUNTER_SET_ID))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "modify_bitmask %#llx",
				     (unsigned long long)mask);
	if (mask & MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_RQ_COUNTER_SET_ID) {
		qcnt = mlx5_obj_need(nic, cmd, MLX5_OBJ_QCNT, IFC_GET(rqc, rqc, counter_set_id));
		if (!qcnt)
			return MLX5_CMD_STAT_BAD_RES_ERR;
		mlx5_obj_get(&qcnt->obj);
		if (rq->qcnt)
			mlx5_obj_put(&rq->qcnt->obj);
		rq->qcnt = qcnt;
	}
	if (mask & MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_VSD)
		rq->vsd = IFC_GET(rqc, rqc, vsd);
	return MLX5_CMD_STAT_OK;
}

static int modify_rq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *rqc = IFC_CPTR(modify_rq_in, cmd->in, ctx);
	struct mlx5_rq *rq = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQ,
					   IFC_GET(modify_rq_in, cmd->in, rqn));
	u32 from = IFC_GET(modify_rq_in, cmd->in, rq_state);
	u32 to = IFC_GET(rqc, rqc, state);
	int status;

	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	status = mlx5_check_transition(cmd, rq->state, from, to);
	if (!status)
		status = set_fields(nic, cmd, rq);
	if (status)
		return status;
	if (to == MLX5_Q_RST)
		mlx5_rq_reset(rq);
	if (to == MLX5_Q_ERR && rq->state == MLX5_Q_RDY)
		mlx5_rq_flush(nic, rq);
	rq->state = to;
	return MLX5_CMD_STAT_OK;
}

static int query_rq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_rq *rq = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQ,
					   IFC_GET(query_rq_in, cmd->in, rqn));
	u8 *rqc = IFC_PTR(query_rq_out, cmd->out, rq_context);
	u8 *wq = IFC_PTR(rqc, rqc, wq);

	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(rqc, rqc, state, rq->state);
	IFC_SET(rqc, rqc, vsd, rq->vsd);
	IFC_SET(rqc, rqc, cqn, rq->cq->obj.id);
	IFC_SET(rqc, rqc, counter_set_id, rq->qcnt ? rq->qcnt->obj.id : 0);
	IFC_SET(wq, wq, log_wq_sz, rq->ring.size_log);
	IFC_SET(wq, wq, log_wq_stride, rq->ring.entry_log);
	IFC_SET(wq, wq, hw_counter, rq->wqes);
	return MLX5_CMD_STAT_OK;
}

static int destroy_rq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_RQ, IFC_GET(destroy_rq_in, cmd->in, rqn));
}

const struct mlx5_cmd_op mlx5_rq_ops[] = {
	MLX5_OP(CREATE_RQ, create_rq, create_rq),
	MLX5_OP(MODIFY_RQ, modify_rq, modify_rq),
	MLX5_OP(QUERY_RQ, query_rq, query_rq),
	MLX5_OP(DESTROY_RQ, destroy_rq, destroy_rq),
	{ 0 },
};
