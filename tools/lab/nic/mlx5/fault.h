/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - faults that a test asks for (fault.c).
 */
#ifndef MLX5_FAULT_H
#define MLX5_FAULT_H

#include <stdio.h>

#include "mlx5.h"

/*
 *	cmd OPCODE N status STATUS	the Nth OPCODE from now fails with STATUS
 *	unsplit N			the next N splittable packets stay whole
 *
 * OPCODE is a name as in the kernel (CREATE_RQ) or a number; numbers may be
 * hexadecimal. 0, or -EINVAL with a line that says why in out.
 */
int mlx5_fault(struct mlx5_nic *nic, int argc, char **argv, FILE *out);

#endif /* MLX5_FAULT_H */
