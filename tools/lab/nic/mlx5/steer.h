/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steer.h - the inside of receive steering, shared by steer.c (the commands),
 * steer_fte.c (flow table entries) and steer_match.c (what is matched on).
 * The rest of the model uses the functions in mlx5.h.
 */
#ifndef MLX5_STEER_H
#define MLX5_STEER_H

#include "mlx5.h"

/* What caps.c may promise: flow_table_prop_layout of the NIC receive tables. */
enum {
	MLX5_STEER_MAX_LEVEL = 128,	/* max_ft_level */
	MLX5_STEER_MAX_LOG_SIZE = 22,	/* log_max_ft_size */
	MLX5_STEER_MAX_DEST = 1,	/* 1 << log_max_destination */
	MLX5_STEER_MAX_COUNTERS = 1,	/* 1 << log_max_flow_counter */
};

/* Bytes of one fte_match_set_lyr_2_4: all that is matched on. */
#define MLX5_STEER_KEY_LEN 64

struct mlx5_flow_counter {
	struct mlx5_obj obj;
	u64 packets, octets;
};

struct mlx5_fg {
	struct mlx5_obj obj;
	u32 ft_id;
	u32 start, end;			/* flow indexes, both inside */
	u8 enable;			/* match_criteria_enable */
	u8 mask[MLX5_STEER_KEY_LEN];
	struct mlx5_fg *next;		/* of the same table */
};

/*
 * An entry. What it leads to is kept by id, not by pointer: when everything
 * is released at a reset, the objects go in an order of their own.
 */
struct mlx5_fte {
	u32 index;
	struct mlx5_fg *fg;
	u16 action;			/* MLX5_FLOW_CONTEXT_ACTION_* */
	u32 flow_tag;
	bool has_dest, has_counter;
	enum mlx5_kind dest_kind;	/* MLX5_OBJ_FT or MLX5_OBJ_TIR */
	u32 dest_id;
	u32 counter_id;
	u8 value[MLX5_STEER_KEY_LEN];
};

struct mlx5_ft {
	struct mlx5_obj obj;
	u8 level, log_size;
	bool has_miss;			/* else a packet that misses is dropped */
	u32 miss_id;
	struct mlx5_fg *groups;
	struct mlx5_fte *fte;		/* sorted by index: the lowest one wins */
	u32 nr_fte, max_fte;
};

struct mlx5_steer {
	bool has_root;
	u32 root_id;
};

/* steer.c */

/*
 * The checks that all commands on receive tables share: this function's own
 * vport, table type NIC_RX. Command status.
 */
int mlx5_steer_check_target(struct mlx5_cmd *cmd);

/* May a table of this level send packets on to table id? Command status. */
int mlx5_steer_check_next(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 level, u32 id);

/* steer_fte.c: handlers, and what becomes of the entries with their table. */
int mlx5_steer_set_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd);
int mlx5_steer_delete_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd);
int mlx5_steer_query_fte(struct mlx5_nic *nic, struct mlx5_cmd *cmd);
void mlx5_steer_free_ftes(struct mlx5_nic *nic, struct mlx5_ft *ft);

/* steer_match.c */

/*
 * Is there anything in a fte_match_param mask that is not modelled or that
 * enable leaves out? Command status.
 */
int mlx5_steer_check_mask(struct mlx5_cmd *cmd, const u8 *match_param, u8 enable);

/* A packet's values, in the place of each field. */
void mlx5_steer_key(u8 key[MLX5_STEER_KEY_LEN], const struct packet *pkt);

/* The entry of the table that takes the packet, or NULL. */
struct mlx5_fte *mlx5_steer_match(const struct mlx5_ft *ft, const u8 key[MLX5_STEER_KEY_LEN]);

#endif /* MLX5_STEER_H */
