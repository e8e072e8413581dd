// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps as data: what the journal holds comes back the same, a step that is not whole does
 * not come back at all, and a step knows what of a NIC is its own work.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/steer/step.h"

static uint32_t *list(size_t n, ...)
{
	uint32_t *v = calloc(n, sizeof(*v));
	va_list ap;

	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		v[i] = va_arg(ap, unsigned int);
	va_end(ap);
	return v;
}

static struct ethtool_rx_flow_spec tcp4(uint16_t port, uint32_t queue)
{
	struct ethtool_rx_flow_spec spec = { .flow_type = TCP_V4_FLOW, .ring_cookie = queue };

	spec.h_u.tcp_ip4_spec.pdst = htons(port);
	spec.m_u.tcp_ip4_spec.pdst = 0xffff;
	spec.location = RX_CLS_LOC_ANY;
	return spec;
}

/* One of each kind. */
static void make_steps(struct zcq_step steps[ZCQ_STEP_KINDS])
{
	memset(steps, 0, ZCQ_STEP_KINDS * sizeof(*steps));
	for (int i = 0; i < ZCQ_STEP_KINDS; i++) {
		steps[i].seq = (uint32_t)i + 1;
		steps[i].kind = i;
		steps[i].resets = i == ZCQ_STEP_RINGS;
	}
	strcpy(steps[ZCQ_STEP_FEATURE].feature.name, "rx-gro-hw");
	steps[ZCQ_STEP_FEATURE].feature.on = true;
	steps[ZCQ_STEP_RINGS].rings = (struct zcq_step_rings){
		.was = { .split = zcq_num(ZCQ_SPLIT_UNKNOWN), .hds_thresh = zcq_num(256) },
		.set = { .split = zcq_num(ZCQ_SPLIT_ON), .hds_thresh = zcq_num(0) },
	};
	steps[ZCQ_STEP_RSS].rss = (struct zcq_step_rss){
		.was = list(4, 0, 1, 2, 3), .indir = list(4, 0, 2, 0, 2), .n = 4, .was_default = true,
	};
	steps[ZCQ_STEP_CONTEXT].context = (struct zcq_step_context){
		.indir = list(4, 1, 3, 1, 3), .n = 4, .before = { list(2, 1, 5), 2 }, .id = 7,
	};
	steps[ZCQ_STEP_RULE].rule = (struct zcq_step_rule){
		.spec = tcp4(9000, 3), .before = { list(1, 1023), 1 }, .made = true, .location = 1022,
	};
}

static void drop_steps(struct zcq_step steps[ZCQ_STEP_KINDS])
{
	for (int i = 0; i < ZCQ_STEP_KINDS; i++)
		zcq_step_drop(&steps[i]);
}

static void test_texts(void **state)
{
	static const char *const texts[ZCQ_STEP_KINDS] = {
		"rx-gro-hw off -> on",
		"tcp-data-split auto -> on, hds-thresh 256 -> 0",
		"RSS queues 0-3 (default) -> 0,2",
		"RSS context 7",
		"rule tcp4 dport 9000 -> queue 3",
	};
	struct zcq_step steps[ZCQ_STEP_KINDS];
	char buf[200];

	(void)state;
	make_steps(steps);
	for (int i = 0; i < ZCQ_STEP_KINDS; i++) {
		zcq_step_ops(i)->text(&steps[i], buf, sizeof(buf));
		assert_string_equal(buf, texts[i]);
		zcq_step_ops(i)->text(&steps[i], buf, 5);
		assert_true(strlen(buf) < 5);
	}
	drop_steps(steps);
}

static void test_journal(void **state)
{
	struct zcq_step steps[ZCQ_STEP_KINDS], back;
	const char *text;

	(void)state;
	make_steps(steps);
	for (int i = 0; i < ZCQ_STEP_KINDS; i++) {
		struct json_object *obj = zcq_step_to_json(&steps[i]), *again, *parsed;

		assert_non_null(obj);
		text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN);
		parsed = json_tokener_parse(text);
		assert_int_equal(zcq_step_from_json(&back, parsed), 0);
		again = zcq_step_to_json(&back);
		assert_string_equal(json_object_to_json_string_ext(again, JSON_C_TO_STRING_PLAIN), text);
		zcq_step_drop(&back);
		json_object_put(again);
		json_object_put(parsed);
		json_object_put(obj);
	}
	drop_steps(steps);
}

/* Without any one of its fields, or with one of another type, a step is refused. */
static void test_not_whole(void **state)
{
	struct zcq_step steps[ZCQ_STEP_KINDS], back;

	(void)state;
	make_steps(steps);
	for (int i = 0; i < ZCQ_STEP_KINDS; i++) {
		struct json_object *whole = zcq_step_to_json(&steps[i]);

		json_object_object_foreach(whole, key, value) {
			struct json_object *broken = zcq_step_to_json(&steps[i]);

			(void)value;
			if (strcmp(key, "text")) {
				json_object_object_del(broken, key);
				assert_int_equal(zcq_step_from_json(&back, broken), -EINVAL);
				json_object_object_add(broken, key, json_object_new_double(1.5));
				assert_int_equal(zcq_step_from_json(&back, broken), -EINVAL);
			}
			json_object_put(broken);
		}
		json_object_put(whole);
	}
	drop_steps(steps);
}

static void test_rule_is_ours(void **state)
{
	struct zcq_nic_rule rules[3] = {
		{ .location = 1022, .spec = tcp4(9000, 3) }, { .location = 1023, .spec = tcp4(9000, 3) },
		{ .location = 5, .spec = tcp4(9001, 3) },
	};
	struct zcq_nic_state nic = {
		.rules = { .v = rules, .n = 3, .size = sizeof(rules[0]) },
	};
	struct zcq_step steps[ZCQ_STEP_KINDS], *s = &steps[ZCQ_STEP_RULE];
	const struct zcq_step_ops *ops = zcq_step_ops(ZCQ_STEP_RULE);

	(void)state;
	make_steps(steps);
	assert_true(ops->stands(&nic, s));
	/* Found by difference and content: 1023 was there before. */
	s->rule.made = false;
	assert_false(ops->stands(&nic, s));
	assert_true(ops->find(&nic, s));
	assert_int_equal(s->rule.location, 1022);
	/* Another queue, another rule: not ours, not to be deleted. */
	rules[0].spec.ring_cookie = 2;
	assert_false(ops->stands(&nic, s));
	assert_int_equal(ops->undo(NULL, &nic, s), -EEXIST);
	assert_false(ops->find(&nic, s));
	/* Gone: nothing to undo. */
	rules[0].location = 17;
	assert_int_equal(ops->undo(NULL, &nic, s), 0);
	nic.rules_err = -EIO;
	assert_int_equal(ops->undo(NULL, &nic, s), -EIO);
	drop_steps(steps);
}

static void test_context_is_ours(void **state)
{
	uint32_t ours[] = { 1, 3, 1, 3 }, other[] = { 1, 3, 1, 2 };
	struct zcq_nic_rss rss[3] = {
		{ .context = 0, .indir = ours, .n_indir = 4 }, { .context = 5, .indir = ours, .n_indir = 4 },
		{ .context = 7, .indir = ours, .n_indir = 4 },
	};
	struct zcq_nic_state nic = { .rss = { .v = rss, .n = 3, .size = sizeof(rss[0]) } };
	struct zcq_step steps[ZCQ_STEP_KINDS], *s = &steps[ZCQ_STEP_CONTEXT];
	const struct zcq_step_ops *ops = zcq_step_ops(ZCQ_STEP_CONTEXT);

	(void)state;
	make_steps(steps);
	assert_true(ops->stands(&nic, s));
	s->context.id = 0;
	assert_true(ops->find(&nic, s));
	assert_int_equal(s->context.id, 7);
	rss[2].indir = other;
	assert_int_equal(ops->undo(NULL, &nic, s), -EEXIST);
	assert_false(ops->find(&nic, s));
	drop_steps(steps);
}

static void test_settings_stand(void **state)
{
	uint32_t ours[] = { 0, 2, 0, 2 };
	struct zcq_nic_rss rss = { .indir = ours, .n_indir = 4 };
	struct zcq_nic_state nic = {
		.rss = { .v = &rss, .n = 1, .size = sizeof(rss) }, .features_known = true,
		.rings = { .split = zcq_num(ZCQ_SPLIT_ON), .hds_thresh = zcq_num(0), .rx = zcq_num(1024) },
	};
	struct zcq_step steps[ZCQ_STEP_KINDS];

	(void)state;
	make_steps(steps);
	assert_true(zcq_step_rings.stands(&nic, &steps[ZCQ_STEP_RINGS]));
	nic.rings.hds_thresh = zcq_num(1);
	assert_false(zcq_step_rings.stands(&nic, &steps[ZCQ_STEP_RINGS]));
	assert_true(zcq_step_rss.stands(&nic, &steps[ZCQ_STEP_RSS]));
	ours[3] = 1;
	assert_false(zcq_step_rss.stands(&nic, &steps[ZCQ_STEP_RSS]));
	assert_int_equal(zcq_step_rss.undo(NULL, &nic, &steps[ZCQ_STEP_RSS]), -EEXIST);
	assert_false(zcq_step_feature.stands(&nic, &steps[ZCQ_STEP_FEATURE]));
	assert_int_equal(zcq_step_feature.undo(NULL, &nic, &steps[ZCQ_STEP_FEATURE]), 0);
	nic.features.rx_gro_hw.active = true;
	assert_true(zcq_step_feature.stands(&nic, &steps[ZCQ_STEP_FEATURE]));
	drop_steps(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_not_whole),
		cmocka_unit_test(test_rule_is_ours),
		cmocka_unit_test(test_context_is_ours),
		cmocka_unit_test(test_settings_stand),
	};

	return cmocka_run_group_tests_name("steer step", tests, NULL, NULL);
}
