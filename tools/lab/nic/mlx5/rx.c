// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rx.c - the way of a frame from the wire: port, steering, spreading, VLAN
 * stripping, receive queue. Each stage that drops it counts that.
 */
#include "../packet.h"
#include "mlx5.h"

#define FCS 4

/* The port: is the link up, is the frame no longer than the port's MTU? */
static bool port_accepts(struct mlx5_nic *nic, const u8 *frame, u32 len)
{
	u16 type = get_be16(frame + 12);
	bool tagged = type == PACKET_ETH_VLAN || type == PACKET_ETH_SVLAN;

	if (!mlx5_link_up(nic))
		return false;
	/* The MTU has room for one VLAN tag, which is no room for data without it. */
	if (len + FCS + (tagged ? 0 : PACKET_VLAN_HLEN) <= nic->port.admin_mtu)
		return true;
	nic->vport.rx.errors++;
	return false;
}

/* Steering and what follows it: also for a frame that was sent to oneself. */
void mlx5_rx_vport(struct mlx5_nic *nic, u8 *frame, u32 len)
{
	struct mlx5_rx_meta meta = { 0 };
	struct mlx5_tir *tir;
	struct mlx5_rq *rq;
	struct packet pkt;
	u32 skip;

	mlx5_count_frame(&nic->vport.rx, frame, len);
	packet_parse(&pkt, frame, len);
	tir = mlx5_steer_lookup(nic, &pkt, &meta.flow_tag);
	rq = tir ? mlx5_rss_pick(nic, tir, &pkt, &meta) : NULL;
	if (!rq) {
		nic->vport.rx_steer_missed++;
		return;
	}
	if (pkt.nr_vlans && pkt.vlan_tpid[0] == PACKET_ETH_VLAN && !rq->vsd) {
		skip = packet_strip_vlan(frame, len, &meta.vlan_tci);
		meta.vlan = skip > 0;
		packet_parse(&pkt, frame + skip, len - skip);
	}
	mlx5_rq_deliver(nic, rq, &pkt, &meta);
}

void mlx5_rx(struct mlx5_nic *nic, u8 *frame, u32 len)
{
	if (port_accepts(nic, frame, len))
		mlx5_rx_vport(nic, frame, len);
}
