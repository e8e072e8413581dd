// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_rss.c - the mlx5 model's TIRs and indirection tables: their
 * commands, what is hashed of a packet and how, and which queue that picks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nic_mlx5_cmds.h"
#include "toeplitz.h"

static int try_rqt(u32 max, u32 nr)
{
	u8 *rqtc = IFC_PTR(create_rqt_in, in, rqt_context);
	u8 *list = IFC_PTR(rqtc, rqtc, rq_num);

	NEW_IN();
	IFC_SET(rqtc, rqtc, rqt_max_size, max);
	IFC_SET(rqtc, rqtc, rqt_actual_size, nr);
	for (u32 i = 0; i < nr; i++)
		IFC_SET(rq_num, list + 4 * i, rq_num, rqs[i % NR_RQS]->obj.id);
	return run(MLX5_CMD_OP_CREATE_RQT, 0, IFC_SIZE(create_rqt_in) + 4 * nr, 16);
}

static u32 rqt(u32 nr)
{
	assert_int_equal(try_rqt(256, nr), 0);
	return IFC_GET(create_rqt_out, out, rqtn);
}

static void indirection_tables(void **state)
{
	u8 *ctx = IFC_PTR(modify_rqt_in, in, ctx);
	u8 *list = IFC_PTR(rqtc, ctx, rq_num);
	u8 *got = IFC_PTR(query_rqt_out, out, rqt_context);
	u32 id = rqt(8);

	(void)state;
	assert_int_equal(rqs[3]->obj.users, 1);
	assert_int_equal(try_rqt(4, 5), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_rqt(4, 0), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_rqt((1 << MLX5_RSS_LOG_MAX_RQT_SIZE) + 1, 4), MLX5_CMD_STAT_LIM_ERR);
	assert_int_equal(try_rqt(4, 4), 0);
	assert_int_equal(run(MLX5_CMD_OP_CREATE_RQT, 0, IFC_SIZE(create_rqt_in) + 15, 16),
			 MLX5_CMD_STAT_BAD_INP_LEN_ERR);

	NEW_IN();
	IFC_SET(modify_rqt_in, in, rqtn, id);
	IFC_SET(modify_rqt_in, in, bitmask.rqn_list, 1);
	IFC_SET(rqtc, ctx, rqt_actual_size, 2);
	IFC_SET(rq_num, list, rq_num, rqs[7]->obj.id);
	IFC_SET(rq_num, list + 4, rq_num, 0x7ffff);
	assert_int_equal(run(MLX5_CMD_OP_MODIFY_RQT, 0, IFC_SIZE(modify_rqt_in) + 8, 16),
			 MLX5_CMD_STAT_BAD_RES_ERR);
	assert_int_equal(rqs[7]->obj.users, 1);	/* as before */
	IFC_SET(rq_num, list + 4, rq_num, rqs[7]->obj.id);
	assert_int_equal(run(MLX5_CMD_OP_MODIFY_RQT, 0, IFC_SIZE(modify_rqt_in) + 8, 16), 0);
	assert_int_equal(rqs[7]->obj.users, 2);
	assert_int_equal(rqs[6]->obj.users, 0);
	IFC_SET(modify_rqt_in, in, bitmask.rqn_list, 0);
	assert_int_equal(run(MLX5_CMD_OP_MODIFY_RQT, 0, IFC_SIZE(modify_rqt_in) + 8, 16),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);

	NEW_IN();
	IFC_SET(query_rqt_in, in, rqtn, id);
	assert_int_equal(run(MLX5_CMD_OP_QUERY_RQT, 0, IFC_SIZE(query_rqt_in),
			     IFC_SIZE(query_rqt_out) + 8), 0);
	assert_int_equal(IFC_GET(rqtc, got, rqt_max_size), 256);
	assert_int_equal(IFC_GET(rqtc, got, rqt_actual_size), 2);
	assert_int_equal(IFC_GET(rq_num, IFC_PTR(rqtc, got, rq_num) + 4, rq_num),
			 rqs[7]->obj.id);
	NEW_IN();
	IFC_SET(destroy_rqt_in, in, rqtn, id);
	assert_int_equal(RUN(DESTROY_RQT, destroy_rqt, 0), 0);
	assert_int_equal(rqs[7]->obj.users, 0);
}

static const u8 ms_key[TOEPLITZ_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/* Fills a tirc as en/tir.c does for an indirect TIR. */
static void fill_tirc(u8 *tirc, u32 table_id, u32 fn, bool symmetric, u32 fields, int version,
		      bool udp)
{
	u8 *sel = IFC_PTR(tirc, tirc, rx_hash_field_selector_outer);

	IFC_SET(tirc, tirc, disp_type, 1);
	IFC_SET(tirc, tirc, indirect_table, table_id);
	IFC_SET(tirc, tirc, transport_domain, td);
	IFC_SET(tirc, tirc, rx_hash_fn, fn);
	IFC_SET(tirc, tirc, rx_hash_symmetric, symmetric);
	memcpy(IFC_PTR(tirc, tirc, rx_hash_toeplitz_key), ms_key, sizeof(ms_key));
	IFC_SET(rx_hash_field_select, sel, l3_prot_type, version == 6);
	IFC_SET(rx_hash_field_select, sel, l4_prot_type, udp);
	IFC_SET(rx_hash_field_select, sel, selected_fields, fields);
}

static struct mlx5_tir *tir_hash(u32 table_id, u32 fn, bool symmetric, u32 fields, int version,
				 bool udp)
{
	NEW_IN();
	fill_tirc(IFC_PTR(create_tir_in, in, ctx), table_id, fn, symmetric, fields, version, udp);
	assert_int_equal(RUN(CREATE_TIR, create_tir, 0), 0);
	return mlx5_obj_find(&nic, MLX5_OBJ_TIR, IFC_GET(create_tir_out, out, tirn));
}

static struct mlx5_rx_meta meta;

static u32 pick(struct mlx5_tir *tir, const struct frame_spec *s)
{
	struct mlx5_rq *rq;

	frame_build(&f, s);
	packet_parse(&pkt, f.data, f.len);
	memset(&meta, 0xff, sizeof(meta));
	rq = mlx5_rss_pick(&nic, tir, &pkt, &meta);
	assert_non_null(rq);
	return rq->obj.id - rqs[0]->obj.id;
}

/* The published vectors, with their addresses put into a frame. */
static void toeplitz_vectors_end_to_end(void **state)
{
	static const struct {
		u8 src[4], dst[4];
		u16 sport, dport;
		u32 ip, tcp;
	} v[] = {
		{ { 66, 9, 149, 187 }, { 161, 142, 100, 80 }, 2794, 1766, 0x323e8fc2, 0x51ccc178 },
		{ { 199, 92, 111, 2 }, { 65, 69, 140, 83 }, 14230, 4739, 0xd718262a, 0xc626b0ea },
	};
	u32 table_id = rqt(8);
	struct mlx5_tir *ports = tir_hash(table_id, 2, false, 0xf, 4, false);
	struct mlx5_tir *ips = tir_hash(table_id, 2, false, 3, 4, false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		frame_build(&f, &tcp4);
		memcpy(f.data + 26, v[i].src, 4);
		memcpy(f.data + 30, v[i].dst, 4);
		put_be16(f.data + 34, v[i].sport);
		put_be16(f.data + 36, v[i].dport);
		packet_parse(&pkt, f.data, f.len);
		assert_ptr_equal(mlx5_rss_pick(&nic, ports, &pkt, &meta), rqs[v[i].tcp % 8]);
		assert_int_equal(meta.hash, v[i].tcp);
		assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4 | MLX5_CQE_HASH_TCP);
		assert_ptr_equal(mlx5_rss_pick(&nic, ips, &pkt, &meta), rqs[v[i].ip % 8]);
		assert_int_equal(meta.hash, v[i].ip);
		assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4);
	}
}

static void symmetric_hash(void **state)
{
	struct mlx5_tir *tir = tir_hash(rqt(8), 2, true, 0xf, 6, true);
	struct frame_spec there = tcp4, back;
	u8 input[TOEPLITZ_MAX_INPUT] = { 0 };
	u32 hash, queue;

	(void)state;
	there.version = 6;
	there.proto = 17;
	there.src = 0x31;
	there.dst = 0x52;
	back = there;
	back.src = there.dst;
	back.dst = there.src;
	back.sport = there.dport;
	back.dport = there.sport;
	queue = pick(tir, &there);
	hash = meta.hash;
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV6 | MLX5_CQE_HASH_UDP);
	assert_int_equal(pick(tir, &back), queue);
	assert_int_equal(meta.hash, hash);

	/* or, xor of the addresses, then of the ports. */
	put_be32(input, 0x20010db8);
	input[15] = 0x31 | 0x52;
	input[31] = 0x31 ^ 0x52;
	put_be16(input + 32, 40001 | 5201);
	put_be16(input + 34, 40001 ^ 5201);
	assert_int_equal(hash, toeplitz_hash(ms_key, input, 36));
}

static void what_is_hashed(void **state)
{
	u32 table_id = rqt(8);
	struct mlx5_tir *tir = tir_hash(table_id, 2, false, 0xf, 4, false);
	struct mlx5_tir *spi = tir_hash(table_id, 2, false, 0x13, 4, false);
	struct mlx5_tir *none = tir_hash(table_id, 1, false, 0, 4, false);
	struct mlx5_tir *dport = tir_hash(table_id, 2, false, 8, 4, false);
	struct frame_spec s = tcp4;
	u8 two[2];

	(void)state;
	/* A fragment by its addresses only; another IP version not at all. */
	s.ip_frag = FRAME_MF;
	pick(tir, &s);
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4);
	assert_int_equal(meta.hash, toeplitz_hash(ms_key, f.data + 26, 8));
	s = tcp4;
	s.version = 6;
	assert_int_equal(pick(tir, &s), 0);
	assert_int_equal(meta.hash_type, 0);
	assert_int_equal(meta.hash, 0);

	/* ESP: addresses and SPI; AH's SPI is 4 bytes further on. */
	s = tcp4;
	s.proto = 50;
	pick(spi, &s);
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4 | MLX5_CQE_HASH_SPI);
	assert_int_equal(meta.hash, toeplitz_hash(ms_key, f.data + 26, 12));
	s.proto = 51;
	pick(spi, &s);
	memmove(f.data + 34, f.data + 38, 4);
	assert_int_equal(meta.hash, toeplitz_hash(ms_key, f.data + 26, 12));

	/* No fields: the first entry; one field: that alone. */
	assert_int_equal(pick(none, &tcp4), 0);
	assert_int_equal(meta.hash_type, 0);
	pick(dport, &tcp4);
	put_be16(two, 5201);
	assert_int_equal(meta.hash, toeplitz_hash(ms_key, two, 2));
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_TCP);
}

/* en/rqt.c mlx5e_calc_indir_rqns() lays the table out bit-reversed for this one. */
static void xor_hash(void **state)
{
	struct mlx5_tir *tir = tir_hash(rqt(8), 1, false, 0xf, 4, false);
	struct frame_spec s = tcp4;

	(void)state;
	for (u32 i = 0; i < 8; i++) {
		static const u8 reversed[8] = { 0, 4, 2, 6, 1, 5, 3, 7 };
		u8 x = 0;

		s.sport = 40000 + i;
		frame_build(&f, &s);
		for (u32 k = 26; k < 38; k++)
			x ^= f.data[k];
		assert_int_equal(pick(tir, &s), reversed[x % 8]);
		assert_int_equal(meta.hash, x);
	}
}

static void direct(void **state)
{
	struct mlx5_tir *tir = mlx5_obj_find(&nic, MLX5_OBJ_TIR, tir_direct(5));

	(void)state;
	assert_int_equal(pick(tir, &tcp4), 5);
	assert_int_equal(meta.hash, 0);
	assert_int_equal(meta.hash_type, 0);
}

static void change_of_hash(void **state)
{
	u32 table_id = rqt(8);
	struct mlx5_tir *tir = tir_hash(table_id, 2, false, 3, 4, false);
	u8 *tirc = IFC_PTR(modify_tir_in, in, ctx);
	u8 *got = IFC_PTR(query_tir_out, out, tir_context);
	u8 *sel = IFC_PTR(tirc, got, rx_hash_field_selector_outer);

	(void)state;
	NEW_IN();
	IFC_SET(modify_tir_in, in, tirn, tir_id(tir));
	IFC_SET(modify_tir_in, in, bitmask.hash, 1);
	fill_tirc(tirc, 0, 2, true, 0xf, 4, false);
	assert_int_equal(RUN(MODIFY_TIR, modify_tir, 0), 0);
	pick(tir, &tcp4);
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4 | MLX5_CQE_HASH_TCP);

	NEW_IN();
	IFC_SET(query_tir_in, in, tirn, tir_id(tir));
	assert_int_equal(RUN(QUERY_TIR, query_tir, 0), 0);
	assert_int_equal(IFC_GET(tirc, got, disp_type), 1);
	assert_int_equal(IFC_GET(tirc, got, indirect_table), table_id);
	assert_int_equal(IFC_GET(tirc, got, rx_hash_fn), 2);
	assert_int_equal(IFC_GET(tirc, got, rx_hash_symmetric), 1);
	assert_int_equal(IFC_GET(tirc, got, transport_domain), td);
	assert_int_equal(IFC_GET(rx_hash_field_select, sel, selected_fields), 0xf);
	assert_memory_equal(IFC_PTR(tirc, got, rx_hash_toeplitz_key), ms_key, 40);

	/* Loopback only: the hash stays. An unknown bit, no hash function: refused. */
	NEW_IN();
	IFC_SET(modify_tir_in, in, tirn, tir_id(tir));
	IFC_SET(modify_tir_in, in, bitmask.self_lb_en, 1);
	assert_int_equal(RUN(MODIFY_TIR, modify_tir, 0), 0);
	pick(tir, &tcp4);
	assert_int_equal(meta.hash_type, MLX5_CQE_HASH_IPV4 | MLX5_CQE_HASH_TCP);
	IFC_SET(modify_tir_in, in, bitmask.reserved_at_3e, 1);
	assert_int_equal(RUN(MODIFY_TIR, modify_tir, 0), MLX5_CMD_STAT_BAD_PARAM_ERR);
	IFC_SET(modify_tir_in, in, bitmask.reserved_at_3e, 0);
	IFC_SET(modify_tir_in, in, bitmask.hash, 1);
	assert_int_equal(RUN(MODIFY_TIR, modify_tir, 0), MLX5_CMD_STAT_BAD_PARAM_ERR);
}

static void bad_tirs(void **state)
{
	u32 table_id = rqt(8);
	u8 *tirc = IFC_PTR(create_tir_in, in, ctx);

	(void)state;
	assert_int_equal(try_tir_direct(0x1234), MLX5_CMD_STAT_BAD_RES_ERR);
	for (int bad = 0; bad < 13; bad++) {
		int want = bad < 10 ? MLX5_CMD_STAT_BAD_PARAM_ERR : MLX5_CMD_STAT_BAD_RES_ERR;

		NEW_IN();
		fill_tirc(tirc, bad == 10 ? 0x999 : table_id, bad == 0 ? 0 : bad == 1 ? 3 : 2,
			  bad == 2, bad == 2 ? 1 : bad == 3 ? 0x20 : bad == 4 ? 0x1f : 0xf, 4,
			  false);
		if (bad == 5)
			IFC_SET(tirc, tirc, packet_merge_mask, 1);
		else if (bad == 6)
			IFC_SET(tirc, tirc, tls_en, 1);
		else if (bad == 7)
			IFC_SET(tirc, tirc, disp_type, 2);
		else if (bad == 8)
			IFC_SET(tirc, tirc, disp_type, 0);
		else if (bad == 9)
			IFC_SET(tirc, tirc, rx_hash_field_selector_inner.selected_fields, 3);
		else if (bad == 11)
			IFC_SET(tirc, tirc, transport_domain, td + 1);
		if (bad == 12)
			want = 0;
		assert_int_equal(RUN(CREATE_TIR, create_tir, 0), want);
	}
	/* In use: the table, the RQs in it. */
	NEW_IN();
	IFC_SET(destroy_rqt_in, in, rqtn, table_id);
	assert_int_equal(RUN(DESTROY_RQT, destroy_rqt, 0), MLX5_CMD_STAT_RES_BUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(indirection_tables),
		TEST(toeplitz_vectors_end_to_end),
		TEST(symmetric_hash),
		TEST(what_is_hashed),
		TEST(xor_hash),
		TEST(direct),
		TEST(change_of_hash),
		TEST(bad_tirs),
	};

	nic_log_open("/dev/null");	/* refusals are counted, not shown */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
