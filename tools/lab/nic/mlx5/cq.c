// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cq.c - completion queues. The driver keeps its consumer index in a record in
 * memory and arms the CQ by doorbell; the next completion then sends one event
 * to the CQ's EQ. Events are held back until the end of a batch, so that one
 * interrupt covers it; the moderation settings are stored but time is not.
 */
#include "ifc.h"
#include "mlx5.h"

#define CI_MASK 0xffffffU

static void release_cq(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_cq *cq = container_of(obj, struct mlx5_cq, obj), **p;

	for (p = &nic->cq_dirty; cq->dirty && *p; p = &(*p)->next_dirty) {
		if (*p == cq) {
			*p = cq->next_dirty;
			break;
		}
	}
	if (cq->eq)
		mlx5_obj_put(&cq->eq->obj);
	mlx5_ring_free(&cq->ring);
}

static int create_cq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *cqc = IFC_CPTR(create_cq_in, cmd->in, cq_context);
	struct mlx5_eq *eq;
	struct mlx5_cq *cq;
	int status;

	eq = mlx5_obj_need(nic, cmd, MLX5_OBJ_EQ, IFC_GET(cqc, cqc, c_eqn_or_apu_element));
	if (!eq || !mlx5_obj_need(nic, cmd, MLX5_OBJ_UAR, IFC_GET(cqc, cqc, uar_page)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (IFC_GET(cqc, cqc, cqe_sz) || IFC_GET(cqc, cqc, cqe_comp_en))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "only 64-byte entries without compression are offered");
	cq = mlx5_obj_new(nic, cmd, MLX5_OBJ_CQ, sizeof(*cq));
	if (!cq)
		return MLX5_CMD_STAT_LIM_ERR;
	cq->obj.release = release_cq;
	status = mlx5_ring_init(&cq->ring, cmd, IFC_CPTR(create_cq_in, cmd->in, pas),
				12 + IFC_GET(cqc, cqc, log_page_size),
				IFC_GET(cqc, cqc, log_cq_size), 6,
				IFC_GET(cqc, cqc, page_offset) << 6);
	if (status) {
		mlx5_obj_del(nic, &cq->obj);
		return status;
	}
	cq->eq = eq;
	mlx5_obj_get(&eq->obj);
	cq->dbr = IFC_GET64(cqc, cqc, dbr_addr);
	cq->period = (u16)IFC_GET(cqc, cqc, cq_period);
	cq->max_count = (u16)IFC_GET(cqc, cqc, cq_max_count);
	cq->ignore_overrun = IFC_GET(cqc, cqc, oi);
	IFC_SET(create_cq_out, cmd->out, cqn, cq->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int modify_cq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	enum { PERIOD = 1 << 0, COUNT = 1 << 1, OVERRUN = 1 << 2, PERIOD_MODE = 1 << 4 };
	const u8 *cqc = IFC_CPTR(modify_cq_in, cmd->in, cq_context);
	struct mlx5_cq *cq = mlx5_obj_need(nic, cmd, MLX5_OBJ_CQ,
					   IFC_GET(modify_cq_in, cmd->in, cqn));
	u32 fields = get_be32(IFC_CPTR(modify_cq_in, cmd->in,
				       modify_field_select_resize_field_select));

	if (!cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (cmd->op_mod)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "resizing is not offered");
	if (fields & ~(u32)(PERIOD | COUNT | OVERRUN | PERIOD_MODE))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "unknown fields %#x",
				     fields);
	if (fields & PERIOD)
		cq->period = (u16)IFC_GET(cqc, cqc, cq_period);
	if (fields & COUNT)
		cq->max_count = (u16)IFC_GET(cqc, cqc, cq_max_count);
	if (fields & OVERRUN)
		cq->ignore_overrun = IFC_GET(cqc, cqc, oi);
	return MLX5_CMD_STAT_OK;
}

static int query_cq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_cq *cq = mlx5_obj_need(nic, cmd, MLX5_OBJ_CQ,
					   IFC_GET(query_cq_in, cmd->in, cqn));
	u8 *cqc = IFC_PTR(query_cq_out, cmd->out, cq_context);

	if (!cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(cqc, cqc, status, cq->overrun ? 9 : 0);
	IFC_SET(cqc, cqc, st, cq->armed ? 9 : 0xa);	/* armed, fired */
	IFC_SET(cqc, cqc, log_cq_size, cq->ring.size_log);
	IFC_SET(cqc, cqc, cq_period, cq->period);
	IFC_SET(cqc, cqc, cq_max_count, cq->max_count);
	IFC_SET(cqc, cqc, c_eqn_or_apu_element, cq->eq->obj.id);
	IFC_SET(cqc, cqc, consumer_counter, cq->ci & CI_MASK);
	IFC_SET(cqc, cqc, producer_counter, cq->pi & CI_MASK);
	IFC_SET64(cqc, cqc, dbr_addr, cq->dbr);
	return MLX5_CMD_STAT_OK;
}

static int destroy_cq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_CQ, IFC_GET(destroy_cq_in, cmd->in, cqn));
}

/* ---- data path ---- */

static void notify(struct mlx5_nic *nic, struct mlx5_cq *cq)
{
	u8 data[28] = { 0 };

	cq->armed = false;
	put_be32(data + 24, cq->obj.id);
	mlx5_eq_event(nic, cq->eq, MLX5_EVENT_COMP, 0, data, sizeof(data));
}

/* Room for one more? If not, the CQ has overrun: it is dead, the driver is told. */
static bool has_room(struct mlx5_nic *nic, struct mlx5_cq *cq)
{
	u32 size = 1U << cq->ring.size_log;
	u8 event[12] = { 0 };
	const __be32 *dbr;

	if (cq->overrun)
		return false;
	if (cq->pi - cq->ci < size || cq->ignore_overrun)
		return true;
	dbr = dma_ptr(nic->dma, cq->dbr, 8);
	if (!dbr)
		return false;
	cq->ci = cq->pi - ((cq->pi - be32toh(__atomic_load_n(dbr, __ATOMIC_ACQUIRE))) & CI_MASK);
	if (cq->pi - cq->ci < size)
		return true;

	cq->overrun = true;
	nic_err("CQ %#x: overrun, %u entries are not consumed", cq->obj.id, cq->pi - cq->ci);
	put_be32(event, cq->obj.id);
	event[11] = 1;		/* syndrome: overrun */
	mlx5_async_event(nic, MLX5_EVENT_CQ_ERROR, 0, event, sizeof(event));
	return false;
}

void mlx5_cq_post(struct mlx5_nic *nic, struct mlx5_cq *cq, struct mlx5_cqe *cqe, u8 opcode)
{
	struct mlx5_cqe *at;
	u8 own = (u8)(opcode << 4 | (cq->pi >> cq->ring.size_log & 1));

	if (!has_room(nic, cq))
		return;
	at = mlx5_ring_entry(nic, &cq->ring, cq->pi);
	if (!at)
		return;
	memcpy(at, cqe, offsetof(struct mlx5_cqe, op_own));
	__atomic_store_n(&at->op_own, own, __ATOMIC_RELEASE);
	cq->pi++;
	if (!cq->dirty) {
		cq->dirty = true;
		cq->next_dirty = nic->cq_dirty;
		nic->cq_dirty = cq;
	}
}

void mlx5_cq_flush(struct mlx5_nic *nic)
{
	struct mlx5_cq *cq;

	while ((cq = nic->cq_dirty)) {
		nic->cq_dirty = cq->next_dirty;
		cq->dirty = false;
		if (cq->armed)
			notify(nic, cq);
	}
}

void mlx5_cq_arm(struct mlx5_nic *nic, u32 cqn, u32 ci)
{
	struct mlx5_cq *cq = mlx5_obj_find(nic, MLX5_OBJ_CQ, cqn);
	u32 left;

	if (!cq) {
		nic_err("doorbell for CQ %#x, which does not exist", cqn);
		return;
	}
	left = (cq->pi - ci) & CI_MASK;
	if (left > 1U << cq->ring.size_log) {
		nic_err("CQ %#x: consumer index %#x is ahead of the producer's %#x", cqn,
			ci & CI_MASK, cq->pi & CI_MASK);
		return;
	}
	cq->ci = cq->pi - left;
	cq->armed = true;
	if (left)
		notify(nic, cq);
}

const struct mlx5_cmd_op mlx5_cq_ops[] = {
	MLX5_OP(CREATE_CQ, create_cq, create_cq),
	MLX5_OP(MODIFY_CQ, modify_cq, modify_cq),
	MLX5_OP(QUERY_CQ, query_cq, query_cq),
	MLX5_OP(DESTROY_CQ, destroy_cq, destroy_cq),
	{ 0 },
};
