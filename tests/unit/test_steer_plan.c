// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans: a policy and a made-up NIC in, steps or refusals out, as their texts.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/steer/match.h"
#include "lib/steer/plan.h"

/* A NIC with eight queues, nothing set up; tests change what they are about. */
struct nic {
	struct zcq_nic_state state;
	struct zcq_nic_queue queues[8];
	struct zcq_nic_rss rss[2];
	uint32_t indir[16], context[16];
	struct zcq_nic_rule rules[4];
};

static void make_nic(struct nic *n)
{
	memset(n, 0, sizeof(*n));
	strcpy(n->state.link.name, "eth0");
	strcpy(n->state.link.driver, "mlx5_core");
	n->state.link.up = true;
	n->state.n_queues = 8;
	n->state.features_known = true;
	n->state.features.rx_gro_hw.hw = n->state.features.ntuple.hw = true;
	n->state.rings = (struct zcq_nic_rings){
		.rx = zcq_num(1024), .rx_max = zcq_num(8192), .split = zcq_num(ZCQ_SPLIT_OFF),
		.hds_thresh = zcq_num(0),
	};
	for (uint32_t i = 0; i < 8; i++)
		n->queues[i].id = i;
	for (uint32_t i = 0; i < 16; i++)
		n->indir[i] = i % 8;
	n->rss[0] = (struct zcq_nic_rss){ .indir = n->indir, .n_indir = 16 };
	n->rss[1] = (struct zcq_nic_rss){ .context = 5, .indir = n->context, .n_indir = 16 };
	n->state.queues = (struct zcq_array){ .v = n->queues, .n = 8, .size = sizeof(n->queues[0]) };
	n->state.rss = (struct zcq_array){ .v = n->rss, .n = 2, .size = sizeof(n->rss[0]) };
	n->state.rules = (struct zcq_array){ .v = n->rules, .n = 0, .size = sizeof(n->rules[0]) };
	n->state.rule_info.max = zcq_num(1024);
}

/* Steps and refusals of a policy's body, a line each; "!" before a refusal. */
static char *plan_text(const struct nic *nic, const char *body, struct zcq_plan *plan)
{
	struct zcq_policy_error error;
	struct zcq_policy policy;
	char yaml[1024], line[256], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	snprintf(yaml, sizeof(yaml), "netdevs: {eth0: {%s}}", body);
	if (zcq_policy_parse(yaml, strlen(yaml), &policy, &error))
		fail_msg("%s: %u:%u: %s", yaml, error.pos.line, error.pos.column, error.text);
	assert_int_equal(zcq_plan_make(policy.netdevs.v, &nic->state, 1, plan), 0);
	for (size_t i = 0; i < plan->steps.n; i++) {
		const struct zcq_step *s = (struct zcq_step *)plan->steps.v + i;

		assert_int_equal(s->seq, i + 1);
		zcq_step_ops(s->kind)->text(s, line, sizeof(line));
		fprintf(f, "%s\n", line);
	}
	for (size_t i = 0; i < plan->refusals.n; i++)
		fprintf(f, "! %s\n", ((struct zcq_plan_refusal *)plan->refusals.v)[i].text);
	fclose(f);
	zcq_policy_free(&policy);
	return text;
}

static void expect(const struct nic *nic, const char *body, const char *want)
{
	struct zcq_plan plan;
	char *text = plan_text(nic, body, &plan);

	assert_string_equal(text, want);
	free(text);
	zcq_plan_free(&plan);
}

/* The one refusal begins with text. */
static void refused(const struct nic *nic, const char *body, const char *text)
{
	struct zcq_plan plan;
	char *all = plan_text(nic, body, &plan);
	const struct zcq_plan_refusal *r = plan.refusals.v;

	if (plan.refusals.n != 1 || strncmp(r->text, text, strlen(text)))
		fail_msg("%s: wanted \"%s\", got:\n%s", body, text, all);
	free(all);
	zcq_plan_free(&plan);
}

static void test_from_nothing(void **state)
{
	struct nic nic;

	(void)state;
	make_nic(&nic);
	expect(&nic, "queues: [6, 7], flows: [{dst: 192.0.2.1, dst-port: 9000-9001, queue: 7}]",
	       "rx-gro-hw off -> on\n"
	       "rx-ntuple-filter off -> on\n"
	       "tcp-data-split auto -> on\n"
	       "RSS queues 0-7 (default) -> 0-5\n"
	       "rule tcp4 dst 192.0.2.1 dport 9000 mask 0xfffe -> queue 7\n");
}

/* What is so already is left alone; "top" counts from the end. */
static void test_nothing_to_do(void **state)
{
	struct zcq_policy_flow flow = {
		.protos = ZCQ_PROTO_TCP4, .src_port = { 0, 65535 }, .dst_port = { 9000, 9000 },
	};
	struct zcq_array specs = { .size = sizeof(struct ethtool_rx_flow_spec) };
	struct zcq_plan plan;
	struct nic nic;
	char *text;

	(void)state;
	make_nic(&nic);
	nic.state.features.rx_gro_hw.active = nic.state.features.ntuple.active = true;
	nic.state.rings.split = zcq_num(ZCQ_SPLIT_ON);
	nic.queues[7].io_uring = true;
	for (int i = 0; i < 16; i++)
		nic.indir[i] = (uint32_t)i % 7;
	assert_int_equal(zcq_flow_to_specs(&flow, &specs), 0);
	nic.rules[0].spec = *(struct ethtool_rx_flow_spec *)specs.v;
	nic.rules[0].spec.ring_cookie = 7;
	zcq_nic_rule_decode(&nic.rules[0], 0);
	nic.state.rules.n = 1;
	text = plan_text(&nic, "queues: {top: 1}, ring-entries: 1024, flows: [{proto: tcp4, dst-port: 9000}]", &plan);
	assert_string_equal(text, "");
	assert_int_equal(plan.rules_there, 1);
	assert_int_equal(plan.resets, 0);
	free(text);
	zcq_plan_free(&plan);
	/* The same match to another queue is in the way. */
	nic.rules[0].queue = 3;
	nic.rules[0].location = 17;
	refused(&nic, "queues: {top: 1}, flows: [{proto: tcp4, dst-port: 9000}]",
		"rule 17 of eth0 matches the same (tcp4 dport 9000) and does something else");
	zcq_array_clear(&specs, NULL);
}

/* A user's own table keeps every entry that may stay. */
static void test_users_table(void **state)
{
	struct zcq_plan plan;
	const struct zcq_step *s;
	struct nic nic;
	char *text;

	(void)state;
	make_nic(&nic);
	for (uint32_t i = 0; i < 16; i++)
		nic.indir[i] = i < 8 ? 2 : i < 12 ? 4 : 7;
	text = plan_text(&nic, "queues: 7, header-split: keep", &plan);
	assert_string_equal(text, "RSS queues 2,4,7 -> 2,4\n");
	s = plan.steps.v;
	assert_false(s->rss.was_default);
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(s->rss.indir[i], s->rss.was[i]);
	for (uint32_t i = 12; i < 16; i++)
		assert_int_equal(s->rss.indir[i], i % 2 ? 4 : 2);
	free(text);
	zcq_plan_free(&plan);
}

static void test_spread(void **state)
{
	const struct zcq_step *s;
	struct zcq_plan plan;
	struct nic nic;
	char *text;

	(void)state;
	make_nic(&nic);
	nic.state.features.ntuple.active = true;
	text = plan_text(&nic, "queues: {top: 2}, header-split: keep, rss: keep,"
			 " flows: [{dst-port: 9000, spread: all, fed-by: instance}]", &plan);
	assert_string_equal(text, "a new RSS context\n"
			    "rule tcp4 dport 9000 -> RSS context 0\n"
			    "rule tcp6 dport 9000 -> RSS context 0\n");
	s = plan.steps.v;
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(s[0].context.indir[i], 6 + i % 2);
	assert_true(s[0].context.before.n == 1 && s[0].context.before.v[0] == 5);
	assert_int_equal(s[1].rule.context_step, 1);
	/* Locations are taken from the end, as the driver chooses none. */
	assert_int_equal(s[1].rule.spec.location, 1023);
	assert_int_equal(s[2].rule.spec.location, 1022);
	free(text);
	zcq_plan_free(&plan);
}

static void test_locations(void **state)
{
	static const char one[] = "queues: 7, header-split: keep, rss: keep, flows: [{proto: tcp4, dst-port: 9000}]";
	static const char two[] = "queues: 7, header-split: keep, rss: keep, flows: [{dst-port: 9000}]";
	struct zcq_plan plan;
	struct nic nic;

	(void)state;
	make_nic(&nic);
	nic.state.features.ntuple.active = true;
	nic.state.rule_info.max = zcq_num(3);
	nic.rules[0].location = 2;
	nic.rules[1].location = 0;
	nic.state.rules.n = 2;
	free(plan_text(&nic, one, &plan));
	assert_int_equal(((struct zcq_step *)plan.steps.v)->rule.spec.location, 1);
	zcq_plan_free(&plan);
	refused(&nic, two, "the rule table of eth0 is full: 3 rules");
	nic.state.rule_info.any_location = true;
	free(plan_text(&nic, one, &plan));
	assert_int_equal(((struct zcq_step *)plan.steps.v)->rule.spec.location, RX_CLS_LOC_ANY);
	zcq_plan_free(&plan);
}

static void test_refusals(void **state)
{
	static const char plain[] = "queues: 7";
	struct nic nic;

	(void)state;
	make_nic(&nic);
	refused(&nic, "queues: 8", "eth0 has no rx queue 8, only 8");
	refused(&nic, "queues: {top: 9}", "eth0 has 8 rx queues, not 9");
	refused(&nic, "queues: {top: 8}", "all 8 queues of eth0 would be zero-copy");
	refused(&nic, "queues: {top: 1}, flows: [{dst-port: 1, queue: 6}]", "queue 6 is not among the zero-copy");
	refused(&nic, "queues: 7, ring-entries: 16384", "ring-entries 16384: eth0 takes at most 8192");
	refused(&nic, "queues: 7, flows: [{dst-port: 1}, {dst-port: 1, proto: tcp4}]", "another flow of this policy");
	nic.state.link.xdp = true;
	refused(&nic, plain, "an XDP program is attached to eth0");
	make_nic(&nic);
	nic.queues[7].xsk = true;
	refused(&nic, plain, "eth0 queue 7 is used by an AF_XDP socket");
	make_nic(&nic);
	nic.queues[7].leased = true;
	refused(&nic, plain, "eth0 queue 7 is leased");
	make_nic(&nic);
	nic.queues[3].dmabuf = zcq_num(1);
	refused(&nic, plain, "header split of eth0 can't change while a memory provider is bound");
	make_nic(&nic);
	nic.state.rings.split = (struct zcq_num){ 0 };
	refused(&nic, plain, "eth0 (mlx5_core) has no header split to set");
	make_nic(&nic);
	nic.state.features.rx_gro_hw = (struct zcq_nic_feature){ .fixed = true };
	refused(&nic, plain, "eth0 can't turn rx-gro-hw on");
	make_nic(&nic);
	nic.state.rss.n = 0;
	refused(&nic, plain, "eth0 has no RSS table");
	make_nic(&nic);
	nic.state.features.ntuple.active = true;
	nic.state.rules_err = -EOPNOTSUPP;
	refused(&nic, "queues: 7, flows: [{dst-port: 1}]", "eth0 (mlx5_core) takes no flow rules");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_nothing),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_users_table),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("steer plan", tests, NULL, NULL);
}
