/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sub-commands: one file in user/cmd/ each, listed in user/main.c. A command gets
 * argv with its own name in argv[0] and returns the exit status.
 */
#ifndef ZCQ_CMD_H
#define ZCQ_CMD_H

enum zcq_exit {
	ZCQ_EXIT_OK = 0,
	ZCQ_EXIT_FAILED = 1,
	ZCQ_EXIT_USAGE = 2,
	ZCQ_EXIT_UNSUPPORTED = 3,	/* can't be done on this kernel or host */
};

/*
 * The exit status after what ("the queues") was written to stdout with this result: 0, or a
 * -errno, which is told. That the reader left (a pager, head) is no failure.
 */
int zcq_exit_written(const char *what, int err);

int zcq_cmd_bench(int argc, char **argv);
int zcq_cmd_probes(int argc, char **argv);
int zcq_cmd_queues(int argc, char **argv);
int zcq_cmd_trace(int argc, char **argv);

#endif
