// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of events is whole, and docs/events.md is what it says. After a change of the
 * table: ZCQ_DOC_WRITE=1 build/tests/unit/test_event_doc
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/event/table.h"

#define DOC "docs/events.md"

static char *file_text(const char *path)
{
	char *text = NULL, buf[4096];
	size_t len = 0, n;
	FILE *out = open_memstream(&text, &len), *f = fopen(path, "re");

	assert_non_null(out);
	while (f && (n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, out);
	if (f)
		fclose(f);
	fclose(out);
	return text;
}

static void test_doc(void **state)
{
	char *text = NULL, *have;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	zcq_event_doc(f);
	fclose(f);
	if (getenv("ZCQ_DOC_WRITE")) {
		f = fopen(DOC, "we");
		assert_non_null(f);
		fputs(text, f);
		fclose(f);
	}
	have = file_text(DOC);
	assert_string_equal(have, text);
	free(have);
	free(text);
}

/* The contract's list and the table in words are the same, in the same order. */
static void test_table_is_the_contract(void **state)
{
	static const struct {
		unsigned int type;
		const char *name;
		size_t size;
		enum zcq_subject subject;
	} contract[] = {
#define X(nr, sym, name, st, subject) { nr, name, sizeof(struct st), ZCQ_SUBJECT_##subject },
		ZCQ_EVENT_TABLE(X)
#undef X
	};
	size_t n = sizeof(contract) / sizeof(contract[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const struct zcq_event_desc *d = zcq_event_nth(i);

		assert_non_null(d);
		assert_int_equal(d->type, contract[i].type);
		assert_string_equal(d->name, contract[i].name);
		assert_int_equal(d->size, contract[i].size);
		assert_int_equal(d->subject, contract[i].subject);
		assert_int_equal(d->interval, d->type >= ZCQ_EVENT_USER);
		assert_true(d->type < ZCQ_EVENT_MAX);
		assert_ptr_equal(zcq_event_find(d->name), d);
		assert_true(d->summary[0] >= 'a' && d->summary[0] <= 'z');
	}
	assert_null(zcq_event_nth(n));
	assert_null(zcq_event_find("no-such-event"));
}

#define P(probe) (1ULL << ZCQ_PROBE_##probe)

static bool seen(const char *name, uint64_t attached)
{
	return zcq_event_seen(zcq_event_find(name), attached);
}

/* By any of what shows some of it; with all that it can't do without. */
static void test_seen(void **state)
{
	(void)state;
	assert_true(seen("coalesced", P(BNXT_TPA)));
	assert_true(seen("coalesced", P(MLX5_SHAMPO_FLUSH)));
	assert_false(seen("coalesced", P(RECONFIG)));
	assert_true(seen("flow-started", P(DEVMEM_RECV)));
	assert_true(seen("traffic", P(DEVMEM_RECV)));
	assert_true(seen("alloc-failed", P(DEVMEM_ALLOC)));
	assert_true(seen("pool-created", P(POOL_HOLD)));
	assert_false(seen("pool-created", P(POOL_RELEASE)));
	assert_false(seen("flow-ended", P(FLOW_STATE)));
	assert_false(seen("flow-ended", P(DEVMEM_RECV)));
	assert_true(seen("flow-ended", P(FLOW_STATE) | P(DEVMEM_RECV)));
	assert_false(seen("copied", P(ZCRX_COPY)));
	assert_true(seen("copied", P(ZCRX_COPY) | P(ZCRX_READ)));
}

static void test_list(void **state)
{
	uint64_t types = 1ULL << ZCQ_EVENT_REGISTERED | 1ULL << ZCQ_EVENT_BOUND |
			 1ULL << ZCQ_EVENT_TRAFFIC;
	char line[18];	/* "registered, bound" and its end */
	size_t i = 0;

	(void)state;
	assert_true(zcq_event_list(types, &i, line, sizeof(line)));
	assert_string_equal(line, "registered, bound");
	assert_true(zcq_event_list(types, &i, line, sizeof(line)));
	assert_string_equal(line, "traffic");
	assert_false(zcq_event_list(types, &i, line, sizeof(line)));
	i = 0;
	assert_true(zcq_event_list(types, &i, line, sizeof(line) - 1));
	assert_string_equal(line, "registered");
}

/* Whatever loads what makes flows loads their end too, or the table would fill up. */
static void test_flows_end(void **state)
{
	const struct zcq_event_desc *d;

	(void)state;
	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		assert_true(d->all | d->any);
		assert_false(zcq_event_seen(d, 0));
		if (d->subject == ZCQ_SUBJECT_ZCRX || d->subject == ZCQ_SUBJECT_DEVMEM ||
		    d->subject == ZCQ_SUBJECT_FLOW)
			assert_true((d->all | d->with) & P(FLOW_STATE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_is_the_contract),
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_flows_end),
		cmocka_unit_test(test_doc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
