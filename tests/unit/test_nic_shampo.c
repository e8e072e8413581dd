// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_shampo.c - the mlx5 model's header split and merging: what may be
 * merged and what ends a session, and where data goes. Whole streams are in
 * test_nic_stream.c, RQ contexts in test_nic_shampo_rq.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "mlx5/shampo.h"
#include "nic_frames.h"
#include "packet.h"

#define STRIDE 256u
#define WQE (1u << 18)

static struct mlx5_nic nic;
static struct mlx5_shampo shampo;
static struct mlx5_rq rq;

static void reset(u32 align, u32 rsrv_pkts)
{
	memset(&nic, 0, sizeof(nic));
	memset(&rq, 0, sizeof(rq));
	memset(&shampo, 0, sizeof(shampo));
	shampo.cfg = (struct mlx5_shampo_cfg){
		.header_max = 255, .entry_log = 8, .entries = 1024, .rsrv = 65536,
		.rsrv_pkts = rsrv_pkts, .align = align, .merge = true,
	};
	rq.shampo = &shampo;
	rq.striding = true;
	rq.stride_log = 8;
	rq.strides_log = 10;
}

static struct frame f;
static struct packet pkt;
static u32 used;
static struct mlx5_shampo_place at;

static const struct frame_spec seg = {
	.version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 40001, .dport = 5201,
	.seq = 1000, .ack = 77, .flags = PACKET_TCP_ACK, .window = 501, .tcp_opts = 12,
	.tcp_opt_fill = 1, .ip_id = 100, .ip_frag = FRAME_DF, .payload = 1448,
};

static u32 strides_end(u32 end)
{
	return ALIGN_UP(end, STRIDE);
}

/* Puts one frame to where the model says, without looking at the end of the WQE. */
static void put(const struct frame_spec *s)
{
	u32 data;

	frame_build(&f, s);
	packet_parse(&pkt, f.data, f.len);
	assert_true(mlx5_shampo_decide(&nic, &rq, &pkt, used, WQE, &at));
	mlx5_shampo_commit(&nic, &rq, &pkt, &at);
	data = f.len - at.header_len;
	if (strides_end(at.data_off + data) > used)
		used = strides_end(at.data_off + data);
}

/* The segment after s. */
static struct frame_spec after(const struct frame_spec *s)
{
	struct frame_spec n = *s;

	n.seq += s->payload;
	n.ip_id++;
	return n;
}

static int start(void **state)
{
	(void)state;
	reset(STRIDE, 64);
	used = 0;
	return 0;
}

static void segments_in_order_merge(void **state)
{
	(void)state;
	for (int version = 4; version <= 6; version += 2) {
		struct frame_spec s = seg;
		u32 header = version == 4 ? 66 : 86;

		start(NULL);
		s.version = version;
		for (u32 i = 0; i < 13; i++) {
			put(&s);
			assert_true(at.split);
			assert_int_equal(at.header_len, header);
			assert_int_equal(at.header_index, i);
			assert_int_equal(at.data_off, i * 1448);
			assert_int_equal(at.match, i > 0);
			assert_false(at.flush);
			s = after(&s);
		}
		assert_int_equal(nic.nr_split, 13);
		assert_int_equal(nic.nr_match, 12);
		assert_int_equal(nic.nr_flush, 0);
	}
}

static void last_segment_flushes(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	put(&s);
	s = after(&s);
	s.payload = 700;	/* shorter: still of this session, and its end */
	put(&s);
	assert_true(at.match);
	assert_true(at.flush);
	s = after(&s);
	put(&s);
	assert_false(at.match);

	start(NULL);
	s = seg;
	put(&s);
	s = after(&s);
	s.flags |= PACKET_TCP_PSH;
	put(&s);
	assert_true(at.match);
	assert_true(at.flush);
	s = after(&s);
	put(&s);
	assert_false(at.match);

	/* PSH on the first one: a session of one. */
	start(NULL);
	s = seg;
	s.flags |= PACKET_TCP_PSH;
	put(&s);
	assert_false(at.match);
	assert_true(at.flush);
	s = after(&s);
	put(&s);
	assert_false(at.match);
}

/* Each of these ends the session: the second segment does not match. */
static void what_does_not_match(void **state)
{
	enum {
		SAME, SRC, DST, SPORT, DPORT, SEQ_GAP, SEQ_BACK, LONGER, FIN, SYN, RST, URG, ECE,
		NO_ACK, ACK_NR, WINDOW, OPTS_LEN, OPTS, IP_ID, TOS, TTL, DF, VLAN, IPV4_OPTS, PAD,
		BAD_CSUM, CHANGES
	};

	(void)state;
	for (int change = SAME; change < CHANGES; change++) {
		struct frame_spec s = seg, n;

		start(NULL);
		put(&s);
		assert_false(at.flush);
		n = after(&s);
		switch (change) {
		case SRC: n.src = 9; break;
		case DST: n.dst = 9; break;
		case SPORT: n.sport++; break;
		case DPORT: n.dport++; break;
		case SEQ_GAP: n.seq++; break;
		case SEQ_BACK: n.seq = s.seq; break;
		case LONGER: n.payload++; break;
		case FIN: n.flags |= PACKET_TCP_FIN; break;
		case SYN: n.flags |= PACKET_TCP_SYN; break;
		case RST: n.flags |= PACKET_TCP_RST; break;
		case URG: n.flags |= 0x20; break;
		case ECE: n.flags |= 0x40; break;
		case NO_ACK: n.flags = 0; break;
		case ACK_NR: n.ack++; break;
		case WINDOW: n.window++; break;
		case OPTS_LEN: n.tcp_opts = 8; break;
		case OPTS: n.tcp_opt_fill = 0; break;
		case IP_ID: n.ip_id++; break;
		case TOS: n.tos = 3; break;
		case TTL: n.ttl = 63; break;
		case DF: n.ip_frag = 0; break;
		case VLAN: n.nr_vlans = 1; break;
		case IPV4_OPTS: n.ip_opts = 4; break;
		case PAD: n.pad = 2; break;
		}
		frame_build(&f, &n);
		if (change == BAD_CSUM)
			f.data[f.len - 1] ^= 1;
		packet_parse(&pkt, f.data, f.len);
		assert_true(mlx5_shampo_decide(&nic, &rq, &pkt, used, WQE, &at));
		if (at.match != (change == SAME))
			fail_msg("change %d: match %d", change, at.match);
		/* What does not match starts at a stride of its own. */
		assert_int_equal(at.data_off, at.match ? 1448 : used);
		assert_true(at.split);
	}
}

static void what_does_not_match_ipv6(void **state)
{
	(void)state;
	for (int change = 0; change < 4; change++) {
		struct frame_spec s = seg, n;

		start(NULL);
		s.version = 6;
		s.flow_label = 0x12345;
		put(&s);
		n = after(&s);
		if (change == 1)
			n.flow_label++;
		else if (change == 2)
			n.tos = 1;
		else if (change == 3)
			n.ip_opts = 8;
		put(&n);
		assert_int_equal(at.match, change == 0);
	}
}

static void ipv4_ids(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	/* The same one again and again, with DF. */
	for (int i = 0; i < 5; i++) {
		put(&s);
		assert_int_equal(at.match, i > 0);
		s.seq += s.payload;
	}
	s.ip_id++;	/* and then another one */
	put(&s);
	assert_false(at.match);

	start(NULL);	/* the same one without DF is not reversible */
	s = seg;
	s.ip_frag = 0;
	put(&s);
	s.seq += s.payload;
	put(&s);
	assert_false(at.match);

	start(NULL);	/* counting, past 65535, then standing still */
	s = seg;
	s.ip_id = 65534;
	for (int i = 0; i < 4; i++) {
		put(&s);
		assert_int_equal(at.match, i > 0);
		s = after(&s);
	}
	s.ip_id--;
	put(&s);
	assert_false(at.match);
}

static void never_a_session(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	s.payload = MLX5_SHAMPO_MIN_MSS - 1;
	put(&s);
	assert_true(at.split);
	assert_true(at.flush);
	s = after(&s);
	put(&s);
	assert_false(at.match);

	start(NULL);	/* split, but never merged */
	s = seg;
	s.ip_opts = 4;
	put(&s);
	assert_int_equal(at.header_len, 70);
	assert_true(at.flush);

	start(NULL);
	shampo.cfg.merge = false;	/* MATCH_CRITERIA_TYPE_NO_MATCH */
	s = seg;
	put(&s);
	assert_true(at.flush);
	s = after(&s);
	put(&s);
	assert_false(at.match);
	assert_true(at.flush);
}

/* 45 full segments fit into 64 KiB: the 45th knows that it is the last. */
static void reservation_full(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	for (u32 i = 0; i < 45; i++) {
		put(&s);
		assert_int_equal(at.match, i > 0);
		assert_int_equal(at.flush, i == 44);
		s = after(&s);
	}
	put(&s);
	assert_false(at.match);
	assert_int_equal(at.data_off, 65536);
	assert_int_equal(shampo.rsrv_start, 65536);
	assert_int_equal(shampo.rsrv_used, 1);
}

/* A reservation has as many header entries as it may have packets. */
static void packets_of_a_reservation(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	reset(STRIDE, 8);
	for (u32 i = 0; i < 8; i++) {
		put(&s);
		assert_int_equal(at.match, i > 0);
		assert_int_equal(at.flush, i == 7);
		s = after(&s);
	}
	put(&s);
	assert_false(at.match);
	assert_int_equal(at.data_off, 65536);

	/* Packets without data count too: the next reservation is opened for the 9th. */
	start(NULL);
	reset(STRIDE, 8);
	s = seg;
	s.payload = 0;
	for (u32 i = 0; i < 8; i++) {
		put(&s);
		assert_int_equal(at.data_off, 0);
		assert_int_equal(used, 0);
	}
	put(&s);
	assert_int_equal(at.data_off, 65536);
	assert_int_equal(shampo.rsrv_used, 1);
	used = 0;	/* as if it had consumed nothing: data goes there all the same */
	s.payload = 1448;
	put(&s);
	assert_int_equal(at.data_off, 65536);
	assert_int_equal(shampo.rsrv_used, 2);
}

static void page_granularity(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	reset(4096, 64);
	put(&s);
	s = after(&s);
	put(&s);
	assert_int_equal(at.data_off, 1448);
	s.sport++;
	put(&s);
	assert_int_equal(at.data_off, 4096);
	s.payload = 0;	/* no data: no alignment, no strides */
	put(&s);
	assert_int_equal(at.data_off, used);
}

/* What is not TCP goes to the header entry whole if it fits, else to the WQE whole. */
static void other_protocols(void **state)
{
	struct frame_spec arp = { .ethertype = 0x0806, .payload = 46 };
	struct frame_spec s = seg;

	(void)state;
	put(&arp);
	assert_true(at.split);
	assert_int_equal(at.header_len, 60);
	assert_true(at.flush);
	assert_int_equal(used, 0);

	s.proto = 1;
	s.payload = 64;
	put(&s);
	assert_true(at.split);
	assert_int_equal(at.header_len, f.len);

	s.payload = 255 - 34;	/* the longest whole one: 8 bits of length */
	put(&s);
	assert_int_equal(at.header_len, 255);
	s.payload++;
	put(&s);
	assert_false(at.split);
	assert_int_equal(at.header_len, 0);
	assert_true(at.flush);
	assert_int_equal(used, STRIDE);

	s.proto = 17;
	s.payload = 1400;
	put(&s);
	assert_false(at.split);
	s.proto = 6;
	s.ip_frag = FRAME_MF;	/* a fragment has no TCP header to split at */
	put(&s);
	assert_false(at.split);
	assert_int_equal(nic.nr_unsplit, 3);
	assert_int_equal(nic.nr_split, 3);
}

static void pure_ack(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	put(&seg);
	s = after(&seg);
	s.payload = 0;
	s.tcp_opts = 0;
	s.pad = 6;	/* to 60 bytes: goes to the header entry, not to the data */
	put(&s);
	assert_true(at.split);
	assert_int_equal(at.header_len, 60);
	assert_true(at.flush);
	assert_false(at.match);
	/* The driver has flushed by now: the session is over. */
	s = after(&seg);
	put(&s);
	assert_false(at.match);
}

static void a_header_too_long(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	s.version = 6;
	s.ip_opts = 176;
	put(&s);
	assert_false(at.split);
	s.ip_opts = 160;
	put(&s);
	assert_true(at.split);
	assert_int_equal(at.header_len, 14 + 40 + 160 + 32);
}

static void fault_unsplit(void **state)
{
	struct frame_spec arp = { .ethertype = 0x0806, .payload = 46 };
	struct frame_spec s = seg;

	(void)state;
	put(&s);
	nic.fault_unsplit = 3;
	for (int i = 0; i < 3; i++) {
		s = after(&s);
		put(&s);
		assert_false(at.split);
		assert_false(at.match);
		assert_true(at.flush);
		put(&arp);	/* does not concern it */
		assert_true(at.split);
	}
	assert_int_equal(nic.fault_unsplit, 0);
	assert_int_equal(nic.nr_unsplit, 3);
	s = after(&s);
	put(&s);
	assert_true(at.split);
	assert_false(at.match);
	s = after(&s);
	put(&s);
	assert_true(at.match);
}

static void decide_changes_nothing(void **state)
{
	struct frame_spec s = seg;
	struct mlx5_shampo before;
	struct mlx5_nic nic_before;

	(void)state;
	put(&s);
	nic.fault_unsplit = 1;
	before = shampo;
	nic_before = nic;
	s = after(&s);
	frame_build(&f, &s);
	packet_parse(&pkt, f.data, f.len);
	assert_true(mlx5_shampo_decide(&nic, &rq, &pkt, used, WQE, &at));
	assert_false(mlx5_shampo_decide(&nic, &rq, &pkt, used, used + 100, &at));
	assert_memory_equal(&shampo, &before, sizeof(before));
	assert_memory_equal(&nic, &nic_before, sizeof(nic));
}

static void end_of_the_wqe(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	put(&s);
	s = after(&s);
	frame_build(&f, &s);
	packet_parse(&pkt, f.data, f.len);
	/* All strides consumed: not even into the bytes left of the last one. */
	assert_false(mlx5_shampo_decide(&nic, &rq, &pkt, WQE, WQE, &at));
	mlx5_shampo_next_wqe(&rq);
	assert_true(mlx5_shampo_decide(&nic, &rq, &pkt, 0, WQE, &at));
	assert_false(at.match);
	assert_int_equal(at.data_off, 0);
}

static void header_entries_wrap(void **state)
{
	struct frame_spec s = seg;

	(void)state;
	shampo.next_entry = 1023;
	put(&s);
	assert_int_equal(at.header_index, 1023);
	s = after(&s);
	put(&s);
	assert_int_equal(at.header_index, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(segments_in_order_merge, start),
		cmocka_unit_test_setup(last_segment_flushes, start),
		cmocka_unit_test_setup(what_does_not_match, start),
		cmocka_unit_test_setup(what_does_not_match_ipv6, start),
		cmocka_unit_test_setup(ipv4_ids, start),
		cmocka_unit_test_setup(never_a_session, start),
		cmocka_unit_test_setup(reservation_full, start),
		cmocka_unit_test_setup(packets_of_a_reservation, start),
		cmocka_unit_test_setup(page_granularity, start),
		cmocka_unit_test_setup(other_protocols, start),
		cmocka_unit_test_setup(pure_ack, start),
		cmocka_unit_test_setup(a_header_too_long, start),
		cmocka_unit_test_setup(fault_unsplit, start),
		cmocka_unit_test_setup(decide_changes_nothing, start),
		cmocka_unit_test_setup(end_of_the_wqe, start),
		cmocka_unit_test_setup(header_entries_wrap, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
