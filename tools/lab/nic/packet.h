/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - what a NIC's parser sees in an Ethernet frame: VLAN tags, IPv4
 * with options or fragmented, IPv6 with extension headers, TCP, UDP; and the
 * Internet checksum, in both directions. Knows no device and no bus.
 * A frame is never trusted: what does not parse is left out of the result.
 */
#ifndef NIC_PACKET_H
#define NIC_PACKET_H

#include "types.h"

#define PACKET_ETH_HLEN 14
#define PACKET_VLAN_HLEN 4

enum packet_ethertype {
	PACKET_ETH_IPV4 = 0x0800,
	PACKET_ETH_VLAN = 0x8100,	/* customer tag */
	PACKET_ETH_IPV6 = 0x86dd,
	PACKET_ETH_SVLAN = 0x88a8,	/* service tag */
};

enum packet_ipproto {
	PACKET_IP_TCP = 6,
	PACKET_IP_UDP = 17,
};

/* TCP flags as the 9 bits NS..FIN of the header. */
enum packet_tcp_flag {
	PACKET_TCP_FIN = 0x01,
	PACKET_TCP_SYN = 0x02,
	PACKET_TCP_RST = 0x04,
	PACKET_TCP_PSH = 0x08,
	PACKET_TCP_ACK = 0x10,
};

enum packet_l4 {
	PACKET_L4_NONE,		/* no IP, a fragment, another protocol, or cut off */
	PACKET_L4_TCP,
	PACKET_L4_UDP,
};

/*
 * One parsed frame. Offsets are from the frame's first byte, numbers are in
 * host order; a field is 0 if the layer it belongs to is not there.
 */
struct packet {
	const u8 *data;
	u32 len;		/* bytes of the frame, without FCS */

	u8 nr_vlans;		/* tags found, outermost first; a third one is payload */
	u16 vlan_tpid[2];
	u16 vlan_tci[2];
	u16 ethertype;		/* after the tags */

	u8 ip_version;		/* 4, 6; 0: not IP, or an IP header that is broken */
	u16 l3_off;		/* where the tags end, whatever follows */
	u16 l3_hlen;		/* IP header with options or extension headers */
	u32 l3_len;		/* IP packet; the frame may be longer (padding) */
	bool l3_opts;		/* IPv4 options or IPv6 extension headers are there */
	bool frag;		/* a fragment, the first one included */
	bool df;		/* IPv4: don't fragment */
	u16 ip_id;		/* IPv4 only */
	u8 tos;			/* TOS or traffic class: DSCP and ECN */
	u8 ttl;			/* TTL or hop limit */
	u8 ip_proto;		/* of what follows options and extension headers */
	u32 flow_label;		/* IPv6 only */
	u8 saddr[16], daddr[16];	/* IPv4: the first 4 bytes */

	enum packet_l4 l4;
	u16 l4_off;
	u16 l4_hlen;		/* TCP: with options */
	u32 l4_len;		/* L4 header and payload, padding excluded */
	u16 sport, dport;
	u16 payload_off;
	u32 payload_len;	/* l4_len - l4_hlen */

	u32 tcp_seq, tcp_ack;
	u16 tcp_flags;		/* 9 bits */
	u16 tcp_window;
};

/* Parses len bytes at data, which must stay while the result is used. */
void packet_parse(struct packet *pkt, const u8 *data, u32 len);

/* Are both of one flow: IP version, addresses, TCP or UDP, ports? */
bool packet_same_flow(const struct packet *a, const struct packet *b);

/*
 * Removes the outermost VLAN tag in place: moves the addresses by 4 bytes and
 * returns how far the frame's start moved (4), or 0 if there is no tag. Parse
 * again afterwards.
 */
u32 packet_strip_vlan(u8 *frame, u32 len, u16 *tci);

/*
 * The Internet checksum (RFC 1071). csum16() is the plain one's complement
 * sum of the big endian words at p, an odd last byte padded with 0, neither
 * complemented nor ever 0 unless all bytes are 0.
 */
u16 csum16(const void *p, size_t len);
u16 csum16_add(u16 a, u16 b);
u16 csum16_sub(u16 a, u16 b);

/* The sum of the pseudo header of l4_len bytes of pkt's L4 protocol. */
u16 packet_pseudo_sum(const struct packet *pkt, u32 l4_len);

/* What a receiver's checksum unit finds. */
struct packet_csum {
	u16 sum;	/* csum16() of the IP packet; not IP: of all after the tags */
	bool l3_ok;	/* IPv4 header's checksum is right; always for IPv6 */
	bool l4_ok;	/* TCP's or UDP's is right; UDP over IPv4 may have none */
};

void packet_check(const struct packet *pkt, struct packet_csum *csum);

/* Which checksums to write into a frame that is sent. */
enum packet_tx_csum {
	PACKET_TX_L3 = 1,	/* IPv4 header */
	PACKET_TX_L4 = 2,	/* TCP or UDP */
};

/*
 * Fills in checksums of an outgoing frame, whatever is in their places.
 * -EINVAL if one is asked for that the frame has no place for.
 */
int packet_tx_csum(u8 *frame, u32 len, unsigned int which);

#endif /* NIC_PACKET_H */
