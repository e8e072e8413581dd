// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flow rules: where they lead, and what they say in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

#include "lib/nic/ntuple.h"

static void test_where_to(void **state)
{
	struct zcq_nic_rule rule = { .spec = { .ring_cookie = 5, .location = 1023 } };

	zcq_nic_rule_decode(&rule, 3);
	assert_int_equal(rule.action, ZCQ_RULE_QUEUE);
	assert_int_equal(rule.queue, 5);
	assert_int_equal(rule.location, 1023);

	rule.spec.flow_type = TCP_V4_FLOW | FLOW_RSS;
	zcq_nic_rule_decode(&rule, 3);
	assert_int_equal(rule.action, ZCQ_RULE_CONTEXT);
	assert_int_equal(rule.context, 3);

	rule.spec.ring_cookie = RX_CLS_FLOW_DISC;
	zcq_nic_rule_decode(&rule, 0);
	assert_int_equal(rule.action, ZCQ_RULE_DROP);

	rule.spec.ring_cookie = RX_CLS_FLOW_WAKE;
	zcq_nic_rule_decode(&rule, 0);
	assert_int_equal(rule.action, ZCQ_RULE_OTHER);

	rule.spec.ring_cookie = 5 | 2ULL << ETHTOOL_RX_FLOW_SPEC_RING_VF_OFF;
	zcq_nic_rule_decode(&rule, 0);
	assert_int_equal(rule.action, ZCQ_RULE_OTHER);
}

static const char *text(const struct zcq_nic_rule *rule)
{
	static char buf[256];

	zcq_nic_rule_text(rule, buf, sizeof(buf));
	return buf;
}

static void test_tcp4(void **state)
{
	struct zcq_nic_rule rule = { .spec = { .flow_type = TCP_V4_FLOW } };
	struct ethtool_tcpip4_spec *v = &rule.spec.h_u.tcp_ip4_spec;
	struct ethtool_tcpip4_spec *m = &rule.spec.m_u.tcp_ip4_spec;

	assert_string_equal(text(&rule), "tcp4");
	v->ip4dst = inet_addr("192.0.2.1");
	m->ip4dst = 0xffffffff;
	v->pdst = htons(5201);
	m->pdst = 0xffff;
	assert_string_equal(text(&rule), "tcp4 dst 192.0.2.1 dport 5201");
	v->ip4src = inet_addr("198.51.100.0");
	m->ip4src = inet_addr("255.255.255.0");
	v->psrc = htons(0x1000);
	m->psrc = htons(0xf000);
	assert_string_equal(text(&rule), "tcp4 src 198.51.100.0/24 sport 4096 mask 0xf000 "
					 "dst 192.0.2.1 dport 5201");
	m->ip4src = inet_addr("255.0.255.0");
	m->psrc = 0;
	m->pdst = 0;
	assert_string_equal(text(&rule), "tcp4 src 198.51.100.0 mask 255.0.255.0 dst 192.0.2.1");
}

static void test_tcp6_vlan(void **state)
{
	struct zcq_nic_rule rule = { .spec = { .flow_type = TCP_V6_FLOW | FLOW_EXT | FLOW_RSS } };

	inet_pton(AF_INET6, "2001:db8::5", rule.spec.h_u.tcp_ip6_spec.ip6dst);
	memset(rule.spec.m_u.tcp_ip6_spec.ip6dst, 0xff, 16);
	rule.spec.h_ext.vlan_tci = htons(7);
	rule.spec.m_ext.vlan_tci = htons(0xfff);
	assert_string_equal(text(&rule), "tcp6 dst 2001:db8::5 vlan 7");
}

static void test_others(void **state)
{
	struct zcq_nic_rule rule = { .spec = { .flow_type = ETHER_FLOW } };

	memcpy(rule.spec.h_u.ether_spec.h_dest, "\x02\0\0\0\0\x07", 6);
	memset(rule.spec.m_u.ether_spec.h_dest, 0xff, 6);
	assert_string_equal(text(&rule), "ether dst 02:00:00:00:00:07");

	memset(&rule, 0, sizeof(rule));
	rule.spec.flow_type = IPV4_USER_FLOW;
	rule.spec.h_u.usr_ip4_spec.proto = 6;
	rule.spec.m_u.usr_ip4_spec.proto = 0xff;
	assert_string_equal(text(&rule), "ip4 proto 6");

	memset(&rule, 0, sizeof(rule));
	rule.spec.flow_type = 0x7f;
	assert_string_equal(text(&rule), "type 0x7f");
}

static void test_short_buffer(void **state)
{
	struct zcq_nic_rule rule = { .spec = { .flow_type = UDP_V4_FLOW } };
	char buf[8];

	rule.spec.h_u.udp_ip4_spec.pdst = htons(53);
	rule.spec.m_u.udp_ip4_spec.pdst = 0xffff;
	zcq_nic_rule_text(&rule, buf, sizeof(buf));
	assert_string_equal(buf, "udp4 dp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_to),
		cmocka_unit_test(test_tcp4),
		cmocka_unit_test(test_tcp6_vlan),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_short_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
