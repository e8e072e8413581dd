// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sq.c - send queues: their commands and the walk through what the driver
 * posted. SEND and LSO go to tx.c, UMR to mkey.c. A work request that makes no
 * sense ends in an error completion and puts the SQ into the error state.
 */
#include "ifc.h"
#include "mlx5.h"
#include "tx.h"

#define MAX_WQE_BB 16		/* 64-byte blocks of a WQE; caps.c says the same */

static void release_sq(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_sq *sq = container_of(obj, struct mlx5_sq, obj);

	(void)nic;
	if (sq->cq)
		mlx5_obj_put(&sq->cq->obj);
	mlx5_obj_put(sq->tis);
	mlx5_ring_free(&sq->ring);
}

static int fill_sq(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_sq *sq)
{
	const u8 *sqc = IFC_CPTR(create_sq_in, cmd->in, ctx);
	const u8 *wq = IFC_CPTR(sqc, sqc, wq);
	struct mlx5_cq *cq = mlx5_obj_need(nic, cmd, MLX5_OBJ_CQ, IFC_GET(sqc, sqc, cqn));
	struct mlx5_obj *tis = NULL;
	int status;

	if (!cq || !mlx5_obj_need(nic, cmd, MLX5_OBJ_PD, IFC_GET(wq, wq, pd)) ||
	    !mlx5_obj_need(nic, cmd, MLX5_OBJ_UAR, IFC_GET(wq, wq, uar_page)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (IFC_GET(sqc, sqc, tis_lst_sz)) {
		tis = mlx5_obj_need(nic, cmd, MLX5_OBJ_TIS, IFC_GET(sqc, sqc, tis_num_0));
		if (!tis)
			return MLX5_CMD_STAT_BAD_RES_ERR;
	}
	if (IFC_GET(sqc, sqc, state) != MLX5_Q_RST || IFC_GET(sqc, sqc, hairpin) ||
	    IFC_GET(sqc, sqc, allow_multi_pkt_send_wqe) ||
	    IFC_GET(wq, wq, wq_type) != MLX5_WQ_TYPE_CYCLIC || IFC_GET(wq, wq, log_wq_stride) != 6)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "state %u, type %u, stride 2^%u: only RST, cyclic, 2^6",
				     IFC_GET(sqc, sqc, state), IFC_GET(wq, wq, wq_type),
				     IFC_GET(wq, wq, log_wq_stride));
	status = mlx5_ring_init(&sq->ring, cmd, IFC_CPTR(wq, wq, pas),
				12 + IFC_GET(wq, wq, log_wq_pg_sz), IFC_GET(wq, wq, log_wq_sz), 6,
				IFC_GET(wq, wq, page_offset) << 6);
	if (status)
		return status;
	sq->cq = cq;
	mlx5_obj_get(&cq->obj);
	sq->tis = tis;
	mlx5_obj_get(tis);
	sq->dbr = IFC_GET64(wq, wq, dbr_addr);
	sq->reg_umr = IFC_GET(sqc, sqc, reg_umr);
	sq->flush_in_error = IFC_GET(sqc, sqc, flush_in_error_en);
	return MLX5_CMD_STAT_OK;
}

static int create_sq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_sq *sq = mlx5_obj_new(nic, cmd, MLX5_OBJ_SQ, sizeof(*sq));
	int status;

	if (!sq)
		return MLX5_CMD_STAT_LIM_ERR;
	sq->obj.release = release_sq;
	status = fill_sq(nic, cmd, sq);
	if (status) {
		mlx5_obj_del(nic, &sq->obj);
		return status;
	}
	IFC_SET(create_sq_out, cmd->out, sqn, sq->obj.id);
	return MLX5_CMD_STAT_OK;
}

/* Completes everything that was posted and not run, as flushed. */
static void flush_sq(struct mlx5_nic *nic, struct mlx5_sq *sq)
{
	const __be32 *dbr = dma_ptr(nic->dma, sq->dbr, 8);
	u16 end;

	if (!dbr || !sq->flush_in_error)
		return;
	end = (u16)be32toh(__atomic_load_n(&dbr[1], __ATOMIC_ACQUIRE));
	if (sq->ci != end)
		mlx5_sq_error_cqe(nic, sq, (u16)(end - 1), MLX5_WQE_NOP, MLX5_CQE_SYND_FLUSHED);
	sq->ci = end;
}

static int modify_sq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *sqc = IFC_CPTR(modify_sq_in, cmd->in, ctx);
	struct mlx5_sq *sq = mlx5_obj_need(nic, cmd, MLX5_OBJ_SQ,
					   IFC_GET(modify_sq_in, cmd->in, sqn));
	u32 from = IFC_GET(modify_sq_in, cmd->in, sq_state);
	u32 to = IFC_GET(sqc, sqc, state);
	int status;

	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	status = mlx5_check_transition(cmd, sq->state, from, to);
	if (status)
		return status;
	if (to == MLX5_Q_RST)
		sq->ci = 0;
	if (to == MLX5_Q_ERR && sq->state != MLX5_Q_ERR)
		flush_sq(nic, sq);
	sq->state = to;
	return MLX5_CMD_STAT_OK;
}

static int query_sq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_sq *sq = mlx5_obj_need(nic, cmd, MLX5_OBJ_SQ,
					   IFC_GET(query_sq_in, cmd->in, sqn));
	u8 *sqc = IFC_PTR(query_sq_out, cmd->out, sq_context);

	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(sqc, sqc, state, sq->state);
	IFC_SET(sqc, sqc, cqn, sq->cq->obj.id);
	IFC_SET(sqc, sqc, reg_umr, sq->reg_umr);
	IFC_SET(wq, IFC_PTR(sqc, sqc, wq), log_wq_sz, sq->ring.size_log);
	IFC_SET(wq, IFC_PTR(sqc, sqc, wq), hw_counter, sq->ci);
	return MLX5_CMD_STAT_OK;
}

static int destroy_sq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_SQ, IFC_GET(destroy_sq_in, cmd->in, sqn));
}

/* ---- running work requests ---- */

void mlx5_sq_error_cqe(struct mlx5_nic *nic, struct mlx5_sq *sq, u16 index, u8 opcode,
		       u8 syndrome)
{
	union {
		struct mlx5_err_cqe err;
		struct mlx5_cqe cqe;
	} c = { 0 };

	c.err.syndrome = syndrome;
	c.err.opcode_qpn = htobe32((u32)opcode << 24 | sq->obj.id);
	c.err.wqe_counter = htobe16(index);
	mlx5_cq_post(nic, sq->cq, &c.cqe, MLX5_CQE_REQ_ERR);
}

static void complete(struct mlx5_nic *nic, struct mlx5_sq *sq, u16 index, u8 opcode)
{
	struct mlx5_cqe cqe = {
		.sop_drop_qpn = htobe32((u32)opcode << 24 | sq->obj.id),
		.wqe_counter = htobe16(index),
	};

	mlx5_cqe_timestamp(&cqe);
	mlx5_cq_post(nic, sq->cq, &cqe, MLX5_CQE_REQ);
}

static bool run_umr(struct mlx5_nic *nic, struct mlx5_sq *sq, const u8 *wqe, u32 bytes)
{
	enum { ENTRIES = 128 };	/* control, UMR and mkey segments come first */
	const struct mlx5_ctrl_seg *ctrl = (const void *)wqe;
	const struct mlx5_umr_seg *umr = (const void *)(wqe + sizeof(*ctrl));
	u32 octwords = be16toh(umr->xlt_octowords);
	u32 first = be16toh(umr->xlt_offset);

	if (bytes < ENTRIES || bytes - ENTRIES < octwords * 16 || !sq->reg_umr ||
	    umr->flags != (MLX5_UMR_INLINE | MLX5_UMR_OFFSET_EN)) {
		nic_err("SQ %#x: UMR with %u octowords in %u bytes, flags %#x", sq->obj.id,
			octwords, bytes, umr->flags);
		return false;
	}
	first |= be32toh(umr->xlt_offset_47_16) << 16;
	return mlx5_mkey_umr(nic, be32toh(ctrl->imm), first * 2, wqe + ENTRIES, octwords * 2,
			     be64toh(umr->mkey_mask));
}

/* The WQE at index, made contiguous in wqe[]. Its length in bytes, 0: malformed. */
static u32 fetch(struct mlx5_nic *nic, struct mlx5_sq *sq, u16 posted, u8 *wqe)
{
	const struct mlx5_ctrl_seg *ctrl = (const void *)wqe;
	const u8 *bb = mlx5_ring_entry(nic, &sq->ring, sq->ci);
	u32 i, nr, bytes;

	if (!bb)
		return 0;
	memcpy(wqe, bb, MLX5_WQE_BB);
	bytes = (be32toh(ctrl->qpn_ds) & 0x3f) * 16;
	nr = DIV_ROUND_UP(bytes, MLX5_WQE_BB);
	if (!nr || nr > MAX_WQE_BB || nr > (u16)(posted - sq->ci) ||
	    be32toh(ctrl->qpn_ds) >> 8 != sq->obj.id) {
		nic_err("SQ %#x: WQE %u is for SQ %#x and has %u blocks of %u posted", sq->obj.id,
			sq->ci, be32toh(ctrl->qpn_ds) >> 8, nr, (u16)(posted - sq->ci));
		return 0;
	}
	for (i = 1; i < nr; i++) {
		bb = mlx5_ring_entry(nic, &sq->ring, sq->ci + i);
		if (!bb)
			return 0;
		memcpy(wqe + i * MLX5_WQE_BB, bb, MLX5_WQE_BB);
	}
	return bytes;
}

static bool run(struct mlx5_nic *nic, struct mlx5_sq *sq, const u8 *wqe, u32 bytes)
{
	u8 opcode = wqe[3];

	switch (opcode) {
	case MLX5_WQE_NOP:
		return true;
	case MLX5_WQE_SEND:
	case MLX5_WQE_LSO:
		return mlx5_tx_send(nic, sq, wqe, bytes, opcode == MLX5_WQE_LSO);
	case MLX5_WQE_UMR:
		return run_umr(nic, sq, wqe, bytes);
	default:
		nic_err("SQ %#x: WQE %u has unknown opcode %#x", sq->obj.id, sq->ci, opcode);
		return false;
	}
}

void mlx5_sq_doorbell(struct mlx5_nic *nic, u32 sqn)
{
	struct mlx5_sq *sq = mlx5_obj_find(nic, MLX5_OBJ_SQ, sqn);
	u8 wqe[MAX_WQE_BB * MLX5_WQE_BB] __attribute__((aligned(16)));
	const __be32 *dbr;
	u16 posted;

	if (!sq || sq->state != MLX5_Q_RDY) {
		nic_err("doorbell for SQ %#x, which %s", sqn,
			sq ? "is not ready" : "does not exist");
		return;
	}
	dbr = dma_ptr(nic->dma, sq->dbr, 8);
	if (!dbr)
		return;
	posted = (u16)be32toh(__atomic_load_n(&dbr[1], __ATOMIC_ACQUIRE));
	if ((u16)(posted - sq->ci) > 1U << sq->ring.size_log) {
		nic_err("SQ %#x: the record says %u, %u were run: more than its size", sqn, posted,
			sq->ci);
		return;
	}
	while (sq->ci != posted) {
		u32 bytes = fetch(nic, sq, posted, wqe);
		u16 index = sq->ci;

		if (!bytes || !run(nic, sq, wqe, bytes)) {
			sq->state = MLX5_Q_ERR;
			mlx5_sq_error_cqe(nic, sq, index, wqe[3], MLX5_CQE_SYND_LOCAL_QP_OP);
			return;
		}
		sq->ci = (u16)(sq->ci + DIV_ROUND_UP(bytes, MLX5_WQE_BB));
		if ((wqe[11] & MLX5_WQE_CE_MASK) == MLX5_WQE_CE_ALWAYS)
			complete(nic, sq, index, wqe[3]);
	}
}

const struct mlx5_cmd_op mlx5_sq_ops[] = {
	MLX5_OP(CREATE_SQ, create_sq, create_sq),
	MLX5_OP(MODIFY_SQ, modify_sq, modify_sq),
	MLX5_OP(QUERY_SQ, query_sq, query_sq),
	MLX5_OP(DESTROY_SQ, destroy_sq, destroy_sq),
	{ 0 },
};
