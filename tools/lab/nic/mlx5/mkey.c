// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkey.c - memory keys: what an (lkey, address) pair of a work queue entry
 * means. Two access modes are offered: PA, all of memory by its bus address,
 * and MTT, a table of equal pages, which a UMR work request can rewrite.
 */
#include <errno.h>
#include <stdlib.h>

#include "ifc.h"
#include "mlx5.h"

#define MTT_ADDR_MASK (~7ULL)	/* bits 2..0 of an entry: permissions */
#define MKEY_MASK_FREE (1ULL << 29)
#define MAX_OCTWORDS (1 << 18)	/* of a table; two entries each */

static void release_mkey(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	(void)nic;
	free(container_of(obj, struct mlx5_mkey, obj)->mtt);
}

/* Reads the table that follows the context. */
static int read_mtt(struct mlx5_mkey *mkey, struct mlx5_cmd *cmd, u32 octwords)
{
	const u8 *mtt = IFC_CPTR(create_mkey_in, cmd->in, klm_pas_mtt);
	u32 given = (cmd->in_len - (u32)IFC_SIZE(create_mkey_in)) / 8;
	u32 i, actual = IFC_GET(create_mkey_in, cmd->in, translations_octword_actual_size) * 2;

	if (octwords > MAX_OCTWORDS || actual > octwords * 2)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "%u entries given for a table of %u octowords", actual,
				     octwords);
	if (given < actual)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "%u translation entries announced, %u given", actual, given);
	mkey->nr = octwords * 2;
	mkey->mtt = calloc(mkey->nr ? mkey->nr : 1, sizeof(*mkey->mtt));
	if (!mkey->mtt)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR, "out of memory");
	for (i = 0; i < actual; i++)
		mkey->mtt[i] = get_be64(mtt + 8 * i);
	return MLX5_CMD_STAT_OK;
}

static int check_mtt_len(const struct mlx5_mkey *mkey, struct mlx5_cmd *cmd)
{
	u64 covered = (u64)mkey->nr << mkey->page_log;

	if (mkey->page_log < 12 || mkey->page_log > 31)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "pages of 2^%u bytes",
				     mkey->page_log);
	if (mkey->len64 || mkey->len > covered)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "%llu bytes, but its table covers %llu",
				     (unsigned long long)mkey->len, (unsigned long long)covered);
	return MLX5_CMD_STAT_OK;
}

static int fill_mkey(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_mkey *mkey)
{
	const u8 *mkc = IFC_CPTR(create_mkey_in, cmd->in, memory_key_mkey_entry);
	u32 high_mode = IFC_GET(mkc, mkc, access_mode_4_2);
	int status;

	if (!mlx5_obj_need(nic, cmd, MLX5_OBJ_PD, IFC_GET(mkc, mkc, pd)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	mkey->mode = (u8)IFC_GET(mkc, mkc, access_mode_1_0);
	mkey->variant = (u8)IFC_GET(mkc, mkc, mkey_7_0);
	mkey->free = IFC_GET(mkc, mkc, free);
	mkey->umr_en = IFC_GET(mkc, mkc, umr_en);
	mkey->start = IFC_GET64(mkc, mkc, start_addr);
	mkey->len = IFC_GET64(mkc, mkc, len);
	mkey->len64 = IFC_GET(mkc, mkc, length64);
	mkey->page_log = (u8)IFC_GET(mkc, mkc, log_page_size);
	mkey->local_write = IFC_GET(mkc, mkc, lw);

	if (high_mode || mkey->mode > MLX5_MKC_ACCESS_MODE_MTT)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "access mode %u is not offered", high_mode << 2 | mkey->mode);
	if (mkey->mode == MLX5_MKC_ACCESS_MODE_PA)
		return MLX5_CMD_STAT_OK;
	status = read_mtt(mkey, cmd, IFC_GET(mkc, mkc, translations_octword_size));
	return status ? status : check_mtt_len(mkey, cmd);
}

static int create_mkey(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_mkey *mkey = mlx5_obj_new(nic, cmd, MLX5_OBJ_MKEY, sizeof(*mkey));
	int status;

	if (!mkey)
		return MLX5_CMD_STAT_LIM_ERR;
	mkey->obj.release = release_mkey;
	status = fill_mkey(nic, cmd, mkey);
	if (status) {
		mlx5_obj_del(nic, &mkey->obj);
		return status;
	}
	IFC_SET(create_mkey_out, cmd->out, mkey_index, mkey->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int destroy_mkey(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_MKEY,
				IFC_GET(destroy_mkey_in, cmd->in, mkey_index));
}

static int query_mkey(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_mkey *mkey = mlx5_obj_need(nic, cmd, MLX5_OBJ_MKEY,
					       IFC_GET(query_mkey_in, cmd->in, mkey_index));
	u8 *mkc = IFC_PTR(query_mkey_out, cmd->out, memory_key_mkey_entry);

	if (!mkey)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(mkc, mkc, free, mkey->free);
	IFC_SET(mkc, mkc, umr_en, mkey->umr_en);
	IFC_SET(mkc, mkc, access_mode_1_0, mkey->mode);
	IFC_SET(mkc, mkc, mkey_7_0, mkey->variant);
	IFC_SET(mkc, mkc, length64, mkey->len64);
	IFC_SET64(mkc, mkc, start_addr, mkey->start);
	IFC_SET64(mkc, mkc, len, mkey->len);
	IFC_SET(mkc, mkc, translations_octword_size, mkey->nr / 2);
	IFC_SET(mkc, mkc, log_page_size, mkey->page_log);
	return MLX5_CMD_STAT_OK;
}

/* ---- data path ---- */

static struct mlx5_mkey *find_key(struct mlx5_nic *nic, u32 key)
{
	struct mlx5_mkey *mkey = mlx5_obj_find(nic, MLX5_OBJ_MKEY, key >> 8);

	if (!mkey || mkey->variant != (u8)key) {
		nic_err("mkey %#x does not exist", key);
		return NULL;
	}
	return mkey;
}

void *mlx5_mkey_ptr(struct mlx5_nic *nic, u32 key, u64 va, u32 *len, bool write)
{
	struct mlx5_mkey *mkey = find_key(nic, key);
	u64 off, page, in_page, left;

	if (!mkey)
		return NULL;
	if (mkey->free || (write && !mkey->local_write)) {
		nic_err("mkey %#x: %s", key, mkey->free ? "used while it is free" :
							  "is not writable");
		return NULL;
	}
	off = va - mkey->start;
	if (!mkey->len64 && (off > mkey->len || *len > mkey->len - off)) {
		nic_err("mkey %#x: %u bytes at %#llx are outside its %llu bytes", key, *len,
			(unsigned long long)va, (unsigned long long)mkey->len);
		return NULL;
	}
	if (mkey->mode == MLX5_MKC_ACCESS_MODE_PA)
		return dma_ptr(nic->dma, va, *len);

	page = off >> mkey->page_log;
	in_page = off & ((1ULL << mkey->page_log) - 1);
	left = (1ULL << mkey->page_log) - in_page;
	if (page >= mkey->nr || !mkey->mtt[page]) {
		nic_err("mkey %#x: page %llu of %u has no translation", key,
			(unsigned long long)page, mkey->nr);
		return NULL;
	}
	if (*len > left)
		*len = (u32)left;
	return dma_ptr(nic->dma, (mkey->mtt[page] & MTT_ADDR_MASK) + in_page, *len);
}

static int copy(struct mlx5_nic *nic, u32 key, u64 va, u8 *buf, u32 len, bool write)
{
	while (len) {
		u32 n = len;
		u8 *p = mlx5_mkey_ptr(nic, key, va, &n, write);

		if (!p)
			return -EFAULT;
		if (write)
			memcpy(p, buf, n);
		else
			memcpy(buf, p, n);
		va += n;
		buf += n;
		len -= n;
	}
	return 0;
}

int mlx5_mkey_write(struct mlx5_nic *nic, u32 key, u64 va, const void *buf, u32 len)
{
	return copy(nic, key, va, (u8 *)buf, len, true);
}

int mlx5_mkey_read(struct mlx5_nic *nic, u32 key, u64 va, void *buf, u32 len)
{
	return copy(nic, key, va, buf, len, false);
}

bool mlx5_mkey_umr(struct mlx5_nic *nic, u32 key, u32 first, const u8 *entries, u32 nr,
		   u64 mkey_mask)
{
	struct mlx5_mkey *mkey = find_key(nic, key);
	u32 i;

	if (!mkey)
		return false;
	if (!mkey->umr_en || mkey->mode != MLX5_MKC_ACCESS_MODE_MTT || first > mkey->nr ||
	    nr > mkey->nr - first || mkey_mask & ~MKEY_MASK_FREE) {
		nic_err("mkey %#x: UMR of %u entries at %u, mask %#llx, is not allowed on its %u",
			key, nr, first, (unsigned long long)mkey_mask, mkey->nr);
		return false;
	}
	for (i = 0; i < nr; i++)
		mkey->mtt[first + i] = get_be64(entries + 8 * i);
	if (mkey_mask & MKEY_MASK_FREE)
		mkey->free = false;
	nic->nr_umr++;
	return true;
}

const struct mlx5_cmd_op mlx5_mkey_ops[] = {
	MLX5_OP(CREATE_MKEY, create_mkey, create_mkey),
	MLX5_OP(DESTROY_MKEY, destroy_mkey, destroy_mkey),
	MLX5_OP(QUERY_MKEY, query_mkey, query_mkey),
	{ 0 },
};
