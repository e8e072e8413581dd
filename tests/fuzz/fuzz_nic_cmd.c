// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the mlx5 model's commands, doorbells and receive path with a driver gone mad.
 * The input is a list of steps, each a byte that says what is done and the bytes it is
 * done with; the device has been brought up with queues, keys and steering, so that random
 * commands, frames and memory get past the first check. Guest memory is a memfd. libFuzzer:
 *
 *	clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Itools/lab/nic \
 *		-isystem HEADERS/include/linux/mlx5 tests/fuzz/fuzz_nic_cmd.c \
 *		$(find tools/lab/nic -name '*.c' ! -name main.c)
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "log.h"
#include "mlx5/cmd.h"
#include "mlx5/ifc.h"
#include "vfio_user.h"
#include "wire.h"

#define MEM_SIZE (1 << 19)
#define MAX_STEPS 64
#define MAX_IN 2048
#define MAX_OUT 8192

static const struct mlx5_cmd_op *const tables[] = {
	mlx5_caps_ops, mlx5_reg_ops, mlx5_vport_ops, mlx5_object_ops, mlx5_eq_ops, mlx5_cq_ops,
	mlx5_sq_ops, mlx5_rq_ops, mlx5_mkey_ops, mlx5_counter_ops, mlx5_rss_ops, mlx5_steer_ops,
};

static struct vfio_user vu = { .listen_fd = -1, .fd = -1 };
static struct wire wire = { .fd = -1 };
static struct nic nic = { .ops = &mlx5_device_ops, .vu = &vu, .wire = &wire,
			  .opt.striding = true };
static u8 in[MAX_IN], out[MAX_OUT];

static void set_up(void)
{
	int fd = memfd_create("guest", 0);
	unsigned int i;

	for (i = 0; i < NIC_MAX_VECTORS; i++)
		vu.irq[i] = -1;
	if (fd < 0 || ftruncate(fd, MEM_SIZE) || dma_map(&nic.dma, 0, MEM_SIZE, fd, 0, true) ||
	    mlx5_device_ops.create(&nic) || nic_log_open("/dev/null"))
		abort();
	close(fd);
}

static void run(u16 opcode, u32 in_len)
{
	struct mlx5_cmd cmd = { .in = in, .in_len = in_len, .out = out, .out_len = sizeof(out) };

	put_be16(in, opcode);
	mlx5_cmd_run(nic.priv, &cmd);
}

/* A command that must succeed; in[] is cleared for the next. The id in the answer. */
static u32 create(u16 opcode, u32 in_len)
{
	run(opcode, in_len);
	if (out[0])
		abort();
	memset(in, 0, sizeof(in));
	return get_be32(out + 8) & 0xffffff;
}

/* The guest's memory: pages of the queues, then their records, then packets. */
enum {
	EQ_PAGE = 0x10000,
	CQ_PAGE = 0x11000,
	SQ_PAGE = 0x12000,
	RQ_PAGE = 0x13000,	/* cyclic */
	LL_PAGE = 0x14000,	/* striding, with header split */
	CQ_RECORD = 0x20000,
	SQ_RECORD = 0x20040,
	RQ_RECORD = 0x20080,
	LL_RECORD = 0x200c0,
	HEADERS = 0x30000,
	DATA = 0x40000,
};

/* Numbers of what bring_up() made. */
static struct {
	u32 pd, td, uar, eq, cq, tis, sq, rq, ll, pa_key, mtt_key;
} made;

static void make_basics(void)
{
	u8 *ctx;

	memset(in, 0, sizeof(in));
	run(MLX5_CMD_OP_ENABLE_HCA, 16);
	run(MLX5_CMD_OP_INIT_HCA, IFC_SIZE(init_hca_in));
	made.pd = create(MLX5_CMD_OP_ALLOC_PD, 16);
	made.td = create(MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 16);
	made.uar = create(MLX5_CMD_OP_ALLOC_UAR, 16);

	ctx = IFC_PTR(create_eq_in, in, eq_context_entry);
	IFC_SET(eqc, ctx, log_eq_size, 6);
	IFC_SET(eqc, ctx, uar_page, made.uar);
	put_be64(IFC_PTR(create_eq_in, in, event_bitmask), ~0ULL);
	put_be64(IFC_PTR(create_eq_in, in, pas), EQ_PAGE);
	made.eq = create(MLX5_CMD_OP_CREATE_EQ, IFC_SIZE(create_eq_in) + 8);

	ctx = IFC_PTR(create_cq_in, in, cq_context);
	IFC_SET(cqc, ctx, log_cq_size, 6);
	IFC_SET(cqc, ctx, uar_page, made.uar);
	IFC_SET(cqc, ctx, c_eqn_or_apu_element, made.eq);
	IFC_SET64(cqc, ctx, dbr_addr, CQ_RECORD);
	put_be64(IFC_PTR(create_cq_in, in, pas), CQ_PAGE);
	made.cq = create(MLX5_CMD_OP_CREATE_CQ, IFC_SIZE(create_cq_in) + 8);

	IFC_SET(tisc, IFC_PTR(create_tis_in, in, ctx), transport_domain, made.td);
	made.tis = create(MLX5_CMD_OP_CREATE_TIS, IFC_SIZE(create_tis_in));
}

/* One key for all of memory, one table of 16 pages, writable and open to UMR. */
static void make_keys(void)
{
	u8 *ctx = IFC_PTR(create_mkey_in, in, memory_key_mkey_entry);
	u32 i;

	IFC_SET(mkc, ctx, lw, 1);
	IFC_SET(mkc, ctx, length64, 1);
	IFC_SET(mkc, ctx, pd, made.pd);
	made.pa_key = create(MLX5_CMD_OP_CREATE_MKEY, IFC_SIZE(create_mkey_in)) << 8;

	IFC_SET(mkc, ctx, lw, 1);
	IFC_SET(mkc, ctx, umr_en, 1);
	IFC_SET(mkc, ctx, access_mode_1_0, MLX5_MKC_ACCESS_MODE_MTT);
	IFC_SET(mkc, ctx, pd, made.pd);
	IFC_SET(mkc, ctx, log_page_size, 12);
	IFC_SET64(mkc, ctx, len, 16 << 12);
	IFC_SET(mkc, ctx, translations_octword_size, 8);
	IFC_SET(create_mkey_in, in, translations_octword_actual_size, 8);
	for (i = 0; i < 16; i++)
		put_be64(IFC_PTR(create_mkey_in, in, klm_pas_mtt) + 8 * i, HEADERS + (i << 12));
	made.mtt_key = create(MLX5_CMD_OP_CREATE_MKEY, IFC_SIZE(create_mkey_in) + 128) << 8;
}

/* A work queue context: one page, 16 entries. */
static void fill_wq(u8 *wq, u32 type, u32 stride, u64 page, u64 record)
{
	IFC_SET(wq, wq, wq_type, type);
	IFC_SET(wq, wq, pd, made.pd);
	IFC_SET(wq, wq, uar_page, made.uar);
	IFC_SET(wq, wq, log_wq_stride, stride);
	IFC_SET(wq, wq, log_wq_sz, 4);
	IFC_SET64(wq, wq, dbr_addr, record);
	put_be64(IFC_PTR(wq, wq, pas), page);
}

static void make_sq(void)
{
	u8 *ctx = IFC_PTR(create_sq_in, in, ctx);

	IFC_SET(sqc, ctx, cqn, made.cq);
	IFC_SET(sqc, ctx, reg_umr, 1);
	IFC_SET(sqc, ctx, tis_lst_sz, 1);
	IFC_SET(sqc, ctx, tis_num_0, made.tis);
	fill_wq(IFC_PTR(sqc, ctx, wq), MLX5_WQ_TYPE_CYCLIC, 6, SQ_PAGE, SQ_RECORD);
	made.sq = create(MLX5_CMD_OP_CREATE_SQ, IFC_SIZE(create_sq_in) + 8);

	IFC_SET(modify_sq_in, in, sqn, made.sq);
	IFC_SET(sqc, IFC_PTR(modify_sq_in, in, ctx), state, MLX5_Q_RDY);
	create(MLX5_CMD_OP_MODIFY_SQ, IFC_SIZE(modify_sq_in));
}

static u32 make_rq(bool striding)
{
	u8 *ctx = IFC_PTR(create_rq_in, in, ctx), *wq = IFC_PTR(rqc, ctx, wq);
	u32 id;

	IFC_SET(rqc, ctx, cqn, made.cq);
	IFC_SET(rqc, ctx, shampo_match_criteria_type,
		MLX5_RQC_SHAMPO_MATCH_CRITERIA_TYPE_EXTENDED);
	IFC_SET(rqc, ctx, shampo_no_match_alignment_granularity,
		MLX5_RQC_SHAMPO_NO_MATCH_ALIGNMENT_GRANULARITY_PAGE);
	fill_wq(wq, striding ? MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ : MLX5_WQ_TYPE_CYCLIC, 5,
		striding ? LL_PAGE : RQ_PAGE, striding ? LL_RECORD : RQ_RECORD);
	if (striding) {
		/* 2^6 strides of 2^8 bytes, reservations of 16K, 2^6 headers of 256 bytes */
		IFC_SET(wq, wq, log_wqe_num_of_strides, 13);
		IFC_SET(wq, wq, log_wqe_stride_size, 2);
		IFC_SET(wq, wq, shampo_enable, 1);
		IFC_SET(wq, wq, log_reservation_size, 2);
		IFC_SET(wq, wq, log_max_num_of_packets_per_reservation, 2);
		IFC_SET(wq, wq, log_headers_entry_size, 2);
		IFC_SET(wq, wq, log_headers_buffer_entry_num, 6);
		IFC_SET(wq, wq, headers_mkey, made.mtt_key);
	}
	id = create(MLX5_CMD_OP_CREATE_RQ, IFC_SIZE(create_rq_in) + 8);

	IFC_SET(modify_rq_in, in, rqn, id);
	IFC_SET(rqc, IFC_PTR(modify_rq_in, in, ctx), state, MLX5_Q_RDY);
	create(MLX5_CMD_OP_MODIFY_RQ, IFC_SIZE(modify_rq_in));
	return id;
}

/* A table whose only entry sends everything to one RQ. */
static void make_steering(u32 rqn)
{
	u8 *ctx = IFC_PTR(create_tir_in, in, ctx);
	u32 tir, ft, fg;

	IFC_SET(tirc, ctx, inline_rqn, rqn);
	IFC_SET(tirc, ctx, transport_domain, made.td);
	tir = create(MLX5_CMD_OP_CREATE_TIR, IFC_SIZE(create_tir_in));

	IFC_SET(flow_table_context, IFC_PTR(create_flow_table_in, in, flow_table_context), level,
		1);
	ft = create(MLX5_CMD_OP_CREATE_FLOW_TABLE, IFC_SIZE(create_flow_table_in));

	IFC_SET(create_flow_group_in, in, table_id, ft);
	fg = create(MLX5_CMD_OP_CREATE_FLOW_GROUP, IFC_SIZE(create_flow_group_in));

	IFC_SET(set_fte_in, in, table_id, ft);
	ctx = IFC_PTR(set_fte_in, in, flow_context);
	IFC_SET(flow_context, ctx, group_id, fg);
	IFC_SET(flow_context, ctx, action, MLX5_FLOW_CONTEXT_ACTION_FWD_DEST);
	IFC_SET(flow_context, ctx, destination_list_size, 1);
	put_be32(IFC_PTR(flow_context, ctx, destination), 2U << 24 | tir);
	create(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, IFC_SIZE(set_fte_in) + 8);

	IFC_SET(set_flow_table_root_in, in, table_id, ft);
	create(MLX5_CMD_OP_SET_FLOW_TABLE_ROOT, IFC_SIZE(set_flow_table_root_in));
}

/* Receive WQEs that can be used, all posted; one SEND in the SQ; the CQ armed. */
static void fill_memory(u8 *mem)
{
	u8 doorbell[8] = { 0 }, *wqe = mem + SQ_PAGE;
	u32 i;

	memset(mem, 0, MEM_SIZE);
	for (i = 0; i < 16; i++) {
		u8 *rx = mem + RQ_PAGE + 32 * i, *ll = mem + LL_PAGE + 32 * i;

		put_be32(rx, 1536);
		put_be32(rx + 4, made.pa_key);
		put_be64(rx + 8, DATA + 0x800 * i);
		put_be32(rx + 20, 0x100);
		put_be16(ll + 2, (u16)((i + 1) % 16));
		put_be32(ll + 20, made.pa_key);
		put_be64(ll + 24, DATA + 0x4000 * (i % 2));
	}
	put_be32(mem + RQ_RECORD, 15);
	put_be32(mem + LL_RECORD, 15);
	put_be32(mem + SQ_RECORD + 4, 1);
	put_be32(wqe, MLX5_WQE_SEND);
	put_be32(wqe + 4, made.sq << 8 | 3);
	wqe[11] = MLX5_WQE_CE_ALWAYS;
	put_be32(wqe + 32, 128);
	put_be32(wqe + 36, made.pa_key);
	put_be64(wqe + 40, DATA);
	put_be32(doorbell + 4, made.cq);
	nic.ops->bar_write(&nic, 0, (u64)made.uar * 0x1000 + 0x20, doorbell, 8);
}

/* What random bytes would hardly bring about. */
static void bring_up(bool striding)
{
	make_basics();
	make_keys();
	make_sq();
	made.rq = make_rq(false);
	made.ll = make_rq(true);
	make_steering(striding ? made.ll : made.rq);
	fill_memory(nic.dma.range[0].va);
}

static const struct mlx5_cmd_op *choose(u32 n)
{
	size_t i;

	for (;;) {
		for (i = 0; i < ARRAY_SIZE(tables); i++) {
			const struct mlx5_cmd_op *op;

			for (op = tables[i]; op->name; op++)
				if (!n--)
					return op;
		}
	}
}

/* A chunk of the input: its length in one byte, times scale. */
static size_t take(const u8 **data, size_t *size, u8 *buf, size_t max, size_t scale)
{
	size_t n;

	memset(buf, 0, max);
	if (!*size)
		return 0;
	n = **data * scale;
	(*data)++;
	(*size)--;
	if (n > max)
		n = max;
	if (n > *size)
		n = *size;
	memcpy(buf, *data, n);
	*data += n;
	*size -= n;
	return n;
}

/* TCP over IPv4 with 1 byte of data: the fuzzer's bytes are what differs from it. */
static const u8 frame[60] = {
	0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00, 0x45, 0, 0, 41, 0, 1, 0x40, 0, 64,
	6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10,
};

static void receive(u8 *buf, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(frame); i++)
		buf[i] ^= frame[i];
	nic.ops->rx(&nic, buf, (u32)(n < 60 ? 60 : n));
	nic.ops->rx_done(&nic);
}

/* Writes what the guest has in memory: queue entries, mailboxes, records. */
static void change_memory(const u8 *buf, size_t n)
{
	static const u32 base[] = { 0, SQ_PAGE, RQ_PAGE, LL_PAGE, CQ_RECORD, DATA };

	if (n > 2)
		dma_write(&nic.dma, base[buf[0] % ARRAY_SIZE(base)] + buf[1] * 4, buf + 2, n - 2);
}

static void step(const u8 **data, size_t *size)
{
	static u8 buf[MAX_IN];
	u8 what = **data;
	size_t n;

	(*data)++;
	(*size)--;
	if (what < 224) {
		const struct mlx5_cmd_op *op = choose(what);

		n = take(data, size, in, sizeof(in), 8);
		run(op->opcode, (u32)(n > op->min_in ? n : op->min_in));
	} else if (what < 236) {
		n = take(data, size, buf, sizeof(buf), 8);
		receive(buf, n);
	} else if (what < 240) {
		/* a doorbell, in the page of the first UAR or the next */
		take(data, size, buf, 12, 1);
		nic.ops->bar_write(&nic, 0, 0x10000 + get_be16(buf + 8) % 0x2000, buf,
				   what & 1 ? 4 : 8);
	} else if (what < 248) {
		put_be32(buf, 0);
		put_be32(buf + 4, made.sq << 8);
		nic.ops->bar_write(&nic, 0, (u64)made.uar * 0x1000 + 0x800, buf, 8);
	} else if (what < 252) {
		/* the command queue: a doorbell, or another address */
		take(data, size, buf, 4, 1);
		nic.ops->bar_write(&nic, 0, what & 1 ? 0x18 : 0x14, buf, 4);
	} else {
		n = take(data, size, buf, sizeof(buf), 8);
		change_memory(buf, n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int i;

	if (!size)
		return 0;
	if (!nic.priv)
		set_up();
	bring_up(data[0] & 1);
	data++;
	size--;
	for (i = 0; i < MAX_STEPS && size; i++)
		step(&data, &size);
	nic.ops->reset(&nic);
	return 0;
}
