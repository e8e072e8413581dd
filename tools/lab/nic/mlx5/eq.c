// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eq.c - event queues: where completions ask for attention, commands report
 * that they are done, and the port its changes. One EQ raises one MSI-X
 * vector. The driver's consumer index comes by doorbell, 24 bits of it.
 */
#include "ifc.h"
#include "mlx5.h"

#define CI_MASK 0xffffffU

static void release_eq(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	(void)nic;
	mlx5_ring_free(&container_of(obj, struct mlx5_eq, obj)->ring);
}

static int create_eq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *eqc = IFC_CPTR(create_eq_in, cmd->in, eq_context_entry);
	struct mlx5_eq *eq;
	int status;

	if (!mlx5_obj_need(nic, cmd, MLX5_OBJ_UAR, IFC_GET(eqc, eqc, uar_page)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (IFC_GET(eqc, eqc, intr) >= nic->nic->ops->pci.msix_vectors)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "vector %u does not exist",
				     IFC_GET(eqc, eqc, intr));
	eq = mlx5_obj_new(nic, cmd, MLX5_OBJ_EQ, sizeof(*eq));
	if (!eq)
		return MLX5_CMD_STAT_LIM_ERR;
	eq->obj.release = release_eq;
	status = mlx5_ring_init(&eq->ring, cmd, IFC_CPTR(create_eq_in, cmd->in, pas),
				12 + IFC_GET(eqc, eqc, log_page_size),
				IFC_GET(eqc, eqc, log_eq_size), 6,
				IFC_GET(eqc, eqc, page_offset) << 6);
	if (status) {
		mlx5_obj_del(nic, &eq->obj);
		return status;
	}
	eq->vector = IFC_GET(eqc, eqc, intr);
	eq->events = get_be64(IFC_CPTR(create_eq_in, cmd->in, event_bitmask));
	eq->armed = true;
	IFC_SET(create_eq_out, cmd->out, eq_number, eq->obj.id);
	nic_info("EQ %#x: vector %u, 2^%u entries, events %#llx", eq->obj.id, eq->vector,
		 eq->ring.size_log, (unsigned long long)eq->events);
	return MLX5_CMD_STAT_OK;
}

static int destroy_eq(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_EQ, IFC_GET(destroy_eq_in, cmd->in, eq_number));
}

static void fire(struct mlx5_nic *nic, struct mlx5_eq *eq)
{
	eq->armed = false;
	nic_irq(nic->nic, eq->vector);
}

void mlx5_eq_event(struct mlx5_nic *nic, struct mlx5_eq *eq, u8 type, u8 sub_type,
		   const void *data, u32 len)
{
	struct mlx5_eqe *e;

	if (eq->pi - eq->ci >= 1U << eq->ring.size_log) {
		nic_err("EQ %#x: overflow, event %#x is lost", eq->obj.id, type);
		return;
	}
	e = mlx5_ring_entry(nic, &eq->ring, eq->pi);
	if (!e)
		return;
	memset(e, 0, offsetof(struct mlx5_eqe, owner));
	e->type = type;
	e->sub_type = sub_type;
	memcpy(e->data, data, len);
	__atomic_store_n(&e->owner, (u8)(eq->pi >> eq->ring.size_log & 1), __ATOMIC_RELEASE);
	eq->pi++;
	if (eq->armed)
		fire(nic, eq);
}

void mlx5_async_event(struct mlx5_nic *nic, u8 type, u8 sub_type, const void *data, u32 len)
{
	const struct mlx5_obj_table *t = &nic->obj[MLX5_OBJ_EQ];
	u32 i;

	for (i = 0; i < t->nr; i++) {
		struct mlx5_eq *eq = (struct mlx5_eq *)t->obj[i];

		if (eq && eq->events & BIT_ULL(type))
			mlx5_eq_event(nic, eq, type, sub_type, data, len);
	}
}

void mlx5_eq_doorbell(struct mlx5_nic *nic, u32 value, bool arm)
{
	struct mlx5_eq *eq = mlx5_obj_find(nic, MLX5_OBJ_EQ, value >> 24);
	u32 left;

	if (!eq) {
		nic_err("doorbell for EQ %#x, which does not exist", value >> 24);
		return;
	}
	left = (eq->pi - value) & CI_MASK;
	if (left > 1U << eq->ring.size_log) {
		nic_err("EQ %#x: consumer index %#x is ahead of the producer's %#x", eq->obj.id,
			value & CI_MASK, eq->pi & CI_MASK);
		return;
	}
	eq->ci = eq->pi - left;
	if (!arm)
		return;
	eq->armed = true;
	if (left)
		fire(nic, eq);
}

const struct mlx5_cmd_op mlx5_eq_ops[] = {
	MLX5_OP(CREATE_EQ, create_eq, create_eq),
	MLX5_OP(DESTROY_EQ, destroy_eq, destroy_eq),
	{ 0 },
};
