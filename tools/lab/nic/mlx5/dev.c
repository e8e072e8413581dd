// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dev.c - the mlx5 model as the harness sees it: PCI identity, registers (the
 * init segment and the doorbell pages of BAR 0), reset, statistics. Offsets
 * are those of the kernel's struct mlx5_init_seg and of its doorbells.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "fault.h"
#include "mlx5.h"

#define BAR0_SIZE 0x2000000
#define UAR_SIZE 0x1000

/* Init segment. */
enum {
	SEG_FW_REV = 0x0,
	SEG_CMDIF_REV = 0x4,
	SEG_CMDQ_ADDR_HI = 0x10,
	SEG_CMDQ_ADDR_LO = 0x14,
	SEG_CMD_DOORBELL = 0x18,
	SEG_INITIALIZING = 0x1fc,
	SEG_TIMER_HI = 0x1000,
	SEG_TIMER_LO = 0x1004,
	SEG_HEALTH_COUNTER = 0x1010,
	SEG_END = 0x4000,
};

enum { FW_MAJOR = 28, FW_MINOR = 43, FW_SUB = 1000, CMDIF_REV = 5 };

/* Doorbells within a UAR page. */
enum {
	UAR_CQ_ARM = 0x20,
	UAR_EQ_ARM = 0x40,
	UAR_EQ_UPDATE = 0x48,
	UAR_SQ_FIRST = 0x800,	/* blue flame registers: up to the end of the page */
};

static struct mlx5_nic *priv(struct nic *nic)
{
	return nic->priv;
}

static int mlx5_create(struct nic *nic)
{
	struct mlx5_nic *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	nic->priv = m;
	m->nic = nic;
	m->dma = &nic->dma;
	mlx5_vport_init(m);
	err = mlx5_obj_init(m);
	if (!err)
		err = mlx5_cmdif_create(m);
	if (!err)
		err = mlx5_steer_create(m);
	return err;
}

static void mlx5_destroy(struct nic *nic)
{
	struct mlx5_nic *m = priv(nic);

	if (!m)
		return;
	mlx5_obj_exit(m);
	mlx5_steer_destroy(m);
	mlx5_cmdif_destroy(m);
	free(m);
	nic->priv = NULL;
}

static void mlx5_reset(struct nic *nic)
{
	struct mlx5_nic *m = priv(nic);

	nic_info("reset");
	mlx5_obj_destroy_all(m);
	mlx5_steer_reset(m);
	mlx5_cmdif_reset(m);
	mlx5_vport_init(m);
	m->hca_enabled = false;
	m->hca_inited = false;
	m->issi = 0;
}

static u32 read_seg(struct mlx5_nic *m, u64 off)
{
	switch (off) {
	case SEG_FW_REV:
		return FW_MINOR << 16 | FW_MAJOR;
	case SEG_CMDIF_REV:
		return CMDIF_REV << 16 | FW_SUB;
	case SEG_CMDQ_ADDR_LO:	/* what the driver reads is the queue's geometry */
		return MLX5_CMD_ENTRIES_LOG << 4 | MLX5_CMD_ENTRY_LOG;
	case SEG_TIMER_HI:
		return (u32)(mlx5_clock_ns() >> 32);
	case SEG_TIMER_LO:
		return (u32)mlx5_clock_ns();
	case SEG_HEALTH_COUNTER:	/* a device whose counter stands still is dead */
		return ++m->health_counter;
	default:
		return 0;
	}
}

static void mlx5_bar_read(struct nic *nic, int bar, u64 off, void *buf, u32 len)
{
	u8 dword[4];

	memset(buf, 0, len);
	if (bar == 2)
		return;		/* MSI-X table: QEMU has it */
	if (off % 4 + len > 4 || off >= SEG_END) {
		nic_err("read of %u bytes at %#llx of BAR %d", len, (unsigned long long)off, bar);
		return;
	}
	/* The health buffer is also read byte by byte. */
	put_be32(dword, read_seg(priv(nic), off & ~3ULL));
	memcpy(buf, dword + off % 4, len);
}

static void write_seg(struct mlx5_nic *m, u64 off, u32 v)
{
	switch (off) {
	case SEG_CMDQ_ADDR_HI:
		mlx5_cmd_set_addr_hi(m, v);
		break;
	case SEG_CMDQ_ADDR_LO:
		mlx5_cmd_set_addr_lo(m, v);
		break;
	case SEG_CMD_DOORBELL:
		mlx5_cmd_doorbell(m, v);
		break;
	default:
		nic_err("write of %#x at %#llx of the init segment", v, (unsigned long long)off);
	}
}

static void write_uar(struct mlx5_nic *m, u64 off, const u8 *p, u32 len)
{
	u32 reg = off % UAR_SIZE;

	m->nr_doorbells++;
	if (!mlx5_obj_find(m, MLX5_OBJ_UAR, (u32)(off / UAR_SIZE)))
		nic_err("doorbell in UAR %#llx, which does not exist",
			(unsigned long long)(off / UAR_SIZE));
	else if (reg == UAR_CQ_ARM && len == 8)
		mlx5_cq_arm(m, get_be32(p + 4), get_be32(p));
	else if ((reg == UAR_EQ_ARM || reg == UAR_EQ_UPDATE) && len == 4)
		mlx5_eq_doorbell(m, get_be32(p), reg == UAR_EQ_ARM);
	else if (reg >= UAR_SQ_FIRST && len == 8)
		mlx5_sq_doorbell(m, get_be32(p + 4) >> 8);
	else
		nic_err("doorbell of %u bytes at %#x of a UAR", len, reg);
}

static void mlx5_bar_write(struct nic *nic, int bar, u64 off, const void *buf, u32 len)
{
	if (bar == 2)
		return;
	if (off >= 0x10 * UAR_SIZE)
		write_uar(priv(nic), off, buf, len);
	else if (off < SEG_END && len == 4)
		write_seg(priv(nic), off, get_be32(buf));
	else
		nic_err("write of %u bytes at %#llx of BAR 0", len, (unsigned long long)off);
}

static void mlx5_dev_rx(struct nic *nic, u8 *frame, u32 len)
{
	mlx5_rx(priv(nic), frame, len);
}

static void mlx5_rx_done(struct nic *nic)
{
	mlx5_cq_flush(priv(nic));
}

static int mlx5_dev_fault(struct nic *nic, int argc, char **argv, FILE *out)
{
	return mlx5_fault(priv(nic), argc, argv, out);
}

static void mlx5_stats(struct nic *nic, FILE *out)
{
	const struct mlx5_nic *m = priv(nic);
	const struct {
		const char *name;
		u64 value;
	} stat[] = {
		{ "commands", m->nr_cmds },
		{ "doorbells", m->nr_doorbells },
		{ "rx_frames", m->vport.rx.packets },
		{ "rx_bytes", m->vport.rx.bytes },
		{ "rx_oversize", m->vport.rx.errors },
		{ "rx_unsteered", m->vport.rx_steer_missed },
		{ "rx_no_buffer", m->nr_no_buffer },
		{ "tx_frames", m->vport.tx.packets },
		{ "tx_bytes", m->vport.tx.bytes },
		{ "umr", m->nr_umr },
		{ "filler", m->nr_filler },
		{ "split", m->nr_split },
		{ "unsplit", m->nr_unsplit },
		{ "match", m->nr_match },
		{ "flush", m->nr_flush },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stat); i++)
		fprintf(out, "%s %llu\n", stat[i].name, (unsigned long long)stat[i].value);
}

const struct nic_device_ops mlx5_device_ops = {
	.name = "mlx5",
	.pci = {
		.vendor = 0x15b3,
		.device = 0x1021,	/* ConnectX-7 */
		.subsys_vendor = 0x15b3,
		.subsys = 0x0020,
		.class_code = 0x020000,
		.bar_size = { [0] = BAR0_SIZE, [2] = 0x10000 },
		.msix_bar = 2,
		.msix_vectors = 32,
		.msix_table = 0,
		.msix_pba = 0x1000,
	},
	.create = mlx5_create,
	.destroy = mlx5_destroy,
	.reset = mlx5_reset,
	.bar_read = mlx5_bar_read,
	.bar_write = mlx5_bar_write,
	.rx = mlx5_dev_rx,
	.rx_done = mlx5_rx_done,
	.fault = mlx5_dev_fault,
	.stats = mlx5_stats,
};
