// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flows as rules of a NIC: every port of a range is covered once and none outside, by as
 * few masks as can be; addresses, VLAN and IP versions land where ethtool wants them.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "lib/steer/match.h"

/* How often each port is covered. */
static void cover(struct zcq_ports ports, size_t want)
{
	struct zcq_port_mask m[ZCQ_PORT_MASKS];
	size_t n = zcq_ports_to_masks(ports, m);

	assert_int_equal(n, want);
	for (unsigned int p = 0; p <= UINT16_MAX; p++) {
		unsigned int hits = 0;

		for (size_t i = 0; i < n; i++)
			hits += (p & m[i].mask) == m[i].value;
		if (hits != (p >= ports.first && p <= ports.last))
			fail_msg("port %u of %u-%u: covered %u times", p, ports.first, ports.last, hits);
	}
}

static void test_ports(void **state)
{
	(void)state;
	cover((struct zcq_ports){ 0, 65535 }, 1);
	cover((struct zcq_ports){ 1, 65535 }, 16);
	cover((struct zcq_ports){ 1, 65534 }, ZCQ_PORT_MASKS);
	cover((struct zcq_ports){ 9000, 9000 }, 1);
	cover((struct zcq_ports){ 9000, 9007 }, 1);
	cover((struct zcq_ports){ 9001, 9007 }, 3);
	cover((struct zcq_ports){ 65535, 65535 }, 1);
	cover((struct zcq_ports){ 32768, 65535 }, 1);
	cover((struct zcq_ports){ 1021, 5003 }, 9);
}

static struct zcq_policy_flow flow(void)
{
	return (struct zcq_policy_flow){
		.protos = ZCQ_PROTO_TCP4, .src_port = { 0, 65535 }, .dst_port = { 0, 65535 },
	};
}

static void test_ipv4(void **state)
{
	struct zcq_array specs = { .size = sizeof(struct ethtool_rx_flow_spec) };
	struct zcq_policy_flow f = flow();
	const struct ethtool_rx_flow_spec *s;
	const struct ethtool_tcpip4_spec *h, *m;

	(void)state;
	f.src.family = f.dst.family = AF_INET;
	inet_pton(AF_INET, "192.0.2.64", f.src.addr);
	inet_pton(AF_INET, "198.51.100.1", f.dst.addr);
	f.src.len = 27;
	f.dst.len = 32;
	f.dst_port = (struct zcq_ports){ 9000, 9001 };
	f.vlan = zcq_num(7);
	assert_int_equal(zcq_flow_to_specs(&f, &specs), 0);
	assert_int_equal(specs.n, 1);
	s = specs.v;
	h = &s->h_u.tcp_ip4_spec;
	m = &s->m_u.tcp_ip4_spec;
	assert_int_equal(s->flow_type, TCP_V4_FLOW | FLOW_EXT);
	assert_int_equal(ntohl(h->ip4src), 0xc0000240);
	assert_int_equal(ntohl(m->ip4src), 0xffffffe0);
	assert_int_equal(ntohl(h->ip4dst), 0xc6336401);
	assert_int_equal(ntohl(m->ip4dst), 0xffffffff);
	assert_int_equal(ntohs(h->pdst), 9000);
	assert_int_equal(ntohs(m->pdst), 0xfffe);
	assert_int_equal(m->psrc, 0);
	assert_int_equal(ntohs(s->h_ext.vlan_tci), 7);
	assert_int_equal(ntohs(s->m_ext.vlan_tci), 0xfff);
	zcq_array_clear(&specs, NULL);
}

static void test_ipv6(void **state)
{
	struct zcq_array specs = { .size = sizeof(struct ethtool_rx_flow_spec) };
	struct zcq_policy_flow f = flow();
	const struct ethtool_rx_flow_spec *s;
	const uint8_t *mask;

	(void)state;
	f.protos = ZCQ_PROTO_TCP6;
	f.dst.family = AF_INET6;
	inet_pton(AF_INET6, "2001:db8:8000::", f.dst.addr);
	f.dst.len = 33;
	assert_int_equal(zcq_flow_to_specs(&f, &specs), 0);
	assert_int_equal(specs.n, 1);
	s = specs.v;
	assert_int_equal(s->flow_type, TCP_V6_FLOW);
	assert_memory_equal(s->h_u.tcp_ip6_spec.ip6dst, f.dst.addr, 16);
	mask = (const uint8_t *)s->m_u.tcp_ip6_spec.ip6dst;
	assert_true(mask[0] == 0xff && mask[3] == 0xff && mask[4] == 0x80 && mask[5] == 0);
	assert_int_equal(s->m_u.tcp_ip6_spec.ip6src[0], 0);
	zcq_array_clear(&specs, NULL);
}

/* Both IP versions, three masks of source ports, two of destination ports. */
static void test_product(void **state)
{
	struct zcq_array specs = { .size = sizeof(struct ethtool_rx_flow_spec) };
	struct zcq_policy_flow f = flow();
	const struct ethtool_rx_flow_spec *s;

	(void)state;
	f.protos = ZCQ_PROTO_TCP4 | ZCQ_PROTO_TCP6;
	f.src_port = (struct zcq_ports){ 9001, 9007 };
	f.dst_port = (struct zcq_ports){ 1, 3 };
	assert_int_equal(zcq_flow_to_specs(&f, &specs), 0);
	assert_int_equal(specs.n, 12);
	s = specs.v;
	for (size_t i = 0; i < specs.n; i++) {
		assert_int_equal(s[i].flow_type, i < 6 ? TCP_V4_FLOW : TCP_V6_FLOW);
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(&s[i], &s[j], sizeof(*s));
	}
	zcq_array_clear(&specs, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_product),
	};

	return cmocka_run_group_tests_name("steer match", tests, NULL, NULL);
}
