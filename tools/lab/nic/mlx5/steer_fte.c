// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steer_fte.c - entries of the receive flow tables: set, change, delete,
 * query. An entry belongs to a group, which holds its mask, and has an index
 * in the group's range; it forwards to one table or TIR, drops, or counts.
 * What the driver sends is in fs_cmd.c mlx5_cmd_set_fte().
 */
#include <stdlib.h>

#include "../packet.h"
#include "ifc.h"
#include "steer.h"

#define ACTIONS_MODELLED \
	(MLX5_FLOW_CONTEXT_ACTION_ALLOW | MLX5_FLOW_CONTEXT_ACTION_DROP | \
	 MLX5_FLOW_CONTEXT_ACTION_FWD_DEST | MLX5_FLOW_CONTEXT_ACTION_COUNT)

/* modify_enable_mask is a mask of the MLX5_SET_FTE_MODIFY_ENABLE_MASK_* numbers. */
enum {
	MOD_ACTION = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_ACTION,
	MOD_FLOW_TAG = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG,
	MOD_DEST = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST,
	MOD_COUNTERS = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS,
	MOD_ALL = MOD_ACTION | MOD_FLOW_TAG | MOD_DEST | MOD_COUNTERS,
};

enum {
	OP_MOD_SET = 0,		/* a new entry */
	OP_MOD_MODIFY = 1,	/* of one that is there */
};

/* Where index is, or would be put in. */
static u32 fte_pos(const struct mlx5_ft *ft, u32 index)
{
	u32 lo = 0, hi = ft->nr_fte;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (ft->fte[mid].index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct mlx5_fte *fte_find(struct mlx5_ft *ft, u32 index)
{
	u32 pos = fte_pos(ft, index);

	return pos < ft->nr_fte && ft->fte[pos].index == index ? &ft->fte[pos] : NULL;
}

static void use_targets(struct mlx5_nic *nic, const struct mlx5_fte *fte,
			void (*use)(struct mlx5_obj *obj))
{
	if (fte->has_dest)
		use(mlx5_obj_find(nic, fte->dest_kind, fte->dest_id));
	if (fte->has_counter)
		use(mlx5_obj_find(nic, MLX5_OBJ_FLOW_COUNTER, fte->counter_id));
}

void mlx5_steer_free_ftes(struct mlx5_nic *nic, struct mlx5_ft *ft)
{
	for (u32 i = 0; i < ft->nr_fte; i++)
		use_targets(nic, &ft->fte[i], mlx5_obj_put);
	free(ft->fte);
	ft->fte = NULL;
	ft->nr_fte = 0;
}

/* ---- reading a flow_context ---- */

static int check_flags(struct mlx5_cmd *cmd, const u8 *ctx)
{
	u32 action = IFC_GET(flow_context, ctx, action);
	bool fwd = action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST;
	bool drop = action & MLX5_FLOW_CONTEXT_ACTION_DROP;

	if (action & ~ACTIONS_MODELLED)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "action %#x: only allow, drop, forward and count are modelled",
				     action);
	if (!action || (fwd && drop))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "action %#x contradicts itself", action);
	if (IFC_GET(flow_context, ctx, extended_destination) ||
	    IFC_GET(flow_context, ctx, uplink_hairpin_en) ||
	    IFC_GET(set_fte_in, cmd->in, ignore_flow_level))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "extended destination, hairpin or ignore_flow_level: not offered");
	return MLX5_CMD_STAT_OK;
}

static int parse_dest(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const struct mlx5_ft *ft,
		      const u8 *dest, struct mlx5_fte *fte)
{
	u32 type = IFC_GET(dest_format_struct, dest, destination_type);
	u32 id = IFC_GET(dest_format_struct, dest, destination_id);

	if (IFC_GET(dest_format_struct, dest, destination_eswitch_owner_vhca_id_valid) ||
	    IFC_GET(dest_format_struct, dest, packet_reformat))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "destination of another function or with reformat");
	fte->has_dest = true;
	fte->dest_id = id;
	switch (type) {
	case MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE:
		fte->dest_kind = MLX5_OBJ_FT;
		return mlx5_steer_check_next(nic, cmd, ft->level, id);
	case MLX5_IFC_FLOW_DESTINATION_TYPE_TIR:
		fte->dest_kind = MLX5_OBJ_TIR;
		return mlx5_obj_need(nic, cmd, MLX5_OBJ_TIR, id) ?
		       MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
	}
	return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
			     "destination type %#x: only table (1) and TIR (2) are modelled", type);
}

/* Destinations, then counters, 8 bytes each, follow the context. */
static int parse_lists(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const struct mlx5_ft *ft,
		       const u8 *ctx, struct mlx5_fte *fte)
{
	u32 dests = IFC_GET(flow_context, ctx, destination_list_size);
	u32 counters = IFC_GET(flow_context, ctx, flow_counter_list_size);
	const u8 *list = IFC_CPTR(flow_context, ctx, destination);
	int st;

	_Static_assert(IFC_SIZE(dest_format_struct) == IFC_SIZE(flow_counter_list), "list entry");
	if (dests != !!(fte->action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST) ||
	    counters != !!(fte->action & MLX5_FLOW_CONTEXT_ACTION_COUNT))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "action %#x with %u destinations and %u counters (the model takes one each: it does not replicate packets)",
				     fte->action, dests, counters);
	if (cmd->in_len < IFC_SIZE(set_fte_in) +
			  (dests + counters) * IFC_SIZE(dest_format_struct))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "%u bytes of input for %u destinations and %u counters",
				     cmd->in_len, dests, counters);
	if (dests) {
		st = parse_dest(nic, cmd, ft, list, fte);
		if (st)
			return st;
		list += IFC_SIZE(dest_format_struct);
	}
	if (counters) {
		fte->counter_id = IFC_GET(flow_counter_list, list, flow_counter_id);
		if (!mlx5_obj_need(nic, cmd, MLX5_OBJ_FLOW_COUNTER, fte->counter_id))
			return MLX5_CMD_STAT_BAD_RES_ERR;
		fte->has_counter = true;
	}
	return MLX5_CMD_STAT_OK;
}

static int parse_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const struct mlx5_ft *ft,
		     struct mlx5_fte *fte)
{
	const u8 *ctx = IFC_CPTR(set_fte_in, cmd->in, flow_context);
	u32 group = IFC_GET(flow_context, ctx, group_id);
	int st;

	st = check_flags(cmd, ctx);
	if (st)
		return st;
	fte->fg = mlx5_obj_need(nic, cmd, MLX5_OBJ_FG, group);
	if (!fte->fg)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (fte->fg->ft_id != ft->obj.id)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR,
				     "group %u is of table %u, not %u", group, fte->fg->ft_id,
				     ft->obj.id);
	fte->index = IFC_GET(set_fte_in, cmd->in, flow_index);
	if (fte->index < fte->fg->start || fte->index > fte->fg->end)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR,
				     "flow index %u outside of group %u (%u..%u)", fte->index,
				     group, fte->fg->start, fte->fg->end);
	fte->action = IFC_GET(flow_context, ctx, action);
	fte->flow_tag = IFC_GET(flow_context, ctx, flow_tag);
	memcpy(fte->value, IFC_CPTR(flow_context, ctx, match_value), sizeof(fte->value));
	return parse_lists(nic, cmd, ft, ctx, fte);
}

/* ---- commands ---- */

static int add_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_ft *ft,
		   const struct mlx5_fte *new)
{
	u32 pos = fte_pos(ft, new->index);

	if (pos < ft->nr_fte && ft->fte[pos].index == new->index)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_STATE_ERR,
				     "table %u has an entry at flow index %u already",
				     ft->obj.id, new->index);
	if (ft->nr_fte == ft->max_fte) {
		u32 max = ft->max_fte ? ft->max_fte * 2 : 16;
		struct mlx5_fte *p = realloc(ft->fte, max * sizeof(*p));

		if (!p)
			return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR, "out of memory");
		ft->fte = p;
		ft->max_fte = max;
	}
	memmove(&ft->fte[pos + 1], &ft->fte[pos], (ft->nr_fte - pos) * sizeof(*ft->fte));
	ft->fte[pos] = *new;
	ft->nr_fte++;
	mlx5_obj_get(&new->fg->obj);
	use_targets(nic, new, mlx5_obj_get);
	return MLX5_CMD_STAT_OK;
}

/*
 * Takes over only what modify_enable_mask names. fs_core.c always sends the
 * whole context of the entry as it is to be, so the rest must be the same.
 */
static int modify_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_ft *ft,
		      const struct mlx5_fte *new)
{
	u32 mask = IFC_GET(set_fte_in, cmd->in, modify_enable_mask);
	struct mlx5_fte *fte = fte_find(ft, new->index), old;

	if (!fte)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR,
				     "no entry at flow index %u of table %u to modify",
				     new->index, ft->obj.id);
	if (mask & ~MOD_ALL)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "modify_enable_mask %#x is not modelled", mask);
	if (fte->fg != new->fg || memcmp(fte->value, new->value, sizeof(fte->value)))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "entry %u would change its group or match value", new->index);
	if ((!(mask & MOD_ACTION) && fte->action != new->action) ||
	    (!(mask & MOD_FLOW_TAG) && fte->flow_tag != new->flow_tag) ||
	    (!(mask & MOD_COUNTERS) && (fte->has_counter != new->has_counter ||
					fte->counter_id != new->counter_id)) ||
	    (!(mask & MOD_DEST) && new->has_dest &&
	     (!fte->has_dest || fte->dest_kind != new->dest_kind || fte->dest_id != new->dest_id)))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "entry %u: something changes that modify_enable_mask %#x leaves out",
				     new->index, mask);
	use_targets(nic, new, mlx5_obj_get);
	old = *fte;
	*fte = *new;
	use_targets(nic, &old, mlx5_obj_put);
	return MLX5_CMD_STAT_OK;
}

int mlx5_steer_set_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_fte fte = { 0 };
	struct mlx5_ft *ft;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (st)
		return st;
	ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT, IFC_GET(set_fte_in, cmd->in, table_id));
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	st = parse_fte(nic, cmd, ft, &fte);
	if (st)
		return st;
	switch (cmd->op_mod) {
	case OP_MOD_SET:
		return add_fte(nic, cmd, ft, &fte);
	case OP_MOD_MODIFY:
		return modify_fte(nic, cmd, ft, &fte);
	}
	return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "op_mod %u", cmd->op_mod);
}

/* The entry that a command names, or NULL with the reason logged. */
static struct mlx5_fte *need_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u32 ft_id, u32 index,
				 struct mlx5_ft **ft)
{
	struct mlx5_fte *fte;

	*ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT, ft_id);
	if (!*ft)
		return NULL;
	fte = fte_find(*ft, index);
	if (!fte)
		mlx5_cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR, "no entry at flow index %u of table %u",
			      index, ft_id);
	return fte;
}

int mlx5_steer_delete_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_fte *fte;
	struct mlx5_ft *ft;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (st)
		return st;
	fte = need_fte(nic, cmd, IFC_GET(delete_fte_in, cmd->in, table_id),
		       IFC_GET(delete_fte_in, cmd->in, flow_index), &ft);
	if (!fte)
		return ft ? MLX5_CMD_STAT_IX_ERR : MLX5_CMD_STAT_BAD_RES_ERR;
	use_targets(nic, fte, mlx5_obj_put);
	mlx5_obj_put(&fte->fg->obj);
	ft->nr_fte--;
	memmove(fte, fte + 1, (size_t)(&ft->fte[ft->nr_fte] - fte) * sizeof(*fte));
	return MLX5_CMD_STAT_OK;
}

int mlx5_steer_query_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *ctx = IFC_PTR(query_fte_out, cmd->out, flow_context);
	u8 *list = IFC_PTR(flow_context, ctx, destination);
	struct mlx5_fte *fte;
	struct mlx5_ft *ft;

	fte = need_fte(nic, cmd, IFC_GET(query_fte_in, cmd->in, table_id),
		       IFC_GET(query_fte_in, cmd->in, flow_index), &ft);
	if (!fte)
		return ft ? MLX5_CMD_STAT_IX_ERR : MLX5_CMD_STAT_BAD_RES_ERR;
	if (cmd->out_len < IFC_SIZE(query_fte_out) +
			   (fte->has_dest + fte->has_counter) * IFC_SIZE(dest_format_struct))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR,
				     "%u bytes of output are too few for the lists", cmd->out_len);
	IFC_SET(flow_context, ctx, group_id, fte->fg->obj.id);
	IFC_SET(flow_context, ctx, flow_tag, fte->flow_tag);
	IFC_SET(flow_context, ctx, action, fte->action);
	IFC_SET(flow_context, ctx, destination_list_size, fte->has_dest);
	IFC_SET(flow_context, ctx, flow_counter_list_size, fte->has_counter);
	memcpy(IFC_PTR(flow_context, ctx, match_value), fte->value, sizeof(fte->value));
	if (fte->has_dest) {
		IFC_SET(dest_format_struct, list, destination_type,
			fte->dest_kind == MLX5_OBJ_TIR ? MLX5_IFC_FLOW_DESTINATION_TYPE_TIR :
			MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
		IFC_SET(dest_format_struct, list, destination_id, fte->dest_id);
		list += IFC_SIZE(dest_format_struct);
	}
	if (fte->has_counter)
		IFC_SET(flow_counter_list, list, flow_counter_id, fte->counter_id);
	return MLX5_CMD_STAT_OK;
}
