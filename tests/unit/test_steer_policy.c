// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policies: what a good one becomes, and for each kind of mistake the one message with its
 * place.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/steer/policy.h"

static int parse(const char *text, struct zcq_policy *p, struct zcq_policy_error *e)
{
	return zcq_policy_parse(text, strlen(text), p, e);
}

static void test_least(void **state)
{
	struct zcq_policy_error e;
	struct zcq_policy p;
	const struct zcq_policy_netdev *n;

	(void)state;
	assert_int_equal(parse("netdevs: {eth0: {queues: 7}}", &p, &e), 0);
	assert_int_equal(p.netdevs.n, 1);
	n = p.netdevs.v;
	assert_string_equal(n->name, "eth0");
	assert_int_equal(n->queues.n, 1);
	assert_int_equal(*(uint32_t *)n->queues.v, 7);
	assert_int_equal(n->top, 0);
	assert_int_equal(n->split, ZCQ_POLICY_SPLIT_ON);
	assert_int_equal(n->rss, ZCQ_POLICY_RSS_CARVE_OUT);
	assert_int_equal(n->on_unbind, ZCQ_UNBIND_KEEP);
	assert_int_equal(n->automatic.mode, ZCQ_AUTO_OFF);
	assert_int_equal(n->automatic.max_rules, 256);
	assert_false(n->hds_thresh.known || n->ring_entries.known || n->rx_buf_len.known);
	zcq_policy_free(&p);
}

static const char whole[] =
	"netdevs:\n"
	"  eth0:\n"
	"    queues: [7, 5, 6]\n"
	"    header-split: keep\n"
	"    hds-thresh: 0\n"
	"    ring-entries: 1024\n"
	"    rx-buf-len: 16K\n"
	"    rss: keep\n"
	"    on-unbind: remove\n"
	"    flows:\n"
	"      - {name: video, src: 192.0.2.0/24, dst: 198.51.100.1, dst-port: 9000-9007, vlan: 7, queue: 5}\n"
	"      - {proto: tcp6, dst: '2001:db8::/32', src-port: 13, spread: [7, 6], fed-by: workers}\n"
	"      - {dst-port: 9001, spread: all, fed-by: instance}\n"
	"    auto: {max-rules: 101, rules-per-second: 17, back-off: 300ms}\n"
	"  eth1:\n"
	"    queues: {top: 2}\n"
	"    auto: dry\n"
	"    flows: [{dst-port: 1, queue: 63}]\n";

static void test_whole(void **state)
{
	const struct zcq_policy_netdev *n;
	const struct zcq_policy_flow *f;
	struct zcq_policy_error e;
	char text[INET6_ADDRSTRLEN];
	struct zcq_policy p;
	const uint32_t *q;

	(void)state;
	assert_int_equal(parse(whole, &p, &e), 0);
	assert_int_equal(p.netdevs.n, 2);
	n = p.netdevs.v;
	q = n->queues.v;
	assert_true(n->queues.n == 3 && q[0] == 5 && q[1] == 6 && q[2] == 7);
	assert_int_equal(n->split, ZCQ_POLICY_SPLIT_KEEP);
	assert_true(n->hds_thresh.known && n->hds_thresh.v == 0);
	assert_true(n->ring_entries.known && n->ring_entries.v == 1024);
	assert_true(n->rx_buf_len.known && n->rx_buf_len.v == 16384);
	assert_int_equal(n->rss, ZCQ_POLICY_RSS_KEEP);
	assert_int_equal(n->on_unbind, ZCQ_UNBIND_REMOVE);
	assert_int_equal(n->flows.n, 3);
	f = n->flows.v;
	assert_string_equal(f->name, "video");
	assert_int_equal(f->protos, ZCQ_PROTO_TCP4);
	assert_int_equal(f->src.len, 24);
	assert_string_equal(inet_ntop(AF_INET, f->src.addr, text, sizeof(text)), "192.0.2.0");
	assert_int_equal(f->dst.len, 32);
	assert_true(f->dst_port.first == 9000 && f->dst_port.last == 9007);
	assert_true(f->src_port.first == 0 && f->src_port.last == 65535);
	assert_true(f->vlan.known && f->vlan.v == 7);
	assert_true(f->pos.line == 11 && f->pos.column == 9);
	f++;
	assert_int_equal(f->protos, ZCQ_PROTO_TCP6);
	assert_string_equal(inet_ntop(AF_INET6, f->dst.addr, text, sizeof(text)), "2001:db8::");
	q = f->queues.v;
	assert_true(f->queues.n == 2 && q[0] == 6 && q[1] == 7);
	assert_int_equal(f->feed, ZCQ_FEED_WORKERS);
	f++;
	assert_int_equal(f->protos, ZCQ_PROTO_TCP4 | ZCQ_PROTO_TCP6);
	assert_int_equal(f->queues.n, 0);
	assert_int_equal(f->feed, ZCQ_FEED_INSTANCE);
	assert_int_equal(n->automatic.mode, ZCQ_AUTO_ON);
	assert_int_equal(n->automatic.max_rules, 101);
	assert_int_equal(n->automatic.rules_per_s, 17);
	assert_int_equal(n->automatic.back_off_ns, 300000000);
	n++;
	assert_int_equal(n->top, 2);
	assert_int_equal(n->queues.n, 0);
	assert_int_equal(n->automatic.mode, ZCQ_AUTO_DRY);
	zcq_policy_free(&p);
}

#define NETDEV(body) "netdevs:\n  eth0:\n    queues: [6, 7]\n    " body "\n"
#define FLOW(body) NETDEV("flows:\n      - {" body "}")

static const struct bad {
	const char *text;
	uint32_t line, column;
	const char *error;	/* how it begins */
} bads[] = {
	{ "", 0, 0, "the policy is empty" },
	{ "netdevs: {}", 1, 1, "the policy names no netdev" },
	{ "netdevs: [", 2, 1, "not YAML: " },
	{ "- eth0", 1, 1, "a policy is \"key: value\" lines" },
	{ "netdev: {}", 1, 1, "\"netdev\": no key of a policy; did you mean \"netdevs\"?" },
	{ "wholly-different: 1", 1, 1, "\"wholly-different\": no key of a policy; there are netdevs" },
	{ "netdevs: eth0", 1, 10, "netdevs: a mapping from a netdev's name" },
	{ "netdevs: {eth/0: {queues: 1}}", 1, 11, "\"eth/0\": not a netdev's name" },
	{ "netdevs: {a123456789012345: {queues: 1}}", 1, 11, "\"a123456789012345\": not a netdev's name" },
	{ "netdevs: {eth0: {queues: 1}, eth0: {queues: 2}}", 1, 30, "netdev eth0 is given twice" },
	{ "netdevs: {eth0: {}}", 1, 11, "netdev eth0 has no \"queues\"" },
	{ "netdevs: {eth0: {queues: []}}", 1, 26, "queues: the list is empty" },
	{ "netdevs: {eth0: {queues: {}}}", 1, 26, "queues: a list, or \"top: N\"" },
	{ "netdevs: {eth0: {queues: {top: 0}}}", 1, 32, "top \"0\": not in 1 to 65536" },
	{ "netdevs: {eth0: {queues: [1, x]}}", 1, 30, "queue \"x\": not a number" },
	{ "netdevs: {eth0: {queues: [1, 65536]}}", 1, 30, "queue \"65536\": not in 0 to 65535" },
	{ "netdevs: {eth0: {queues: [1, 2, 1]}}", 1, 33, "queue 1 is given twice" },
	{ "netdevs: {eth0: {queues: 1}}\n---\na: 1", 3, 1, "a second document" },
	{ NETDEV("queues: 1"), 4, 5, "\"queues\" is given twice" },
	{ NETDEV("header-splitt: on"), 4, 5,
	  "\"header-splitt\": no key of a netdev; did you mean \"header-split\"?" },
	{ NETDEV("header-split: yes"), 4, 19, "header-split \"yes\": not one of keep, on, off" },
	{ NETDEV("header-split: [on]"), 4, 19, "header-split: one value is wanted here, not a list" },
	{ NETDEV("header-split:"), 4, 18, "header-split: a value is missing" },
	{ NETDEV("rx-buf-len: 16Q"), 4, 17, "rx-buf-len \"16Q\": not a size" },
	{ NETDEV("ring-entries: 0"), 4, 19, "ring-entries \"0\": not in 1 to 1048576" },
	{ NETDEV("auto: maybe"), 4, 11, "auto \"maybe\": not one of off, dry, on" },
	{ NETDEV("auto: {back-off: 1}"), 0, 0, NULL },
	{ NETDEV("auto: {back-off: 5d}"), 4, 22, "back-off \"5d\": not a duration" },
	{ NETDEV("flows: {dst-port: 1}"), 4, 12, "flows: a list is wanted here" },
	{ FLOW("dst-port: 1, queue: 7"), 0, 0, NULL },
	{ FLOW("queue: 7"), 5, 9, "this flow matches every connection" },
	{ FLOW("dst: 0.0.0.0/0, queue: 7"), 0, 0, NULL },
	{ FLOW("dst-port: 1"), 5, 9, "this flow says neither \"queue\" nor \"spread\", and there are 2" },
	{ FLOW("dst-port: 1, queue: 5"), 5, 9, "queue 5 is not among this netdev's" },
	{ FLOW("dst-port: 1, queue: 7, spread: all"), 5, 41, "a flow has a queue or a spread, not both" },
	{ FLOW("dst-port: 1, spread: all"), 5, 9, "a spread says \"fed-by: instance\"" },
	{ FLOW("dst-port: 1, spread: [7], fed-by: instance"), 5, 31, "spread over one queue" },
	{ FLOW("dst-port: 1, spread: all, fed-by: luck"), 5, 44, "fed-by \"luck\": not one of instance, workers" },
	{ FLOW("dst-port: 0, queue: 7"), 5, 20, "dst-port \"0\": ports are 1 to 65535" },
	{ FLOW("dst-port: 7-5, queue: 7"), 5, 20, "dst-port \"7-5\": ports are" },
	{ FLOW("dst-port: 65536, queue: 7"), 5, 20, "dst-port \"65536\": not a port or range" },
	{ FLOW("dst-port: 1-, queue: 7"), 5, 20, "dst-port \"1-\": not a port or range" },
	{ FLOW("dst: 192.0.2.1/24, queue: 7"), 5, 15, "dst \"192.0.2.1/24\": bits are set behind the first 24" },
	{ FLOW("dst: 192.0.2.0/33, queue: 7"), 5, 15, "dst \"192.0.2.0/33\": the prefix length is 0 to 32" },
	{ FLOW("dst: 192.0.2, queue: 7"), 5, 15, "dst \"192.0.2\": not an address or prefix" },
	{ FLOW("dst: host.example, queue: 7"), 5, 15, "dst \"host.example\": not an address or prefix" },
	{ FLOW("dst: 192.0.2.1, src: '2001:db8::1', queue: 7"), 5, 9, "a flow's src and dst are of one IP version" },
	{ FLOW("dst: 192.0.2.1, proto: tcp6, queue: 7"), 5, 9, "proto tcp6 with an IPv4 address" },
	{ FLOW("dst: 192.0.2.1, proto: udp, queue: 7"), 5, 33, "proto \"udp\": not one of tcp, tcp4, tcp6" },
	{ FLOW("vlan: 4095, queue: 7"), 5, 16, "vlan \"4095\": not in 1 to 4094" },
	{ FLOW("name: 'a b', dst-port: 1, queue: 7"), 5, 16, "name \"a b\": only letters" },
	{ FLOW("name: \"a\\0b\", dst-port: 1, queue: 7"), 5, 16, "name \"a\": a zero byte follows" },
	{ FLOW("dst_port: 1"), 5, 10, "\"dst_port\": no key of a flow; did you mean \"dst-port\"?" },
	{ "netdevs: &a {eth0: *a}", 1, 14, "\"eth0\": no key of a netdev" },
};

static void test_bad(void **state)
{
	struct zcq_policy_error e;
	struct zcq_policy p;

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		const struct bad *b = &bads[i];
		int err = parse(b->text, &p, &e);

		if (!b->error) {
			assert_int_equal(err, 0);
			zcq_policy_free(&p);
			continue;
		}
		if (err != -EINVAL || strncmp(e.text, b->error, strlen(b->error)) ||
		    e.pos.line != b->line || e.pos.column != b->column)
			fail_msg("%s\n%d %u:%u: %s", b->text, err, e.pos.line, e.pos.column, e.text);
		assert_null(p.netdevs.v);
	}
}

static void test_file(void **state)
{
	char path[] = "/tmp/zcq-policy-XXXXXX";
	int fd = mkstemp(path);
	struct zcq_policy_error e;
	struct zcq_policy p;

	(void)state;
	assert_int_equal(write(fd, whole, strlen(whole)), strlen(whole));
	assert_int_equal(zcq_policy_load(path, &p, &e), 0);
	assert_int_equal(p.netdevs.n, 2);
	zcq_policy_free(&p);
	assert_int_equal(ftruncate(fd, ZCQ_POLICY_MAX_BYTES + 1), 0);
	assert_int_equal(zcq_policy_load(path, &p, &e), -E2BIG);
	close(fd);
	unlink(path);
	assert_int_equal(zcq_policy_load(path, &p, &e), -ENOENT);
	assert_int_equal(zcq_policy_load("/", &p, &e), -EISDIR);
	assert_string_equal(e.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests_name("steer policy", tests, NULL, NULL);
}
