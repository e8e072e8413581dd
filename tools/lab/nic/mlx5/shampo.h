/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shampo.h - limits of header split and SHAMPO that caps.c advertises, and
 * the state that shampo.c keeps for an RQ. What the receive path calls is in
 * mlx5.h; nobody but shampo.c and its test looks into the state.
 */
#ifndef MLX5_SHAMPO_H
#define MLX5_SHAMPO_H

#include "../packet.h"
#include "mlx5.h"

/* mlx5_ifc_shampo_cap_bits. */
enum {
	MLX5_SHAMPO_LOG_MAX_RSRV = 16,
	MLX5_SHAMPO_LOG_MIN_RSRV = 12,
	MLX5_SHAMPO_MIN_MSS = 128,
	MLX5_SHAMPO_LOG_MAX_HEADER = 8,
};

/* What the wq and rq contexts ask for. */
struct mlx5_shampo_cfg {
	u32 header_max;		/* bytes of a header that can be split off */
	u8 entry_log;		/* bytes of a header entry, log2 */
	u32 entries;		/* of the header buffer, a power of two */
	u32 rsrv;		/* bytes of a reservation, a power of two */
	u32 rsrv_pkts;		/* packets that a reservation takes at most */
	u32 align;		/* of the data of a packet that does not match */
	bool merge;		/* false: every packet is a session of its own */
};

/*
 * The open session: a flow whose next segment may continue the data. One at a
 * time, as the driver keeps one skb per RQ (en.h struct mlx5e_hw_gro_data).
 */
struct mlx5_shampo_session {
	bool open;
	struct packet first;	/* its data is header[] */
	u8 header[1 << MLX5_SHAMPO_LOG_MAX_HEADER];
	u32 packets;
	u32 next_seq;
	u16 next_ip_id;		/* IPv4, from the second packet on */
	bool fixed_ip_id;	/* it does not change */
};

struct mlx5_shampo {
	struct mlx5_shampo_cfg cfg;
	struct mlx5_mkey *mkey;	/* of the header buffer; NULL only in tests */
	u32 next_entry;		/* free running */

	/* in the current WQE */
	u32 end;		/* where the last data ended */
	u32 rsrv_start;		/* of the current reservation */
	u32 rsrv_used;		/* packets in it */

	struct mlx5_shampo_session session;
};

#endif /* MLX5_SHAMPO_H */
