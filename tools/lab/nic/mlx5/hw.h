/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hw.h - what the device and the driver write into each other's memory in the
 * data path: event and completion queue entries, work queue segments, the
 * command queue entry and mailbox, and the numbers that go into them. The
 * kernel has these in include/linux/mlx5/device.h and qp.h, which do not
 * compile in user space; the names follow it.
 */
#ifndef MLX5_HW_H
#define MLX5_HW_H

#include <linux/types.h>

#include "../types.h"

/* Status of a command, first byte of its output. */
enum mlx5_cmd_stat {
	MLX5_CMD_STAT_OK = 0x0,
	MLX5_CMD_STAT_INT_ERR = 0x1,
	MLX5_CMD_STAT_BAD_OP_ERR = 0x2,
	MLX5_CMD_STAT_BAD_PARAM_ERR = 0x3,
	MLX5_CMD_STAT_BAD_SYS_STATE_ERR = 0x4,
	MLX5_CMD_STAT_BAD_RES_ERR = 0x5,
	MLX5_CMD_STAT_RES_BUSY = 0x6,
	MLX5_CMD_STAT_LIM_ERR = 0x8,
	MLX5_CMD_STAT_BAD_RES_STATE_ERR = 0x9,
	MLX5_CMD_STAT_IX_ERR = 0xa,
	MLX5_CMD_STAT_NO_RES_ERR = 0xf,
	MLX5_CMD_STAT_BAD_INP_LEN_ERR = 0x50,
	MLX5_CMD_STAT_BAD_OUTP_LEN_ERR = 0x51,
};

/* Capability groups, bits 15..1 of QUERY_HCA_CAP's op_mod. */
enum mlx5_cap_type {
	MLX5_CAP_GENERAL = 0x0,
	MLX5_CAP_ETHERNET_OFFLOADS = 0x1,
	MLX5_CAP_FLOW_TABLE = 0x7,
	MLX5_CAP_SHAMPO = 0x1d,
	MLX5_CAP_GENERAL_2 = 0x20,
};

/* ---- command queue ---- */

enum {
	MLX5_CMD_ENTRIES_LOG = 5,
	MLX5_CMD_ENTRY_LOG = 6,
	MLX5_CMD_BLOCK = 512,		/* data bytes of a mailbox block */
	MLX5_CMD_XPORT_PCI = 7,		/* type of an entry */
	MLX5_CMD_OWN_HW = 1,		/* status_own: the device owns the entry */
};

struct mlx5_cmd_entry {
	u8 type;
	u8 rsvd0[3];
	__be32 in_len;
	__be64 in_ptr;
	u8 in[16];
	u8 out[16];
	__be64 out_ptr;
	__be32 out_len;
	u8 token;
	u8 sig;
	u8 rsvd1;
	u8 status_own;
};
_Static_assert(sizeof(struct mlx5_cmd_entry) == 64, "command entry");

struct mlx5_cmd_block {
	u8 data[MLX5_CMD_BLOCK];
	u8 rsvd0[48];
	__be64 next;
	__be32 block_num;
	u8 rsvd1;
	u8 token;
	u8 ctrl_sig;
	u8 sig;
};
_Static_assert(sizeof(struct mlx5_cmd_block) == 576, "command mailbox block");

/* ---- events ---- */

enum mlx5_event_type {
	MLX5_EVENT_COMP = 0x00,
	MLX5_EVENT_CQ_ERROR = 0x04,
	MLX5_EVENT_PORT_CHANGE = 0x09,
	MLX5_EVENT_CMD = 0x0a,
	MLX5_EVENT_PAGE_REQUEST = 0x0b,
};

enum {
	MLX5_PORT_CHANGE_DOWN = 1,
	MLX5_PORT_CHANGE_ACTIVE = 4,
};

struct mlx5_eqe {
	u8 rsvd0;
	u8 type;
	u8 rsvd1;
	u8 sub_type;
	u8 rsvd2[28];
	u8 data[28];
	u8 rsvd3[2];
	u8 signature;
	u8 owner;
};
_Static_assert(sizeof(struct mlx5_eqe) == 64, "event queue entry");

/* ---- completions ---- */

enum mlx5_cqe_opcode {
	MLX5_CQE_REQ = 0x0,		/* of a send queue */
	MLX5_CQE_RESP_SEND = 0x2,	/* of a receive queue */
	MLX5_CQE_REQ_ERR = 0xd,
	MLX5_CQE_RESP_ERR = 0xe,
};

enum {
	MLX5_CQE_SYND_LOCAL_LENGTH = 0x01,
	MLX5_CQE_SYND_LOCAL_PROT = 0x04,
	MLX5_CQE_SYND_FLUSHED = 0x05,
	MLX5_CQE_SYND_LOCAL_QP_OP = 0x02,
};

/* hds_ip_ext: what was checked and found good. */
enum {
	MLX5_CQE_L2_OK = 1 << 0,
	MLX5_CQE_L3_OK = 1 << 1,
	MLX5_CQE_L4_OK = 1 << 2,
};

/* l4_l3_hdr_type: bit 0 VLAN stripped, bits 3..2 L3, bits 6..4 L4. */
enum {
	MLX5_CQE_VLAN_STRIPPED = 1 << 0,
	MLX5_CQE_L3_IPV6 = 1 << 2,
	MLX5_CQE_L3_IPV4 = 2 << 2,
	MLX5_CQE_L4_TCP = 1 << 4,
	MLX5_CQE_L4_UDP = 2 << 4,
	MLX5_CQE_L4_TCP_ACK_NO_DATA = 3 << 4,
	MLX5_CQE_L4_TCP_ACK_AND_DATA = 4 << 4,
};

/* rss_hash_type: bits 3..2 the IP version hashed, bits 7..6 the L4 protocol. */
enum {
	MLX5_CQE_HASH_IPV4 = 1 << 2,
	MLX5_CQE_HASH_IPV6 = 2 << 2,
	MLX5_CQE_HASH_TCP = 1 << 6,
	MLX5_CQE_HASH_UDP = 2 << 6,
};

/* Bits of shampo_flags. */
enum {
	MLX5_CQE_SHAMPO_MATCH = 1 << 1,
	MLX5_CQE_SHAMPO_FLUSH = 1 << 2,
};

/* First half of byte_cnt of a striding RQ's completion. */
enum {
	MLX5_CQE_FILLER = 0x8000,
};

struct mlx5_cqe {
	u8 outer_l3_tunneled;
	u8 rsvd1;
	__be16 wqe_id;
	u8 shampo_flags;
	u8 shampo_header_size;
	__be16 shampo_header_index;
	__be32 shampo_data_offset;
	__be32 rss_hash_result;
	u8 rss_hash_type;
	u8 rsvd17[3];
	__be16 check_sum;
	__be16 rsvd22;
	__be32 flags_rqpn;
	u8 hds_ip_ext;
	u8 l4_l3_hdr_type;
	__be16 vlan_info;
	__be32 srqn;
	__be32 ft_metadata;
	u8 rsvd40[4];
	__be32 byte_cnt;
	__be32 timestamp_h;
	__be32 timestamp_l;
	__be32 sop_drop_qpn;		/* flow tag, or WQE opcode and SQ number */
	__be16 wqe_counter;
	u8 signature;
	u8 op_own;
};
_Static_assert(sizeof(struct mlx5_cqe) == 64, "completion queue entry");

/* The same 64 bytes of an error completion. */
struct mlx5_err_cqe {
	u8 rsvd0[54];
	u8 vendor_err_synd;
	u8 syndrome;
	__be32 opcode_qpn;
	__be16 wqe_counter;
	u8 signature;
	u8 op_own;
};
_Static_assert(sizeof(struct mlx5_err_cqe) == 64, "error completion");

/* ---- work queues ---- */

enum mlx5_wqe_opcode {
	MLX5_WQE_NOP = 0x00,
	MLX5_WQE_SEND = 0x0a,
	MLX5_WQE_LSO = 0x0e,
	MLX5_WQE_UMR = 0x25,
};

enum {
	MLX5_WQE_CE_MASK = 3 << 2,	/* fm_ce_se: completion wanted */
	MLX5_WQE_CE_ALWAYS = 2 << 2,
	MLX5_WQE_L3_CSUM = 1 << 6,	/* cs_flags of the Ethernet segment */
	MLX5_WQE_L4_CSUM = 1 << 7,
	MLX5_WQE_INLINE_SEG = 1u << 31,	/* byte_count: the data follows in the WQE */
	MLX5_WQE_BB = 64,
};

struct mlx5_ctrl_seg {
	__be32 opmod_idx_opcode;	/* 31..24 opmod, 23..8 index, 7..0 opcode */
	__be32 qpn_ds;			/* 31..8 SQ number, 5..0 length in 16 bytes */
	u8 signature;
	u8 rsvd[2];
	u8 fm_ce_se;
	__be32 imm;			/* UMR: the mkey */
};
_Static_assert(sizeof(struct mlx5_ctrl_seg) == 16, "control segment");

struct mlx5_eth_seg {
	u8 swp[4];
	u8 cs_flags;
	u8 swp_flags;
	__be16 mss;
	__be32 flow_table_metadata;
	__be16 inline_hdr_sz;		/* bytes of header in the WQE */
	u8 inline_hdr[2];		/* its first two; the rest follows */
};
_Static_assert(sizeof(struct mlx5_eth_seg) == 16, "Ethernet segment");

struct mlx5_data_seg {
	__be32 byte_count;
	__be32 lkey;
	__be64 addr;
};
_Static_assert(sizeof(struct mlx5_data_seg) == 16, "data segment");

/* First 16 bytes of a linked-list receive WQE. */
struct mlx5_next_seg {
	u8 rsvd0[2];
	__be16 next_wqe_index;
	u8 signature;
	u8 rsvd1[11];
};
_Static_assert(sizeof(struct mlx5_next_seg) == 16, "next segment");

struct mlx5_umr_seg {
	u8 flags;
	u8 rsvd1[3];
	__be16 xlt_octowords;
	__be16 xlt_offset;		/* octowords, bits 15..0 */
	__be64 mkey_mask;
	__be32 xlt_offset_47_16;
	u8 rsvd20[28];
};
_Static_assert(sizeof(struct mlx5_umr_seg) == 48, "UMR control segment");

enum {
	MLX5_UMR_INLINE = 1 << 7,
	MLX5_UMR_OFFSET_EN = 1 << 4,
};

#endif /* MLX5_HW_H */
