// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See match.h.
 */
#include "lib/steer/match.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* The widest aligned block that starts at first and ends by last, again and again. */
size_t zcq_ports_to_masks(struct zcq_ports ports, struct zcq_port_mask masks[ZCQ_PORT_MASKS])
{
	uint32_t first = ports.first;
	size_t n = 0;

	while (first <= ports.last) {
		uint32_t size = 1;

		while (size < 0x10000 && !(first & size) && first + 2 * size - 1 <= ports.last)
			size *= 2;
		masks[n].value = (uint16_t)first;
		masks[n++].mask = (uint16_t)~(size - 1);
		first += size;
	}
	return n;
}

/* bits leading ones in network order. */
static void prefix_mask(uint8_t *mask, size_t size, unsigned int bits)
{
	for (size_t i = 0; i < size; i++, bits -= bits < 8 ? bits : 8)
		mask[i] = bits >= 8 ? 0xff : (uint8_t)(0xff00 >> bits);
}

struct ports_pair {
	struct zcq_port_mask src, dst;
};

static void spec_tcp4(struct ethtool_rx_flow_spec *s, const struct zcq_policy_flow *f,
		      const struct ports_pair *p)
{
	struct ethtool_tcpip4_spec *h = &s->h_u.tcp_ip4_spec, *m = &s->m_u.tcp_ip4_spec;

	s->flow_type = TCP_V4_FLOW;
	memcpy(&h->ip4src, f->src.addr, 4);
	memcpy(&h->ip4dst, f->dst.addr, 4);
	prefix_mask((uint8_t *)&m->ip4src, 4, f->src.len);
	prefix_mask((uint8_t *)&m->ip4dst, 4, f->dst.len);
	h->psrc = htons(p->src.value);
	m->psrc = htons(p->src.mask);
	h->pdst = htons(p->dst.value);
	m->pdst = htons(p->dst.mask);
}

static void spec_tcp6(struct ethtool_rx_flow_spec *s, const struct zcq_policy_flow *f,
		      const struct ports_pair *p)
{
	struct ethtool_tcpip6_spec *h = &s->h_u.tcp_ip6_spec, *m = &s->m_u.tcp_ip6_spec;

	s->flow_type = TCP_V6_FLOW;
	memcpy(h->ip6src, f->src.addr, 16);
	memcpy(h->ip6dst, f->dst.addr, 16);
	prefix_mask((uint8_t *)m->ip6src, 16, f->src.len);
	prefix_mask((uint8_t *)m->ip6dst, 16, f->dst.len);
	h->psrc = htons(p->src.value);
	m->psrc = htons(p->src.mask);
	h->pdst = htons(p->dst.value);
	m->pdst = htons(p->dst.mask);
}

/* In order of ZCQ_PROTO_*. */
static void (*const spec_of[])(struct ethtool_rx_flow_spec *s, const struct zcq_policy_flow *f,
			       const struct ports_pair *p) = { spec_tcp4, spec_tcp6 };

static int add_spec(const struct zcq_policy_flow *flow, unsigned int proto,
		    const struct ports_pair *ports, struct zcq_array *specs)
{
	struct ethtool_rx_flow_spec *s = zcq_array_push(specs);

	if (!s)
		return -ENOMEM;
	spec_of[proto](s, flow, ports);
	if (flow->vlan.known) {
		s->flow_type |= FLOW_EXT;
		s->h_ext.vlan_tci = htons((uint16_t)flow->vlan.v);
		s->m_ext.vlan_tci = htons(0xfff);
	}
	return 0;
}

int zcq_flow_to_specs(const struct zcq_policy_flow *flow, struct zcq_array *specs)
{
	struct zcq_port_mask src[ZCQ_PORT_MASKS], dst[ZCQ_PORT_MASKS];
	size_t n_src = zcq_ports_to_masks(flow->src_port, src);
	size_t n_dst = zcq_ports_to_masks(flow->dst_port, dst);
	int err = 0;

	for (unsigned int proto = 0; proto < 2; proto++) {
		if (!(flow->protos & 1U << proto))
			continue;
		for (size_t i = 0; i < n_src * n_dst && !err; i++) {
			const struct ports_pair p = { src[i / n_dst], dst[i % n_dst] };

			err = add_spec(flow, proto, &p, specs);
		}
	}
	return err;
}
