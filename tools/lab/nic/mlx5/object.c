// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * object.c - the table of what the driver created: ids, who uses what, and
 * the commands of the objects that are nothing but a number (PD, transport
 * domain, UAR, TIS). Each kind has a range of ids of its own, so that an id
 * given where another kind belongs is noticed; a freed id is not given again
 * until the range has been gone through.
 */
#include <errno.h>
#include <stdlib.h>

#include "ifc.h"
#include "mlx5.h"

static const struct {
	const char *name;
	u32 base, max;
} kinds[MLX5_OBJ_KINDS] = {
	[MLX5_OBJ_PD] = { "PD", 0x11, 256 },
	[MLX5_OBJ_TD] = { "transport domain", 0x201, 256 },
	[MLX5_OBJ_UAR] = { "UAR", 0x10, 1024 },	/* page number in BAR 0 */
	[MLX5_OBJ_QCNT] = { "Q counter", 0x1, 255 },	/* 8 bits */
	[MLX5_OBJ_MKEY] = { "mkey", 0x400, 1 << 16 },
	[MLX5_OBJ_EQ] = { "EQ", 0x1, 64 },	/* 8 bits */
	[MLX5_OBJ_CQ] = { "CQ", 0x480, 1 << 15 },
	[MLX5_OBJ_TIS] = { "TIS", 0x341, 4096 },
	[MLX5_OBJ_SQ] = { "SQ", 0x11001, 4096 },
	[MLX5_OBJ_RQ] = { "RQ", 0x22001, 4096 },
	[MLX5_OBJ_RQT] = { "RQT", 0x33001, 4096 },
	[MLX5_OBJ_TIR] = { "TIR", 0x44001, 4096 },
	[MLX5_OBJ_FLOW_COUNTER] = { "flow counter", 0x55001, 1 << 15 },
	[MLX5_OBJ_FT] = { "flow table", 0x66001, 4096 },
	[MLX5_OBJ_FG] = { "flow group", 0x77001, 1 << 15 },
};

const char *mlx5_kind_name(enum mlx5_kind kind)
{
	return kinds[kind].name;
}

int mlx5_obj_init(struct mlx5_nic *nic)
{
	int k;

	for (k = 0; k < MLX5_OBJ_KINDS; k++)
		nic->obj[k] = (struct mlx5_obj_table){ .base = kinds[k].base,
						       .max = kinds[k].max };
	return 0;
}

static int grow(struct mlx5_obj_table *t)
{
	u32 nr = t->nr ? min_u32(t->nr * 2, t->max) : min_u32(16, t->max);
	struct mlx5_obj **obj;

	if (nr == t->nr)
		return -ENOSPC;
	obj = realloc(t->obj, nr * sizeof(*obj));
	if (!obj)
		return -ENOMEM;
	memset(obj + t->nr, 0, (nr - t->nr) * sizeof(*obj));
	t->next = t->nr;
	t->obj = obj;
	t->nr = nr;
	return 0;
}

/* The slot of a new object. A table is kept at most half full while it can grow. */
static int find_slot(struct mlx5_obj_table *t, u32 *slot)
{
	u32 i;

	if (t->live >= t->nr / 2)
		(void)grow(t);	/* if it can't, the loop below decides */
	for (i = 0; i < t->nr; i++) {
		u32 at = (t->next + i) % t->nr;

		if (!t->obj[at]) {
			t->next = at + 1;
			*slot = at;
			return 0;
		}
	}
	return -ENOSPC;
}

void *mlx5_obj_new(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, size_t size)
{
	struct mlx5_obj_table *t = &nic->obj[kind];
	struct mlx5_obj *obj = calloc(1, size);
	u32 slot;

	if (!obj || find_slot(t, &slot)) {
		mlx5_cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR, "no room for another %s (%u exist)",
			      kinds[kind].name, t->live);
		free(obj);
		return NULL;
	}
	obj->kind = kind;
	obj->id = t->base + slot;
	t->obj[slot] = obj;
	t->live++;
	return obj;
}

void *mlx5_obj_need(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, u32 id)
{
	void *obj = mlx5_obj_find(nic, kind, id);

	if (!obj)
		mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR, "there is no %s %#x",
			      kinds[kind].name, id);
	return obj;
}

void mlx5_obj_get(struct mlx5_obj *obj)
{
	if (obj)
		obj->users++;
}

void mlx5_obj_put(struct mlx5_obj *obj)
{
	if (!obj)
		return;
	if (!obj->users)
		nic_err("%s %#x: a reference is dropped twice", kinds[obj->kind].name, obj->id);
	else
		obj->users--;
}

static void unlink_obj(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_obj_table *t = &nic->obj[obj->kind];

	t->obj[obj->id - t->base] = NULL;
	t->live--;
}

void mlx5_obj_del(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	unlink_obj(nic, obj);
	if (obj->release)
		obj->release(nic, obj);
	free(obj);
}

int mlx5_obj_destroy(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, u32 id)
{
	struct mlx5_obj *obj = mlx5_obj_need(nic, cmd, kind, id);

	if (!obj)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (obj->users)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY, "%s %#x is in use by %u objects",
				     kinds[kind].name, id, obj->users);
	mlx5_obj_del(nic, obj);
	return MLX5_CMD_STAT_OK;
}

/* References may go in any direction within a kind: release all before freeing any. */
void mlx5_obj_destroy_all(struct mlx5_nic *nic)
{
	int k;
	u32 i;

	for (k = MLX5_OBJ_KINDS - 1; k >= 0; k--) {
		struct mlx5_obj_table *t = &nic->obj[k];

		for (i = 0; i < t->nr; i++)
			if (t->obj[i] && t->obj[i]->release)
				t->obj[i]->release(nic, t->obj[i]);
		for (i = 0; i < t->nr; i++) {
			free(t->obj[i]);
			t->obj[i] = NULL;
		}
		t->live = 0;
	}
}

void mlx5_obj_exit(struct mlx5_nic *nic)
{
	int k;

	mlx5_obj_destroy_all(nic);
	for (k = 0; k < MLX5_OBJ_KINDS; k++) {
		free(nic->obj[k].obj);
		nic->obj[k].obj = NULL;
		nic->obj[k].nr = 0;
	}
}

/* ---- objects that are only a number ---- */

static int create_plain(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind)
{
	struct mlx5_obj *obj = mlx5_obj_new(nic, cmd, kind, sizeof(*obj));

	if (!obj)
		return MLX5_CMD_STAT_LIM_ERR;
	/* Every create command answers the id here, right aligned in 24 bits. */
	IFC_SET(alloc_pd_out, cmd->out, pd, obj->id);
	return MLX5_CMD_STAT_OK;
}

static int alloc_pd(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return create_plain(nic, cmd, MLX5_OBJ_PD);
}

static int dealloc_pd(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_PD, IFC_GET(dealloc_pd_in, cmd->in, pd));
}

static int alloc_td(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return create_plain(nic, cmd, MLX5_OBJ_TD);
}

static int dealloc_td(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_TD,
				IFC_GET(dealloc_transport_domain_in, cmd->in, transport_domain));
}

static int alloc_uar(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return create_plain(nic, cmd, MLX5_OBJ_UAR);
}

static int dealloc_uar(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_UAR, IFC_GET(dealloc_uar_in, cmd->in, uar));
}

struct mlx5_tis {
	struct mlx5_obj obj;
	struct mlx5_obj *td;
};

static void release_tis(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	(void)nic;
	mlx5_obj_put(container_of(obj, struct mlx5_tis, obj)->td);
}

static int create_tis(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *tisc = IFC_CPTR(create_tis_in, cmd->in, ctx);
	struct mlx5_obj *td = mlx5_obj_need(nic, cmd, MLX5_OBJ_TD,
					    IFC_GET(tisc, tisc, transport_domain));
	struct mlx5_tis *tis;

	if (!td)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	tis = mlx5_obj_new(nic, cmd, MLX5_OBJ_TIS, sizeof(*tis));
	if (!tis)
		return MLX5_CMD_STAT_LIM_ERR;
	tis->td = td;
	tis->obj.release = release_tis;
	mlx5_obj_get(td);
	IFC_SET(create_tis_out, cmd->out, tisn, tis->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int modify_tis(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	/* Priority and LAG affinity: one port, no QoS, so nothing changes. */
	if (!mlx5_obj_need(nic, cmd, MLX5_OBJ_TIS, IFC_GET(modify_tis_in, cmd->in, tisn)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	return MLX5_CMD_STAT_OK;
}

static int destroy_tis(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_TIS, IFC_GET(destroy_tis_in, cmd->in, tisn));
}

const struct mlx5_cmd_op mlx5_object_ops[] = {
	MLX5_OP(ALLOC_PD, alloc_pd, alloc_pd),
	MLX5_OP(DEALLOC_PD, dealloc_pd, dealloc_pd),
	MLX5_OP(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, alloc_td),
	MLX5_OP(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, dealloc_td),
	MLX5_OP(ALLOC_UAR, alloc_uar, alloc_uar),
	MLX5_OP(DEALLOC_UAR, dealloc_uar, dealloc_uar),
	MLX5_OP(CREATE_TIS, create_tis, create_tis),
	MLX5_OP(MODIFY_TIS, modify_tis, modify_tis),
	MLX5_OP(DESTROY_TIS, destroy_tis, destroy_tis),
	{ 0 },
};
