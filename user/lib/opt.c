// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses a command line against a table and prints --help from it; see opt.h.
 * Every error message quotes the text it is about.
 */
#include "lib/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/log.h"
#include "lib/optval.h"
#include "version.h"

#define MAX_OPTS	64
#define LONG_BASE	0x100	/* getopt's answer for options[i] is LONG_BASE + i */

struct zcq_opt_common zcq_opt_common;

static bool want_help, want_version;

static const struct zcq_opt common_opts[] = {
	{ "json", 'j', ZCQ_OPT_FLAG, &zcq_opt_common.json, NULL,
	  "JSON on stdout, one object a line" },
	{ "netns", 'N', ZCQ_OPT_STR, &zcq_opt_common.netns, "NAME",
	  "work in this network namespace (name or path)" },
	{ "no-driver-probes", 0, ZCQ_OPT_FLAG, &zcq_opt_common.no_driver_probes, NULL,
	  "attach nothing to driver modules (they stay\nunloadable; some facts are lost)" },
	{ "quiet", 'q', ZCQ_OPT_FLAG, &zcq_opt_common.quiet, NULL, "errors only on stderr" },
	{ "verbose", 'v', ZCQ_OPT_COUNT, &zcq_opt_common.verbose, NULL,
	  "say more on stderr (-vv: most)" },
	{ "help", 'h', ZCQ_OPT_FLAG, &want_help, NULL, "this text" },
	{ "version", 'V', ZCQ_OPT_FLAG, &want_version, NULL, "zcq's version" },
	{ NULL },
};

/* The command's options followed by the common ones, as getopt_long() wants them. */
struct opt_set {
	const struct zcq_opt *opt[MAX_OPTS];
	struct option longs[MAX_OPTS + 1];
	char letters[MAX_OPTS * 2 + 2];
	size_t n;
};

static void opt_set_add(struct opt_set *set, const struct zcq_opt *opts)
{
	size_t len = strlen(set->letters);

	for (; opts && opts->name && set->n < MAX_OPTS; opts++) {
		bool has_arg = opts->type != ZCQ_OPT_FLAG && opts->type != ZCQ_OPT_COUNT;

		set->opt[set->n] = opts;
		set->longs[set->n] = (struct option) {
			.name = opts->name,
			.has_arg = has_arg ? required_argument : no_argument,
			.val = LONG_BASE + (int)set->n,
		};
		set->n++;
		if (!opts->letter)
			continue;
		set->letters[len++] = opts->letter;
		if (has_arg)
			set->letters[len++] = ':';
	}
	set->letters[len] = '\0';
}

static const struct zcq_opt *opt_set_find(const struct opt_set *set, int answer)
{
	if (answer >= LONG_BASE)
		return set->opt[answer - LONG_BASE];
	for (size_t i = 0; i < set->n; i++)
		if (set->opt[i]->letter == answer)
			return set->opt[i];
	return NULL;
}

static void print_opts(const struct zcq_opt *opts, FILE *f)
{
	for (; opts && opts->name; opts++) {
		const char *help = opts->help;
		char left[64];

		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", opts->letter ? '-' : ' ',
			 opts->letter ? opts->letter : ' ', opts->letter ? ',' : ' ', opts->name,
			 opts->arg ? " " : "", opts->arg ? opts->arg : "");
		fprintf(f, "  %-28s ", left);
		for (const char *nl; (nl = strchr(help, '\n')); help = nl + 1)
			fprintf(f, "%.*s\n%31s", (int)(nl - help), help, "");
		fprintf(f, "%s\n", help);
	}
}

void zcq_opt_print_help(const struct zcq_opt_spec *spec, FILE *f)
{
	fprintf(f, "usage: zcq %s [OPTION...]%s%s\n%s\n", spec->cmd, spec->args ? " " : "",
		spec->args ? spec->args : "", spec->summary);
	if (spec->opts && spec->opts->name) {
		fprintf(f, "\n");
		print_opts(spec->opts, f);
	}
	fprintf(f, "\n");
	print_opts(common_opts, f);
	if (spec->notes)
		fprintf(f, "\n%s\n", spec->notes);
}

static int enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		zcq_err("--netns \"%s\": %s: %s", name, path, strerror(-err));
		return err;
	}
	if (setns(fd, CLONE_NEWNET)) {
		err = -errno;
		zcq_err("--netns \"%s\": can't enter it: %s", name, strerror(-err));
	}
	close(fd);
	return err;
}

static void set_log_level(void)
{
	if (zcq_opt_common.quiet)
		zcq_log_set_level(ZCQ_LOG_ERR);
	else if (zcq_opt_common.verbose > 1)
		zcq_log_set_level(ZCQ_LOG_DEBUG);
	else if (zcq_opt_common.verbose)
		zcq_log_set_level(ZCQ_LOG_INFO);
}

static int usage_error(const struct zcq_opt_spec *spec)
{
	zcq_err("see: zcq %s --help", spec->cmd);
	return -EINVAL;
}

static int parse_options(const struct zcq_opt_spec *spec, int argc, char **argv)
{
	struct opt_set set = { .letters = ":" };	/* ':' first: we print the errors */
	int answer;

	opt_set_add(&set, spec->opts);
	opt_set_add(&set, common_opts);
	optind = 0;		/* GNU: start anew, also for a second parse */
	while ((answer = getopt_long(argc, argv, set.letters, set.longs, NULL)) != -1) {
		/* For a cluster of letters argv[optind - 1] isn't the culprit; optopt is. */
		if (answer == '?' && optopt > 0 && optopt < LONG_BASE)
			zcq_err("%s: unknown option \"-%c\"", spec->cmd, optopt);
		else if (answer == '?')
			zcq_err("%s: unknown option \"%s\"", spec->cmd, argv[optind - 1]);
		else if (answer == ':')
			zcq_err("%s: option \"%s\" needs a value", spec->cmd, argv[optind - 1]);
		if (answer == '?' || answer == ':')
			return usage_error(spec);
		if (zcq_optval_set(spec->cmd, opt_set_find(&set, answer), optarg))
			return -EINVAL;
	}
	return 0;
}

int zcq_opt_parse(const struct zcq_opt_spec *spec, int argc, char **argv, int *first)
{
	int n, err;

	want_help = false;
	want_version = false;
	err = parse_options(spec, argc, argv);
	if (err)
		return err;

	if (want_help || want_version) {
		if (want_help)
			zcq_opt_print_help(spec, stdout);
		else
			printf("zcq %s\n", ZCQ_VERSION);
		return ZCQ_OPT_DONE;
	}

	n = argc - optind;
	if (n < spec->min_args || (spec->max_args >= 0 && n > spec->max_args)) {
		if (n > spec->max_args && spec->max_args >= 0)
			zcq_err("%s: unexpected argument \"%s\"", spec->cmd,
				argv[optind + spec->max_args]);
		else
			zcq_err("%s: an argument is missing: %s", spec->cmd, spec->args);
		return usage_error(spec);
	}
	*first = optind;

	set_log_level();
	return zcq_opt_common.netns ? enter_netns(zcq_opt_common.netns) : 0;
}

int zcq_opt_exit(int ret)
{
	if (ret == ZCQ_OPT_DONE)
		return ZCQ_EXIT_OK;
	return ret == -EINVAL ? ZCQ_EXIT_USAGE : ZCQ_EXIT_FAILED;
}
