// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq: finds the sub-command and hands over. Everything a command does is in user/cmd/.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

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

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);

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
