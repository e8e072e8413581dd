/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic_frames.h - builds Ethernet frames for the tests of the NIC models, with
 * checksums by the plainest code there is, so that they check the models'
 * fast one. Every test_nic_*.c includes it; not all use all of it.
 */
#ifndef TESTS_NIC_FRAMES_H
#define TESTS_NIC_FRAMES_H

#include <stdlib.h>
#include <string.h>

#include "types.h"

#define FRAME_MAX 16384

/* Flags of ip_frag, and offsets of checksums in their headers. */
enum {
	FRAME_DF = 0x4000,
	FRAME_MF = 0x2000,
	FRAME_IPV4_CSUM = 10,
	FRAME_TCP_CSUM = 16,
	FRAME_UDP_CSUM = 6,
};

/* What frame_build() is to make; all zero is an empty Ethernet frame of type 0. */
struct frame_spec {
	int version;		/* 4, 6, 0: no IP */
	u8 proto;		/* 6 TCP, 17 UDP, else payload only */
	u16 ethertype;		/* where version is 0 */
	int nr_vlans;
	u16 vlan_tci[3];
	u16 vlan_tpid[3];	/* 0: 0x8100 */
	u8 src, dst;		/* last byte of the address */
	u16 sport, dport;
	u32 seq, ack;
	u16 flags, window;
	u32 tcp_opts;		/* bytes of TCP options, a multiple of 4 */
	u8 tcp_opt_fill;	/* what they are filled with */
	u16 ip_id;
	u16 ip_frag;		/* flags and offset of IPv4 */
	u8 tos, ttl;
	u32 flow_label;
	u32 ip_opts;		/* bytes of IPv4 options, or of an IPv6 hop-by-hop header */
	u32 payload;
	u8 seed;		/* first byte of the payload */
	u32 pad;		/* bytes after the IP packet */
};

struct frame {
	u8 data[FRAME_MAX];
	u32 len;
};

/* One's complement sum, byte by byte: an even one is the upper half of a word. */
static inline u32 frame_sum(const u8 *p, u32 len, u32 sum)
{
	for (u32 i = 0; i < len; i++) {
		sum += i & 1 ? p[i] : (u32)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static inline u32 frame_l4(u8 *p, const struct frame_spec *s)
{
	u32 n = 0;

	if (s->proto == 6) {
		n = 20 + s->tcp_opts;
		put_be16(p, s->sport);
		put_be16(p + 2, s->dport);
		put_be32(p + 4, s->seq);
		put_be32(p + 8, s->ack);
		put_be16(p + 12, (n / 4) << 12 | s->flags);
		put_be16(p + 14, s->window);
		memset(p + 20, s->tcp_opt_fill, s->tcp_opts);
	} else if (s->proto == 17) {
		n = 8;
		put_be16(p, s->sport);
		put_be16(p + 2, s->dport);
		put_be16(p + 4, 8 + s->payload);
	}
	for (u32 i = 0; i < s->payload; i++)
		p[n + i] = (u8)(s->seed + i * 7);
	return n + s->payload;
}

/* Addresses 192.0.2.x and 2001:db8::x. */
static inline void frame_addr(u8 *p, int version, u8 last)
{
	static const u8 v4[3] = { 192, 0, 2 }, v6[4] = { 0x20, 0x01, 0x0d, 0xb8 };

	memset(p, 0, version == 4 ? 4 : 16);
	memcpy(p, version == 4 ? v4 : v6, version == 4 ? 3 : 4);
	p[version == 4 ? 3 : 15] = last;
}

static inline void frame_l4_csum(u8 *l4, u32 len, const u8 *addrs, u32 addrs_len, u8 proto)
{
	u8 *at = l4 + (proto == 6 ? 16 : 6);
	u32 sum;

	if (proto != 6 && proto != 17)
		return;
	sum = frame_sum(addrs, addrs_len, proto + len);
	sum = ~frame_sum(l4, len, sum) & 0xffff;
	put_be16(at, !sum && proto == 17 ? 0xffff : sum);
}

static inline u32 frame_ipv4(u8 *ip, const struct frame_spec *s)
{
	u32 hlen = 20 + s->ip_opts, n;

	n = frame_l4(ip + hlen, s);
	ip[0] = 0x40 | hlen / 4;
	ip[1] = s->tos;
	put_be16(ip + 2, hlen + n);
	put_be16(ip + 4, s->ip_id);
	put_be16(ip + 6, s->ip_frag);
	ip[8] = s->ttl ? s->ttl : 64;
	ip[9] = s->proto;
	frame_addr(ip + 12, 4, s->src);
	frame_addr(ip + 16, 4, s->dst);
	memset(ip + 20, 1, s->ip_opts);
	put_be16(ip + 10, ~frame_sum(ip, hlen, 0));
	if (!(s->ip_frag & 0x3fff))
		frame_l4_csum(ip + hlen, n, ip + 12, 8, s->proto);
	return hlen + n;
}

static inline u32 frame_ipv6(u8 *ip, const struct frame_spec *s)
{
	u32 n = frame_l4(ip + 40 + s->ip_opts, s);

	put_be32(ip, 6u << 28 | (u32)s->tos << 20 | s->flow_label);
	put_be16(ip + 4, s->ip_opts + n);
	ip[6] = s->ip_opts ? 0 : s->proto;
	ip[7] = s->ttl ? s->ttl : 64;
	frame_addr(ip + 8, 6, s->src);
	frame_addr(ip + 24, 6, s->dst);
	if (s->ip_opts) {
		ip[40] = s->proto;
		ip[41] = s->ip_opts / 8 - 1;
		ip[42] = 1;	/* PadN over the rest */
		ip[43] = s->ip_opts - 4;
	}
	frame_l4_csum(ip + 40 + s->ip_opts, n, ip + 8, 32, s->proto);
	return 40 + s->ip_opts + n;
}

static inline void frame_build(struct frame *f, const struct frame_spec *s)
{
	static const u8 mac[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	u16 type = s->version == 4 ? 0x0800 : s->version == 6 ? 0x86dd : s->ethertype;
	u8 *p = f->data + 12;

	memset(f->data, 0, sizeof(f->data));
	memcpy(f->data, mac, sizeof(mac));
	for (int i = 0; i < s->nr_vlans; i++, p += 4) {
		put_be16(p, s->vlan_tpid[i] ? s->vlan_tpid[i] : 0x8100);
		put_be16(p + 2, s->vlan_tci[i]);
	}
	put_be16(p, type);
	p += 2;
	if (s->version == 4)
		p += frame_ipv4(p, s);
	else if (s->version == 6)
		p += frame_ipv6(p, s);
	else
		p += frame_l4(p, s);
	memset(p, 0xee, s->pad);
	f->len = p - f->data + s->pad;
}

#endif /* TESTS_NIC_FRAMES_H */
