/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx.h - building frames from send work requests (tx.c), for sq.c.
 */
#ifndef MLX5_TX_H
#define MLX5_TX_H

#include "mlx5.h"

/*
 * Runs one SEND or LSO WQE: gathers, segments, fills in checksums and VLAN
 * tag, and puts the frames on the wire. false (logged) if it makes no sense.
 */
bool mlx5_tx_send(struct mlx5_nic *nic, struct mlx5_sq *sq, const u8 *wqe, u32 bytes, bool lso);

/* Posts an error completion for the WQE at index (sq.c). */
void mlx5_sq_error_cqe(struct mlx5_nic *nic, struct mlx5_sq *sq, u16 index, u8 opcode,
		       u8 syndrome);

#endif /* MLX5_TX_H */
