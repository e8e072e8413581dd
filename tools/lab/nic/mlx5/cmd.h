/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd.h - what the device's registers (nic.c) and faults (fault.c) need from
 * the command interface. Handlers need mlx5.h only.
 */
#ifndef MLX5_CMD_H
#define MLX5_CMD_H

#include "mlx5.h"

int mlx5_cmdif_create(struct mlx5_nic *nic);
void mlx5_cmdif_destroy(struct mlx5_nic *nic);
void mlx5_cmdif_reset(struct mlx5_nic *nic);

/* The driver wrote the queue's address, or rang for the entries in vector. */
void mlx5_cmd_set_addr_hi(struct mlx5_nic *nic, u32 hi);
void mlx5_cmd_set_addr_lo(struct mlx5_nic *nic, u32 lo);
void mlx5_cmd_doorbell(struct mlx5_nic *nic, u32 vector);

/* NULL: no such command is implemented. */
const struct mlx5_cmd_op *mlx5_cmd_by_name(struct mlx5_nic *nic, const char *name);

#endif /* MLX5_CMD_H */
