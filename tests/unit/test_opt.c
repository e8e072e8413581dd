// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options: values are parsed whole and range-checked, errors quote the bad text, --help lists what
 * the table holds. stderr is caught in a file to read the messages.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/opt.h"

static struct {
	bool flag;
	int count;
	const char *str;
	uint32_t u32, fd;
	uint64_t size, duration;
	int choice;
	struct zcq_strv list;
} got;

static const char *const words[] = { "red", "green", NULL };

static const struct zcq_opt opts[] = {
	{ "flag", 'f', ZCQ_OPT_FLAG, &got.flag, NULL, "a flag" },
	{ "count", 'c', ZCQ_OPT_COUNT, &got.count, NULL, "a count" },
	{ "str", 's', ZCQ_OPT_STR, &got.str, "TEXT", "a text" },
	{ "u32", 'u', ZCQ_OPT_U32, &got.u32, "N", "a number", 3, 17 },
	{ "size", 0, ZCQ_OPT_SIZE, &got.size, "BYTES", "a size" },
	{ "duration", 0, ZCQ_OPT_DURATION, &got.duration, "TIME", "a time" },
	{ "some-size", 0, ZCQ_OPT_SIZE, &got.size, "BYTES", "a size", 8192, 1 << 30 },
	{ "some-time", 0, ZCQ_OPT_DURATION, &got.duration, "TIME", "a time", 10000, 28800000000000 },
	{ "choice", 0, ZCQ_OPT_CHOICE, &got.choice, "WORD", "a word", 0, 0, words },
	{ "fd", 0, ZCQ_OPT_FD, &got.fd, "FD", "a file descriptor", 2, 1000 },
	{ "list", 'l', ZCQ_OPT_LIST, &got.list, "NAME", "names\nin two lines" },
	{ NULL },
};

static const struct zcq_opt_spec spec = {
	.cmd = "test", .args = "[IF]", .summary = "Tests.", .max_args = 1, .opts = opts,
};

static char said[4096];		/* what the last parse wrote to stderr */
static int first;

static int parse(const char *line)
{
	char *argv[32], *copy = strdup(line), *save = NULL;
	FILE *tmp = tmpfile();
	int argc = 0, old = dup(STDERR_FILENO), ret;
	size_t n;

	zcq_strv_free(&got.list);
	memset(&got, 0, sizeof(got));
	zcq_opt_common = (struct zcq_opt_common) { 0 };
	argv[argc++] = strdup("test");
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = strdup(w);
	argv[argc] = NULL;

	dup2(fileno(tmp), STDERR_FILENO);
	ret = zcq_opt_parse(&spec, argc, argv, &first);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(tmp);
	n = fread(said, 1, sizeof(said) - 1, tmp);
	said[n] = '\0';
	fclose(tmp);
	got.str = got.str ? "seen" : NULL;	/* argv goes away */
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	free(copy);
	return ret;
}

static void test_values(void **state)
{
	assert_int_equal(parse("-f -ccc --str hello -u 17 --size 64K --duration 250ms "
			       "--choice green --fd 2 -l a,b -l c eth0"), 0);
	assert_int_equal(got.fd, 2);
	assert_true(got.flag);
	assert_int_equal(got.count, 3);
	assert_string_equal(got.str, "seen");
	assert_int_equal(got.u32, 17);
	assert_int_equal(got.size, 65536);
	assert_int_equal(got.duration, 250000000);
	assert_int_equal(got.choice, 1);
	assert_int_equal(got.list.n, 3);
	assert_true(zcq_strv_has(&got.list, "b"));
	assert_false(zcq_strv_has(&got.list, "d"));
	assert_string_equal(said, "");
}

static void test_bad_values(void **state)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "-u 18", "--u32 \"18\": out of range, 3 to 17" },
		{ "-u 2", "--u32 \"2\": out of range, 3 to 17" },
		{ "-u 5x", "--u32 \"5x\": not a number" },
		{ "-u -5", "--u32 \"-5\": not a number" },
		{ "--u32=", "--u32 \"\": not a number" },
		{ "-u 99999999999999999999", "out of range" },
		{ "--size 1T", "--size \"1T\": not a size" },
		{ "--size 99999999999G", "--size \"99999999999G\": out of range" },
		{ "--some-size 7K", "--some-size \"7K\": out of range, 8K to 1G" },
		{ "--some-time 9h", "--some-time \"9h\": out of range, 10us to 8h" },
		{ "--duration 5d", "--duration \"5d\": not a duration" },
		{ "--fd 999", "--fd 999: that file descriptor is not open" },
		{ "--fd 1", "--fd \"1\": out of range, 2 to 1000" },
		{ "--fd x", "--fd \"x\": not a file descriptor" },
		{ "--choice blue", "--choice \"blue\": not one of red, green" },
		{ "-l a,,b", "--list: an empty name in the list" },
		{ "--nothing", "unknown option \"--nothing\"" },
		{ "-fz", "unknown option \"-z\"" },
		{ "-u", "no value for option \"-u\"; see: zcq test --help" },
		{ "--flag=x", "no value is taken by option \"--flag=x\"" },
		{ "--str=", "--str: an empty TEXT" },
		{ "a b", "unexpected argument \"b\"" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i].line), -EINVAL);
		if (!strstr(said, bad[i].says) || strchr(said, '\n') != said + strlen(said) - 1)
			fail_msg("\"%s\" says: %s", bad[i].line, said);
	}
	assert_int_equal(zcq_opt_exit(-EINVAL), 2);
}

static void test_given(void **state)
{
	assert_int_equal(parse("-u 5 -u 6 --flag"), 0);
	assert_true(zcq_opt_given(&got.u32) && zcq_opt_given(&got.flag));
	assert_false(zcq_opt_given(&got.str));
	assert_int_equal(parse("-s x"), 0);
	assert_false(zcq_opt_given(&got.u32));
}

static void test_netns(void **state)
{
	int ret = parse("--netns no-such-netns");

	assert_int_equal(ret, -ENOENT);
	assert_int_equal(zcq_opt_exit(ret), 1);
	assert_non_null(strstr(said, "--netns \"no-such-netns\""));
	/* one that is something else fails alike */
	ret = parse("--netns /proc/self/status");
	assert_int_equal(zcq_opt_exit(ret), 1);
}

static void test_numbers(void **state)
{
	uint64_t v;

	assert_int_equal(zcq_parse_u64("0x1f", &v), 0);
	assert_int_equal(v, 31);
	assert_int_equal(zcq_parse_u64("010", &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(zcq_parse_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(zcq_parse_u64("18446744073709551616", &v), -ERANGE);
	assert_int_equal(zcq_parse_u64(" 1", &v), -EINVAL);
	assert_int_equal(zcq_parse_u64("1 ", &v), -EINVAL);
	assert_int_equal(zcq_parse_size("3M", &v), 0);
	assert_int_equal(v, 3 << 20);
	assert_int_equal(zcq_parse_duration("2", &v), 0);
	assert_true(v == 2000000000ULL);
	assert_int_equal(zcq_parse_duration("7us", &v), 0);
	assert_int_equal(v, 7000);
}

static void test_help(void **state)
{
	char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	zcq_opt_print_help(&spec, f);
	fclose(f);
	for (const struct zcq_opt *o = opts; o->name; o++)
		assert_non_null(strstr(text, o->name));
	assert_non_null(strstr(text, "usage: zcq test [OPTION...] [IF]"));
	assert_non_null(strstr(text, "--json"));
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_netns),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_help),
	};
	int ret = cmocka_run_group_tests_name("opt", tests, NULL, NULL);

	zcq_strv_free(&got.list);
	return ret;
}
