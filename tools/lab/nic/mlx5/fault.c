// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault.c - parses the faults that a test asks for and sets them up; cmd.c and
 * shampo.c let them happen.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "fault.h"

static bool parse_u32(const char *text, u32 min, u32 max, u32 *v)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || n < min || n > max)
		return false;
	*v = (u32)n;
	return true;
}

static int fault_cmd(struct mlx5_nic *nic, int argc, char **argv, FILE *out)
{
	const struct mlx5_cmd_op *op;
	u32 opcode, nth, status;
	int i;

	if (argc != 5 || strcmp(argv[3], "status")) {
		fprintf(out, "expected: cmd OPCODE N status STATUS\n");
		return -EINVAL;
	}
	op = mlx5_cmd_by_name(nic, argv[1]);
	if (op)
		opcode = op->opcode;
	else if (!parse_u32(argv[1], 1, 0xfff, &opcode)) {
		fprintf(out, "\"%s\" is no command of this device\n", argv[1]);
		return -EINVAL;
	}
	if (!parse_u32(argv[2], 1, UINT32_MAX, &nth) || !parse_u32(argv[4], 1, 0xff, &status)) {
		fprintf(out, "\"%s\" or \"%s\": N is 1 or more, STATUS 1 to 0xff\n", argv[2],
			argv[4]);
		return -EINVAL;
	}
	for (i = 0; i < MLX5_MAX_FAULTS; i++) {
		if (nic->fault[i].countdown)
			continue;
		nic->fault[i] = (struct mlx5_cmd_fault){ (u16)opcode, nth, (u8)status };
		return 0;
	}
	fprintf(out, "%d faults are waiting already\n", MLX5_MAX_FAULTS);
	return -ENOSPC;
}

int mlx5_fault(struct mlx5_nic *nic, int argc, char **argv, FILE *out)
{
	if (!strcmp(argv[0], "cmd"))
		return fault_cmd(nic, argc, argv, out);
	if (!strcmp(argv[0], "unsplit") && argc == 2 &&
	    parse_u32(argv[1], 0, UINT32_MAX, &nic->fault_unsplit))
		return 0;
	fprintf(out, "\"%s\": expected cmd OPCODE N status STATUS, or unsplit N\n", argv[0]);
	return -EINVAL;
}
