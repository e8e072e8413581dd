// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq: finds the sub-command and hands over. Everything a command does is in user/cmd/.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/log.h"
#include "version.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "queues", zcq_cmd_queues, "what every receive queue is set to, who feeds it, what it carries" },
	{ "trace", zcq_cmd_trace, "live events of zero-copy queues" },
	{ "probes", zcq_cmd_probes, "what can be watched on this kernel, and what is lost" },
	{ "bench", zcq_cmd_bench, "reference zero-copy receiver and sender, every byte checked" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *f)
{
	fprintf(f, "usage: zcq COMMAND [OPTION...] [ARG...]\n"
		   "See and measure the NIC queues behind io_uring zcrx and devmem TCP.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(f, "\nzcq COMMAND --help explains a command. Exit status: 0 done, 1 failed,\n"
		   "2 usage, 3 not supported on this host.\n");
}

/*
 * A descriptor 0, 1 or 2 that the caller closed would become one of ours, and output would go
 * into it. /dev/null takes its place, opened so that a use of it still fails.
 */
static void keep_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

int zcq_exit_written(const char *what, int err)
{
	if (!err || err == -EPIPE)
		return ZCQ_EXIT_OK;
	zcq_err("can't write %s: %s", what, strerror(-err));
	return ZCQ_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return ZCQ_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return ZCQ_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("zcq %s\n", ZCQ_VERSION);
		return ZCQ_EXIT_OK;
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);

	zcq_err("unknown command \"%s\"; see: zcq --help", argv[1]);
	return ZCQ_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	keep_standard_fds();
	status = run(argc, argv);
	/* What help or a table left in the buffer may not get out: a full disk. A reader that left is no error. */
	if (fflush(stdout) && !status)
		status = zcq_exit_written("to stdout", -errno);
	return status;
}
