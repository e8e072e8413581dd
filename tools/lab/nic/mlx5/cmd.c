// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd.c - the command interface: fetches a command from the queue in guest
 * memory and its mailboxes, checks form and length, dispatches it by opcode,
 * and writes the answer back. Injected faults act here. Commands run to the
 * end at once, in the order of the doorbell.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "ifc.h"
#include "mlx5.h"

#define MAX_CMD_BYTES (1U << 20)
#define MAX_OPCODE 0x1000
#define INLINE 16		/* bytes of input and output kept in the entry itself */
#define HEADER 8		/* opcode and op_mod; status and syndrome */

struct mlx5_cmdif {
	const struct mlx5_cmd_op *op[MAX_OPCODE];
	bool needs_init[MAX_OPCODE];	/* not before INIT_HCA */
	u64 addr;			/* of the queue; bits written by the driver */
	u8 *in, *out;			/* MAX_CMD_BYTES each */
};

static const struct {
	const struct mlx5_cmd_op *ops;
	bool needs_init;
} tables[] = {
	{ mlx5_caps_ops, false },
	{ mlx5_reg_ops, false },
	{ mlx5_vport_ops, false },
	{ mlx5_object_ops, true },
	{ mlx5_eq_ops, true },
	{ mlx5_cq_ops, true },
	{ mlx5_sq_ops, true },
	{ mlx5_rq_ops, true },
	{ mlx5_mkey_ops, true },
	{ mlx5_counter_ops, true },
	{ mlx5_rss_ops, true },
	{ mlx5_steer_ops, true },
};

int mlx5_cmdif_create(struct mlx5_nic *nic)
{
	struct mlx5_cmdif *c = calloc(1, sizeof(*c));
	const struct mlx5_cmd_op *op;
	size_t i;

	if (!c)
		return -ENOMEM;
	nic->cmdif = c;
	c->in = malloc(MAX_CMD_BYTES);
	c->out = malloc(MAX_CMD_BYTES);
	if (!c->in || !c->out)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (op = tables[i].ops; op->name; op++) {
			c->op[op->opcode] = op;
			c->needs_init[op->opcode] = tables[i].needs_init;
		}
	}
	return 0;
}

void mlx5_cmdif_destroy(struct mlx5_nic *nic)
{
	if (!nic->cmdif)
		return;
	free(nic->cmdif->in);
	free(nic->cmdif->out);
	free(nic->cmdif);
	nic->cmdif = NULL;
}

void mlx5_cmdif_reset(struct mlx5_nic *nic)
{
	nic->cmdif->addr = 0;
}

const struct mlx5_cmd_op *mlx5_cmd_by_name(struct mlx5_nic *nic, const char *name)
{
	u32 i;

	for (i = 0; i < MAX_OPCODE; i++)
		if (nic->cmdif->op[i] && !strcmp(nic->cmdif->op[i]->name, name))
			return nic->cmdif->op[i];
	return NULL;
}

/* A number that stays the same for the same check: FNV-1a of its text. */
static u32 syndrome_of(const char *fmt)
{
	u32 h = 2166136261U;

	for (; *fmt; fmt++)
		h = (h ^ (u8)*fmt) * 16777619U;
	return h ? h : 1;
}

int mlx5_cmd_fail(struct mlx5_cmd *cmd, int status, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cmd->syndrome = syndrome_of(fmt);
	if (cmd->op)
		nic_err("%s: %s (status %#x)", cmd->op->name, text, (unsigned int)status);
	else
		nic_err("opcode %#x: %s (status %#x)", cmd->opcode, text, (unsigned int)status);
	return status;
}

/* The status of a fault that strikes now, or OK. */
static int injected(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	int i;

	for (i = 0; i < MLX5_MAX_FAULTS; i++) {
		struct mlx5_cmd_fault *f = &nic->fault[i];

		if (!f->countdown || f->opcode != cmd->opcode || --f->countdown)
			continue;
		cmd->syndrome = 0xfa0177;	/* "fault" */
		nic_info("fault: %s fails with status %#x", cmd->op->name, f->status);
		return f->status;
	}
	return MLX5_CMD_STAT_OK;
}

static int check_and_run(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	struct mlx5_cmdif *c = nic->cmdif;
	int status;

	cmd->op = cmd->opcode < MAX_OPCODE ? c->op[cmd->opcode] : NULL;
	if (!cmd->op)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_OP_ERR, "unknown opcode (op_mod %#x)",
				     cmd->op_mod);
	if (cmd->in_len < cmd->op->min_in)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "input of %u bytes, %u needed", cmd->in_len, cmd->op->min_in);
	if (cmd->out_len < cmd->op->min_out)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR,
				     "output of %u bytes, %u needed", cmd->out_len,
				     cmd->op->min_out);
	if (c->needs_init[cmd->opcode] && !nic->hca_inited)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR, "before INIT_HCA");
	status = injected(nic, cmd);
	return status ? status : cmd->op->fn(nic, cmd);
}

void mlx5_cmd_run(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	int status;

	nic->nr_cmds++;
	cmd->opcode = get_be16(cmd->in);
	cmd->op_mod = get_be16(cmd->in + 6);
	cmd->syndrome = 0;
	memset(cmd->out, 0, cmd->out_len);
	status = check_and_run(nic, cmd);
	if (status) {
		/* A failed command answers nothing but the failure. */
		memset(cmd->out, 0, cmd->out_len);
		cmd->out[0] = (u8)status;
		put_be32(cmd->out + 4, cmd->syndrome);
	}
}

/* ---- entries and mailboxes in guest memory ---- */

static struct mlx5_cmd_block *get_block(struct mlx5_nic *nic, u64 addr, u32 nr, u8 token)
{
	struct mlx5_cmd_block *b;

	if (!addr || addr & (MLX5_CMD_BLOCK - 1)) {
		nic_err("command mailbox %u at %#llx: not a block's address", nr,
			(unsigned long long)addr);
		return NULL;
	}
	b = dma_ptr(nic->dma, addr, sizeof(*b));
	if (b && (be32toh(b->block_num) != nr || b->token != token)) {
		nic_err("command mailbox %u says number %u, token %#x instead of %#x", nr,
			be32toh(b->block_num), b->token, token);
		return NULL;
	}
	return b;
}

static int read_input(struct mlx5_nic *nic, const struct mlx5_cmd_entry *e, u8 *in, u32 len)
{
	u64 addr = be64toh(e->in_ptr);
	u32 off, nr = 0;

	memcpy(in, e->in, min_u32(len, INLINE));
	for (off = INLINE; off < len; off += MLX5_CMD_BLOCK) {
		struct mlx5_cmd_block *b = get_block(nic, addr, nr++, e->token);

		if (!b)
			return -EFAULT;
		memcpy(in + off, b->data, min_u32(len - off, MLX5_CMD_BLOCK));
		addr = be64toh(b->next);
	}
	return 0;
}

static int write_output(struct mlx5_nic *nic, struct mlx5_cmd_entry *e, const u8 *out, u32 len)
{
	u64 addr = be64toh(e->out_ptr);
	u32 off, nr = 0;

	memcpy(e->out, out, min_u32(len, INLINE));
	for (off = INLINE; off < len; off += MLX5_CMD_BLOCK) {
		struct mlx5_cmd_block *b = get_block(nic, addr, nr++, e->token);

		if (!b)
			return -EFAULT;
		memcpy(b->data, out + off, min_u32(len - off, MLX5_CMD_BLOCK));
		addr = be64toh(b->next);
	}
	return 0;
}

/* Delivery status of an entry (not of its command), bits 7..1 of status_own. */
enum { DELIVERY_OK = 0, DELIVERY_BAD = 0x10 };

static u8 run_entry(struct mlx5_nic *nic, struct mlx5_cmd_entry *e)
{
	struct mlx5_cmdif *c = nic->cmdif;
	struct mlx5_cmd cmd = {
		.in = c->in,
		.in_len = be32toh(e->in_len),
		.out = c->out,
		.out_len = be32toh(e->out_len),
	};

	if (e->type != MLX5_CMD_XPORT_PCI || cmd.in_len < HEADER || cmd.out_len < HEADER ||
	    cmd.in_len > MAX_CMD_BYTES || cmd.out_len > MAX_CMD_BYTES) {
		nic_err("command entry: type %u, %u bytes in, %u out", e->type, cmd.in_len,
			cmd.out_len);
		return DELIVERY_BAD;
	}
	if (read_input(nic, e, c->in, cmd.in_len))
		return DELIVERY_BAD;
	mlx5_cmd_run(nic, &cmd);
	return write_output(nic, e, c->out, cmd.out_len) ? DELIVERY_BAD : DELIVERY_OK;
}

/*
 * The completion event goes to the EQ that had asked for such events before
 * the command: never to an EQ that this very command created, since the
 * driver waits for that one by polling and has no handler yet.
 */
static struct mlx5_eq *event_queue(struct mlx5_nic *nic)
{
	const struct mlx5_obj_table *t = &nic->obj[MLX5_OBJ_EQ];
	u32 i;

	for (i = 0; i < t->nr; i++) {
		struct mlx5_eq *eq = (struct mlx5_eq *)t->obj[i];

		if (eq && eq->events & BIT_ULL(MLX5_EVENT_CMD))
			return eq;
	}
	return NULL;
}

void mlx5_cmd_doorbell(struct mlx5_nic *nic, u32 vector)
{
	u32 i;

	for (i = 0; i < 1U << MLX5_CMD_ENTRIES_LOG; i++) {
		struct mlx5_cmd_entry *e;
		struct mlx5_eq *eq;
		__be32 bit = htobe32(1U << i);
		u32 eqn;
		u8 own;

		if (!(vector & (1U << i)))
			continue;
		e = dma_ptr(nic->dma, nic->cmdif->addr + i * sizeof(*e), sizeof(*e));
		if (!e)
			return;
		if (!(e->status_own & MLX5_CMD_OWN_HW)) {
			nic_err("doorbell for command entry %u, which is not the device's", i);
			continue;
		}
		eq = event_queue(nic);
		eqn = eq ? eq->obj.id : 0;
		own = (u8)(run_entry(nic, e) << 1);
		__atomic_store_n(&e->status_own, own, __ATOMIC_RELEASE);
		if (eq && mlx5_obj_find(nic, MLX5_OBJ_EQ, eqn) == eq)
			mlx5_eq_event(nic, eq, MLX5_EVENT_CMD, 0, &bit, sizeof(bit));
	}
}

void mlx5_cmd_set_addr_hi(struct mlx5_nic *nic, u32 hi)
{
	nic->cmdif->addr = (nic->cmdif->addr & 0xffffffffULL) | (u64)hi << 32;
}

void mlx5_cmd_set_addr_lo(struct mlx5_nic *nic, u32 lo)
{
	/* Bits 11..0: interface state, not address. */
	nic->cmdif->addr = (nic->cmdif->addr & ~0xffffffffULL) | (lo & ~0xfffU);
}
