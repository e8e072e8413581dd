/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command-line options as a table of data: a command declares what it takes, this
 * parses it, range-checks it, quotes the bad text in its one error message, and
 * prints --help from the same table. Called by user/main.c and user/cmd/.
 */
#ifndef ZCQ_OPT_H
#define ZCQ_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum zcq_opt_type {
	ZCQ_OPT_FLAG,		/* bool *dest becomes true */
	ZCQ_OPT_COUNT,		/* int *dest goes up by one each time (-v -v) */
	ZCQ_OPT_STR,		/* const char **dest */
	ZCQ_OPT_U32,		/* uint32_t *dest, min..max */
	ZCQ_OPT_FD,		/* uint32_t *dest: a file descriptor that the caller has open, min..max */
	ZCQ_OPT_U64,		/* uint64_t *dest, min..max */
	ZCQ_OPT_SIZE,		/* uint64_t *dest in bytes: 4096, 64K, 16M, 1G; min..max */
	ZCQ_OPT_DURATION,	/* uint64_t *dest in ns: 5 or 5s, 200ms, 10us, 2m; min..max in ns */
	ZCQ_OPT_CHOICE,		/* int *dest: the index of the word in choices[] */
	ZCQ_OPT_LIST,		/* struct zcq_strv *dest: repeatable, and comma-separated */
};

/* Longest time of an option that has no reason for another. */
#define ZCQ_OPT_YEAR	(366ULL * 86400 * 1000000000)

/* Strings that point into argv (or copies of parts of it); freed with zcq_strv_free(). */
struct zcq_strv {
	char **v;
	size_t n;
};

struct zcq_opt {
	const char *name;	/* long name without dashes; NULL ends the table */
	char letter;		/* short form, 0 for none */
	enum zcq_opt_type type;
	void *dest;
	const char *arg;	/* name of the argument in --help, e.g. "N"; NULL for flags */
	const char *help;	/* one sentence; \n continues on the next line */
	uint64_t min, max;	/* max 0: no limit */
	const char *const *choices;	/* ZCQ_OPT_CHOICE: words, NULL-terminated */
};

struct zcq_opt_spec {
	const char *cmd;	/* "queues"; shown as "zcq queues" */
	const char *args;	/* usage after the options, e.g. "[IF...]" */
	const char *summary;	/* one sentence */
	const char *notes;	/* more text under the options, or NULL */
	int min_args, max_args;	/* how many positional arguments; max -1: any number */
	const struct zcq_opt *opts;	/* the command's own */
};

/*
 * Options that every command takes (--json, -q, -v, --netns, --help, --version); filled by
 * zcq_opt_parse(). --netns is already entered when it returns.
 */
struct zcq_opt_common {
	bool json;
	bool quiet;
	int verbose;
	const char *netns;
	bool no_driver_probes;
};

extern struct zcq_opt_common zcq_opt_common;

/*
 * Parses argv[1..argc-1] (argv[0] is the command's name). Returns 0 and sets *first to
 * the index in argv of the first positional argument (they are moved to the end);
 * ZCQ_OPT_DONE when --help or --version was printed to stdout: exit 0;
 * -EINVAL after its own message: exit 2; -ENOENT (--netns) after its own message: exit 1.
 */
#define ZCQ_OPT_DONE 1
int zcq_opt_parse(const struct zcq_opt_spec *spec, int argc, char **argv, int *first);

/* Whether the last parse set this destination: for options that exclude each other. */
bool zcq_opt_given(const void *dest);

/* The exit status for zcq_opt_parse()'s answer when it is not 0. */
int zcq_opt_exit(int ret);

void zcq_opt_print_help(const struct zcq_opt_spec *spec, FILE *f);

/* Whole-string parsers, usable alone. 0, -EINVAL (not such a number) or -ERANGE. */
int zcq_parse_u64(const char *text, uint64_t *value);
int zcq_parse_size(const char *text, uint64_t *bytes);
int zcq_parse_duration(const char *text, uint64_t *ns);

int zcq_strv_add(struct zcq_strv *sv, const char *text, size_t len);
bool zcq_strv_has(const struct zcq_strv *sv, const char *text);
void zcq_strv_free(struct zcq_strv *sv);

#endif
