// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - the memory of a queue (EQ, CQ, SQ, RQ): a list of equal pages that
 * need not be contiguous, given by physical address when it is created.
 */
#include <stdlib.h>

#include "mlx5.h"

int mlx5_ring_init(struct mlx5_ring *ring, struct mlx5_cmd *cmd, const u8 *pas,
		   unsigned int page_log, unsigned int size_log, unsigned int entry_log,
		   unsigned int page_offset)
{
	u32 given = (u32)(cmd->in_len - (size_t)(pas - cmd->in)) / 8;
	u64 bytes = (1ULL << (size_log + entry_log)) + page_offset;
	u64 pages = DIV_ROUND_UP(bytes, 1ULL << page_log);
	u32 i;

	if (size_log > 24 || entry_log > 12 || entry_log > page_log)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "2^%u entries of 2^%u bytes in pages of 2^%u", size_log,
				     entry_log, page_log);
	if (given < pages)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "%u pages given, %llu needed", given,
				     (unsigned long long)pages);

	ring->page = calloc(pages, sizeof(*ring->page));
	if (!ring->page)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR, "out of memory");
	for (i = 0; i < pages; i++)
		ring->page[i] = get_be64(pas + 8 * i) & ~7ULL;	/* low bits: permissions */
	ring->nr_pages = (u32)pages;
	ring->page_log = (u8)page_log;
	ring->size_log = (u8)size_log;
	ring->entry_log = (u8)entry_log;
	ring->page_offset = page_offset;
	return MLX5_CMD_STAT_OK;
}

void mlx5_ring_free(struct mlx5_ring *ring)
{
	free(ring->page);
	ring->page = NULL;
	ring->nr_pages = 0;
}

void *mlx5_ring_entry(struct mlx5_nic *nic, const struct mlx5_ring *ring, u32 i)
{
	u64 off = ((u64)(i & ((1U << ring->size_log) - 1)) << ring->entry_log) + ring->page_offset;
	u64 in_page = off & ((1ULL << ring->page_log) - 1);

	/* An entry never crosses a page: sizes are powers of two. */
	return dma_ptr(nic->dma, ring->page[off >> ring->page_log] + in_page,
		       1ULL << ring->entry_log);
}
