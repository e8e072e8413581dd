// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * caps.c - what the device says it can do, and the commands of bringing it up:
 * ISSI, capabilities, pages, INIT_HCA and its undoing. A capability that is
 * not set here is a feature the driver leaves alone: no eswitch, RoCE, QoS,
 * TLS, IPsec, PSP, hairpin, LAG.
 */
#include "ifc.h"
#include "mlx5.h"
#include "rss.h"
#include "shampo.h"
#include "steer.h"

#define GEN(c, field, v) IFC_SET(cmd_hca_cap, c, field, v)
#define ETH(c, field, v) IFC_SET(per_protocol_networking_offload_caps, c, field, v)
#define FT(f, field, v) IFC_SET(flow_table_prop_layout, f, field, v)

static void general_objects(u8 *c)
{
	GEN(c, log_max_qp, 18);
	GEN(c, log_max_cq, 14);
	GEN(c, log_max_cq_sz, 22);
	GEN(c, log_max_eq, 6);
	GEN(c, log_max_eq_sz, 22);
	GEN(c, max_num_eqs, 32);
	GEN(c, log_max_mkey, 16);
	GEN(c, log_max_pd, 8);
	GEN(c, log_max_transport_domain, 8);
	GEN(c, log_max_rq, 12);
	GEN(c, log_max_sq, 12);
	GEN(c, log_max_tir, 12);
	GEN(c, log_max_tis, 12);
	GEN(c, log_max_rqt, 12);
	GEN(c, log_max_rqt_size, MLX5_RSS_LOG_MAX_RQT_SIZE);
	GEN(c, log_max_klm_list_size, 16);
	GEN(c, max_indirection, 4);
	GEN(c, log_max_current_uc_list, 7);
	GEN(c, log_max_current_mc_list, 7);
	GEN(c, log_max_vlan_list, 7);
	GEN(c, max_flow_counter_15_0, 0x7fff);
}

static void general_caps(const struct mlx5_nic *nic, u8 *c)
{
	general_objects(c);
	GEN(c, port_type, 1);			/* Ethernet */
	GEN(c, num_ports, 1);
	GEN(c, vport_group_manager, 1);
	GEN(c, eth_net_offloads, 1);
	GEN(c, nic_flow_table, 1);
	GEN(c, vport_counters, 1);
	GEN(c, disable_local_lb_uc, 1);
	GEN(c, disable_local_lb_mc, 1);
	GEN(c, cqe_version, 1);
	GEN(c, cq_moderation, 1);
	GEN(c, cq_period_mode_modify, 1);
	GEN(c, bf, 1);
	GEN(c, log_bf_reg_size, 9);
	GEN(c, num_of_uars_per_page, 1);
	GEN(c, log_pg_sz, 12);
	GEN(c, max_tc, 8);
	GEN(c, log_max_msg, 30);
	GEN(c, page_request_disable, 1);	/* the model has memory of its own */
	GEN(c, device_frequency_khz, 1000000);	/* clock.c counts ns */
	GEN(c, log_max_wq_sz, 16);
	GEN(c, log_min_stride_sz_rq, 4);
	GEN(c, log_max_stride_sz_rq, 11);
	GEN(c, log_min_stride_sz_sq, 6);
	GEN(c, log_max_stride_sz_sq, 6);
	GEN(c, max_wqe_sz_sq, 1024);
	GEN(c, max_wqe_sz_rq, 1024);
	GEN(c, basic_cyclic_rcv_wqe, 1);
	GEN(c, fixed_buffer_size, 1);
	GEN(c, hca_cap_2, 1);
	if (nic->nic->opt.striding) {
		GEN(c, striding_rq, 1);
		GEN(c, ext_stride_num_range, 1);
		GEN(c, umr_ptr_rlky, 1);
		GEN(c, shampo, 1);
	}
}

static void ethernet_caps(const struct mlx5_nic *nic, u8 *c)
{
	ETH(c, csum_cap, 1);
	ETH(c, vlan_cap, 1);
	ETH(c, max_lso_cap, 18);
	ETH(c, rss_ind_tbl_cap, 7);
	ETH(c, self_lb_en_modifiable, 1);
	ETH(c, wqe_inline_mode, 2);	/* no inline header is needed */
	ETH(c, reg_umr_sq, nic->nic->opt.striding);
}

static void flow_table_caps(u8 *c)
{
	u8 *f = IFC_PTR(flow_table_nic_cap, c, flow_table_properties_nic_receive);

	FT(f, ft_support, 1);
	FT(f, flow_modify_en, 1);
	FT(f, modify_root, 1);
	FT(f, identified_miss_table_mode, 1);
	FT(f, flow_table_modify, 1);
	FT(f, log_max_ft_size, MLX5_STEER_MAX_LOG_SIZE);
	FT(f, max_ft_level, MLX5_STEER_MAX_LEVEL);
	FT(f, log_max_ft_num, 12);
	FT(f, log_max_flow, 20);
	/* steer.h promises one destination and one counter per entry: logs of 0. */
	FT(f, log_max_destination, 0);
	FT(f, log_max_flow_counter, 0);
}

static void shampo_caps(u8 *c)
{
	IFC_SET(shampo_cap, c, shampo_header_split, 1);
	IFC_SET(shampo_cap, c, shampo_header_split_data_merge, 1);
	IFC_SET(shampo_cap, c, shampo_log_min_reservation_size, MLX5_SHAMPO_LOG_MIN_RSRV);
	IFC_SET(shampo_cap, c, shampo_log_max_reservation_size, MLX5_SHAMPO_LOG_MAX_RSRV);
	IFC_SET(shampo_cap, c, shampo_log_max_headers_entry_size, MLX5_SHAMPO_LOG_MAX_HEADER);
	IFC_SET(shampo_cap, c, shampo_min_mss_size, MLX5_SHAMPO_MIN_MSS);
}

static int query_hca_cap(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 group = cmd->op_mod >> 1;	/* bit 0: current or maximum; they are the same */
	u8 *c = IFC_PTR(query_hca_cap_out, cmd->out, capability);

	if (IFC_GET(query_hca_cap_in, cmd->in, other_function))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "there is no other function");
	switch (group) {
	case MLX5_CAP_GENERAL:
		general_caps(nic, c);
		break;
	case MLX5_CAP_ETHERNET_OFFLOADS:
		ethernet_caps(nic, c);
		break;
	case MLX5_CAP_FLOW_TABLE:
		flow_table_caps(c);
		break;
	case MLX5_CAP_SHAMPO:
		if (nic->nic->opt.striding)
			shampo_caps(c);
		break;
	case MLX5_CAP_GENERAL_2:
		IFC_SET(cmd_hca_cap_2, c, min_mkey_log_entity_size_fixed_buffer_valid, 1);
		IFC_SET(cmd_hca_cap_2, c, min_mkey_log_entity_size_fixed_buffer, 8);
		break;
	default:
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "capability group %#x",
				     group);
	}
	return MLX5_CMD_STAT_OK;
}

/*
 * The driver sets the general group once, before INIT_HCA, mostly to what it
 * read. What it may not turn on is what the model could not honour.
 */
static int set_hca_cap(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *c = IFC_CPTR(set_hca_cap_in, cmd->in, capability);

	if (nic->hca_inited)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR, "after INIT_HCA");
	if (cmd->op_mod >> 1 != MLX5_CAP_GENERAL)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "capability group %#x",
				     cmd->op_mod >> 1);
	if (IFC_GET(cmd_hca_cap, c, log_max_qp) > 18 || IFC_GET(cmd_hca_cap, c, uar_4k) ||
	    IFC_GET(cmd_hca_cap, c, log_uar_page_sz) || IFC_GET(cmd_hca_cap, c, cmdif_checksum) ||
	    IFC_GET(cmd_hca_cap, c, log_max_current_uc_list) > 7)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "a capability is set beyond what is offered");
	return MLX5_CMD_STAT_OK;
}

static int query_issi(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	IFC_SET(query_issi_out, cmd->out, current_issi, nic->issi);
	IFC_SET(query_issi_out, cmd->out, supported_issi_dw0, 1 << 1);
	return MLX5_CMD_STAT_OK;
}

static int set_issi(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 issi = IFC_GET(set_issi_in, cmd->in, current_issi);

	if (issi != 1)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "ISSI %u, only 1 is offered",
				     issi);
	nic->issi = 1;
	return MLX5_CMD_STAT_OK;
}

static int enable_hca(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	(void)cmd;
	nic->hca_enabled = true;
	return MLX5_CMD_STAT_OK;
}

static int disable_hca(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	(void)cmd;
	nic->hca_enabled = false;
	return MLX5_CMD_STAT_OK;
}

static int init_hca(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	if (!nic->hca_enabled || nic->hca_inited)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR, "%s",
				     nic->hca_inited ? "twice" : "before ENABLE_HCA");
	nic->hca_inited = true;
	return MLX5_CMD_STAT_OK;
}

/* What the driver has not destroyed by now is lost to it: say so. */
static int teardown_hca(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	int k;

	if (!nic->hca_inited)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR, "before INIT_HCA");
	for (k = 0; k < MLX5_OBJ_KINDS; k++)
		if (nic->obj[k].live)
			nic_info("TEARDOWN_HCA: %u of %s are left", nic->obj[k].live,
				 mlx5_kind_name(k));
	mlx5_obj_destroy_all(nic);
	mlx5_steer_reset(nic);
	nic->hca_inited = false;
	return MLX5_CMD_STAT_OK;
}

/* None: page_request_disable says so too. */
static int query_pages(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	(void)nic;
	(void)cmd;
	return MLX5_CMD_STAT_OK;
}

static int manage_pages(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	(void)nic;
	if (IFC_GET(manage_pages_in, cmd->in, input_num_entries))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "pages that nobody asked for");
	return MLX5_CMD_STAT_OK;
}

static int query_adapter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *p = IFC_PTR(query_adapter_out, cmd->out, query_adapter_struct);

	(void)nic;
	/* Named so that nobody takes a result for the hardware's. */
	memcpy(IFC_PTR(query_adapter_param_block, p, vsd_contd_psid), "ZCQ_SWMODEL\0\0\0\0\0", 16);
	return MLX5_CMD_STAT_OK;
}

static int query_special_contexts(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	(void)nic;
	IFC_SET(query_special_contexts_out, cmd->out, terminate_scatter_list_mkey, 0x100);
	return MLX5_CMD_STAT_OK;
}

const struct mlx5_cmd_op mlx5_caps_ops[] = {
	MLX5_OP(QUERY_HCA_CAP, query_hca_cap, query_hca_cap),
	MLX5_OP(SET_HCA_CAP, set_hca_cap, set_hca_cap),
	MLX5_OP(QUERY_ISSI, query_issi, query_issi),
	MLX5_OP(SET_ISSI, set_issi, set_issi),
	MLX5_OP(ENABLE_HCA, enable_hca, enable_hca),
	MLX5_OP(DISABLE_HCA, disable_hca, disable_hca),
	MLX5_OP(INIT_HCA, init_hca, init_hca),
	MLX5_OP(TEARDOWN_HCA, teardown_hca, teardown_hca),
	MLX5_OP(QUERY_PAGES, query_pages, query_pages),
	MLX5_OP(MANAGE_PAGES, manage_pages, manage_pages),
	MLX5_OP(QUERY_ADAPTER, query_adapter, query_adapter),
	MLX5_OP(QUERY_SPECIAL_CONTEXTS, query_special_contexts, query_special_contexts),
	{ 0 },
};
