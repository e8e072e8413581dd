// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet.c - parses Ethernet frames and computes their checksums; see
 * packet.h. Called by the receive and transmit paths of every NIC model, once
 * or twice per frame, so the sum over a frame is made to be fast.
 */
#include <errno.h>

#include "packet.h"

#define IPV4_HLEN 20
#define IPV6_HLEN 40
#define TCP_HLEN 20
#define UDP_HLEN 8

#define IPV4_DF 0x4000
#define IPV4_MF 0x2000
#define IPV4_OFFSET 0x1fff

enum {
	TCP_OFF_CSUM = 16,
	UDP_OFF_CSUM = 6,
	IPV4_OFF_CSUM = 10,
};

/*
 * Extension headers of IPv6 that are stepped over. Not AH: to a NIC it is a
 * protocol to match on (mlx5: lib/fs_ttc.c ttc_rules[]), as in IPv4.
 */
enum {
	IPV6_HOPOPTS = 0,
	IPV6_ROUTING = 43,
	IPV6_FRAGMENT = 44,
	IPV6_DSTOPTS = 60,
};

static void parse_tcp(struct packet *pkt, u32 left)
{
	const u8 *tcp = pkt->data + pkt->l4_off;
	u32 hlen;

	if (left < TCP_HLEN)
		return;
	hlen = (tcp[12] >> 4) * 4u;
	if (hlen < TCP_HLEN || hlen > left)
		return;
	pkt->l4 = PACKET_L4_TCP;
	pkt->l4_hlen = hlen;
	pkt->l4_len = left;
	pkt->sport = get_be16(tcp);
	pkt->dport = get_be16(tcp + 2);
	pkt->tcp_seq = get_be32(tcp + 4);
	pkt->tcp_ack = get_be32(tcp + 8);
	pkt->tcp_flags = get_be16(tcp + 12) & 0x1ff;
	pkt->tcp_window = get_be16(tcp + 14);
}

static void parse_udp(struct packet *pkt, u32 left)
{
	const u8 *udp = pkt->data + pkt->l4_off;
	u32 dgram;

	if (left < UDP_HLEN)
		return;
	dgram = get_be16(udp + 4);
	if (dgram < UDP_HLEN || dgram > left)
		return;
	pkt->l4 = PACKET_L4_UDP;
	pkt->l4_hlen = UDP_HLEN;
	pkt->l4_len = dgram;
	pkt->sport = get_be16(udp);
	pkt->dport = get_be16(udp + 2);
}

/* The IP header is whole and l3_hlen, l3_len are right; goes on with L4. */
static void parse_l4(struct packet *pkt)
{
	u32 left = pkt->l3_len - pkt->l3_hlen;

	pkt->l4_off = pkt->l3_off + pkt->l3_hlen;
	if (pkt->frag)
		return;
	if (pkt->ip_proto == PACKET_IP_TCP)
		parse_tcp(pkt, left);
	else if (pkt->ip_proto == PACKET_IP_UDP)
		parse_udp(pkt, left);
	if (pkt->l4 == PACKET_L4_NONE)
		return;
	pkt->payload_off = pkt->l4_off + pkt->l4_hlen;
	pkt->payload_len = pkt->l4_len - pkt->l4_hlen;
}

static void parse_ipv4(struct packet *pkt)
{
	const u8 *ip = pkt->data + pkt->l3_off;
	u32 left = pkt->len - pkt->l3_off;
	u32 hlen, total;
	u16 frag;

	if (left < IPV4_HLEN || ip[0] >> 4 != 4)
		return;
	hlen = (ip[0] & 15) * 4u;
	total = get_be16(ip + 2);
	if (hlen < IPV4_HLEN || total < hlen || total > left)
		return;
	pkt->ip_version = 4;
	pkt->l3_hlen = hlen;
	pkt->l3_len = total;
	pkt->l3_opts = hlen > IPV4_HLEN;
	pkt->tos = ip[1];
	pkt->ip_id = get_be16(ip + 4);
	frag = get_be16(ip + 6);
	pkt->df = frag & IPV4_DF;
	pkt->frag = frag & (IPV4_MF | IPV4_OFFSET);
	pkt->ttl = ip[8];
	pkt->ip_proto = ip[9];
	memcpy(pkt->saddr, ip + 12, 4);
	memcpy(pkt->daddr, ip + 16, 4);
	parse_l4(pkt);
}

/*
 * The length of the extension header next at ext, 0 if it is none or is cut
 * off. A routing header does not change the addresses here: the pseudo
 * header of one with segments left can't be right, and such a packet is not
 * for this host's TCP.
 */
static u32 ipv6_ext_len(u8 next, const u8 *ext, u32 left)
{
	u32 len;

	switch (next) {
	case IPV6_HOPOPTS:
	case IPV6_ROUTING:
	case IPV6_DSTOPTS:
		if (left < 8)
			return 0;
		len = (ext[1] + 1) * 8u;
		break;
	case IPV6_FRAGMENT:
		len = 8;
		break;
	default:
		return 0;
	}
	return len <= left ? len : 0;
}

static void parse_ipv6(struct packet *pkt)
{
	const u8 *ip = pkt->data + pkt->l3_off;
	u32 left = pkt->len - pkt->l3_off;
	u32 hlen = IPV6_HLEN, total, len;
	u8 next;

	if (left < IPV6_HLEN || ip[0] >> 4 != 6)
		return;
	total = IPV6_HLEN + get_be16(ip + 4);
	if (total > left)
		return;
	pkt->ip_version = 6;
	pkt->l3_len = total;
	pkt->tos = get_be16(ip) >> 4;
	pkt->flow_label = get_be32(ip) & 0xfffff;
	pkt->ttl = ip[7];
	memcpy(pkt->saddr, ip + 8, 16);
	memcpy(pkt->daddr, ip + 24, 16);

	next = ip[6];
	while (!pkt->frag && (len = ipv6_ext_len(next, ip + hlen, total - hlen))) {
		pkt->frag = next == IPV6_FRAGMENT;
		next = ip[hlen];
		hlen += len;
	}
	pkt->ip_proto = next;
	pkt->l3_hlen = hlen;
	pkt->l3_opts = hlen > IPV6_HLEN;
	parse_l4(pkt);
}

void packet_parse(struct packet *pkt, const u8 *data, u32 len)
{
	u32 off = PACKET_ETH_HLEN;

	memset(pkt, 0, sizeof(*pkt));
	pkt->data = data;
	pkt->len = len;
	if (len < PACKET_ETH_HLEN)
		return;
	pkt->ethertype = get_be16(data + off - 2);
	while ((pkt->ethertype == PACKET_ETH_VLAN || pkt->ethertype == PACKET_ETH_SVLAN) &&
	       pkt->nr_vlans < ARRAY_SIZE(pkt->vlan_tci) && len >= off + PACKET_VLAN_HLEN) {
		pkt->vlan_tpid[pkt->nr_vlans] = pkt->ethertype;
		pkt->vlan_tci[pkt->nr_vlans++] = get_be16(data + off);
		off += PACKET_VLAN_HLEN;
		pkt->ethertype = get_be16(data + off - 2);
	}
	pkt->l3_off = off;
	if (pkt->ethertype == PACKET_ETH_IPV4)
		parse_ipv4(pkt);
	else if (pkt->ethertype == PACKET_ETH_IPV6)
		parse_ipv6(pkt);
}

bool packet_same_flow(const struct packet *a, const struct packet *b)
{
	size_t n = a->ip_version == 4 ? 4 : 16;

	return a->ip_version && a->ip_version == b->ip_version &&
	       a->l4 != PACKET_L4_NONE && a->l4 == b->l4 &&
	       a->sport == b->sport && a->dport == b->dport &&
	       !memcmp(a->saddr, b->saddr, n) && !memcmp(a->daddr, b->daddr, n);
}

u32 packet_strip_vlan(u8 *frame, u32 len, u16 *tci)
{
	u16 tpid;

	if (len < PACKET_ETH_HLEN + PACKET_VLAN_HLEN)
		return 0;
	tpid = get_be16(frame + 12);
	if (tpid != PACKET_ETH_VLAN && tpid != PACKET_ETH_SVLAN)
		return 0;
	*tci = get_be16(frame + 14);
	memmove(frame + PACKET_VLAN_HLEN, frame, 12);
	return PACKET_VLAN_HLEN;
}

/* Folds a sum of 32-bit halves to 16 bits with end-around carry. */
static u16 csum_fold64(u64 sum)
{
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (sum >> 16) + (sum & 0xffff);
}

u16 csum16(const void *p, size_t len)
{
	const u8 *b = p;
	u64 lo = 0, hi = 0, w;

	/*
	 * One's complement addition does not care for the size of the words
	 * nor, up to a swap of the result, for their byte order: so add native
	 * 64-bit words as two halves, whose carries can't overflow 64 bits for
	 * any frame, and turn the result over at the end.
	 */
	for (; len >= 8; b += 8, len -= 8) {
		memcpy(&w, b, 8);
		lo += w & 0xffffffff;
		hi += w >> 32;
	}
	if (len) {
		w = 0;
		memcpy(&w, b, len);
		lo += w & 0xffffffff;
		hi += w >> 32;
	}
	return be16toh(csum_fold64(lo + hi));
}

u16 csum16_add(u16 a, u16 b)
{
	u32 sum = (u32)a + b;

	return (sum >> 16) + (sum & 0xffff);
}

u16 csum16_sub(u16 a, u16 b)
{
	return csum16_add(a, (u16)~b);
}

u16 packet_pseudo_sum(const struct packet *pkt, u32 l4_len)
{
	size_t n = pkt->ip_version == 4 ? 4 : 16;
	u16 sum = csum16_add(csum16(pkt->saddr, n), csum16(pkt->daddr, n));

	sum = csum16_add(sum, l4_len >> 16);
	sum = csum16_add(sum, l4_len & 0xffff);
	return csum16_add(sum, pkt->ip_proto);
}

void packet_check(const struct packet *pkt, struct packet_csum *csum)
{
	const u8 *l3 = pkt->data + pkt->l3_off;
	u16 head, body, l4;

	memset(csum, 0, sizeof(*csum));
	if (!pkt->ip_version) {
		if (pkt->len > pkt->l3_off && pkt->l3_off)
			csum->sum = csum16(l3, pkt->len - pkt->l3_off);
		return;
	}
	/* Header lengths are even, so the two sums need no turning. */
	head = csum16(l3, pkt->l3_hlen);
	body = csum16(l3 + pkt->l3_hlen, pkt->l3_len - pkt->l3_hlen);
	csum->sum = csum16_add(head, body);
	csum->l3_ok = pkt->ip_version == 6 || head == 0xffff;
	if (pkt->l4 == PACKET_L4_NONE)
		return;
	if (pkt->l4 == PACKET_L4_UDP && !get_be16(pkt->data + pkt->l4_off + UDP_OFF_CSUM)) {
		csum->l4_ok = pkt->ip_version == 4;
		return;
	}
	l4 = pkt->l4_len == pkt->l3_len - pkt->l3_hlen ?
	     body : csum16(pkt->data + pkt->l4_off, pkt->l4_len);
	csum->l4_ok = csum16_add(l4, packet_pseudo_sum(pkt, pkt->l4_len)) == 0xffff;
}

static int tx_l4(u8 *frame, const struct packet *pkt)
{
	u8 *l4 = frame + pkt->l4_off, *at;
	u16 sum;

	if (pkt->l4 == PACKET_L4_NONE)
		return -EINVAL;
	at = l4 + (pkt->l4 == PACKET_L4_TCP ? TCP_OFF_CSUM : UDP_OFF_CSUM);
	put_be16(at, 0);
	sum = ~csum16_add(csum16(l4, pkt->l4_len), packet_pseudo_sum(pkt, pkt->l4_len));
	/* RFC 768: 0 says "no checksum", so a sum of 0 is sent as 0xffff. */
	put_be16(at, !sum && pkt->l4 == PACKET_L4_UDP ? 0xffff : sum);
	return 0;
}

int packet_tx_csum(u8 *frame, u32 len, unsigned int which)
{
	struct packet pkt;
	u8 *ip;

	packet_parse(&pkt, frame, len);
	if (!pkt.ip_version)
		return which ? -EINVAL : 0;
	ip = frame + pkt.l3_off;
	if ((which & PACKET_TX_L3) && pkt.ip_version == 4) {
		put_be16(ip + IPV4_OFF_CSUM, 0);
		put_be16(ip + IPV4_OFF_CSUM, ~csum16(ip, pkt.l3_hlen));
	}
	return which & PACKET_TX_L4 ? tx_l4(frame, &pkt) : 0;
}
