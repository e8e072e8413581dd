// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The contract's structs as the BPF compiler laid them out (the object's BTF) against this C
 * compiler: sizes, offsets, number of fields. Needs no privileges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <zcq/config.h>
#include <zcq/counters.h>
#include <zcq/events.h>
#include <zcq/flow.h>
#include <zcq/instance.h>

#include "zcq.skel.h"

struct entry {
	const char *type;
	const char *field;	/* NULL: the struct itself */
	size_t offset, size;
};

static const struct entry entries[] = {
#define S(st) { #st, NULL, 0, sizeof(struct st) },
#define F(st, f) { #st, #f, offsetof(struct st, f), sizeof(((struct st *)0)->f) },
#include "layout_fields.h"
#undef S
#undef F
};

#define N_ENTRIES (sizeof(entries) / sizeof(entries[0]))

/* Made or used by user space only. */
static const char *const not_in_bpf[] = { "zcq_ev_interval", NULL };

static bool expected_absent(const char *type)
{
	for (size_t i = 0; not_in_bpf[i]; i++)
		if (!strcmp(type, not_in_bpf[i]))
			return true;
	return false;
}

static void check_field(const struct btf *btf, const struct btf_type *t, const struct entry *e)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned int i = 0; i < btf_vlen(t); i++, m++) {
		if (strcmp(btf__name_by_offset(btf, m->name_off), e->field))
			continue;
		assert_int_equal(btf_member_bit_offset(t, i), e->offset * 8);
		assert_int_equal(btf__resolve_size(btf, m->type), e->size);
		return;
	}
	print_error("struct %s has no %s in BPF\n", e->type, e->field);
	fail();
}

static void test_layout(void **state)
{
	struct zcq_bpf *skel = zcq_bpf__open();
	const struct btf_type *t = NULL;
	const struct btf *btf;
	unsigned int fields = 0;

	(void)state;
	assert_non_null(skel);
	btf = bpf_object__btf(skel->obj);
	assert_non_null(btf);
	for (size_t i = 0; i < N_ENTRIES; i++) {
		const struct entry *e = &entries[i];

		if (e->field) {
			fields++;
			if (t)
				check_field(btf, t, e);
		} else {
			int id = btf__find_by_name_kind(btf, e->type, BTF_KIND_STRUCT);

			if (id < 0 && !expected_absent(e->type))
				print_error("struct %s is not in the object's BTF\n", e->type);
			assert_int_equal(id < 0, expected_absent(e->type));
			t = id < 0 ? NULL : btf__type_by_id(btf, id);
			if (t)
				assert_int_equal(t->size, e->size);
			fields = 0;
		}
		/* the last field of a struct: are they all there? */
		if (t && (i + 1 == N_ENTRIES || !entries[i + 1].field))
			assert_int_equal(fields, btf_vlen(t));
	}
	zcq_bpf__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
