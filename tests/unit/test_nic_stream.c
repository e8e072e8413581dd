// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_stream.c - random traffic through the mlx5 model's header split and
 * merging, put together again by the rules of the driver's
 * mlx5e_handle_rx_cqe_mpwrq_shampo(): every byte of every flow is compared, and
 * strides, header entries and pages are accounted for.
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
static struct packet pkt;

static const struct frame_spec seg = {
	.version = 4, .proto = 6, .src = 1, .dst = 2, .sport = 40001, .dport = 5201,
	.seq = 1000, .ack = 77, .flags = PACKET_TCP_ACK, .window = 501, .tcp_opts = 12,
	.tcp_opt_fill = 1, .ip_id = 100, .ip_frag = FRAME_DF, .payload = 1448,
};

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

static u32 strides_end(u32 end)
{
	return ALIGN_UP(end, STRIDE);
}

#define FLOWS 5
#define PAGE 4096u

static u8 wqe_data[WQE], wqe_written[WQE];
static u8 headers[1024][256];

/* The driver's skb: header, data, and what each packet in it was. */
static struct {
	bool there;
	u8 header[256];
	u32 header_len, count, gso_size, data_len, page_frags, last_len;
	u8 data[65536 + FRAME_MAX];
} skb;

static u32 nr_skbs, nr_packets, nr_merged, nr_fillers, wqe_consumed, wqes_done;

static u8 stream_byte(u32 flow, u32 seq)
{
	return (seq * 2654435761u >> 13) + flow * 37;
}

static void driver_flush(void)
{
	struct packet p;
	u8 whole[FRAME_MAX];

	if (!skb.there)
		return;
	/* Only the last segment may be short, or GSO could not undo the merge. */
	if (skb.count > 1)
		assert_int_equal(skb.data_len,
				 (skb.count - 1) * skb.gso_size + skb.last_len);
	assert_true(skb.data_len + skb.header_len <= 65536 + 255);
	memcpy(whole, skb.header, skb.header_len);
	memcpy(whole + skb.header_len, skb.data, skb.count > 1 ? skb.gso_size :
	       min_u32(skb.data_len, FRAME_MAX - skb.header_len));
	packet_parse(&p, whole, skb.header_len + (skb.count > 1 ? skb.gso_size : skb.data_len));
	if (p.l4 == PACKET_L4_TCP && p.payload_len) {
		u32 n = skb.count > 1 ? skb.data_len : p.payload_len;
		const u8 *d = skb.header_len ? skb.data : skb.data + p.payload_off;

		for (u32 i = 0; i < n; i++)
			assert_int_equal(d[i], stream_byte(p.sport - 1000, p.tcp_seq + i));
	}
	nr_skbs++;
	skb.there = false;
}

static bool driver_room(u32 data)
{
	return PAGE * skb.page_frags + data <= 65536;
}

static void driver_add(const struct mlx5_shampo_place *p, u32 data)
{
	u32 first = p->data_off / PAGE, last = (p->data_off + data - 1) / PAGE;

	if (!data)
		return;
	memcpy(skb.data + skb.data_len, wqe_data + p->data_off, data);
	/* Pieces of one page that adjoin share a fragment. */
	skb.page_frags += last - first + !(skb.data_len && p->data_off % PAGE);
	skb.data_len += data;
	assert_true(skb.page_frags <= 17);
}

/* mlx5e_handle_rx_cqe_mpwrq_shampo() in short. */
static void driver_cqe(const struct mlx5_shampo_place *p, u32 len, u32 strides)
{
	bool match = p->match, flush = p->flush;
	u32 data = len - p->header_len;

	assert_true(wqe_consumed + strides <= WQE / STRIDE);
	wqe_consumed += strides;
	nr_packets++;
	if (len <= 68) {
		match = false;
		flush = true;
	}
	if (skb.there && !(match && driver_room(data))) {
		match = false;
		driver_flush();
	}
	if (!skb.there) {
		memset(&skb, 0, offsetof(typeof(skb), data));
		skb.there = true;
		skb.header_len = p->header_len;
		memcpy(skb.header, headers[p->header_index], p->header_len);
		skb.count = 1;
		skb.gso_size = data;
	} else {
		skb.count++;
		nr_merged++;
	}
	driver_add(p, data);
	skb.last_len = data;
	if (flush)
		driver_flush();
}

static void wqe_end(void)
{
	u32 left = WQE / STRIDE - wqe_consumed;

	if (left)
		nr_fillers++;
	wqes_done++;
	wqe_consumed = 0;
	memset(wqe_written, 0, sizeof(wqe_written));
	mlx5_shampo_next_wqe(&rq);
}

/* What rq.c does with a frame. */
static void device_rx(const struct packet *p)
{
	struct mlx5_shampo_place to;
	u32 data, before = wqe_consumed * STRIDE, end;

	if (!mlx5_shampo_decide(&nic, &rq, p, before, WQE, &to)) {
		wqe_end();
		before = 0;
		assert_true(mlx5_shampo_decide(&nic, &rq, p, 0, WQE, &to));
	}
	data = p->len - to.header_len;
	assert_true(to.data_off + data <= WQE);
	memcpy(headers[to.header_index], p->data, to.header_len);
	memcpy(wqe_data + to.data_off, p->data + to.header_len, data);
	for (u32 i = 0; i < data; i++) {
		assert_int_equal(wqe_written[to.data_off + i], 0);
		wqe_written[to.data_off + i] = 1;
	}
	mlx5_shampo_commit(&nic, &rq, p, &to);
	end = strides_end(to.data_off + data);
	driver_cqe(&to, p->len, end > before ? (end - before) / STRIDE : 0);
	if (random() % 37 == 0)	/* end of a NAPI poll: mlx5e_poll_rx_cq() */
		driver_flush();
}

static void fill_payload(struct frame *fr, u32 flow, u32 seq)
{
	struct packet p;

	packet_parse(&p, fr->data, fr->len);
	for (u32 i = 0; i < p.payload_len; i++)
		fr->data[p.payload_off + i] = stream_byte(flow, seq + i);
	assert_int_equal(packet_tx_csum(fr->data, fr->len, PACKET_TX_L4), 0);
}

static void one_burst(struct frame_spec *flow, u32 nr)
{
	struct frame fr;
	u32 mss = flow->payload, count = random() % 60;

	for (u32 i = 0; i < count; i++) {
		struct frame_spec s = *flow;

		s.payload = random() % 23 ? mss : 1 + random() % mss;
		if (random() % 31 == 0)
			s.flags |= PACKET_TCP_PSH;
		if (random() % 97 == 0)
			s.flags |= PACKET_TCP_FIN;
		if (random() % 61 == 0)
			flow->ack = s.ack++;
		frame_build(&fr, &s);
		fill_payload(&fr, nr, s.seq);
		packet_parse(&pkt, fr.data, fr.len);
		if (random() % 53)	/* else lost on the way */
			device_rx(&pkt);
		flow->seq = s.seq + s.payload;
		flow->ip_id++;
	}
}

static void other_frame(u32 kind)
{
	struct frame_spec s = { .ethertype = 0x0806, .payload = 46 };
	struct frame fr;

	if (kind) {
		s = seg;
		s.proto = kind == 1 ? 17 : kind == 2 ? 1 : 6;
		s.payload = kind == 3 ? 0 : random() % 1400;
	}
	frame_build(&fr, &s);
	packet_parse(&pkt, fr.data, fr.len);
	device_rx(&pkt);
}

static void traffic(u32 align, u32 rsrv_pkts, u32 mss)
{
	struct frame_spec flows[FLOWS];

	reset(align, rsrv_pkts);
	nr_skbs = nr_packets = nr_merged = nr_fillers = wqe_consumed = wqes_done = 0;
	memset(wqe_written, 0, sizeof(wqe_written));
	skb.there = false;
	for (u32 i = 0; i < FLOWS; i++) {
		flows[i] = seg;
		flows[i].version = i % 2 ? 6 : 4;
		flows[i].nr_vlans = i == 4;
		flows[i].sport = 1000 + i;
		flows[i].seq = random();
		flows[i].payload = mss;
	}
	for (int i = 0; i < 300; i++) {
		u32 k = random() % FLOWS;

		one_burst(&flows[k], k);
		if (random() % 3 == 0)
			other_frame(random() % 4);
		if (random() % 50 == 0)
			nic.fault_unsplit += random() % 5;
	}
	driver_flush();
	assert_int_equal(nr_skbs + nr_merged, nr_packets);
	assert_int_equal(nic.nr_split + nic.nr_unsplit, nr_packets);
	assert_true(nic.nr_match >= nr_merged);
	/* It must be worth the while: most packets merge when nothing limits them. */
	if (rsrv_pkts >= 64)
		assert_true(nr_merged * 2 > nr_packets);
	assert_true(wqes_done > 3);
	/* A reservation never has more packets than header entries. */
	assert_true(nr_packets <= (wqes_done + 1) * (WQE / 65536) * rsrv_pkts);
}

/*
 * Packets without data fill no strides, but there are only so many header
 * entries and completions to a WQE: so many of them use it up all the same.
 */
static void acks_use_up_wqes(void **state)
{
	u32 per_wqe = WQE / 65536 * 64;

	(void)state;
	reset(STRIDE, 64);
	nr_packets = nr_fillers = wqe_consumed = wqes_done = 0;
	skb.there = false;
	for (u32 i = 0; i < 10 * per_wqe; i++) {
		assert_int_equal(wqes_done, i ? (i - 1) / per_wqe : 0);
		other_frame(3);
	}
	assert_int_equal(nr_packets, 10 * per_wqe);
	assert_int_equal(nic.nr_split, 10 * per_wqe);
	assert_int_equal(nr_fillers, wqes_done);
}

static void random_traffic(void **state)
{
	(void)state;
	srandom(20261);
	traffic(STRIDE, 64, 1448);
	traffic(4096, 64, 1448);
	traffic(STRIDE, 8, 8948);
	traffic(STRIDE, 128, 536);
	traffic(STRIDE, 4, 4000);
	traffic(STRIDE, 1, 1448);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acks_use_up_wqes),
		cmocka_unit_test(random_traffic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
