// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mlx5 model's command interface, objects, send and cyclic receive queues, as a driver
 * would use them: through the queue in memory, doorbells and records. The device is brought
 * up by the fuzzer's own code, whose entry is also run here on random input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "../fuzz/fuzz_nic_cmd.c"
#include "mlx5/fault.h"
#include "packet.h"

static struct mlx5_nic *mlx5(void)
{
	return nic.priv;
}

static u8 *mem(u32 at)
{
	return nic.dma.range[0].va + at;
}

static int set_up_test(void **state)
{
	(void)state;
	if (!nic.priv)
		set_up();
	bring_up(false);
	return 0;
}

static int tear_down_test(void **state)
{
	(void)state;
	nic.ops->reset(&nic);
	return 0;
}

/* Runs a command that is to fail with status (or 0), and to say so in the log. */
static void run_status(u16 opcode, u32 in_len, u8 status)
{
	unsigned long errors = nic_log_errors();

	run(opcode, in_len);
	assert_int_equal(out[0], status);
	assert_int_equal(nic_log_errors() - errors, status != 0);
	assert_int_equal(get_be32(out + 4) != 0, status != 0);
	memset(in, 0, sizeof(in));
}

static void malformed(void **state)
{
	(void)state;
	run_status(0xeee, 16, MLX5_CMD_STAT_BAD_OP_ERR);
	run_status(MLX5_CMD_OP_CREATE_CQ, 16, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	/* announces 16 entries of 64 bytes, gives no page */
	IFC_SET(eqc, IFC_PTR(create_eq_in, in, eq_context_entry), log_eq_size, 4);
	IFC_SET(eqc, IFC_PTR(create_eq_in, in, eq_context_entry), uar_page, made.uar);
	run_status(MLX5_CMD_OP_CREATE_EQ, IFC_SIZE(create_eq_in), MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	nic.ops->reset(&nic);
	run_status(MLX5_CMD_OP_ALLOC_PD, 16, MLX5_CMD_STAT_BAD_SYS_STATE_ERR);
}

static void objects(void **state)
{
	u32 pd;

	(void)state;
	IFC_SET(destroy_cq_in, in, cqn, made.cq);
	run_status(MLX5_CMD_OP_DESTROY_CQ, 16, MLX5_CMD_STAT_RES_BUSY);
	IFC_SET(destroy_cq_in, in, cqn, made.eq);	/* of another kind */
	run_status(MLX5_CMD_OP_DESTROY_CQ, 16, MLX5_CMD_STAT_BAD_RES_ERR);
	IFC_SET(dealloc_transport_domain_in, in, transport_domain, made.td);
	run_status(MLX5_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, 16, MLX5_CMD_STAT_RES_BUSY);

	pd = create(MLX5_CMD_OP_ALLOC_PD, 16);
	IFC_SET(dealloc_pd_in, in, pd, pd);
	run_status(MLX5_CMD_OP_DEALLOC_PD, 16, 0);
	IFC_SET(dealloc_pd_in, in, pd, pd);
	run_status(MLX5_CMD_OP_DEALLOC_PD, 16, MLX5_CMD_STAT_BAD_RES_ERR);
	/* a freed number is not given again at once */
	assert_int_not_equal(create(MLX5_CMD_OP_ALLOC_PD, 16), pd);
}

static u8 modify_rq(u32 from, u32 to)
{
	memset(in, 0, sizeof(in));
	IFC_SET(modify_rq_in, in, rqn, made.rq);
	IFC_SET(modify_rq_in, in, rq_state, from);
	IFC_SET(rqc, IFC_PTR(modify_rq_in, in, ctx), state, to);
	run(MLX5_CMD_OP_MODIFY_RQ, IFC_SIZE(modify_rq_in));
	return out[0];
}

static void rq_states(void **state)
{
	(void)state;
	assert_int_equal(modify_rq(MLX5_Q_RST, MLX5_Q_RDY), MLX5_CMD_STAT_BAD_RES_STATE_ERR);
	assert_int_equal(modify_rq(MLX5_Q_RDY, MLX5_Q_ERR), 0);
	assert_int_equal(modify_rq(MLX5_Q_ERR, MLX5_Q_RDY), MLX5_CMD_STAT_BAD_RES_STATE_ERR);
	assert_int_equal(modify_rq(MLX5_Q_ERR, MLX5_Q_RST), 0);
	assert_int_equal(modify_rq(MLX5_Q_RST, MLX5_Q_RDY), 0);
	assert_int_equal(modify_rq(MLX5_Q_RDY, MLX5_Q_RDY), 0);
}

static void faults(void **state)
{
	char *cmd[] = { "cmd", "ALLOC_PD", "2", "status", "0x8" };
	char *bad[] = { "cmd", "ALLOC_PD", "0", "status", "0x8" };
	char *unsplit[] = { "unsplit", "7" };
	unsigned long errors = nic_log_errors();
	FILE *null = fopen("/dev/null", "w");

	(void)state;
	assert_int_equal(mlx5_fault(mlx5(), 5, cmd, null), 0);
	assert_int_equal(mlx5_fault(mlx5(), 5, bad, null), -EINVAL);
	assert_int_equal(mlx5_fault(mlx5(), 4, cmd, null), -EINVAL);
	assert_int_equal(mlx5_fault(mlx5(), 2, unsplit, null), 0);
	assert_int_equal(mlx5()->fault_unsplit, 7);
	mlx5()->fault_unsplit = 0;
	cmd[1] = "NO_SUCH_THING";
	assert_int_equal(mlx5_fault(mlx5(), 5, cmd, null), -EINVAL);
	fclose(null);

	create(MLX5_CMD_OP_ALLOC_PD, 16);
	run(MLX5_CMD_OP_ALLOC_PD, 16);
	assert_int_equal(out[0], 0x8);
	assert_int_equal(get_be32(out + 8), 0);
	create(MLX5_CMD_OP_ALLOC_PD, 16);
	assert_int_equal(nic_log_errors(), errors);	/* it was asked for */
}

/* ---- the queue in memory ---- */

static void ring_command(u32 vector)
{
	u8 v[4];

	put_be32(v, vector);
	nic.ops->bar_write(&nic, 0, 0x18, v, 4);
}

static struct mlx5_cmd_entry *put_entry(u32 slot, u16 opcode)
{
	struct mlx5_cmd_entry *e = (void *)mem(slot * sizeof(*e));

	memset(e, 0, sizeof(*e));
	e->type = MLX5_CMD_XPORT_PCI;
	e->in_len = htobe32(16);
	e->out_len = htobe32(16);
	e->token = 0x42;
	e->status_own = MLX5_CMD_OWN_HW;
	put_be16(e->in, opcode);
	return e;
}

static const struct mlx5_eqe *eqe(u32 i)
{
	return (void *)mem(EQ_PAGE + 64 * i);
}

static void command_queue(void **state)
{
	struct mlx5_cmd_entry *a = put_entry(0, MLX5_CMD_OP_ALLOC_PD);
	struct mlx5_cmd_entry *b = put_entry(3, MLX5_CMD_OP_ALLOC_PD);
	struct mlx5_eq *eq = mlx5_obj_find(mlx5(), MLX5_OBJ_EQ, made.eq);
	unsigned long errors = nic_log_errors();
	u32 first = eq->pi;

	(void)state;
	ring_command(1 << 0 | 1 << 3);
	assert_int_equal(a->status_own, 0);
	assert_int_equal(a->out[0], 0);
	assert_int_not_equal(get_be32(a->out + 8), get_be32(b->out + 8));
	assert_int_equal(eq->pi, first + 2);
	assert_int_equal(eqe(first)->type, MLX5_EVENT_CMD);
	assert_int_equal(get_be32(eqe(first)->data), 1 << 0);
	assert_int_equal(get_be32(eqe(first + 1)->data), 1 << 3);
	assert_int_equal(nic_log_errors(), errors);

	/* the driver's entry, not the device's; a wrong type; no mailbox */
	ring_command(1 << 0);
	assert_int_equal(nic_log_errors(), errors + 1);
	a = put_entry(0, MLX5_CMD_OP_ALLOC_PD);
	a->type = 3;
	ring_command(1 << 0);
	assert_int_equal(nic_log_errors(), errors + 2);
	assert_int_not_equal(a->status_own >> 1, 0);
	a = put_entry(0, MLX5_CMD_OP_ALLOC_PD);
	a->in_len = htobe32(100);
	ring_command(1 << 0);
	assert_int_equal(nic_log_errors(), errors + 3);
	assert_int_equal(a->status_own & MLX5_CMD_OWN_HW, 0);
}

/* The driver polls for the command that makes the EQ for such events: no event for it. */
static void create_eq_sends_no_event(void **state)
{
	struct mlx5_cmd_entry *e;
	struct mlx5_cmd_block *block = (void *)mem(DATA);
	u8 input[IFC_SIZE(create_eq_in) + 8] = { 0 };
	u8 *ctx = IFC_PTR(create_eq_in, input, eq_context_entry);
	struct mlx5_eq *eq, *old = mlx5_obj_find(mlx5(), MLX5_OBJ_EQ, made.eq);
	u32 before = old->pi;

	(void)state;
	old->events = 0;
	put_be16(input, MLX5_CMD_OP_CREATE_EQ);
	IFC_SET(eqc, ctx, log_eq_size, 4);
	IFC_SET(eqc, ctx, uar_page, made.uar);
	put_be64(IFC_PTR(create_eq_in, input, event_bitmask), 1 << MLX5_EVENT_CMD);
	put_be64(IFC_PTR(create_eq_in, input, pas), HEADERS);

	e = put_entry(0, MLX5_CMD_OP_CREATE_EQ);
	e->in_len = htobe32(sizeof(input));
	e->in_ptr = htobe64(DATA);
	memcpy(e->in, input, 16);
	memcpy(block->data, input + 16, sizeof(input) - 16);
	block->token = e->token;
	ring_command(1 << 0);
	assert_int_equal(e->out[0], 0);
	eq = mlx5_obj_find(mlx5(), MLX5_OBJ_EQ, e->out[11]);
	assert_non_null(eq);
	assert_int_equal(eq->pi, 0);
	assert_int_equal(old->pi, before);

	put_entry(0, MLX5_CMD_OP_ALLOC_PD);
	ring_command(1 << 0);
	assert_int_equal(eq->pi, 1);
}

/* ---- packets ---- */

static int peer_fd = -1;

static int plug_in(void **state)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fd))
		return -1;
	wire.fd = fd[0];
	peer_fd = fd[1];
	return set_up_test(state);
}

static int unplug(void **state)
{
	close(wire.fd);
	close(peer_fd);
	wire.fd = -1;
	return tear_down_test(state);
}

static void ring_sq(u16 posted)
{
	u8 v[8] = { 0 };

	put_be32(mem(SQ_RECORD + 4), posted);
	put_be32(v + 4, made.sq << 8);
	nic.ops->bar_write(&nic, 0, (u64)made.uar * 0x1000 + 0x800, v, 8);
}

/* The SEND of 128 bytes that fill_memory() made, asking for no checksum. */
static void send_one_frame(void **state)
{
	const struct mlx5_cqe *cqe = (void *)mem(CQ_PAGE);
	u8 got[256];
	u32 i;

	(void)state;
	for (i = 0; i < 128; i++)
		mem(DATA)[i] = (u8)(i + 1);
	ring_sq(1);
	assert_int_equal(recv(peer_fd, got, sizeof(got), 0), 128);
	assert_memory_equal(got, mem(DATA), 128);
	assert_int_equal(cqe->op_own, MLX5_CQE_REQ << 4);
	assert_int_equal(be32toh(cqe->sop_drop_qpn), MLX5_WQE_SEND << 24 | made.sq);
}

static void lso(void **state)
{
	/* 16 bytes each: control, Ethernet, 4 of headers, 2 of data */
	enum { HDR = 54, MSS = 1448, DATA_LEN = 2 * MSS + 100, SEGS = 1 + 1 + 4 + 2 };
	u8 *wqe = mem(SQ_PAGE), got[2000];
	struct packet pkt;
	struct packet_csum csum;
	u32 i, off = 0;

	(void)state;
	memset(wqe, 0, 128);
	put_be32(wqe, MLX5_WQE_LSO);
	put_be32(wqe + 4, made.sq << 8 | SEGS);
	wqe[20] = MLX5_WQE_L3_CSUM | MLX5_WQE_L4_CSUM;
	put_be16(wqe + 22, MSS);
	put_be16(wqe + 28, HDR);
	memcpy(wqe + 30, frame, HDR);
	wqe[30 + 47] |= PACKET_TCP_FIN | PACKET_TCP_PSH;
	put_be32(wqe + 96, DATA_LEN - 100);
	put_be32(wqe + 100, made.pa_key);
	put_be64(wqe + 104, DATA);
	put_be32(wqe + 112, 100);
	put_be32(wqe + 116, made.pa_key);
	put_be64(wqe + 120, DATA + DATA_LEN - 100);
	for (i = 0; i < DATA_LEN; i++)
		mem(DATA)[i] = (u8)(i * 7);

	ring_sq(2);
	for (i = 0; i < 3; i++) {
		u32 n = i < 2 ? MSS : 100;

		assert_int_equal(recv(peer_fd, got, sizeof(got), 0), HDR + n);
		packet_parse(&pkt, got, HDR + n);
		packet_check(&pkt, &csum);
		assert_true(csum.l3_ok && csum.l4_ok);
		assert_int_equal(pkt.payload_len, n);
		assert_int_equal(pkt.tcp_seq, 1 + off);
		assert_int_equal(pkt.ip_id, 1 + i);
		assert_int_equal(pkt.tcp_flags, PACKET_TCP_ACK | (i == 2 ? PACKET_TCP_FIN |
									   PACKET_TCP_PSH : 0));
		assert_memory_equal(got + HDR, mem(DATA) + off, n);
		off += n;
	}
	assert_int_equal(recv(peer_fd, got, sizeof(got), 0), -1);
}

static void bad_wqe(void **state)
{
	struct mlx5_sq *sq = mlx5_obj_find(mlx5(), MLX5_OBJ_SQ, made.sq);
	const struct mlx5_cqe *cqe = (void *)mem(CQ_PAGE);
	unsigned long errors = nic_log_errors();

	(void)state;
	mem(SQ_PAGE)[3] = 0x77;
	ring_sq(1);
	assert_int_equal(sq->state, MLX5_Q_ERR);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	assert_int_equal(nic_log_errors(), errors + 1);
}

static void receive_cyclic(void **state)
{
	struct mlx5_rq *rq = mlx5_obj_find(mlx5(), MLX5_OBJ_RQ, made.rq);
	const struct mlx5_cqe *cqe = (void *)mem(CQ_PAGE);
	u8 buf[60];
	u32 i;

	(void)state;
	rq->qcnt = NULL;
	for (i = 0; i < 17; i++) {
		memcpy(buf, frame, sizeof(buf));
		buf[54] = (u8)i;
		nic.ops->rx(&nic, buf, sizeof(buf));
	}
	nic.ops->rx_done(&nic);
	/* 15 are posted */
	assert_int_equal(rq->wqes, 15);
	for (i = 0; i < 15; i++, cqe++) {
		assert_int_equal(be16toh(cqe->wqe_counter), i);
		assert_int_equal(be32toh(cqe->byte_cnt), 60);
		assert_int_equal(cqe->op_own, MLX5_CQE_RESP_SEND << 4);
		assert_int_equal(mem(DATA)[0x800 * i + 54], i);
	}
	assert_int_equal(mlx5()->nr_no_buffer, 2);
	mlx5()->nr_no_buffer = 0;
}

/* A packet that its WQE can't take ends the queue; nothing is written past its end. */
static void receive_too_long(void **state)
{
	struct mlx5_rq *rq = mlx5_obj_find(mlx5(), MLX5_OBJ_RQ, made.rq);
	const struct mlx5_cqe *cqe = (void *)mem(CQ_PAGE);
	u8 buf[60];

	(void)state;
	put_be32(mem(RQ_PAGE), 59);
	memset(mem(DATA), 0xaa, 64);
	memcpy(buf, frame, sizeof(buf));
	nic.ops->rx(&nic, buf, sizeof(buf));
	assert_int_equal(rq->state, MLX5_Q_ERR);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_ERR);
	assert_int_equal(mem(DATA)[59], 0xaa);
}

/* The fuzzer's entry, on a sequence that is the same each time. */
static void random_input(void **state)
{
	u8 buf[1024];
	u32 i, j, x = 2463534242;

	(void)state;
	for (i = 0; i < 3001; i++) {
		for (j = 0; j < sizeof(buf); j++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			/* many zeros, as in real commands */
			buf[j] = x >> 28 < 6 ? (u8)(x >> 8) : 0;
		}
		LLVMFuzzerTestOneInput(buf, sizeof(buf));
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_test, tear_down_test)
#define WIRED(f) cmocka_unit_test_setup_teardown(f, plug_in, unplug)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(malformed),
		TEST(objects),
		TEST(rq_states),
		TEST(faults),
		TEST(command_queue),
		TEST(create_eq_sends_no_event),
		WIRED(send_one_frame),
		WIRED(lso),
		WIRED(bad_wqe),
		TEST(receive_cyclic),
		TEST(receive_too_long),
		cmocka_unit_test(random_input),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	nic.ops->destroy(&nic);
	dma_unmap_all(&nic.dma);
	return failed;
}
