// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock.c - the device's free running clock, which time-stamps completions
 * and can be read from the init segment.
 */
#include <time.h>

#include "mlx5.h"

u64 mlx5_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ULL + (u64)ts.tv_nsec;
}

void mlx5_cqe_timestamp(struct mlx5_cqe *cqe)
{
	u64 now = mlx5_clock_ns();

	cqe->timestamp_h = htobe32((u32)(now >> 32));
	cqe->timestamp_l = htobe32((u32)now);
}
