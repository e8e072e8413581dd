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

/* What the last parse has set. */
static const struct zcq_opt *given[MAX_OPTS];
static size_t n_given;

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
	int fd, err;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 || setns(fd, CLONE_NEWNET) ? errno : 0;
	if (err == EINVAL)
		zcq_err("--netns \"%s\": %s is no network namespace", name, path);
	else if (err)
		zcq_err("--netns \"%s\": %s: %s", name, path, strerror(err));
	if (fd >= 0)
		close(fd);
	return err ? -ENOENT : 0;
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

static int usage_error(const struct zcq_opt_spec *spec, const char *what, const char *text)
{
	zcq_err("%s: %s \"%s\"; see: zcq %s --help", spec->cmd, what, text, spec->cmd);
	return -EINVAL;
}

/* getopt's '?' or ':'. In a cluster of letters argv[optind - 1] isn't the culprit; optopt is. */
static int bad_option(const struct zcq_opt_spec *spec, int answer, char **argv)
{
	char letter[] = { '-', (char)optopt, '\0' };

	if (answer == ':')
		return usage_error(spec, "no value for option", argv[optind - 1]);
	if (optopt >= LONG_BASE)
		return usage_error(spec, "no value is taken by option", argv[optind - 1]);
	return usage_error(spec, "unknown option", optopt > 0 ? letter : argv[optind - 1]);
}

static int parse_options(const struct zcq_opt_spec *spec, int argc, char **argv)
{
	struct opt_set set = { .letters = ":" };	/* ':' first: we print the errors */
	const struct zcq_opt *opt;
	int answer;

	n_given = 0;
	opt_set_add(&set, spec->opts);
	opt_set_add(&set, common_opts);
	optind = 0;		/* GNU: start anew, also for a second parse */
	while ((answer = getopt_long(argc, argv, set.letters, set.longs, NULL)) != -1) {
		if (answer == '?' || answer == ':')
			return bad_option(spec, answer, argv);
		opt = opt_set_find(&set, answer);
		if (zcq_optval_set(spec->cmd, opt, optarg))
			return -EINVAL;
		if (!zcq_opt_given(opt->dest))
			given[n_given++] = opt;
	}
	return 0;
}

bool zcq_opt_given(const void *dest)
{
	for (size_t i = 0; i < n_given; i++)
		if (given[i]->dest == dest)
			return true;
	return false;
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
	if (spec->max_args >= 0 && n > spec->max_args)
		return usage_error(spec, "unexpected argument", argv[optind + spec->max_args]);
	if (n < spec->min_args)
		return usage_error(spec, "no argument", spec->args);
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
