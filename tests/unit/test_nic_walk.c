// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_walk.c - packets walked through the mlx5 model's flow tables: which
 * entry wins, tables built as the driver builds them, every field that can be
 * matched on, flow tags and counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nic_mlx5_cmds.h"

static void nothing_set_up(void **state)
{
	u32 ft;

	(void)state;
	assert_int_equal(tir_of(&tcp4), 0);
	ft = table(1, 4, 0);
	assert_int_equal(root(ft), 0);
	assert_int_equal(tir_of(&tcp4), 0);
}

static void lowest_index_wins(void **state)
{
	u32 ft = table(1, 4, 0), tir[3], all, tcp;

	(void)state;
	for (int i = 0; i < 3; i++)
		tir[i] = tir_direct(i);
	assert_int_equal(root(ft), 0);
	all = group(ft, 8, 15);
	entry(ft, all, 9, TO_TIR, tir[2]);
	MATCH_SET(ip_protocol, 0xff);
	tcp = group(ft, 0, 7);
	MATCH_SET(ip_protocol, 6);
	entry(ft, tcp, 7, TO_TIR, tir[1]);
	assert_int_equal(tir_of(&tcp4), tir[1]);
	entry(ft, tcp, 0, TO_TIR, tir[0]);
	assert_int_equal(tir_of(&tcp4), tir[0]);
	assert_int_equal(delete_entry(ft, 0), 0);
	assert_int_equal(tir_of(&tcp4), tir[1]);
	assert_int_equal(delete_entry(ft, 7), 0);
	assert_int_equal(tir_of(&tcp4), tir[2]);
	NEW_MATCH();
	entry(ft, all, 8, TO_TIR, tir[0]);
	assert_int_equal(tir_of(&tcp4), tir[0]);
}

/* L2 table to traffic types, as lib/fs_ttc.c lays them out. */
static u32 traffic_types(const u32 *tir)
{
	u32 ft = table(20, 5, 0), l4, l3, any, i = 0;

	NEW_MATCH();
	MATCH_SET(ip_version, 0xf);
	MATCH_SET(ip_protocol, 0xff);
	l4 = group(ft, 0, 13);
	NEW_MATCH();
	MATCH_SET(ip_version, 0xf);
	l3 = group(ft, 14, 15);
	NEW_MATCH();
	any = group(ft, 16, 16);
	for (int version = 4; version <= 6; version += 2) {
		MATCH_SET(ip_version, version);
		MATCH_SET(ip_protocol, 6);
		entry(ft, l4, i, TO_TIR, tir[i]);
		i++;
		MATCH_SET(ip_protocol, 17);
		entry(ft, l4, i, TO_TIR, tir[i]);
		i++;
	}
	for (int version = 4; version <= 6; version += 2) {
		NEW_MATCH();
		MATCH_SET(ip_version, version);
		entry(ft, l3, 10 + i, TO_TIR, tir[i]);
		i++;
	}
	NEW_MATCH();
	entry(ft, any, 16, TO_TIR, tir[i]);
	return ft;
}

/* ntuple (one table per tuple count, chained by miss), L2, traffic types. */
static void as_the_driver_does(void **state)
{
	struct frame_spec s = tcp4, arp = { .ethertype = 0x0806, .payload = 46 };
	u32 tir[NR_RQS], ttc, l2, two, five, fg;

	(void)state;
	for (u32 i = 0; i < NR_RQS; i++)
		tir[i] = tir_direct(i);
	ttc = traffic_types(tir);
	l2 = table(10, 4, 0);
	NEW_MATCH();
	MATCH_SET(dmac_47_16, 0xffffffff);
	MATCH_SET(dmac_15_0, 0xffff);
	fg = group(l2, 0, 7);
	MATCH_SET(dmac_47_16, 0x02000000);
	MATCH_SET(dmac_15_0, 0x0002);
	entry(l2, fg, 0, TO_TABLE, ttc);
	two = table(6, 16, l2);
	five = table(3, 16, two);
	assert_int_equal(root(five), 0);

	assert_int_equal(tir_of(&s), tir[0]);
	s.proto = 17;
	assert_int_equal(tir_of(&s), tir[1]);
	s.version = 6;
	assert_int_equal(tir_of(&s), tir[3]);
	s.proto = 58;
	assert_int_equal(tir_of(&s), tir[5]);
	s.version = 4;
	s.proto = 1;
	assert_int_equal(tir_of(&s), tir[4]);
	assert_int_equal(tir_of(&arp), tir[6]);

	/* en_fs_ethtool.c: a rule of five tuples goes to its own table. */
	NEW_MATCH();
	MATCH_SET(ethertype, 0xffff);
	MATCH_SET(ip_protocol, 0xff);
	MATCH_SET(tcp_dport, 0xffff);
	MATCH_SET(src_ipv4_src_ipv6.ipv4_layout.ipv4, 0xffffff00);
	fg = group(five, 0, 99);
	MATCH_SET(ethertype, 0x0800);
	MATCH_SET(ip_protocol, 6);
	MATCH_SET(tcp_dport, 5201);
	MATCH_SET(src_ipv4_src_ipv6.ipv4_layout.ipv4, 0xc00002ff);	/* host bits: masked */
	entry(five, fg, 42, TO_TIR, tir[7]);
	assert_int_equal(tir_of(&tcp4), tir[7]);
	s = tcp4;
	s.dport++;
	assert_int_equal(tir_of(&s), tir[0]);
	s = tcp4;
	s.version = 6;
	assert_int_equal(tir_of(&s), tir[2]);
	assert_int_equal(delete_entry(five, 42), 0);
	assert_int_equal(tir_of(&tcp4), tir[0]);
}

#define FIELD(name) \
	{ IFC_BIT_OFF(fte_match_set_lyr_2_4, name), IFC_BIT_LEN(fte_match_set_lyr_2_4, name) }

static const struct {
	u32 off, len;
} fields[] = {
	FIELD(smac_47_16), FIELD(smac_15_0), FIELD(ethertype), FIELD(dmac_47_16), FIELD(dmac_15_0),
	FIELD(first_prio), FIELD(first_cfi), FIELD(first_vid), FIELD(ip_protocol), FIELD(ip_dscp),
	FIELD(ip_ecn), FIELD(cvlan_tag), FIELD(svlan_tag), FIELD(frag), FIELD(ip_version),
	FIELD(tcp_flags), FIELD(tcp_sport), FIELD(tcp_dport), FIELD(l4_type), FIELD(ipv4_ihl),
	FIELD(ttl_hoplimit), FIELD(udp_sport), FIELD(udp_dport), FIELD(src_ipv4_src_ipv6),
	FIELD(dst_ipv4_dst_ipv6),
};

/*
 * Each field that is matched on: an entry whose value is the packet's takes
 * it, one with any bit of the field the other way does not.
 */
static void every_field(void **state)
{
	static const struct frame_spec frames[] = {
		{ .version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 0x1234, .dport = 0x5678,
		  .flags = 0x12, .tos = 0xb9, .ttl = 63, .ip_opts = 8, .payload = 7,
		  .nr_vlans = 1, .vlan_tci = { 0xb123 } },
		{ .version = 6, .proto = 17, .src = 3, .dst = 4, .sport = 0x4321, .dport = 0x8765,
		  .tos = 0x61, .ttl = 1, .nr_vlans = 2, .vlan_tpid = { 0x88a8 },
		  .vlan_tci = { 0x4567 } },
		{ .version = 4, .proto = 6, .src = 1, .dst = 2, .ip_frag = 185, .payload = 64 },
	};
	u32 ft = table(1, 4, 0), tir = tir_direct(0);
	u8 key[MLX5_STEER_KEY_LEN];

	(void)state;
	assert_int_equal(root(ft), 0);
	for (size_t k = 0; k < ARRAY_SIZE(frames); k++) {
		frame_build(&f, &frames[k]);
		packet_parse(&pkt, f.data, f.len);
		mlx5_steer_key(key, &pkt);
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
			u32 fg, off = fields[i].off, len = fields[i].len;

			NEW_MATCH();
			for (u32 bit = off; bit < off + len; bit++)
				match[bit / 8] |= 0x80 >> bit % 8;
			fg = group(ft, 0, 0);
			memcpy(match, key, sizeof(key));
			entry(ft, fg, 0, TO_TIR, tir);
			assert_int_equal(tir_of(&frames[k]), tir);
			assert_int_equal(delete_entry(ft, 0), 0);
			for (u32 bit = off; bit < off + len; bit += len > 8 ? 5 : 1) {
				match[bit / 8] ^= 0x80 >> bit % 8;
				entry(ft, fg, 0, TO_TIR, tir);
				assert_int_equal(tir_of(&frames[k]), 0);
				assert_int_equal(delete_entry(ft, 0), 0);
				match[bit / 8] ^= 0x80 >> bit % 8;
			}
			assert_int_equal(destroy_group(ft, fg), 0);
		}
	}
}

/* The key against values written down by hand. */
static void key_values(void **state)
{
	struct frame_spec s = {
		.version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 0x1234, .dport = 0x5678,
		.flags = 0x112, .tos = 0xb9, .ttl = 63, .ip_opts = 8,
		.nr_vlans = 1, .vlan_tci = { 0xb123 },
	};
	u8 key[MLX5_STEER_KEY_LEN];

#define KEY(field) IFC_GET(fte_match_set_lyr_2_4, key, field)
	(void)state;
	frame_build(&f, &s);
	packet_parse(&pkt, f.data, f.len);
	mlx5_steer_key(key, &pkt);
	assert_int_equal(KEY(smac_47_16), 0x02000000);
	assert_int_equal(KEY(smac_15_0), 1);
	assert_int_equal(KEY(dmac_15_0), 2);
	assert_int_equal(KEY(ethertype), 0x0800);
	assert_int_equal(KEY(first_prio), 5);
	assert_int_equal(KEY(first_cfi), 1);
	assert_int_equal(KEY(first_vid), 0x123);
	assert_int_equal(KEY(cvlan_tag), 1);
	assert_int_equal(KEY(svlan_tag), 0);
	assert_int_equal(KEY(ip_protocol), 6);
	assert_int_equal(KEY(ip_dscp), 0x2e);
	assert_int_equal(KEY(ip_ecn), 1);
	assert_int_equal(KEY(frag), 0);
	assert_int_equal(KEY(ip_version), 4);
	assert_int_equal(KEY(tcp_flags), 0x112);
	assert_int_equal(KEY(tcp_sport), 0x1234);
	assert_int_equal(KEY(tcp_dport), 0x5678);
	assert_int_equal(KEY(udp_sport), 0);
	assert_int_equal(KEY(l4_type), MLX5_PACKET_L4_TYPE_TCP);
	assert_int_equal(KEY(ipv4_ihl), 7);
	assert_int_equal(KEY(ttl_hoplimit), 63);
	assert_int_equal(KEY(src_ipv4_src_ipv6.ipv4_layout.ipv4), 0xc0000201);
	assert_int_equal(KEY(dst_ipv4_dst_ipv6.ipv4_layout.ipv4), 0xc0000202);
	s.version = 6;
	s.proto = 17;
	s.nr_vlans = 0;
	frame_build(&f, &s);
	packet_parse(&pkt, f.data, f.len);
	mlx5_steer_key(key, &pkt);
	assert_int_equal(KEY(ip_version), 6);
	assert_int_equal(KEY(udp_sport), 0x1234);
	assert_int_equal(KEY(udp_dport), 0x5678);
	assert_int_equal(KEY(tcp_dport), 0);
	assert_int_equal(KEY(ipv4_ihl), 0);
	assert_int_equal(KEY(cvlan_tag), 0);
	assert_int_equal(get_be32(IFC_PTR(fte_match_set_lyr_2_4, key, src_ipv4_src_ipv6)),
			 0x20010db8);
	assert_int_equal(key[MLX5_STEER_KEY_LEN - 1], 2);
#undef KEY
}

static void tags_and_counters(void **state)
{
	u32 ft = table(1, 4, 0), next = table(2, 4, 0), tir = tir_direct(0), fc, tag, len;
	struct entry e = { .ft = ft, .group = group(ft, 0, 0), .action = FWD | COUNT,
			   .dest_type = TO_TABLE, .dest = next, .tag = 0xabcde };

	(void)state;
	NEW_IN();
	assert_int_equal(RUN(ALLOC_FLOW_COUNTER, alloc_flow_counter, 0), 0);
	fc = e.counter = IFC_GET(alloc_flow_counter_out, out, flow_counter_id);
	assert_int_equal(try_entry(&e), 0);
	entry(next, group(next, 0, 0), 0, TO_TIR, tir);
	assert_int_equal(root(ft), 0);
	for (int i = 0; i < 3; i++) {
		assert_non_null(lookup(&tcp4, &tag));
		assert_int_equal(tag, 0xabcde);
	}
	len = IFC_SIZE(query_flow_counter_out) + 2 * IFC_SIZE(traffic_counter);
	for (int clear = 1; clear >= 0; clear--) {
		u8 *c = IFC_PTR(query_flow_counter_out, out, flow_statistics);

		NEW_IN();
		IFC_SET(query_flow_counter_in, in, flow_counter_id, fc);
		IFC_SET(query_flow_counter_in, in, clear, clear);
		IFC_SET(query_flow_counter_in, in, num_of_counters, 2);
		assert_int_equal(run(MLX5_CMD_OP_QUERY_FLOW_COUNTER, 0,
				     IFC_SIZE(query_flow_counter_in), len), 0);
		assert_int_equal(IFC_GET64(traffic_counter, c, packets), clear ? 3 : 0);
		assert_int_equal(IFC_GET64(traffic_counter, c, octets), clear ? 3 * f.len : 0);
		assert_int_equal(run(MLX5_CMD_OP_QUERY_FLOW_COUNTER, 0,
				     IFC_SIZE(query_flow_counter_in), len - 1),
				 MLX5_CMD_STAT_BAD_OUTP_LEN_ERR);
	}
	NEW_IN();
	IFC_SET(query_flow_counter_in, in, flow_counter_id, fc + 1);
	assert_int_equal(run(MLX5_CMD_OP_QUERY_FLOW_COUNTER, 0, IFC_SIZE(query_flow_counter_in),
			     len), MLX5_CMD_STAT_BAD_RES_ERR);
	NEW_IN();
	IFC_SET(dealloc_flow_counter_in, in, flow_counter_id, fc);
	assert_int_equal(RUN(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, 0),
			 MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(delete_entry(ft, 0), 0);
	NEW_IN();
	IFC_SET(dealloc_flow_counter_in, in, flow_counter_id, fc);
	assert_int_equal(RUN(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, 0), 0);
	NEW_IN();
	IFC_SET(alloc_flow_counter_in, in, flow_counter_bulk, 1);
	assert_int_equal(RUN(ALLOC_FLOW_COUNTER, alloc_flow_counter, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
}

static void many_entries(void **state)
{
	u32 ft = table(1, 12, 0), tir = tir_direct(0), fg;
	struct frame_spec s = tcp4;

	(void)state;
	assert_int_equal(root(ft), 0);
	MATCH_SET(tcp_dport, 0xffff);
	fg = group(ft, 0, 4095);
	/* 2011 of them, out of order; then every third goes again. */
	for (u32 i = 0; i < 2011; i++) {
		MATCH_SET(tcp_dport, i * 7 % 2011);
		entry(ft, fg, i * 7 % 2011, TO_TIR, tir);
	}
	for (u32 i = 0; i < 2011; i += 3)
		assert_int_equal(delete_entry(ft, i), 0);
	for (u32 i = 0; i < 2011; i += 17) {
		s.dport = i;
		assert_int_equal(tir_of(&s), i % 3 ? tir : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_set_up),
		TEST(lowest_index_wins),
		TEST(as_the_driver_does),
		TEST(every_field),
		TEST(key_values),
		TEST(tags_and_counters),
		TEST(many_entries),
	};

	nic_log_open("/dev/null");	/* refusals are counted, not shown */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
