// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steer.c - receive flow tables, their groups, the root, flow counters, and
 * the walk of a packet through them. Checks follow what the driver does in
 * drivers/net/ethernet/mellanox/mlx5/core/fs_cmd.c and fs_core.c, named
 * below; the layouts are those of mlx5_ifc.h. Entries are in steer_fte.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "../packet.h"
#include "ifc.h"
#include "steer.h"

/* All commands of flow tables start alike; a layout of one serves for all. */
#define SAME_START(type) \
	_Static_assert(IFC_BIT_OFF(type, vport_number) == \
		       IFC_BIT_OFF(create_flow_table_in, vport_number) && \
		       IFC_BIT_OFF(type, table_type) == \
		       IFC_BIT_OFF(create_flow_table_in, table_type), #type)
SAME_START(modify_flow_table_in);
SAME_START(destroy_flow_table_in);
SAME_START(set_flow_table_root_in);
SAME_START(create_flow_group_in);
SAME_START(destroy_flow_group_in);
SAME_START(set_fte_in);
SAME_START(delete_fte_in);

static int check_table_type(struct mlx5_cmd *cmd)
{
	u32 type = IFC_GET(create_flow_table_in, cmd->in, table_type);

	if (type != MLX5_FLOW_TABLE_TYPE_NIC_RX)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "flow table type %#x: only NIC_RX (0) is modelled", type);
	return MLX5_CMD_STAT_OK;
}

int mlx5_steer_check_target(struct mlx5_cmd *cmd)
{
	const u8 *in = cmd->in;

	if (IFC_GET(create_flow_table_in, in, other_vport) ||
	    IFC_GET(create_flow_table_in, in, other_eswitch) ||
	    IFC_GET(create_flow_table_in, in, vport_number))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "another vport or eswitch (vport %u), without eswitch capability",
				     IFC_GET(create_flow_table_in, in, vport_number));
	return check_table_type(cmd);
}

int mlx5_steer_check_next(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 level, u32 id)
{
	struct mlx5_ft *next = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT, id);

	if (!next)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	/* fs_core.c dest_is_valid(), find_next_chained_ft(): levels only rise. */
	if (next->level <= level)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "table %u of level %u can't follow one of level %u",
				     id, next->level, level);
	return MLX5_CMD_STAT_OK;
}

static struct mlx5_ft *find_ft(struct mlx5_nic *nic, u32 id)
{
	return mlx5_obj_find(nic, MLX5_OBJ_FT, id);
}

static void put_ft(struct mlx5_nic *nic, u32 id)
{
	struct mlx5_ft *ft = find_ft(nic, id);

	mlx5_obj_put(ft ? &ft->obj : NULL);
}

/* ---- tables ---- */

static void set_miss(struct mlx5_nic *nic, struct mlx5_ft *ft, bool has_miss, u32 id)
{
	if (has_miss)
		mlx5_obj_get(&find_ft(nic, id)->obj);
	if (ft->has_miss)
		put_ft(nic, ft->miss_id);
	ft->has_miss = has_miss;
	ft->miss_id = has_miss ? id : 0;
}

static void release_ft(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_ft *ft = container_of(obj, struct mlx5_ft, obj);

	mlx5_steer_free_ftes(nic, ft);
	set_miss(nic, ft, false, 0);
}

/* The miss action of a flow_table_context; *has_miss says whether it forwards. */
static int parse_miss(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const u8 *ctx, u8 level,
		      bool *has_miss)
{
	u32 action = IFC_GET(flow_table_context, ctx, table_miss_action);
	u32 id = IFC_GET(flow_table_context, ctx, table_miss_id);

	*has_miss = action == MLX5_FLOW_TABLE_MISS_ACTION_FWD;
	if (*has_miss)
		return mlx5_steer_check_next(nic, cmd, level, id);
	if (action != MLX5_FLOW_TABLE_MISS_ACTION_DEF)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "table_miss_action %u is not modelled", action);
	return MLX5_CMD_STAT_OK;
}

static int check_table_context(struct mlx5_cmd *cmd, const u8 *ctx)
{
	u32 level = IFC_GET(flow_table_context, ctx, level);
	u32 log_size = IFC_GET(flow_table_context, ctx, log_size);

	if (IFC_GET(flow_table_context, ctx, reformat_en) ||
	    IFC_GET(flow_table_context, ctx, decap_en) ||
	    IFC_GET(flow_table_context, ctx, sw_owner) ||
	    IFC_GET(flow_table_context, ctx, termination_table) ||
	    IFC_GET(flow_table_context, ctx, rtc_valid))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "table flags %#x need capabilities that are not offered",
				     get_be32(ctx));
	if (level >= MLX5_STEER_MAX_LEVEL)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "level %u, max_ft_level is %u", level, MLX5_STEER_MAX_LEVEL);
	if (log_size > MLX5_STEER_MAX_LOG_SIZE)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR,
				     "log_size %u, log_max_ft_size is %u", log_size,
				     MLX5_STEER_MAX_LOG_SIZE);
	return MLX5_CMD_STAT_OK;
}

static int create_flow_table(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *ctx = IFC_CPTR(create_flow_table_in, cmd->in, flow_table_context);
	u8 level = IFC_GET(flow_table_context, ctx, level);
	struct mlx5_ft *ft;
	bool has_miss;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (!st)
		st = check_table_context(cmd, ctx);
	if (!st)
		st = parse_miss(nic, cmd, ctx, level, &has_miss);
	if (st)
		return st;
	if (cmd->op_mod)	/* fs_cmd.c: 1 is FS_FT_OP_MOD_LAG_DEMUX */
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "op_mod %u is not modelled", cmd->op_mod);
	ft = mlx5_obj_new(nic, cmd, MLX5_OBJ_FT, sizeof(*ft));
	if (!ft)
		return MLX5_CMD_STAT_LIM_ERR;
	ft->obj.release = release_ft;
	ft->level = level;
	ft->log_size = IFC_GET(flow_table_context, ctx, log_size);
	set_miss(nic, ft, has_miss, IFC_GET(flow_table_context, ctx, table_miss_id));
	IFC_SET(create_flow_table_out, cmd->out, table_id, ft->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int modify_flow_table(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *ctx = IFC_CPTR(modify_flow_table_in, cmd->in, flow_table_context);
	u32 select = IFC_GET(modify_flow_table_in, cmd->in, modify_field_select);
	struct mlx5_ft *ft;
	bool has_miss;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (st)
		return st;
	ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT,
			   IFC_GET(modify_flow_table_in, cmd->in, table_id));
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (select != MLX5_MODIFY_FLOW_TABLE_MISS_TABLE_ID)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "modify_field_select %#x: only MISS_TABLE_ID (1) is modelled",
				     select);
	st = parse_miss(nic, cmd, ctx, ft->level, &has_miss);
	if (st)
		return st;
	set_miss(nic, ft, has_miss, IFC_GET(flow_table_context, ctx, table_miss_id));
	return MLX5_CMD_STAT_OK;
}

/*
 * A table with groups, or that is a destination or the root, has users:
 * RES_BUSY. Only the very last table may go as the root: the driver does not
 * disconnect that one (fs_core.c update_root_ft_destroy()).
 */
static int destroy_flow_table(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 id = IFC_GET(destroy_flow_table_in, cmd->in, table_id);
	struct mlx5_steer *steer = nic->steer;
	struct mlx5_ft *ft;
	int st = mlx5_steer_check_target(cmd);

	if (st)
		return st;
	ft = find_ft(nic, id);
	if (ft && steer->has_root && steer->root_id == id && ft->obj.users == 1 &&
	    nic->obj[MLX5_OBJ_FT].live == 1) {
		steer->has_root = false;
		mlx5_obj_put(&ft->obj);
	}
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_FT, id);
}

static int query_flow_table(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *ctx = IFC_PTR(query_flow_table_out, cmd->out, flow_table_context);
	struct mlx5_ft *ft;
	int st = check_table_type(cmd);

	if (st)
		return st;
	ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT,
			   IFC_GET(query_flow_table_in, cmd->in, table_id));
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(flow_table_context, ctx, level, ft->level);
	IFC_SET(flow_table_context, ctx, log_size, ft->log_size);
	IFC_SET(flow_table_context, ctx, table_miss_action,
		ft->has_miss ? MLX5_FLOW_TABLE_MISS_ACTION_FWD : MLX5_FLOW_TABLE_MISS_ACTION_DEF);
	IFC_SET(flow_table_context, ctx, table_miss_id, ft->miss_id);
	return MLX5_CMD_STAT_OK;
}

/* fs_cmd.c mlx5_cmd_update_root_ft(): op_mod 1 disconnects. */
static int set_flow_table_root(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 id = IFC_GET(set_flow_table_root_in, cmd->in, table_id);
	struct mlx5_steer *steer = nic->steer;
	struct mlx5_ft *ft;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (st)
		return st;
	if (cmd->op_mod > 1 || IFC_GET(set_flow_table_root_in, cmd->in, underlay_qpn) ||
	    IFC_GET(set_flow_table_root_in, cmd->in, table_of_other_vport) ||
	    IFC_GET(set_flow_table_root_in, cmd->in, table_eswitch_owner_vhca_id_valid))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "op_mod %u, underlay QP or a foreign table: not modelled",
				     cmd->op_mod);
	if (!cmd->op_mod) {
		ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT, id);
		if (!ft)
			return MLX5_CMD_STAT_BAD_RES_ERR;
		mlx5_obj_get(&ft->obj);
	}
	if (steer->has_root)
		put_ft(nic, steer->root_id);
	steer->has_root = !cmd->op_mod;
	steer->root_id = id;
	return MLX5_CMD_STAT_OK;
}

/* ---- groups ---- */

static void release_fg(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_fg *fg = container_of(obj, struct mlx5_fg, obj);
	struct mlx5_ft *ft = find_ft(nic, fg->ft_id);

	for (struct mlx5_fg **at = &ft->groups; *at; at = &(*at)->next) {
		if (*at == fg) {
			*at = fg->next;
			break;
		}
	}
	mlx5_obj_put(&ft->obj);
}

static int check_group_range(struct mlx5_cmd *cmd, const struct mlx5_ft *ft, u32 start, u32 end)
{
	if (start > end || end >> ft->log_size)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR,
				     "flow indexes %u..%u in table %u of %lu entries",
				     start, end, ft->obj.id, BIT(ft->log_size));
	for (const struct mlx5_fg *fg = ft->groups; fg; fg = fg->next)
		if (start <= fg->end && fg->start <= end)
			return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR,
					     "flow indexes %u..%u overlap group %u (%u..%u)",
					     start, end, fg->obj.id, fg->start, fg->end);
	return MLX5_CMD_STAT_OK;
}

static int create_flow_group(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *mask = IFC_CPTR(create_flow_group_in, cmd->in, match_criteria);
	u8 enable = IFC_GET(create_flow_group_in, cmd->in, match_criteria_enable);
	u32 start = IFC_GET(create_flow_group_in, cmd->in, start_flow_index);
	u32 end = IFC_GET(create_flow_group_in, cmd->in, end_flow_index);
	struct mlx5_ft *ft;
	struct mlx5_fg *fg;
	int st;

	st = mlx5_steer_check_target(cmd);
	if (st)
		return st;
	ft = mlx5_obj_need(nic, cmd, MLX5_OBJ_FT,
			   IFC_GET(create_flow_group_in, cmd->in, table_id));
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (IFC_GET(create_flow_group_in, cmd->in, group_type) ||
	    IFC_GET(create_flow_group_in, cmd->in, match_definer_id))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "a hash-split group or match definer: not modelled");
	st = check_group_range(cmd, ft, start, end);
	if (!st)
		st = mlx5_steer_check_mask(cmd, mask, enable);
	if (st)
		return st;
	fg = mlx5_obj_new(nic, cmd, MLX5_OBJ_FG, sizeof(*fg));
	if (!fg)
		return MLX5_CMD_STAT_LIM_ERR;
	fg->obj.release = release_fg;
	fg->ft_id = ft->obj.id;
	fg->start = start;
	fg->end = end;
	fg->enable = enable;
	memcpy(fg->mask, mask, sizeof(fg->mask));
	fg->next = ft->groups;
	ft->groups = fg;
	mlx5_obj_get(&ft->obj);
	IFC_SET(create_flow_group_out, cmd->out, group_id, fg->obj.id);
	return MLX5_CMD_STAT_OK;
}

/* The group a command names, if it is one of the table the command names. */
static struct mlx5_fg *need_group(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u32 id, u32 ft_id)
{
	struct mlx5_fg *fg = mlx5_obj_need(nic, cmd, MLX5_OBJ_FG, id);

	if (fg && fg->ft_id != ft_id) {
		mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR, "group %u is of table %u, not %u",
			      id, fg->ft_id, ft_id);
		return NULL;
	}
	return fg;
}

static int destroy_flow_group(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 id = IFC_GET(destroy_flow_group_in, cmd->in, group_id);
	int st = mlx5_steer_check_target(cmd);

	if (st)
		return st;
	if (!need_group(nic, cmd, id, IFC_GET(destroy_flow_group_in, cmd->in, table_id)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_FG, id);
}

static int query_flow_group(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_fg *fg;
	int st = check_table_type(cmd);

	if (st)
		return st;
	fg = need_group(nic, cmd, IFC_GET(query_flow_group_in, cmd->in, group_id),
			IFC_GET(query_flow_group_in, cmd->in, table_id));
	if (!fg)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(query_flow_group_out, cmd->out, start_flow_index, fg->start);
	IFC_SET(query_flow_group_out, cmd->out, end_flow_index, fg->end);
	IFC_SET(query_flow_group_out, cmd->out, match_criteria_enable, fg->enable);
	memcpy(IFC_PTR(query_flow_group_out, cmd->out, match_criteria), fg->mask,
	       sizeof(fg->mask));
	return MLX5_CMD_STAT_OK;
}

/* ---- flow counters ---- */

static int alloc_flow_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_flow_counter *fc;

	/* Bulks are allowed by flow_counter_bulk_alloc, which is not offered. */
	if (IFC_GET(alloc_flow_counter_in, cmd->in, flow_counter_bulk) ||
	    IFC_GET(alloc_flow_counter_in, cmd->in, flow_counter_bulk_log_size))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "a bulk of counters, without flow_counter_bulk_alloc");
	fc = mlx5_obj_new(nic, cmd, MLX5_OBJ_FLOW_COUNTER, sizeof(*fc));
	if (!fc)
		return MLX5_CMD_STAT_LIM_ERR;
	IFC_SET(alloc_flow_counter_out, cmd->out, flow_counter_id, fc->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int dealloc_flow_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_FLOW_COUNTER,
				IFC_GET(dealloc_flow_counter_in, cmd->in, flow_counter_id));
}

/*
 * fs_cmd.c mlx5_cmd_fc_query() asks for one (num_of_counters 0), _bulk_query()
 * for a run of ids, among which some may not exist: those read as zeros.
 */
static int query_flow_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 id = IFC_GET(query_flow_counter_in, cmd->in, flow_counter_id);
	u32 nr = IFC_GET(query_flow_counter_in, cmd->in, num_of_counters);
	bool clear = IFC_GET(query_flow_counter_in, cmd->in, clear);
	u8 *at = IFC_PTR(query_flow_counter_out, cmd->out, flow_statistics);
	struct mlx5_flow_counter *fc;

	if (!nr && !mlx5_obj_need(nic, cmd, MLX5_OBJ_FLOW_COUNTER, id))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	nr = nr ? nr : 1;
	if (cmd->out_len < IFC_SIZE(query_flow_counter_out) + nr * IFC_SIZE(traffic_counter))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR,
				     "%u bytes of output for %u counters", cmd->out_len, nr);
	for (u32 i = 0; i < nr; i++, at += IFC_SIZE(traffic_counter)) {
		fc = mlx5_obj_find(nic, MLX5_OBJ_FLOW_COUNTER, id + i);
		if (!fc)
			continue;
		IFC_SET64(traffic_counter, at, packets, fc->packets);
		IFC_SET64(traffic_counter, at, octets, fc->octets);
		if (clear)
			fc->packets = fc->octets = 0;
	}
	return MLX5_CMD_STAT_OK;
}

const struct mlx5_cmd_op mlx5_steer_ops[] = {
	MLX5_OP(CREATE_FLOW_TABLE, create_flow_table, create_flow_table),
	MLX5_OP(MODIFY_FLOW_TABLE, modify_flow_table, modify_flow_table),
	MLX5_OP(DESTROY_FLOW_TABLE, destroy_flow_table, destroy_flow_table),
	MLX5_OP(QUERY_FLOW_TABLE, query_flow_table, query_flow_table),
	MLX5_OP(SET_FLOW_TABLE_ROOT, set_flow_table_root, set_flow_table_root),
	MLX5_OP(CREATE_FLOW_GROUP, create_flow_group, create_flow_group),
	MLX5_OP(DESTROY_FLOW_GROUP, destroy_flow_group, destroy_flow_group),
	MLX5_OP(QUERY_FLOW_GROUP, query_flow_group, query_flow_group),
	MLX5_OP(SET_FLOW_TABLE_ENTRY, set_fte, mlx5_steer_set_fte),
	MLX5_OP(DELETE_FLOW_TABLE_ENTRY, delete_fte, mlx5_steer_delete_fte),
	MLX5_OP(QUERY_FLOW_TABLE_ENTRY, query_fte, mlx5_steer_query_fte),
	MLX5_OP(ALLOC_FLOW_COUNTER, alloc_flow_counter, alloc_flow_counter),
	MLX5_OP(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, dealloc_flow_counter),
	MLX5_OP(QUERY_FLOW_COUNTER, query_flow_counter, query_flow_counter),
	{ 0 }
};

/* ---- the walk ---- */

struct mlx5_tir *mlx5_steer_lookup(struct mlx5_nic *nic, const struct packet *pkt, u32 *flow_tag)
{
	struct mlx5_ft *ft = nic->steer->has_root ? find_ft(nic, nic->steer->root_id) : NULL;
	struct mlx5_flow_counter *fc;
	struct mlx5_fte *fte;
	u8 key[MLX5_STEER_KEY_LEN];

	*flow_tag = 0;
	mlx5_steer_key(key, pkt);
	/* Ends, because levels only rise. */
	while (ft) {
		fte = mlx5_steer_match(ft, key);
		if (!fte) {
			ft = ft->has_miss ? find_ft(nic, ft->miss_id) : NULL;
			continue;
		}
		if (fte->flow_tag)
			*flow_tag = fte->flow_tag;
		fc = fte->has_counter ?
		     mlx5_obj_find(nic, MLX5_OBJ_FLOW_COUNTER, fte->counter_id) : NULL;
		if (fc) {
			fc->packets++;
			fc->octets += pkt->len;
		}
		if (!fte->has_dest)
			return NULL;
		if (fte->dest_kind == MLX5_OBJ_TIR)
			return mlx5_obj_find(nic, MLX5_OBJ_TIR, fte->dest_id);
		ft = find_ft(nic, fte->dest_id);
	}
	return NULL;
}

int mlx5_steer_create(struct mlx5_nic *nic)
{
	nic->steer = calloc(1, sizeof(*nic->steer));
	return nic->steer ? 0 : -ENOMEM;
}

void mlx5_steer_destroy(struct mlx5_nic *nic)
{
	free(nic->steer);
	nic->steer = NULL;
}

void mlx5_steer_reset(struct mlx5_nic *nic)
{
	memset(nic->steer, 0, sizeof(*nic->steer));
}
