// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a flow rule matches, in words. In the kernel's structures a mask bit of 1 means
 * "must be equal"; a field whose mask is 0 is left out, one that is masked in part is
 * shown with its prefix length or mask.
 */
#include "lib/nic/ntuple.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *buf;
	size_t size, len;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->len + 1 >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
	if (t->len >= t->size)
		t->len = t->size - 1;
}

/* Length of the prefix, or -1 if the mask has holes. */
static int prefix_len(const uint8_t *mask, size_t bytes)
{
	size_t i, bits = 0;
	bool ended = false;

	for (i = 0; i < bytes * 8; i++) {
		bool set = mask[i / 8] & (0x80 >> (i % 8));

		if (set && ended)
			return -1;
		if (set)
			bits++;
		else
			ended = true;
	}
	return (int)bits;
}

static void add_addr(struct text *t, const char *name, int family, const void *addr,
		     const void *mask)
{
	size_t bytes = family == AF_INET ? 4 : 16;
	char a[INET6_ADDRSTRLEN], m[INET6_ADDRSTRLEN];
	int len = prefix_len(mask, bytes);

	if (!len)
		return;
	inet_ntop(family, addr, a, sizeof(a));
	if (len == (int)bytes * 8) {
		add(t, " %s %s", name, a);
	} else if (len > 0) {
		add(t, " %s %s/%d", name, a, len);
	} else {
		inet_ntop(family, mask, m, sizeof(m));
		add(t, " %s %s mask %s", name, a, m);
	}
}

static void add_u16(struct text *t, const char *name, uint16_t v_be, uint16_t m_be)
{
	if (!m_be)
		return;
	add(t, " %s %u", name, ntohs(v_be));
	if (m_be != 0xffff)
		add(t, " mask 0x%x", ntohs(m_be));
}

static void add_u8(struct text *t, const char *name, uint8_t v, uint8_t m)
{
	if (!m)
		return;
	add(t, " %s %u", name, v);
	if (m != 0xff)
		add(t, " mask 0x%x", m);
}

static void add_mac(struct text *t, const char *name, const uint8_t *v, const uint8_t *m)
{
	static const uint8_t none[6];

	if (!memcmp(m, none, sizeof(none)))
		return;
	add(t, " %s %02x:%02x:%02x:%02x:%02x:%02x", name, v[0], v[1], v[2], v[3], v[4], v[5]);
	if (prefix_len(m, 6) != 48)
		add(t, " mask %02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
}

static void add_ports4(struct text *t, const struct ethtool_tcpip4_spec *v,
		       const struct ethtool_tcpip4_spec *m)
{
	add_addr(t, "src", AF_INET, &v->ip4src, &m->ip4src);
	add_u16(t, "sport", v->psrc, m->psrc);
	add_addr(t, "dst", AF_INET, &v->ip4dst, &m->ip4dst);
	add_u16(t, "dport", v->pdst, m->pdst);
	add_u8(t, "tos", v->tos, m->tos);
}

static void add_ports6(struct text *t, const struct ethtool_tcpip6_spec *v,
		       const struct ethtool_tcpip6_spec *m)
{
	add_addr(t, "src", AF_INET6, v->ip6src, m->ip6src);
	add_u16(t, "sport", v->psrc, m->psrc);
	add_addr(t, "dst", AF_INET6, v->ip6dst, m->ip6dst);
	add_u16(t, "dport", v->pdst, m->pdst);
	add_u8(t, "tclass", v->tclass, m->tclass);
}

static void add_match(struct text *t, uint32_t type, const struct ethtool_rx_flow_spec *s)
{
	switch (type) {
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
	case SCTP_V4_FLOW:
		add(t, "%s4", type == TCP_V4_FLOW ? "tcp" : type == UDP_V4_FLOW ? "udp" : "sctp");
		add_ports4(t, &s->h_u.tcp_ip4_spec, &s->m_u.tcp_ip4_spec);
		break;
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
	case SCTP_V6_FLOW:
		add(t, "%s6", type == TCP_V6_FLOW ? "tcp" : type == UDP_V6_FLOW ? "udp" : "sctp");
		add_ports6(t, &s->h_u.tcp_ip6_spec, &s->m_u.tcp_ip6_spec);
		break;
	case IPV4_USER_FLOW:
		add(t, "ip4");
		add_u8(t, "proto", s->h_u.usr_ip4_spec.proto, s->m_u.usr_ip4_spec.proto);
		add_addr(t, "src", AF_INET, &s->h_u.usr_ip4_spec.ip4src, &s->m_u.usr_ip4_spec.ip4src);
		add_addr(t, "dst", AF_INET, &s->h_u.usr_ip4_spec.ip4dst, &s->m_u.usr_ip4_spec.ip4dst);
		break;
	case IPV6_USER_FLOW:
		add(t, "ip6");
		add_u8(t, "proto", s->h_u.usr_ip6_spec.l4_proto, s->m_u.usr_ip6_spec.l4_proto);
		add_addr(t, "src", AF_INET6, s->h_u.usr_ip6_spec.ip6src, s->m_u.usr_ip6_spec.ip6src);
		add_addr(t, "dst", AF_INET6, s->h_u.usr_ip6_spec.ip6dst, s->m_u.usr_ip6_spec.ip6dst);
		break;
	case ETHER_FLOW:
		add(t, "ether");
		add_mac(t, "src", s->h_u.ether_spec.h_source, s->m_u.ether_spec.h_source);
		add_mac(t, "dst", s->h_u.ether_spec.h_dest, s->m_u.ether_spec.h_dest);
		if (s->m_u.ether_spec.h_proto)
			add(t, " proto 0x%04x", ntohs(s->h_u.ether_spec.h_proto));
		break;
	default:
		add(t, "type 0x%x", type);
	}
}

void zcq_nic_rule_text(const struct zcq_nic_rule *rule, char *buf, size_t size)
{
	const struct ethtool_rx_flow_spec *s = &rule->spec;
	struct text t = { .buf = buf, .size = size };
	uint16_t tci_mask = ntohs(s->m_ext.vlan_tci);

	buf[0] = '\0';
	add_match(&t, s->flow_type & ~(FLOW_EXT | FLOW_MAC_EXT | FLOW_RSS), s);
	if (s->flow_type & FLOW_MAC_EXT)
		add_mac(&t, "dst-mac", s->h_ext.h_dest, s->m_ext.h_dest);
	if ((s->flow_type & FLOW_EXT) && (tci_mask & 0xfff))
		add(&t, " vlan %u", ntohs(s->h_ext.vlan_tci) & 0xfff);
}
