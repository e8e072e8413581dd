// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fuzzer's entry over its corpus, without a fuzzer: every recording through every
 * parser, whole, cut off at every length, and with single bytes changed. The sanitizers
 * this is built with are what fails it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>

#include "fuzz/fuzz_netlink.c"

#define DATA "tests/data/netlink"
#define MAX_FILE 65536
#define CUTS 4096	/* of the first bytes; recordings repeat themselves */

static uint8_t input[MAX_FILE + 1], changed[MAX_FILE + 1];

static void cut_off(size_t len)
{
	size_t n;

	for (n = 0; n < len && n < CUTS; n++)
		LLVMFuzzerTestOneInput(input, 1 + n);
}

/* Lengths and types are small numbers: these values hurt most. */
static void change(size_t len)
{
	static const uint8_t values[] = { 0, 1, 4, 0x7f, 0x80, 0xff };
	size_t n, v;

	memcpy(changed, input, 1 + len);
	for (n = 1; n <= len && n < 1024; n++) {
		for (v = 0; v < sizeof(values); v++) {
			changed[n] = values[v];
			LLVMFuzzerTestOneInput(changed, 1 + (len < 2048 ? len : 2048));
		}
		changed[n] = input[n];
	}
}

static void test_corpus(void **state)
{
	struct dirent *de;
	char path[512];
	DIR *dir = opendir(DATA);
	size_t len, files = 0;
	FILE *f;

	assert_non_null(dir);
	while ((de = readdir(dir))) {
		if (!strstr(de->d_name, ".bin"))
			continue;
		snprintf(path, sizeof(path), DATA "/%s", de->d_name);
		f = fopen(path, "re");
		assert_non_null(f);
		len = fread(input + 1, 1, MAX_FILE, f);
		fclose(f);
		for (input[0] = 0; input[0] < N_KINDS; input[0]++) {
			LLVMFuzzerTestOneInput(input, 1 + len);
			cut_off(len);
			/* only where the file is of that kind at all would be enough */
			change(len);
		}
		files++;
	}
	closedir(dir);
	assert_true(files > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
