// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reg.c - ACCESS_REG: the port's and the device's management registers. Each
 * has a function that reads or writes it in place; the register's number and
 * size are checked before. A register that is not here fails the command.
 */
#include "ifc.h"
#include "mlx5.h"

enum {			/* op_mod */
	OP_WRITE = 0,
	OP_READ = 1,
};

struct reg {
	u16 id;
	const char *name;
	u32 size;
	/* reg: the driver's bytes, answered back as they are left. Handler status. */
	int (*read)(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg);
	int (*write)(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg);
};

static int read_pmtu(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)cmd;
	IFC_SET(pmtu_reg, reg, max_mtu, MLX5_PORT_MAX_MTU);
	IFC_SET(pmtu_reg, reg, admin_mtu, nic->port.admin_mtu);
	IFC_SET(pmtu_reg, reg, oper_mtu, nic->port.admin_mtu);
	return MLX5_CMD_STAT_OK;
}

static int write_pmtu(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	u32 mtu = IFC_GET(pmtu_reg, reg, admin_mtu);

	if (!mtu || mtu > MLX5_PORT_MAX_MTU)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "MTU %u, at most %u", mtu,
				     MLX5_PORT_MAX_MTU);
	nic->port.admin_mtu = (u16)mtu;
	return MLX5_CMD_STAT_OK;
}

static int read_ptys(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)cmd;
	IFC_SET(ptys_reg, reg, eth_proto_capability, MLX5_PORT_PROTO);
	IFC_SET(ptys_reg, reg, eth_proto_admin, MLX5_PORT_PROTO);
	IFC_SET(ptys_reg, reg, eth_proto_oper, mlx5_link_up(nic) ? MLX5_PORT_PROTO : 0);
	return MLX5_CMD_STAT_OK;
}

static int read_paos(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)cmd;
	IFC_SET(paos_reg, reg, admin_status, nic->port.admin_up ? 1 : 2);
	IFC_SET(paos_reg, reg, oper_status, mlx5_link_up(nic) ? 1 : 2);
	return MLX5_CMD_STAT_OK;
}

static int write_paos(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	bool was_up = mlx5_link_up(nic);
	u32 state = IFC_GET(paos_reg, reg, admin_status);

	if (!IFC_GET(paos_reg, reg, ase))	/* "admin state enable": else it is not meant */
		return MLX5_CMD_STAT_OK;
	if (state != 1 && state != 2)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "PAOS: state %u", state);
	nic->port.admin_up = state == 1;
	mlx5_link_update(nic, was_up);
	return MLX5_CMD_STAT_OK;
}

static int read_pfcc(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)cmd;
	IFC_SET(pfcc_reg, reg, pptx, nic->port.tx_pause);
	IFC_SET(pfcc_reg, reg, pprx, nic->port.rx_pause);
	return MLX5_CMD_STAT_OK;
}

static int write_pfcc(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)cmd;
	nic->port.tx_pause = IFC_GET(pfcc_reg, reg, pptx);
	nic->port.rx_pause = IFC_GET(pfcc_reg, reg, pprx);
	return MLX5_CMD_STAT_OK;
}

static int read_pmlp(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	/* Four lanes of module 0. */
	static const u32 lane[4] = { 0x00000000, 0x00010000, 0x00020000, 0x00030000 };
	u32 i;

	(void)nic;
	(void)cmd;
	IFC_SET(pmlp_reg, reg, width, 4);
	for (i = 0; i < ARRAY_SIZE(lane); i++)
		put_be32(IFC_PTR(pmlp_reg, reg, lane0_module_mapping) + 4 * i, lane[i]);
	return MLX5_CMD_STAT_OK;
}

/* The module's EEPROM: there is no module, as with a fixed cable. */
static int read_mcia(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	enum { NO_EEPROM_MODULE = 1 };

	(void)nic;
	(void)cmd;
	IFC_SET(mcia_reg, reg, status, NO_EEPROM_MODULE);
	return MLX5_CMD_STAT_OK;
}

/*
 * Non-volatile configuration: there is none. The driver asks for single items
 * (devlink dev param show) and takes no for an answer, so it is no error.
 */
static int refuse(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)nic;
	(void)reg;
	nic_info("ACCESS_REG: no non-volatile configuration");
	cmd->syndrome = 1;
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}

/* A register whose only content is what it was sent: nothing depends on it here. */
static int echo(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)nic;
	(void)cmd;
	(void)reg;
	return MLX5_CMD_STAT_OK;
}

/* Zeros: "no timeout of ours", the driver's defaults apply. */
static int read_dtor(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg)
{
	(void)nic;
	(void)cmd;
	memset(reg, 0, IFC_SIZE(dtor_reg));
	return MLX5_CMD_STAT_OK;
}

static const struct reg regs[] = {
	{ 0x5002, "PMLP", IFC_SIZE(pmlp_reg), read_pmlp, NULL },
	{ 0x5003, "PMTU", IFC_SIZE(pmtu_reg), read_pmtu, write_pmtu },
	{ 0x5004, "PTYS", IFC_SIZE(ptys_reg), read_ptys, NULL },
	{ 0x5006, "PAOS", IFC_SIZE(paos_reg), read_paos, write_paos },
	{ 0x5007, "PFCC", IFC_SIZE(pfcc_reg), read_pfcc, write_pfcc },
	{ 0x5008, "PPCNT", IFC_SIZE(ppcnt_reg), mlx5_ppcnt_read, NULL },
	{ 0x7004, "HOST_ENDIANNESS", 16, NULL, echo },
	{ 0x9014, "MCIA", IFC_SIZE(mcia_reg), read_mcia, NULL },
	{ 0x9024, "MNVDA", 16, refuse, refuse },
	{ 0xc00e, "DTOR", IFC_SIZE(dtor_reg), read_dtor, NULL },
};

static const struct reg *find_reg(u32 id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}

static int access_reg(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u32 id = IFC_GET(access_register_in, cmd->in, register_id);
	u32 in = cmd->in_len - (u32)IFC_SIZE(access_register_in);
	u32 out = cmd->out_len - (u32)IFC_SIZE(access_register_out);
	u8 *data = IFC_PTR(access_register_out, cmd->out, register_data);
	const struct reg *r = find_reg(id);
	int (*fn)(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg);

	if (!r)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "there is no register %#x",
				     id);
	fn = cmd->op_mod == OP_READ ? r->read : cmd->op_mod == OP_WRITE ? r->write : NULL;
	if (!fn)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "register %s has no operation %u", r->name, cmd->op_mod);
	if (in < r->size || out < r->size)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "register %s has %u bytes, %u and %u given", r->name, r->size,
				     in, out);
	memcpy(data, IFC_CPTR(access_register_in, cmd->in, register_data), r->size);
	return fn(nic, cmd, data);
}

const struct mlx5_cmd_op mlx5_reg_ops[] = {
	MLX5_OP(ACCESS_REG, access_register, access_reg),
	{ 0 },
};
