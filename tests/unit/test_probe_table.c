// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probe tables against the BPF object: each probe once, each candidate's program is
 * there and is of that kind, and no program is left without a probe. Opens the object, loads
 * nothing: needs no privileges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/libbpf.h>

#include "lib/bpf/kfind.h"
#include "lib/bpf/probe.h"
#include "lib/event/table.h"
#include <zcq/config.h>
#include "zcq.skel.h"

static const struct zcq_probe *const tables[] = { zcq_probe_table_core, zcq_probe_table_zc };

#define EACH_PROBE(p) \
	for (size_t t__ = 0; t__ < 2; t__++) \
		for (const struct zcq_probe *p = tables[t__]; p->name; p++)
#define EACH_CAND(p, c) \
	for (const struct zcq_cand *c = (p)->cands; c < (p)->cands + ZCQ_MAX_CANDS && c->prog; c++)

static void test_each_probe_once(void **state)
{
	unsigned int seen[ZCQ_PROBES] = { 0 };

	(void)state;
	EACH_PROBE(p) {
		assert_true(p->id < ZCQ_PROBES);
		seen[p->id]++;
		assert_non_null(p->gives);
		assert_non_null(p->lost);
		assert_non_null(p->cands[0].prog);
		/* "subject.what" */
		assert_memory_equal(p->name, zcq_subject_name(p->subject),
				    strlen(zcq_subject_name(p->subject)));
	}
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		if (seen[i] != 1)
			print_error("probe number %zu is there %u times\n", i, seen[i]);
		assert_int_equal(seen[i], 1);
	}
}

static const char *section_of(enum zcq_attach kind)
{
	switch (kind) {
	case ZCQ_ATTACH_FENTRY:
		return "fentry/";
	case ZCQ_ATTACH_FEXIT:
		return "fexit/";
	case ZCQ_ATTACH_KPROBE:
		return "kprobe/";
	case ZCQ_ATTACH_KRETPROBE:
		return "kretprobe/";
	case ZCQ_ATTACH_TP_BTF:
		return "tp_btf/";
	case ZCQ_ATTACH_TP:
		return "tp/";
	case ZCQ_ATTACH_ITER:
		return "iter";
	}
	return "?";
}

static void check_prog(const struct bpf_object *obj, const char *name, enum zcq_attach kind)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, name);
	const char *section = section_of(kind);

	if (!prog)
		print_error("no program %s\n", name);
	assert_non_null(prog);
	assert_memory_equal(bpf_program__section_name(prog), section, strlen(section));
}

static bool used(const char *name)
{
	EACH_PROBE(p)
		EACH_CAND(p, c)
			if (!strcmp(c->prog, name) || (c->prog2 && !strcmp(c->prog2, name)))
				return true;
	return false;
}

static void test_programs(void **state)
{
	struct zcq_bpf *skel = zcq_bpf__open();
	struct bpf_program *prog;

	(void)state;
	assert_non_null(skel);
	EACH_PROBE(p)
		EACH_CAND(p, c) {
			check_prog(skel->obj, c->prog, c->kind);
			if (c->prog2)
				check_prog(skel->obj, c->prog2, c->kind2);
		}
	bpf_object__for_each_program(prog, skel->obj) {
		if (!used(bpf_program__name(prog)))
			print_error("program %s is in no probe\n", bpf_program__name(prog));
		assert_true(used(bpf_program__name(prog)));
	}
	zcq_bpf__destroy(skel);
}

/* Nothing that fires for each buffer may be in the default profile. */
static void test_heavy(void **state)
{
	static const char *const per_buffer[] = {
		"io_zcrx_queue_cqe", "io_pp_zc_release_netmem", "page_pool_state_hold",
		"page_pool_state_release", "page_pool_put_unrefed_netmem",
	};

	(void)state;
	EACH_PROBE(p)
		EACH_CAND(p, c)
			for (size_t i = 0; i < sizeof(per_buffer) / sizeof(per_buffer[0]); i++)
				if (!strcmp(c->target, per_buffer[i]))
					assert_int_equal(p->profile, ZCQ_PROFILE_HEAVY);
}

/* What fires for others' business must not be hooked on a kernel without zcrx. */
static void test_needs(void **state)
{
	static const char *const of_everybody[] = { "io_uring_complete", "sys_enter" };
	size_t found = 0;

	(void)state;
	EACH_PROBE(p)
		EACH_CAND(p, c)
			for (size_t i = 0; i < 2; i++) {
				if (strcmp(c->target, of_everybody[i]))
					continue;
				assert_string_equal(c->needs, "io_recvzc");
				found++;
			}
	assert_int_equal(found, 2);
}

/* An event on request only is one of heavy probes; any other can be had without them. */
static void test_event_probes(void **state)
{
	const struct zcq_event_desc *d;

	(void)state;
	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		uint64_t heavy = 0, named = 0;

		EACH_PROBE(p) {
			uint64_t bit = 1ULL << p->id;

			named |= bit;
			if (p->profile == ZCQ_PROFILE_HEAVY)
				heavy |= bit;
		}
		assert_int_equal((d->all | d->any | d->with) & ~named, 0);
		assert_int_equal(d->with & heavy, 0);
		assert_int_equal(d->optional, !zcq_event_seen(d, named & ~heavy));
		if (d->optional)
			assert_int_equal((d->all | d->any) & ~heavy, 0);
	}
}

static void test_subject_names(void **state)
{
	(void)state;
	for (int i = 0; i < ZCQ_SUBJECTS; i++)
		assert_int_equal(zcq_subject_parse(zcq_subject_name(i)), i);
	assert_true(zcq_subject_parse("nothing") < 0);
}

static void test_knames(void **state)
{
	struct zcq_knames set = { 0 };

	(void)state;
	assert_null(zcq_knames_get(&set, "b", ZCQ_KNAME_FUNC));
	assert_int_equal(zcq_knames_add(&set, "b", ZCQ_KNAME_FUNC), 0);
	assert_int_equal(zcq_knames_add(&set, "a", ZCQ_KNAME_FUNC), 0);
	assert_int_equal(zcq_knames_add(&set, "b", ZCQ_KNAME_FUNC), 0);
	assert_int_equal(zcq_knames_add(&set, "b", ZCQ_KNAME_TYPEDEF), 0);
	assert_int_equal(set.n, 3);
	zcq_knames_ready(&set);
	assert_string_equal(zcq_knames_get(&set, "a", ZCQ_KNAME_FUNC)->name, "a");
	assert_null(zcq_knames_get(&set, "a", ZCQ_KNAME_TYPEDEF));
	assert_int_equal(zcq_knames_get(&set, "b", ZCQ_KNAME_TYPEDEF)->kind, ZCQ_KNAME_TYPEDEF);
	zcq_knames_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_probe_once), cmocka_unit_test(test_programs),
		cmocka_unit_test(test_heavy),		cmocka_unit_test(test_event_probes),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_subject_names),	cmocka_unit_test(test_knames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
