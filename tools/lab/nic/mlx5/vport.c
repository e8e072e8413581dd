// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vport.c - the function's virtual port: MAC, MTU, address lists, promiscuous
 * mode, administrative state. They are stored and given back; the lists do not
 * filter, since the driver also puts them into its flow tables.
 */
#include "ifc.h"
#include "mlx5.h"

/* NVIDIA's OUI, and a number that never left this model. */
static const u8 default_mac[6] = { 0xb8, 0x3f, 0xd2, 0x00, 0x00, 0x07 };

enum { ADMIN_DOWN = 0, ADMIN_UP = 1, ADMIN_AUTO = 2 };
enum { LIST_UC = 0 };	/* allowed_list_type */

void mlx5_vport_init(struct mlx5_nic *nic)
{
	struct mlx5_vport *v = &nic->vport;

	*v = (struct mlx5_vport){ .mtu = MLX5_PORT_MAX_MTU, .admin_state = ADMIN_AUTO };
	memcpy(v->mac, default_mac, sizeof(v->mac));
	nic->port = (struct mlx5_port){ .admin_mtu = 1522, .admin_up = true };
}

bool mlx5_link_up(const struct mlx5_nic *nic)
{
	return nic->port.admin_up && nic->vport.admin_state != ADMIN_DOWN;
}

bool mlx5_vport_loops(const struct mlx5_nic *nic, const u8 *frame)
{
	const struct mlx5_vport *v = &nic->vport;
	u64 mac = (u64)get_be16(frame) << 32 | get_be32(frame + 2);
	u32 i;

	if (v->disable_uc_lb || frame[0] & 1)
		return false;
	for (i = 0; i < v->nr_list[LIST_UC]; i++)
		if (v->list[LIST_UC][i] == mac)
			return true;
	return false;
}

void mlx5_link_update(struct mlx5_nic *nic, bool was_up)
{
	bool up = mlx5_link_up(nic);
	u8 data[9] = { 0 };

	if (up == was_up)
		return;
	if (!up)
		nic->port.down_events++;
	data[8] = 1 << 4;	/* port number, upper half */
	mlx5_async_event(nic, MLX5_EVENT_PORT_CHANGE,
			 up ? MLX5_PORT_CHANGE_ACTIVE : MLX5_PORT_CHANGE_DOWN, data,
			 sizeof(data));
}

/* Only the function's own vport is there. */
static int check_own(struct mlx5_cmd *cmd, u32 other)
{
	if (other)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "there is no other vport");
	return MLX5_CMD_STAT_OK;
}

static int query_context(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const struct mlx5_vport *v = &nic->vport;
	u8 *c = IFC_PTR(query_nic_vport_context_out, cmd->out, nic_vport_context);
	u32 type = IFC_GET(query_nic_vport_context_in, cmd->in, allowed_list_type);
	u32 room = (cmd->out_len - (u32)IFC_SIZE(query_nic_vport_context_out)) / 8;
	u32 i;
	int status = check_own(cmd, IFC_GET(query_nic_vport_context_in, cmd->in, other_vport));

	if (status)
		return status;
	if (type >= ARRAY_SIZE(v->list))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "list type %u", type);
	IFC_SET(nic_vport_context, c, min_wqe_inline_mode, v->inline_mode);
	IFC_SET(nic_vport_context, c, disable_mc_local_lb, v->disable_mc_lb);
	IFC_SET(nic_vport_context, c, disable_uc_local_lb, v->disable_uc_lb);
	IFC_SET(nic_vport_context, c, mtu, v->mtu);
	IFC_SET(nic_vport_context, c, promisc_uc, v->promisc_uc);
	IFC_SET(nic_vport_context, c, promisc_mc, v->promisc_mc);
	IFC_SET(nic_vport_context, c, promisc_all, v->promisc_all);
	memcpy(IFC_PTR(nic_vport_context, c, permanent_address) + 2, v->mac, 6);
	IFC_SET(nic_vport_context, c, allowed_list_type, type);
	IFC_SET(nic_vport_context, c, allowed_list_size, min_u32(v->nr_list[type], room));
	for (i = 0; i < v->nr_list[type] && i < room; i++)
		put_be64(IFC_PTR(nic_vport_context, c, current_uc_mac_address) + 8 * i,
			 v->list[type][i]);
	return MLX5_CMD_STAT_OK;
}

static int set_list(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const u8 *c)
{
	struct mlx5_vport *v = &nic->vport;
	u32 type = IFC_GET(nic_vport_context, c, allowed_list_type);
	u32 i, nr = IFC_GET(nic_vport_context, c, allowed_list_size);
	u32 given = (cmd->in_len - (u32)IFC_SIZE(modify_nic_vport_context_in)) / 8;

	if (type >= ARRAY_SIZE(v->list) || nr > MLX5_VPORT_LIST_MAX)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "list type %u with %u entries", type, nr);
	if (given < nr)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "%u entries announced, %u given", nr, given);
	for (i = 0; i < nr; i++)
		v->list[type][i] = get_be64(IFC_CPTR(nic_vport_context, c,
						     current_uc_mac_address) + 8 * i);
	v->nr_list[type] = nr;
	return MLX5_CMD_STAT_OK;
}

#define SELECTED(cmd, field) IFC_GET(modify_nic_vport_context_in, (cmd)->in, field_select.field)

static int modify_context(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_vport *v = &nic->vport;
	const u8 *c = IFC_CPTR(modify_nic_vport_context_in, cmd->in, nic_vport_context);
	int status = check_own(cmd, IFC_GET(modify_nic_vport_context_in, cmd->in, other_vport));

	if (status)
		return status;
	if (SELECTED(cmd, roce_en) || SELECTED(cmd, affiliation) || SELECTED(cmd, node_guid) ||
	    SELECTED(cmd, port_guid))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "RoCE is not offered");
	if (SELECTED(cmd, addresses_list)) {
		status = set_list(nic, cmd, c);
		if (status)
			return status;
	}
	if (SELECTED(cmd, mtu))
		v->mtu = (u16)IFC_GET(nic_vport_context, c, mtu);
	if (SELECTED(cmd, permanent_address))
		memcpy(v->mac, IFC_CPTR(nic_vport_context, c, permanent_address) + 2, 6);
	if (SELECTED(cmd, min_inline))
		v->inline_mode = (u8)IFC_GET(nic_vport_context, c, min_wqe_inline_mode);
	if (SELECTED(cmd, disable_uc_local_lb))
		v->disable_uc_lb = IFC_GET(nic_vport_context, c, disable_uc_local_lb);
	if (SELECTED(cmd, disable_mc_local_lb))
		v->disable_mc_lb = IFC_GET(nic_vport_context, c, disable_mc_local_lb);
	if (SELECTED(cmd, promisc)) {
		v->promisc_uc = IFC_GET(nic_vport_context, c, promisc_uc);
		v->promisc_mc = IFC_GET(nic_vport_context, c, promisc_mc);
		v->promisc_all = IFC_GET(nic_vport_context, c, promisc_all);
	}
	return MLX5_CMD_STAT_OK;
}

static int query_state(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	int status = check_own(cmd, IFC_GET(query_vport_state_in, cmd->in, other_vport));

	if (status)
		return status;
	IFC_SET(query_vport_state_out, cmd->out, admin_state, nic->vport.admin_state);
	IFC_SET(query_vport_state_out, cmd->out, state, mlx5_link_up(nic));
	return MLX5_CMD_STAT_OK;
}

static int modify_state(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	bool was_up = mlx5_link_up(nic);
	u32 state = IFC_GET(modify_vport_state_in, cmd->in, admin_state);
	int status = check_own(cmd, IFC_GET(modify_vport_state_in, cmd->in, other_vport));

	if (status)
		return status;
	if (state > ADMIN_AUTO)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "state %u", state);
	nic->vport.admin_state = (u8)state;
	mlx5_link_update(nic, was_up);
	return MLX5_CMD_STAT_OK;
}

const struct mlx5_cmd_op mlx5_vport_ops[] = {
	MLX5_OP(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, query_context),
	MLX5_OP(MODIFY_NIC_VPORT_CONTEXT, modify_nic_vport_context, modify_context),
	MLX5_OP(QUERY_VPORT_STATE, query_vport_state, query_state),
	MLX5_OP(MODIFY_VPORT_STATE, modify_vport_state, modify_state),
	{ 0 },
};
