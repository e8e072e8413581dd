// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_packet.c - the NIC models' frame parser and checksums: every header
 * form, frames cut off at every length, sums against a byte-wise reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "nic_frames.h"
#include "packet.h"

static struct frame f;
static struct packet pkt;
static struct packet_csum csum;

static const struct frame_spec tcp = {
	.version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 40001, .dport = 5201,
	.seq = 0xfffffff0, .ack = 77, .flags = PACKET_TCP_ACK | PACKET_TCP_PSH,
	.window = 501, .tcp_opts = 12, .tcp_opt_fill = 1, .ip_id = 4242, .ip_frag = FRAME_DF,
	.tos = 2, .ttl = 63, .payload = 1009, .seed = 5,
};

static void make(const struct frame_spec *s)
{
	frame_build(&f, s);
	packet_parse(&pkt, f.data, f.len);
	packet_check(&pkt, &csum);
}

static void tcp_over_ipv4(void **state)
{
	(void)state;
	make(&tcp);
	assert_int_equal(pkt.nr_vlans, 0);
	assert_int_equal(pkt.ethertype, PACKET_ETH_IPV4);
	assert_int_equal(pkt.ip_version, 4);
	assert_int_equal(pkt.l3_off, 14);
	assert_int_equal(pkt.l3_hlen, 20);
	assert_int_equal(pkt.l3_len, f.len - 14);
	assert_false(pkt.l3_opts);
	assert_false(pkt.frag);
	assert_true(pkt.df);
	assert_int_equal(pkt.ip_id, 4242);
	assert_int_equal(pkt.tos, 2);
	assert_int_equal(pkt.ttl, 63);
	assert_int_equal(pkt.l4, PACKET_L4_TCP);
	assert_int_equal(pkt.l4_off, 34);
	assert_int_equal(pkt.l4_hlen, 32);
	assert_int_equal(pkt.payload_off, 66);
	assert_int_equal(pkt.payload_len, 1009);
	assert_int_equal(pkt.sport, 40001);
	assert_int_equal(pkt.dport, 5201);
	assert_int_equal(pkt.tcp_seq, 0xfffffff0);
	assert_int_equal(pkt.tcp_ack, 77);
	assert_int_equal(pkt.tcp_flags, PACKET_TCP_ACK | PACKET_TCP_PSH);
	assert_int_equal(pkt.tcp_window, 501);
	assert_int_equal(pkt.saddr[3], 1);
	assert_int_equal(pkt.daddr[3], 2);
	assert_true(csum.l3_ok);
	assert_true(csum.l4_ok);
	assert_int_equal(csum.sum, frame_sum(f.data + 14, f.len - 14, 0));
}

static void tcp_over_ipv6(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.version = 6;
	s.tos = 0xb9;
	s.flow_label = 0xabcde;
	make(&s);
	assert_int_equal(pkt.ip_version, 6);
	assert_int_equal(pkt.l3_hlen, 40);
	assert_int_equal(pkt.tos, 0xb9);
	assert_int_equal(pkt.flow_label, 0xabcde);
	assert_int_equal(pkt.ip_proto, 6);
	assert_int_equal(pkt.payload_off, 14 + 40 + 32);
	assert_int_equal(pkt.payload_len, 1009);
	assert_true(csum.l3_ok);
	assert_true(csum.l4_ok);

	s.ip_opts = 16;
	make(&s);
	assert_int_equal(pkt.l3_hlen, 56);
	assert_true(pkt.l3_opts);
	assert_int_equal(pkt.ip_proto, 6);
	assert_int_equal(pkt.payload_off, 14 + 56 + 32);
	assert_int_equal(pkt.payload_len, 1009);
	assert_true(csum.l4_ok);
}

static void ipv4_options_and_padding(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.ip_opts = 40;
	s.payload = 1;
	s.pad = 7;
	make(&s);
	assert_int_equal(pkt.l3_hlen, 60);
	assert_true(pkt.l3_opts);
	assert_int_equal(pkt.payload_len, 1);
	assert_int_equal(pkt.l3_len, f.len - 14 - 7);
	assert_true(csum.l4_ok);
	/* The sum leaves the padding out. */
	assert_int_equal(csum.sum, frame_sum(f.data + 14, pkt.l3_len, 0));
}

static void vlan_tags(void **state)
{
	struct frame_spec s = tcp;
	u16 tci = 0;
	u32 moved;

	(void)state;
	s.nr_vlans = 2;
	s.vlan_tpid[0] = PACKET_ETH_SVLAN;
	s.vlan_tci[0] = 0x2005;
	s.vlan_tci[1] = 0x0fff;
	make(&s);
	assert_int_equal(pkt.nr_vlans, 2);
	assert_int_equal(pkt.vlan_tpid[0], PACKET_ETH_SVLAN);
	assert_int_equal(pkt.vlan_tci[0], 0x2005);
	assert_int_equal(pkt.vlan_tpid[1], PACKET_ETH_VLAN);
	assert_int_equal(pkt.vlan_tci[1], 0x0fff);
	assert_int_equal(pkt.l3_off, 22);
	assert_int_equal(pkt.l4, PACKET_L4_TCP);
	assert_true(csum.l4_ok);

	moved = packet_strip_vlan(f.data, f.len, &tci);
	assert_int_equal(moved, 4);
	assert_int_equal(tci, 0x2005);
	packet_parse(&pkt, f.data + moved, f.len - moved);
	assert_int_equal(pkt.nr_vlans, 1);
	assert_int_equal(pkt.vlan_tci[0], 0x0fff);
	assert_int_equal(pkt.data[5], 2);
	assert_int_equal(pkt.data[11], 1);

	s.nr_vlans = 3;	/* one too many: the parser stops before the third */
	make(&s);
	assert_int_equal(pkt.nr_vlans, 2);
	assert_int_equal(pkt.ip_version, 0);
	assert_int_equal(pkt.ethertype, PACKET_ETH_VLAN);

	s.nr_vlans = 0;
	make(&s);
	assert_int_equal(packet_strip_vlan(f.data, f.len, &tci), 0);
	assert_int_equal(packet_strip_vlan(f.data, 17, &tci), 0);
}

static void fragments_have_no_l4(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.ip_frag = FRAME_MF;
	make(&s);
	assert_true(pkt.frag);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);
	assert_int_equal(pkt.ip_proto, 6);
	assert_true(csum.l3_ok);
	assert_false(csum.l4_ok);
	s.ip_frag = 185;
	make(&s);
	assert_true(pkt.frag);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);

	/* IPv6: the hop-by-hop header made a fragment header. */
	s.version = 6;
	s.ip_frag = 0;
	s.ip_opts = 8;
	frame_build(&f, &s);
	f.data[14 + 6] = 44;
	packet_parse(&pkt, f.data, f.len);
	assert_true(pkt.frag);
	assert_int_equal(pkt.ip_proto, 6);
	assert_int_equal(pkt.l3_hlen, 48);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);
}

static void udp_datagrams(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.proto = 17;
	s.payload = 501;
	make(&s);
	assert_int_equal(pkt.l4, PACKET_L4_UDP);
	assert_int_equal(pkt.l4_hlen, 8);
	assert_int_equal(pkt.payload_len, 501);
	assert_true(csum.l4_ok);

	/* No checksum is right over IPv4, wrong over IPv6. */
	put_be16(f.data + pkt.l4_off + 6, 0);
	packet_check(&pkt, &csum);
	assert_true(csum.l4_ok);
	s.version = 6;
	make(&s);
	assert_true(csum.l4_ok);
	put_be16(f.data + pkt.l4_off + 6, 0);
	packet_check(&pkt, &csum);
	assert_false(csum.l4_ok);

	/* A datagram shorter than the IP packet is summed to its own end. */
	s.version = 4;
	s.payload = 20;
	frame_build(&f, &s);
	put_be16(f.data + 16, 20 + 28 + 5);
	packet_parse(&pkt, f.data, f.len + 5);
	assert_int_equal(pkt.l4_len, 28);
	packet_check(&pkt, &csum);
	assert_true(csum.l4_ok);
	assert_false(csum.l3_ok);

	/* One longer than its packet is no datagram. */
	put_be16(f.data + pkt.l4_off + 4, 600);
	packet_parse(&pkt, f.data, f.len + 5);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);
}

static void not_ip(void **state)
{
	struct frame_spec s = { .ethertype = 0x0806, .payload = 46, .seed = 9 };

	(void)state;
	make(&s);
	assert_int_equal(pkt.ethertype, 0x0806);
	assert_int_equal(pkt.ip_version, 0);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);
	assert_int_equal(csum.sum, frame_sum(f.data + 14, 46, 0));
	assert_false(csum.l3_ok);

	/* ICMP is IP without ports. */
	s = tcp;
	s.proto = 1;
	make(&s);
	assert_int_equal(pkt.ip_proto, 1);
	assert_int_equal(pkt.l4, PACKET_L4_NONE);
	assert_true(csum.l3_ok);
}

/* A header that says it is longer than what there is, or shorter than it must be. */
static void wrong_header_lengths(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.payload = 4;
	for (u32 words = 0; words < 16; words++) {
		make(&s);
		f.data[pkt.l4_off + 12] = words << 4;
		packet_parse(&pkt, f.data, f.len);
		assert_int_equal(pkt.l4, words >= 5 && words <= 9 ? PACKET_L4_TCP :
						  PACKET_L4_NONE);
		assert_int_equal(pkt.payload_len, pkt.l4 ? 36 - words * 4 : 0);
	}
	for (u32 words = 0; words < 16; words++) {
		make(&s);
		f.data[14] = 0x40 | words;
		packet_parse(&pkt, f.data, f.len);
		assert_int_equal(pkt.ip_version, words >= 5 && words <= 14 ? 4 : 0);
	}
}

/* Any wrong bit of header or payload is noticed. */
static void wrong_checksums(void **state)
{
	(void)state;
	make(&tcp);
	f.data[14 + 8] ^= 1;
	packet_check(&pkt, &csum);
	assert_false(csum.l3_ok);
	assert_true(csum.l4_ok);
	f.data[14 + 8] ^= 1;
	for (u32 i = pkt.l4_off; i < f.len; i += 13) {
		f.data[i] ^= 0x10;
		packet_check(&pkt, &csum);
		assert_false(csum.l4_ok);
		f.data[i] ^= 0x10;
	}
	packet_check(&pkt, &csum);
	assert_true(csum.l4_ok);
}

/* Copied to the end of an allocation, so that ASan sees a read past it. */
static void cut_off_anywhere(void **state)
{
	struct frame_spec s = tcp;

	(void)state;
	s.nr_vlans = 2;
	s.payload = 3;
	for (int version = 4; version <= 6; version += 2) {
		for (int udp = 0; udp < 2; udp++) {
			s.version = version;
			s.proto = udp ? 17 : 6;
			s.ip_opts = 8;
			frame_build(&f, &s);
			for (u32 n = 0; n < f.len; n++) {
				u8 *copy = malloc(n ? n : 1);

				assert_non_null(copy);
				memcpy(copy, f.data, n);
				packet_parse(&pkt, copy, n);
				packet_check(&pkt, &csum);
				assert_int_equal(pkt.ip_version, 0);
				assert_int_equal(pkt.l4, PACKET_L4_NONE);
				free(copy);
			}
		}
	}
}

/* Random bytes in the header fields that steer the parser never lead it out of the frame. */
static void random_headers(void **state)
{
	u32 parsed = 0;

	(void)state;
	srandom(20251);
	for (int i = 0; i < 20000; i++) {
		struct frame_spec s = tcp;
		u8 *copy;

		s.version = random() & 1 ? 4 : 6;
		s.nr_vlans = random() % 4;
		s.proto = random() & 1 ? 6 : 17;
		s.ip_opts = random() % 4 * 8;
		s.payload = random() % 64;
		frame_build(&f, &s);
		for (int k = random() % 4; k > 0; k--)
			f.data[12 + random() % (f.len - 12)] = random();
		copy = malloc(f.len);
		assert_non_null(copy);
		memcpy(copy, f.data, f.len);
		packet_parse(&pkt, copy, f.len);
		packet_check(&pkt, &csum);
		if (pkt.l4 != PACKET_L4_NONE) {
			parsed++;
			assert_true(pkt.payload_off + pkt.payload_len <= f.len);
			assert_true(pkt.l3_off + pkt.l3_len <= f.len);
		}
		free(copy);
	}
	assert_true(parsed > 1000);
}

static void same_flow(void **state)
{
	struct frame_spec s = tcp;
	struct frame other_frame;
	struct packet other;

	(void)state;
	make(&tcp);
	for (int change = 0; change < 7; change++) {
		s = tcp;
		if (change == 1)
			s.src = 9;
		else if (change == 2)
			s.dst = 9;
		else if (change == 3)
			s.sport++;
		else if (change == 4)
			s.dport++;
		else if (change == 5)
			s.proto = 17;
		else if (change == 6)
			s.version = 6;
		s.seq += 1;
		frame_build(&other_frame, &s);
		packet_parse(&other, other_frame.data, other_frame.len);
		assert_int_equal(packet_same_flow(&pkt, &other), change == 0);
	}
	/* What has no ports is of no flow, not even its own. */
	s = tcp;
	s.proto = 1;
	make(&s);
	assert_false(packet_same_flow(&pkt, &pkt));
}

static void sum_of_any_length(void **state)
{
	static u8 buf[70000];

	(void)state;
	srandom(7);
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = random();
	for (u32 len = 0; len < 300; len++)
		for (u32 off = 0; off < 8; off++)
			assert_int_equal(csum16(buf + off, len), frame_sum(buf + off, len, 0));
	for (u32 len = 65000; len < 70000; len += 997)
		assert_int_equal(csum16(buf, len), frame_sum(buf, len, 0));
	memset(buf, 0xff, sizeof(buf));
	assert_int_equal(csum16(buf, sizeof(buf)), 0xffff);
	memset(buf, 0, sizeof(buf));
	assert_int_equal(csum16(buf, sizeof(buf)), 0);
	assert_int_equal(csum16_add(0xffff, 1), 1);
	assert_int_equal(csum16_sub(csum16_add(0x1234, 0xf00d), 0xf00d), 0x1234);
}

static void transmit_fills_in(void **state)
{
	struct frame want;

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct frame_spec s = tcp;

		s.version = i & 1 ? 4 : 6;
		s.proto = i & 2 ? 6 : 17;
		s.nr_vlans = i & 4 ? 1 : 0;
		s.payload = 333 + i;
		make(&s);
		want = f;
		if (s.version == 4)
			put_be16(f.data + pkt.l3_off + FRAME_IPV4_CSUM, 0xdead);
		put_be16(f.data + pkt.l4_off + (i & 2 ? FRAME_TCP_CSUM : FRAME_UDP_CSUM), 0xdead);
		assert_int_equal(packet_tx_csum(f.data, f.len, PACKET_TX_L3 | PACKET_TX_L4), 0);
		assert_memory_equal(f.data, want.data, f.len);
	}
}

static void transmit_refuses(void **state)
{
	struct frame_spec s = { .ethertype = 0x0806, .payload = 46 };

	(void)state;
	frame_build(&f, &s);
	assert_int_equal(packet_tx_csum(f.data, f.len, 0), 0);
	assert_int_equal(packet_tx_csum(f.data, f.len, PACKET_TX_L3), -EINVAL);
	s = tcp;
	s.proto = 1;
	frame_build(&f, &s);
	assert_int_equal(packet_tx_csum(f.data, f.len, PACKET_TX_L3), 0);
	assert_int_equal(packet_tx_csum(f.data, f.len, PACKET_TX_L4), -EINVAL);
}

/* RFC 768: a UDP sum that comes out as 0 is sent as 0xffff. */
static void udp_never_sends_zero(void **state)
{
	struct frame_spec s = tcp;
	u16 sum;

	(void)state;
	s.proto = 17;
	s.payload = 4;
	make(&s);
	/* Adding the complement of what the sum lacks makes it 0. */
	sum = get_be16(f.data + pkt.l4_off + FRAME_UDP_CSUM);
	put_be16(f.data + pkt.payload_off,
		 csum16_add(get_be16(f.data + pkt.payload_off), sum));
	assert_int_equal(packet_tx_csum(f.data, f.len, PACKET_TX_L4), 0);
	assert_int_equal(get_be16(f.data + pkt.l4_off + FRAME_UDP_CSUM), 0xffff);
	packet_check(&pkt, &csum);
	assert_true(csum.l4_ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_over_ipv4),
		cmocka_unit_test(tcp_over_ipv6),
		cmocka_unit_test(ipv4_options_and_padding),
		cmocka_unit_test(vlan_tags),
		cmocka_unit_test(fragments_have_no_l4),
		cmocka_unit_test(udp_datagrams),
		cmocka_unit_test(not_ip),
		cmocka_unit_test(wrong_header_lengths),
		cmocka_unit_test(wrong_checksums),
		cmocka_unit_test(cut_off_anywhere),
		cmocka_unit_test(random_headers),
		cmocka_unit_test(same_flow),
		cmocka_unit_test(sum_of_any_length),
		cmocka_unit_test(transmit_fills_in),
		cmocka_unit_test(transmit_refuses),
		cmocka_unit_test(udp_never_sends_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
