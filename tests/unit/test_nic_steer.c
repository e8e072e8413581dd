// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_steer.c - the mlx5 model's commands of flow tables, groups and
 * entries: what is kept, what stays in use, and each refusal with its exact
 * status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nic_mlx5_cmds.h"

/* ---- tables ---- */

static void tables(void **state)
{
	u32 a, b, c;

	(void)state;
	b = table(5, 10, 0);
	a = table(3, 4, b);
	assert_int_equal(try_table(5, 4, b), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_table(6, 4, b), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_table(0, 4, 0x123456), MLX5_CMD_STAT_BAD_RES_ERR);
	assert_int_equal(try_table(MLX5_STEER_MAX_LEVEL, 4, 0), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_table(1, MLX5_STEER_MAX_LOG_SIZE + 1, 0), MLX5_CMD_STAT_LIM_ERR);

	/* b is where a goes on; then c is. */
	assert_int_equal(destroy_table(b), MLX5_CMD_STAT_RES_BUSY);
	c = table(7, 0, 0);
	assert_int_equal(set_miss_cmd(a, c), 0);
	assert_int_equal(destroy_table(b), 0);
	assert_int_equal(destroy_table(b), MLX5_CMD_STAT_BAD_RES_ERR);
	assert_int_equal(destroy_table(c), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(set_miss_cmd(c, a), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(set_miss_cmd(a, 0), 0);
	assert_int_equal(destroy_table(c), 0);

	/* The root is in use until it is disconnected or replaced, or is the last. */
	assert_int_equal(root(0xfff), MLX5_CMD_STAT_BAD_RES_ERR);
	assert_int_equal(root(a), 0);
	b = table(1, 3, 0);
	assert_int_equal(destroy_table(a), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(root(b), 0);
	assert_int_equal(destroy_table(a), 0);
	assert_int_equal(root(0), 0);
	assert_int_equal(root(b), 0);
	assert_int_equal(destroy_table(b), 0);
	assert_int_equal(root(b), MLX5_CMD_STAT_BAD_RES_ERR);
}

static void other_targets(void **state)
{
	u32 ft = table(1, 4, 0);

	(void)state;
	NEW_IN();
	IFC_SET(create_flow_table_in, in, table_type, MLX5_FLOW_TABLE_TYPE_FDB);
	assert_int_equal(RUN(CREATE_FLOW_TABLE, create_flow_table, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_IN();
	IFC_SET(create_flow_table_in, in, vport_number, 1);
	assert_int_equal(RUN(CREATE_FLOW_TABLE, create_flow_table, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_IN();
	IFC_SET(create_flow_table_in, in, flow_table_context.sw_owner, 1);
	assert_int_equal(RUN(CREATE_FLOW_TABLE, create_flow_table, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_IN();
	assert_int_equal(RUN(CREATE_FLOW_TABLE, create_flow_table, 1),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_IN();
	IFC_SET(set_flow_table_root_in, in, table_id, ft);
	IFC_SET(set_flow_table_root_in, in, underlay_qpn, 5);
	assert_int_equal(RUN(SET_FLOW_TABLE_ROOT, set_flow_table_root, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_IN();
	IFC_SET(modify_flow_table_in, in, table_id, ft);
	assert_int_equal(RUN(MODIFY_FLOW_TABLE, modify_flow_table, 0),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
}

/* ---- groups ---- */

static void groups(void **state)
{
	u32 ft = table(1, 4, 0), other = table(2, 4, 0), fg;

	(void)state;
	fg = group(ft, 4, 7);
	assert_int_equal(try_group(ft, 7, 8, 0), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(try_group(ft, 0, 4, 0), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(try_group(ft, 0, 15, 0), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(try_group(ft, 9, 8, 0), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(try_group(ft, 8, 16, 0), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(try_group(0x999, 0, 3, 0), MLX5_CMD_STAT_BAD_RES_ERR);
	group(ft, 0, 3);
	group(ft, 8, 15);
	assert_int_equal(destroy_table(ft), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(destroy_group(other, fg), MLX5_CMD_STAT_BAD_RES_ERR);
	assert_int_equal(destroy_group(ft, fg), 0);
	assert_int_equal(destroy_group(ft, fg), MLX5_CMD_STAT_BAD_RES_ERR);
	group(ft, 4, 7);
	assert_int_equal(destroy_table(other), 0);
}

static void criteria_not_modelled(void **state)
{
	u32 ft = table(1, 4, 0);

	(void)state;
	/* Not enabled, other headers, reserved bits, the extended L4 type. */
	MATCH_SET(ethertype, 0xffff);
	assert_int_equal(try_group(ft, 0, 0, 0), MLX5_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(try_group(ft, 0, 0, 3), MLX5_CMD_STAT_BAD_PARAM_ERR);
	IFC_SET(fte_match_param, match, misc_parameters.vxlan_vni, 1);
	assert_int_equal(try_group(ft, 0, 0, 1), MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_MATCH();
	IFC_SET(fte_match_param, match, inner_headers.ethertype, 1);
	assert_int_equal(try_group(ft, 0, 0, 1), MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_MATCH();
	MATCH_SET(l4_type_ext, 1);
	assert_int_equal(try_group(ft, 0, 0, 1), MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_MATCH();
	MATCH_SET(reserved_at_c6, 1);
	assert_int_equal(try_group(ft, 0, 0, 1), MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_MATCH();
	assert_int_equal(try_group(ft, 0, 0, 1), 0);
}

/* ---- entries ---- */

static void entries(void **state)
{
	u32 ft = table(1, 4, 0), next = table(2, 4, 0), before = table(0, 4, 0);
	u32 fg = group(ft, 4, 7), other = group(next, 0, 3), tir = tir_direct(0);
	struct entry e = { .ft = ft, .group = fg, .index = 5, .action = FWD,
			   .dest_type = TO_TIR, .dest = tir }, bad;

	(void)state;
	assert_int_equal(try_entry(&e), 0);
	assert_int_equal(try_entry(&e), MLX5_CMD_STAT_BAD_RES_STATE_ERR);
	e.index = 6;
	bad = e; bad.index = 3;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_IX_ERR);
	bad = e; bad.index = 8;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_IX_ERR);
	bad = e; bad.group = other;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_RES_ERR);
	bad = e; bad.group = 1;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_RES_ERR);
	bad = e; bad.ft = 1;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_RES_ERR);
	bad = e; bad.dest = ft;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_RES_ERR);
	bad = e; bad.dest_type = TO_TABLE; bad.dest = before;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad.dest = ft;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad = e; bad.dest_type = MLX5_IFC_FLOW_DESTINATION_TYPE_VPORT;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad = e; bad.action = 0;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad = e; bad.action = FWD | DROP;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad = e; bad.action = FWD | MLX5_FLOW_CONTEXT_ACTION_DECAP;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	bad = e; bad.action = FWD | COUNT; bad.counter = 77;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_RES_ERR);
	bad = e; bad.op_mod = 1;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_IX_ERR);
	bad = e; bad.op_mod = 2;
	assert_int_equal(try_entry(&bad), MLX5_CMD_STAT_BAD_PARAM_ERR);
	e.dest_type = TO_TABLE; e.dest = next;
	assert_int_equal(try_entry(&e), 0);

	/* What an entry leads to stays; so does its group. */
	NEW_IN();
	IFC_SET(destroy_tir_in, in, tirn, tir);
	assert_int_equal(RUN(DESTROY_TIR, destroy_tir, 0), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(destroy_group(next, other), 0);
	assert_int_equal(destroy_table(next), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(destroy_group(ft, fg), MLX5_CMD_STAT_RES_BUSY);
	assert_int_equal(delete_entry(ft, 4), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(delete_entry(ft, 5), 0);
	assert_int_equal(delete_entry(ft, 5), MLX5_CMD_STAT_IX_ERR);
	assert_int_equal(delete_entry(ft, 6), 0);
	assert_int_equal(destroy_group(ft, fg), 0);
	assert_int_equal(destroy_table(next), 0);
	NEW_IN();
	IFC_SET(destroy_tir_in, in, tirn, tir);
	assert_int_equal(RUN(DESTROY_TIR, destroy_tir, 0), 0);
}

static void lists_of_an_entry(void **state)
{
	u32 ft = table(1, 4, 0), fg = group(ft, 0, 7), tir = tir_direct(0);
	u32 len = IFC_SIZE(set_fte_in);
	u8 *ctx = IFC_PTR(set_fte_in, in, flow_context);
	u8 *list = IFC_PTR(flow_context, ctx, destination);

	(void)state;
	NEW_IN();
	IFC_SET(set_fte_in, in, table_id, ft);
	IFC_SET(flow_context, ctx, group_id, fg);
	IFC_SET(flow_context, ctx, action, FWD);
	IFC_SET(dest_format_struct, list, destination_type, TO_TIR);
	IFC_SET(dest_format_struct, list, destination_id, tir);
	/* No destination; two of them; one that is not in the input. */
	assert_int_equal(run(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, 0, len + 8, 16),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	IFC_SET(flow_context, ctx, destination_list_size, 2);
	assert_int_equal(run(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, 0, len + 16, 16),
			 MLX5_CMD_STAT_BAD_PARAM_ERR);
	IFC_SET(flow_context, ctx, destination_list_size, 1);
	assert_int_equal(run(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, 0, len, 16),
			 MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	assert_int_equal(run(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, 0, len + 8, 16), 0);
}

static void modify_an_entry(void **state)
{
	u32 ft = table(1, 4, 0), fg = group(ft, 0, 7), a = tir_direct(0), b = tir_direct(1);
	struct entry e = { .ft = ft, .group = fg, .index = 3, .action = FWD,
			   .dest_type = TO_TIR, .dest = a };

	(void)state;
	assert_int_equal(root(ft), 0);
	assert_int_equal(try_entry(&e), 0);
	assert_int_equal(tir_of(&tcp4), a);

	/* fs_core.c _mlx5_modify_rule_destination() */
	e.op_mod = 1;
	e.dest = b;
	e.mask = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST;
	assert_int_equal(try_entry(&e), 0);
	assert_int_equal(tir_of(&tcp4), b);
	NEW_IN();
	IFC_SET(destroy_tir_in, in, tirn, a);
	assert_int_equal(RUN(DESTROY_TIR, destroy_tir, 0), 0);

	/* A change that the mask does not name. */
	e.tag = 5;
	assert_int_equal(try_entry(&e), MLX5_CMD_STAT_BAD_PARAM_ERR);
	e.mask = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG;
	assert_int_equal(try_entry(&e), 0);
	e.mask = 1 << MLX5_SET_FTE_MODIFY_ENABLE_MASK_IPSEC_OBJ_ID;
	assert_int_equal(try_entry(&e), MLX5_CMD_STAT_BAD_PARAM_ERR);
	MATCH_SET(ethertype, 1);
	e.mask = 1;
	assert_int_equal(try_entry(&e), MLX5_CMD_STAT_BAD_PARAM_ERR);
	NEW_MATCH();
	e.action = DROP;
	assert_int_equal(try_entry(&e), 0);
	assert_int_equal(tir_of(&tcp4), 0);
	NEW_IN();
	IFC_SET(destroy_tir_in, in, tirn, b);
	assert_int_equal(RUN(DESTROY_TIR, destroy_tir, 0), 0);
}

static void queries(void **state)
{
	u32 next = table(2, 4, 0), ft = table(1, 7, next), tir = tir_direct(0), fg;
	u8 *ctx = IFC_PTR(query_flow_table_out, out, flow_table_context);
	u8 *fc = IFC_PTR(query_fte_out, out, flow_context);
	u8 *list = IFC_PTR(flow_context, fc, destination);

	(void)state;
	MATCH_SET(tcp_dport, 0xffff);
	fg = group(ft, 3, 5);
	entry(ft, fg, 4, TO_TIR, tir);
	NEW_IN();
	IFC_SET(query_flow_table_in, in, table_id, ft);
	assert_int_equal(RUN(QUERY_FLOW_TABLE, query_flow_table, 0), 0);
	assert_int_equal(IFC_GET(flow_table_context, ctx, level), 1);
	assert_int_equal(IFC_GET(flow_table_context, ctx, log_size), 7);
	assert_int_equal(IFC_GET(flow_table_context, ctx, table_miss_action), 1);
	assert_int_equal(IFC_GET(flow_table_context, ctx, table_miss_id), next);

	NEW_IN();
	IFC_SET(query_flow_group_in, in, table_id, ft);
	IFC_SET(query_flow_group_in, in, group_id, fg);
	assert_int_equal(RUN(QUERY_FLOW_GROUP, query_flow_group, 0), 0);
	assert_int_equal(IFC_GET(query_flow_group_out, out, start_flow_index), 3);
	assert_int_equal(IFC_GET(query_flow_group_out, out, end_flow_index), 5);
	assert_int_equal(IFC_GET(query_flow_group_out, out, match_criteria_enable), 1);
	assert_memory_equal(IFC_PTR(query_flow_group_out, out, match_criteria), match, 64);

	NEW_IN();
	IFC_SET(query_fte_in, in, table_id, ft);
	IFC_SET(query_fte_in, in, flow_index, 4);
	assert_int_equal(RUN(QUERY_FLOW_TABLE_ENTRY, query_fte, 0),
			 MLX5_CMD_STAT_BAD_OUTP_LEN_ERR);
	assert_int_equal(run(MLX5_CMD_OP_QUERY_FLOW_TABLE_ENTRY, 0, IFC_SIZE(query_fte_in),
			     IFC_SIZE(query_fte_out) + 8), 0);
	assert_int_equal(IFC_GET(flow_context, fc, group_id), fg);
	assert_int_equal(IFC_GET(flow_context, fc, action), FWD);
	assert_int_equal(IFC_GET(flow_context, fc, destination_list_size), 1);
	assert_int_equal(IFC_GET(dest_format_struct, list, destination_type), TO_TIR);
	assert_int_equal(IFC_GET(dest_format_struct, list, destination_id), tir);
	IFC_SET(query_fte_in, in, flow_index, 3);
	assert_int_equal(run(MLX5_CMD_OP_QUERY_FLOW_TABLE_ENTRY, 0, IFC_SIZE(query_fte_in),
			     IFC_SIZE(query_fte_out) + 8), MLX5_CMD_STAT_IX_ERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables),
		TEST(other_targets),
		TEST(groups),
		TEST(criteria_not_modelled),
		TEST(entries),
		TEST(lists_of_an_entry),
		TEST(modify_an_entry),
		TEST(queries),
	};

	nic_log_open("/dev/null");	/* refusals are counted, not shown */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
