// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On the running kernel: every probe for which it has a target loads and attaches, the heavy
 * ones too, and nothing is left afterwards. Skipped, saying why, without the privileges or
 * on a kernel that allows nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/bpf/caps.h"
#include "lib/bpf/session.h"

static struct zcq_session *opened(uint32_t subjects)
{
	struct zcq_session_opts so;

	zcq_session_defaults(&so);
	so.probes.subjects = subjects;
	so.probes.heavy = true;
	return zcq_session_open(&so);
}

/* What is chosen was found in this kernel; that it is refused then would be a failure. */
static bool any_chosen(void)
{
	struct zcq_probe_opts opts = { .heavy = true };
	struct zcq_probe_set set;
	bool any = false;

	if (zcq_probes_decide(&set, &opts))
		return false;
	for (size_t i = 0; i < ZCQ_PROBES; i++)
		any = any || set.state[i].cand;
	zcq_probes_free(&set);
	return any;
}

/* Can anything be shown here? A skip is said once and is no result of a test. */
static bool may_load(void)
{
	char why[128] = "";

	if (zcq_bpf_permitted(why, sizeof(why))) {
		printf("skip - BPF programs load: %s\n", why);
		return false;
	}
	if (!any_chosen()) {
		printf("skip - BPF programs load: this kernel lets nothing be attached\n");
		return false;
	}
	return true;
}

/* Nothing is pinned, so what a session leaves in the kernel would hang on a descriptor. */
static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void test_all_attach(void **state)
{
	const struct zcq_probe_set *set;
	struct zcq_session *s;
	unsigned int attached = 0;

	(void)state;
	s = opened(0);
	assert_non_null(s);
	set = zcq_session_probes(s);
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *p = &set->state[i];

		attached += p->attached;
		assert_int_equal(p->attached, p->cand != NULL);
		/* refused by the verifier or at attach: that is our fault, not the kernel's */
		if (p->refused)
			print_error("%s: %s\n", p->probe->name, p->why);
		assert_false(p->refused);
	}
	assert_true(attached > 0);
	zcq_session_close(s);
}

static void test_nothing_left(void **state)
{
	unsigned int before;

	(void)state;
	before = open_fds();
	for (int round = 0; round < 3; round++) {
		struct zcq_session *s = opened(1U << ZCQ_SUBJECT_POOL | 1U << ZCQ_SUBJECT_REGISTER);

		assert_non_null(s);
		assert_true(open_fds() > before);
		zcq_session_close(s);
		assert_int_equal(open_fds(), before);
	}
}

static void test_counts_start_at_zero(void **state)
{
	struct zcq_lost lost[ZCQ_SUBJECTS];
	struct zcq_queue_count *counts = NULL;
	struct zcq_session *s;
	size_t n = 0;

	(void)state;
	s = opened(1U << ZCQ_SUBJECT_POOL);
	assert_non_null(s);
	assert_int_equal(zcq_session_lost(s, lost), 0);
	for (int i = 0; i < ZCQ_SUBJECTS; i++)
		assert_int_equal(lost[i].ring_full + lost[i].map_full, 0);
	assert_int_equal(zcq_session_counters(s, &counts, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(zcq_session_map_fd(s, "no such map"), -ENOENT);
	assert_true(zcq_session_map_fd(s, "zcq_flows") >= 0);
	free(counts);
	zcq_session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_attach),
		cmocka_unit_test(test_nothing_left),
		cmocka_unit_test(test_counts_start_at_zero),
	};

	if (!may_load())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
