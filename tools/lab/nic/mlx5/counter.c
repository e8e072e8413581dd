// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter.c - what was counted, in the three forms in which the driver asks:
 * Q counters (drops for want of buffers), vport counters, and the PPCNT
 * register's groups. Port and vport count the same frames, since nothing lies
 * between them here; only the port's byte counts include the FCS.
 */
#include "ifc.h"
#include "mlx5.h"

#define FCS 4

void mlx5_count_frame(struct mlx5_traffic *t, const u8 *frame, u32 len)
{
	static const u32 limit[] = { 64, 127, 255, 511, 1023, 1518, 2047, 4095, 8191 };
	u32 i;

	t->packets++;
	t->bytes += len;
	for (i = 0; i < ARRAY_SIZE(limit) && len + FCS > limit[i]; i++)
		;
	t->size_bucket[i]++;
	if (!(frame[0] & 1)) {
		t->unicast++;
		t->unicast_bytes += len;
	} else if (!memcmp(frame, "\xff\xff\xff\xff\xff\xff", 6)) {
		t->broadcast++;
		t->broadcast_bytes += len;
	} else {
		t->multicast++;
		t->multicast_bytes += len;
	}
}

/* ---- Q counters ---- */

static int alloc_q_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_qcnt *q = mlx5_obj_new(nic, cmd, MLX5_OBJ_QCNT, sizeof(*q));

	if (!q)
		return MLX5_CMD_STAT_LIM_ERR;
	IFC_SET(alloc_q_counter_out, cmd->out, counter_set_id, q->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int dealloc_q_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_QCNT,
				IFC_GET(dealloc_q_counter_in, cmd->in, counter_set_id));
}

static int query_q_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_qcnt *q = mlx5_obj_need(nic, cmd, MLX5_OBJ_QCNT,
					    IFC_GET(query_q_counter_in, cmd->in, counter_set_id));

	if (!q)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(query_q_counter_out, cmd->out, out_of_buffer, q->out_of_buffer);
	if (IFC_GET(query_q_counter_in, cmd->in, clear))
		q->out_of_buffer = 0;
	return MLX5_CMD_STAT_OK;
}

/* ---- vport counters ---- */

#define SET_TRAFFIC(out, field, pkts, octs) do { \
	u8 *t_ = IFC_PTR(query_vport_counter_out, out, field); \
	IFC_SET64(traffic_counter, t_, packets, pkts); \
	IFC_SET64(traffic_counter, t_, octets, octs); \
} while (0)

static int query_vport_counter(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const struct mlx5_traffic *rx = &nic->vport.rx, *tx = &nic->vport.tx;
	u8 *out = cmd->out;

	if (IFC_GET(query_vport_counter_in, cmd->in, other_vport))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "there is no other vport");
	SET_TRAFFIC(out, received_errors, rx->errors, 0);
	SET_TRAFFIC(out, transmit_errors, tx->errors, 0);
	SET_TRAFFIC(out, received_eth_unicast, rx->unicast, rx->unicast_bytes);
	SET_TRAFFIC(out, received_eth_multicast, rx->multicast, rx->multicast_bytes);
	SET_TRAFFIC(out, received_eth_broadcast, rx->broadcast, rx->broadcast_bytes);
	SET_TRAFFIC(out, transmitted_eth_unicast, tx->unicast, tx->unicast_bytes);
	SET_TRAFFIC(out, transmitted_eth_multicast, tx->multicast, tx->multicast_bytes);
	SET_TRAFFIC(out, transmitted_eth_broadcast, tx->broadcast, tx->broadcast_bytes);
	return MLX5_CMD_STAT_OK;
}

static int query_vnic_env(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *v = IFC_PTR(query_vnic_env_out, cmd->out, vport_env);

	if (IFC_GET(query_vnic_env_in, cmd->in, other_vport))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "there is no other vport");
	IFC_SET64(vnic_diagnostic_statistics, v, nic_receive_steering_discard,
		  nic->vport.rx_steer_missed);
	return MLX5_CMD_STAT_OK;
}

/* ---- PPCNT ---- */

/* A 64-bit counter, which the layouts write as two dwords <field>_high and _low. */
#define SET_CTR(group, p, field, v) \
	put_be64(IFC_PTR(eth_##group##_grp_data_layout, p, field##_high), v)

static void fill_802_3(const struct mlx5_traffic *rx, const struct mlx5_traffic *tx, u8 *p)
{
	SET_CTR(802_3_cntrs, p, a_frames_transmitted_ok, tx->packets);
	SET_CTR(802_3_cntrs, p, a_frames_received_ok, rx->packets);
	SET_CTR(802_3_cntrs, p, a_octets_transmitted_ok, tx->bytes + FCS * tx->packets);
	SET_CTR(802_3_cntrs, p, a_octets_received_ok, rx->bytes + FCS * rx->packets);
	SET_CTR(802_3_cntrs, p, a_multicast_frames_xmitted_ok, tx->multicast);
	SET_CTR(802_3_cntrs, p, a_broadcast_frames_xmitted_ok, tx->broadcast);
	SET_CTR(802_3_cntrs, p, a_multicast_frames_received_ok, rx->multicast);
	SET_CTR(802_3_cntrs, p, a_broadcast_frames_received_ok, rx->broadcast);
	SET_CTR(802_3_cntrs, p, a_frame_too_long_errors, rx->errors);
}

static void fill_2863(const struct mlx5_traffic *rx, const struct mlx5_traffic *tx, u8 *p)
{
	SET_CTR(2863_cntrs, p, if_in_octets, rx->bytes + FCS * rx->packets);
	SET_CTR(2863_cntrs, p, if_in_ucast_pkts, rx->unicast);
	SET_CTR(2863_cntrs, p, if_in_discards, rx->discards);
	SET_CTR(2863_cntrs, p, if_in_errors, rx->errors);
	SET_CTR(2863_cntrs, p, if_out_octets, tx->bytes + FCS * tx->packets);
	SET_CTR(2863_cntrs, p, if_out_ucast_pkts, tx->unicast);
	SET_CTR(2863_cntrs, p, if_out_discards, tx->discards);
	SET_CTR(2863_cntrs, p, if_out_errors, tx->errors);
	SET_CTR(2863_cntrs, p, if_in_multicast_pkts, rx->multicast);
	SET_CTR(2863_cntrs, p, if_in_broadcast_pkts, rx->broadcast);
	SET_CTR(2863_cntrs, p, if_out_multicast_pkts, tx->multicast);
	SET_CTR(2863_cntrs, p, if_out_broadcast_pkts, tx->broadcast);
}

static void fill_2819(const struct mlx5_traffic *rx, u8 *p)
{
	u8 *bucket = IFC_PTR(eth_2819_cntrs_grp_data_layout, p, ether_stats_pkts64octets_high);
	u32 i;

	SET_CTR(2819_cntrs, p, ether_stats_octets, rx->bytes + FCS * rx->packets);
	SET_CTR(2819_cntrs, p, ether_stats_pkts, rx->packets);
	SET_CTR(2819_cntrs, p, ether_stats_broadcast_pkts, rx->broadcast);
	SET_CTR(2819_cntrs, p, ether_stats_multicast_pkts, rx->multicast);
	SET_CTR(2819_cntrs, p, ether_stats_oversize_pkts, rx->errors);
	for (i = 0; i < ARRAY_SIZE(rx->size_bucket); i++)
		put_be64(bucket + 8 * i, rx->size_bucket[i]);
}

/* Without priority flow control everything is priority 0. */
static void fill_per_prio(const struct mlx5_traffic *rx, const struct mlx5_traffic *tx, u32 prio,
			  u8 *p)
{
	if (prio)
		return;
	SET_CTR(per_prio, p, rx_octets, rx->bytes + FCS * rx->packets);
	SET_CTR(per_prio, p, rx_frames, rx->packets);
	SET_CTR(per_prio, p, tx_octets, tx->bytes + FCS * tx->packets);
	SET_CTR(per_prio, p, tx_frames, tx->packets);
	SET_CTR(per_prio, p, rx_discards, rx->discards);
}

int mlx5_ppcnt_read(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	enum { IEEE_802_3 = 0x0, RFC_2863 = 0x1, RFC_2819 = 0x2, RFC_3635 = 0x3, EXTENDED = 0x5,
	       PER_PRIO = 0x10, PER_TC = 0x11, PHYSICAL = 0x12, PER_TC_CONGESTION = 0x13 };
	const struct mlx5_traffic *rx = &nic->vport.rx, *tx = &nic->vport.tx;
	u32 group = IFC_GET(ppcnt_reg, reg, grp);
	u8 *p = IFC_PTR(ppcnt_reg, reg, counter_set);

	memset(p, 0, IFC_SIZE(ppcnt_reg) - IFC_OFF(ppcnt_reg, counter_set));
	switch (group) {
	case IEEE_802_3:
		fill_802_3(rx, tx, p);
		break;
	case RFC_2863:
		fill_2863(rx, tx, p);
		break;
	case RFC_2819:
		fill_2819(rx, p);
		break;
	case PER_PRIO:
		fill_per_prio(rx, tx, IFC_GET(ppcnt_reg, reg, prio_tc), p);
		break;
	case PHYSICAL:
		IFC_SET(phys_layer_cntrs, p, link_down_events, nic->port.down_events);
		break;
	case RFC_3635:
	case EXTENDED:
	case PER_TC:
	case PER_TC_CONGESTION:
		break;	/* what they count (pause, congestion) does not happen here: zeros */
	default:
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "PPCNT group %#x", group);
	}
	return MLX5_CMD_STAT_OK;
}

const struct mlx5_cmd_op mlx5_counter_ops[] = {
	MLX5_OP(ALLOC_Q_COUNTER, alloc_q_counter, alloc_q_counter),
	MLX5_OP(DEALLOC_Q_COUNTER, dealloc_q_counter, dealloc_q_counter),
	MLX5_OP(QUERY_Q_COUNTER, query_q_counter, query_q_counter),
	MLX5_OP(QUERY_VPORT_COUNTER, query_vport_counter, query_vport_counter),
	MLX5_OP(QUERY_VNIC_ENV, query_vnic_env, query_vnic_env),
	{ 0 },
};
