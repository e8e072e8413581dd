/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic_mlx5_cmds.h - gives commands to the mlx5 model's steering and spreading
 * as the driver does, in its layouts, for test_nic_steer.c, test_nic_walk.c
 * and test_nic_rss.c. A helper named try_x() returns the status, one named x()
 * wants it to be good and returns the new id.
 */
#ifndef TESTS_NIC_MLX5_CMDS_H
#define TESTS_NIC_MLX5_CMDS_H

#include "log.h"
#include "mlx5/ifc.h"
#include "mlx5/rss.h"
#include "mlx5/steer.h"
#include "nic_frames.h"
#include "packet.h"

#define NR_RQS 8

static struct mlx5_nic nic;
static u8 in[8192], out[8192];
static struct mlx5_rq *rqs[NR_RQS];
static u32 td;

/* ---- sending commands ---- */

/* Runs what is in in[] and checks that a refusal, and only that, says why. */
static inline int run(u16 opcode, u16 op_mod, u32 in_len, u32 out_len)
{
	const struct mlx5_cmd_op *tables[] = { mlx5_object_ops, mlx5_steer_ops, mlx5_rss_ops };
	struct mlx5_cmd cmd = { .opcode = opcode, .op_mod = op_mod, .in = in, .in_len = in_len,
				.out = out, .out_len = out_len };
	unsigned long errors = nic_log_errors();
	int st;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct mlx5_cmd_op *op = tables[i]; op->name; op++)
			if (op->opcode == opcode)
				cmd.op = op;
	assert_non_null(cmd.op);
	assert_true(in_len >= cmd.op->min_in);
	assert_true(out_len >= cmd.op->min_out);
	memset(out, 0, sizeof(out));
	st = cmd.op->fn(&nic, &cmd);
	assert_int_equal(nic_log_errors() - errors, st != MLX5_CMD_STAT_OK);
	return st;
}

#define RUN(op, type, op_mod) \
	run(MLX5_CMD_OP_##op, op_mod, IFC_SIZE(type##_in), IFC_SIZE(type##_out))

#define NEW_IN() memset(in, 0, sizeof(in))

static inline int try_table(u32 level, u32 log_size, u32 miss)
{
	u8 *ctx = IFC_PTR(create_flow_table_in, in, flow_table_context);

	NEW_IN();
	IFC_SET(flow_table_context, ctx, level, level);
	IFC_SET(flow_table_context, ctx, log_size, log_size);
	IFC_SET(flow_table_context, ctx, table_miss_action, miss ? 1 : 0);
	IFC_SET(flow_table_context, ctx, table_miss_id, miss);
	return RUN(CREATE_FLOW_TABLE, create_flow_table, 0);
}

static inline u32 table(u32 level, u32 log_size, u32 miss)
{
	assert_int_equal(try_table(level, log_size, miss), 0);
	return IFC_GET(create_flow_table_out, out, table_id);
}

static inline int set_miss_cmd(u32 ft, u32 miss)
{
	u8 *ctx = IFC_PTR(modify_flow_table_in, in, flow_table_context);

	NEW_IN();
	IFC_SET(modify_flow_table_in, in, table_id, ft);
	IFC_SET(modify_flow_table_in, in, modify_field_select, 1);
	IFC_SET(flow_table_context, ctx, table_miss_action, miss ? 1 : 0);
	IFC_SET(flow_table_context, ctx, table_miss_id, miss);
	return RUN(MODIFY_FLOW_TABLE, modify_flow_table, 0);
}

static inline int root(u32 ft)
{
	NEW_IN();
	IFC_SET(set_flow_table_root_in, in, table_id, ft);
	return RUN(SET_FLOW_TABLE_ROOT, set_flow_table_root, ft ? 0 : 1);
}

/* A fte_match_param: mask of a group or value of an entry. */
static u8 match[IFC_SIZE(fte_match_param)];

#define MATCH_SET(field, v) \
	IFC_SET(fte_match_set_lyr_2_4, match, field, v)
#define NEW_MATCH() memset(match, 0, sizeof(match))

static inline int try_group(u32 ft, u32 first, u32 last, u8 enable)
{
	NEW_IN();
	IFC_SET(create_flow_group_in, in, table_id, ft);
	IFC_SET(create_flow_group_in, in, start_flow_index, first);
	IFC_SET(create_flow_group_in, in, end_flow_index, last);
	IFC_SET(create_flow_group_in, in, match_criteria_enable, enable);
	memcpy(IFC_PTR(create_flow_group_in, in, match_criteria), match, sizeof(match));
	return RUN(CREATE_FLOW_GROUP, create_flow_group, 0);
}

/* The mask is in match[]. */
static inline u32 group(u32 ft, u32 first, u32 last)
{
	u8 enable = 0;

	for (size_t i = 0; i < sizeof(match); i++)
		enable |= match[i] != 0;
	assert_int_equal(try_group(ft, first, last, enable), 0);
	return IFC_GET(create_flow_group_out, out, group_id);
}

struct entry {
	u32 ft, group, index, action;
	u32 dest_type, dest, counter, tag, mask, op_mod;
};

/* The value is in match[]; builds and runs SET_FTE. */
static inline int try_entry(const struct entry *e)
{
	u8 *ctx = IFC_PTR(set_fte_in, in, flow_context);
	u8 *list = IFC_PTR(flow_context, ctx, destination);
	u32 len = IFC_SIZE(set_fte_in);

	NEW_IN();
	IFC_SET(set_fte_in, in, table_id, e->ft);
	IFC_SET(set_fte_in, in, flow_index, e->index);
	IFC_SET(set_fte_in, in, modify_enable_mask, e->mask);
	IFC_SET(flow_context, ctx, group_id, e->group);
	IFC_SET(flow_context, ctx, action, e->action);
	IFC_SET(flow_context, ctx, flow_tag, e->tag);
	memcpy(IFC_PTR(flow_context, ctx, match_value), match, sizeof(match));
	if (e->action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST) {
		IFC_SET(flow_context, ctx, destination_list_size, 1);
		IFC_SET(dest_format_struct, list, destination_type, e->dest_type);
		IFC_SET(dest_format_struct, list, destination_id, e->dest);
		list += 8;
		len += 8;
	}
	if (e->action & MLX5_FLOW_CONTEXT_ACTION_COUNT) {
		IFC_SET(flow_context, ctx, flow_counter_list_size, 1);
		IFC_SET(flow_counter_list, list, flow_counter_id, e->counter);
		len += 8;
	}
	return run(MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY, e->op_mod, len, IFC_SIZE(set_fte_out));
}

#define FWD MLX5_FLOW_CONTEXT_ACTION_FWD_DEST
#define DROP MLX5_FLOW_CONTEXT_ACTION_DROP
#define COUNT MLX5_FLOW_CONTEXT_ACTION_COUNT
#define TO_TABLE MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE
#define TO_TIR MLX5_IFC_FLOW_DESTINATION_TYPE_TIR

static inline void entry(u32 ft, u32 fg, u32 index, u32 dest_type, u32 dest)
{
	struct entry e = { .ft = ft, .group = fg, .index = index, .action = FWD,
			   .dest_type = dest_type, .dest = dest };

	assert_int_equal(try_entry(&e), 0);
}

static inline int delete_entry(u32 ft, u32 index)
{
	NEW_IN();
	IFC_SET(delete_fte_in, in, table_id, ft);
	IFC_SET(delete_fte_in, in, flow_index, index);
	return RUN(DELETE_FLOW_TABLE_ENTRY, delete_fte, 0);
}

static inline int destroy_table(u32 ft)
{
	NEW_IN();
	IFC_SET(destroy_flow_table_in, in, table_id, ft);
	return RUN(DESTROY_FLOW_TABLE, destroy_flow_table, 0);
}

static inline int destroy_group(u32 ft, u32 fg)
{
	NEW_IN();
	IFC_SET(destroy_flow_group_in, in, table_id, ft);
	IFC_SET(destroy_flow_group_in, in, group_id, fg);
	return RUN(DESTROY_FLOW_GROUP, destroy_flow_group, 0);
}

static inline int try_tir_direct(u32 rqn)
{
	u8 *tirc = IFC_PTR(create_tir_in, in, ctx);

	NEW_IN();
	IFC_SET(tirc, tirc, inline_rqn, rqn);
	IFC_SET(tirc, tirc, transport_domain, td);
	return RUN(CREATE_TIR, create_tir, 0);
}

static inline u32 tir_direct(u32 rq)
{
	assert_int_equal(try_tir_direct(rqs[rq]->obj.id), 0);
	return IFC_GET(create_tir_out, out, tirn);
}

static inline int start(void **state)
{
	struct mlx5_cmd cmd = { 0 };

	(void)state;
	memset(&nic, 0, sizeof(nic));
	assert_int_equal(mlx5_obj_init(&nic), 0);
	assert_int_equal(mlx5_steer_create(&nic), 0);
	NEW_IN();
	assert_int_equal(RUN(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, 0), 0);
	td = IFC_GET(alloc_transport_domain_out, out, transport_domain);
	for (u32 i = 0; i < NR_RQS; i++) {
		rqs[i] = mlx5_obj_new(&nic, &cmd, MLX5_OBJ_RQ, sizeof(*rqs[i]));
		assert_non_null(rqs[i]);
	}
	NEW_MATCH();
	return 0;
}

/* Also a test of a reset with everything still there: no reference is dropped twice. */
static inline int end(void **state)
{
	unsigned long errors = nic_log_errors();

	(void)state;
	mlx5_obj_destroy_all(&nic);
	assert_int_equal(nic_log_errors(), errors);
	mlx5_steer_reset(&nic);
	assert_false(nic.steer->has_root);
	mlx5_obj_exit(&nic);
	mlx5_steer_destroy(&nic);
	return 0;
}

/* ---- packets ---- */

static struct frame f;
static struct packet pkt;

static const struct frame_spec tcp4 = {
	.version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 40001, .dport = 5201,
	.flags = PACKET_TCP_ACK, .payload = 100, .ttl = 64,
};

static inline struct mlx5_tir *lookup(const struct frame_spec *s, u32 *tag)
{
	u32 unused;

	frame_build(&f, s);
	packet_parse(&pkt, f.data, f.len);
	return mlx5_steer_lookup(&nic, &pkt, tag ? tag : &unused);
}

/* struct mlx5_tir is rss.c's own, but every object begins alike. */
static inline u32 tir_id(struct mlx5_tir *tir)
{
	return tir ? ((struct mlx5_obj *)tir)->id : 0;
}

/* Which TIR takes the packet; 0: none. */
static inline u32 tir_of(const struct frame_spec *s)
{
	struct mlx5_tir *tir = lookup(s, NULL);

	return tir_id(tir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

#endif /* TESTS_NIC_MLX5_CMDS_H */
