// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output: one walk gives JSON, a table and a line; strings of strangers can break neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "lib/out.h"

static const struct zcq_out_col cols[] = {
	{ "queue", "QUEUE", true }, { "bytes", "BYTES" }, { "owners", "OWNERS", true, 12 },
	{ "rate", "RATE" }, { NULL },
};

static void walk(struct zcq_out *out, const char *comm)
{
	zcq_out_begin(out, "queue");
	zcq_out_time(out, "time", 3723000004005ULL);
	zcq_out_tag(out, "queue", "eth0:1");
	zcq_out_bytes(out, "bytes", 1536);
	zcq_out_null(out, "rate");
	zcq_out_arr_begin(out, "owners");
	for (int pid = 7; pid < 9; pid++) {
		zcq_out_obj_begin(out, NULL);
		zcq_out_u64(out, "pid", (uint64_t)pid);
		zcq_out_str(out, "comm", comm);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
	zcq_out_arr_begin(out, "none");
	zcq_out_arr_end(out);
	zcq_out_ns(out, "took", 2500000);
	zcq_out_i64(out, "err", -22);
	zcq_out_bool(out, "bound", true);
	zcq_out_f64(out, "share", 0.5, 2);
	zcq_out_end(out);
}

static char *written(enum zcq_out_style style, const char *comm)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct zcq_out *out = zcq_out_new(f, style, cols, false);

	walk(out, comm);
	assert_int_equal(zcq_out_flush(out), 0);
	zcq_out_free(out);
	fclose(f);
	return text;
}

static void is(enum zcq_out_style style, const char *comm, const char *wanted)
{
	char *text = written(style, comm);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_json(void **state)
{
	is(ZCQ_OUT_JSON, "app",
	   "{\"type\":\"queue\",\"time\":3723.000004005,\"queue\":\"eth0:1\",\"bytes\":1536,"
	   "\"rate\":null,\"owners\":[{\"pid\":7,\"comm\":\"app\"},{\"pid\":8,\"comm\":\"app\"}],"
	   "\"none\":[],\"took\":2500000,\"err\":-22,\"bound\":true,\"share\":0.50}\n");
}

static void test_table(void **state)
{
	is(ZCQ_OUT_TABLE, "app",
	   "QUEUE  BYTES OWNERS      RATE\n"
	   "eth0:1  1.5K 7/app,8/app    -\n");
	is(ZCQ_OUT_TABLE, "longer",
	   "QUEUE  BYTES OWNERS       RATE\n"
	   "eth0:1  1.5K 7/longer,8/+    -\n");
}

static void test_line(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	is(ZCQ_OUT_LINE, "app",
	   "01:02:03.000004 queue        eth0:1 bytes=1.5K rate=- owners=7/app,8/app none=- "
	   "took=2.5ms err=-22 bound=yes share=0.50\n");
}

/* A terse line leaves out what has no value. */
static void test_terse(void **state)
{
	is(ZCQ_OUT_TERSE, "app",
	   "01:02:03.000004 queue        eth0:1 bytes=1.5K owners=7/app,8/app took=2.5ms "
	   "err=-22 bound=yes share=0.50\n");
}

/* A process may be called "-" or nothing at all: these are values. */
static void test_name_like_nothing(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct zcq_out *out = zcq_out_new(f, ZCQ_OUT_TERSE, NULL, false);

	zcq_out_begin(out, "t");
	zcq_out_str(out, "comm", "-");
	zcq_out_str(out, "empty", "");
	zcq_out_str(out, "login", "-bash");
	zcq_out_null(out, "unknown");
	zcq_out_end(out);
	zcq_out_flush(out);
	zcq_out_free(out);
	fclose(f);
	assert_string_equal(text, "t            comm=\"-\" empty=\"\" login=-bash\n");
	free(text);
}

/* Names are chosen by strangers: quotes, line ends, escape sequences, broken UTF-8. */
static void test_hostile(void **state)
{
	char *json = written(ZCQ_OUT_JSON, "a\"\\\n\033[2J\xff\xed\xa0\x80\xc3\xa9");
	char *line = written(ZCQ_OUT_LINE, "a\n\033[2J\xff\xc2\x9b" "b");

	assert_non_null(strstr(json, "\"a\\\"\\\\\\u000a\\u001b[2J\\ufffd\\ufffd\\ufffd\\ufffd\xc3\xa9\""));
	assert_ptr_equal(strchr(json, '\n'), json + strlen(json) - 1);
	assert_non_null(strstr(line, "a??[2J??b"));
	free(line);
	line = written(ZCQ_OUT_LINE, "q\"u\\o te");
	assert_non_null(strstr(line, "owners=\"7/q\\\"u\\\\o te,8/"));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	free(json);
	free(line);
}

static void test_units(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} known[] = {
		{ 0, "0" }, { 1023, "1023" }, { 1024, "1K" }, { 1025, "1.0K" },
		{ 1048576, "1M" }, { 123456789, "118M" }, { UINT64_MAX, "16384P" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		struct zcq_out *out = zcq_out_new(f, ZCQ_OUT_LINE, NULL, false);
		char wanted[64];

		zcq_out_begin(out, "t");
		zcq_out_bytes(out, "v", known[i].bytes);
		zcq_out_end(out);
		zcq_out_flush(out);
		zcq_out_free(out);
		fclose(f);
		snprintf(wanted, sizeof(wanted), "t            v=%s\n", known[i].text);
		assert_string_equal(text, wanted);
		free(text);
	}
}

static void test_write_error(void **state)
{
	FILE *f = fopen("/dev/full", "w");
	struct zcq_out *out = zcq_out_new(f, ZCQ_OUT_JSON, NULL, false);

	walk(out, "app");
	assert_int_not_equal(zcq_out_flush(out), 0);
	zcq_out_free(out);
	fclose(f);
}

/* $COLUMNS is for what goes out; a text in memory is broken by who prints it. */
static void test_width(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len), *file = tmpfile();

	(void)state;
	unsetenv("COLUMNS");
	assert_int_equal(zcq_out_width(file), 0);
	setenv("COLUMNS", "80", 1);
	assert_int_equal(zcq_out_width(file), 80);
	assert_int_equal(zcq_out_width(memory), 0);
	setenv("COLUMNS", "39", 1);
	assert_int_equal(zcq_out_width(file), 0);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(zcq_out_width(file), 0);
	unsetenv("COLUMNS");
	fclose(memory);
	fclose(file);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_terse),
		cmocka_unit_test(test_name_like_nothing),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_write_error),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
