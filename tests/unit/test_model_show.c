// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks of a snapshot's records: JSON that has every field whatever is known, and text
 * made by the same functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/show.h"

static struct zcq_owner owners[] = {
	{ .task = { 4242, 4242, "recv" }, .fd = 5, .found_by = ZCQ_FOUND_RING_FD },
	{ .task = { 4300, 4300, "a b" }, .fd = -1, .found_by = ZCQ_FOUND_REGISTERED_RING },
};

static struct zcq_inst inst = {
	.owners = owners, .n_owners = 2, .areas = { true, 1 }, .area_bytes = { true, 1 << 25 },
	.buf_bytes = { true, 16384 }, .bufs = { true, 2048 }, .free_bufs = { true, 1021 },
	.refill_entries = { true, 4096 }, .refill_pending = { true, 2 }, .users = { true, 2 },
};

static struct zcq_inst *insts[] = { &inst };
static struct zcq_netdev eth0 = { .ifindex = 7, .name = "eth0", .driver = "mlx5_core", .up = true };
static struct zcq_snapshot snap = { .interval_ns = 2000000000, .stats_ns = 1000000000 };

enum what { QUEUE, DETAILS, NETDEV };

static char *show(enum zcq_out_style style, enum what what, const struct zcq_queue *q)
{
	char *text = NULL;
	struct zcq_out *out;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	out = zcq_out_new(f, style, zcq_show_queue_cols, false);
	if (what == QUEUE)
		zcq_show_queue(out, &snap, &eth0, q);
	else if (what == DETAILS)
		zcq_show_queue_details(out, &snap, q);
	else
		zcq_show_netdev(out, &eth0);
	assert_int_equal(zcq_out_flush(out), 0);
	zcq_out_free(out);
	fclose(f);
	return text;
}

/* text is freed when it fails, so that the leak checker keeps to the point. */
#define HAS(text, part) \
	do { \
		if (!strstr(text, part)) { \
			print_error("\"%s\" is not in: %s\n", part, text); \
			free(text); \
			fail(); \
		} \
	} while (0)

static void bound_queue(struct zcq_queue *q)
{
	memset(q, 0, sizeof(*q));
	q->id = 1;
	q->listed = true;
	q->provider = ZCQ_PROVIDER_IO_URING;
	q->owner_state = ZCQ_OWNER_FOUND;
	q->insts = insts;
	q->n_insts = 1;
	q->rss_entries = zcq_num(1);
	q->rss_of = zcq_num(8);
	q->rates.zc_bytes = zcq_num(8192);
	q->rates.copied_bytes = zcq_num(7);
	q->rates.copied_by[ZCQ_COPY_QUEUE] = zcq_num(7);
	q->rates.reconfigs = zcq_num(3);
}

static void test_json_of_bound_queue(void **state)
{
	struct zcq_queue q;
	char *text;

	bound_queue(&q);
	text = show(ZCQ_OUT_JSON, QUEUE, &q);
	HAS(text, "\"provider\":\"io_uring\"");
	HAS(text, "\"owner\":\"found\"");
	HAS(text, "\"owners\":[{\"comm\":\"recv\",\"pid\":4242,\"fd\":5,\"found_by\":\"ring\"},"
		  "{\"comm\":\"a b\",\"pid\":4300,\"fd\":null,\"found_by\":\"registered-ring\"}]");
	HAS(text, "\"area_bytes\":33554432");
	HAS(text, "\"held_bufs\":null");
	HAS(text, "\"rss_pct\":12.5");
	HAS(text, "\"zc_bytes_per_s\":4096");
	HAS(text, "\"copied_queue_bytes\":7");
	HAS(text, "\"alloc_fails\":null");
	HAS(text, "\"reconfigs\":3");
	HAS(text, "\"pkts\":null");
	HAS(text, "\"lease\":null");
	free(text);
}

static void test_details_of_bound_queue(void **state)
{
	struct zcq_queue q;
	char *text;

	bound_queue(&q);
	text = show(ZCQ_OUT_LINE, DETAILS, &q);
	HAS(text, "instance");
	HAS(text, "owner        recv pid=4242 fd=5 found_by=ring\n");
	HAS(text, "owner        a b pid=4300 fd=- found_by=registered-ring\n");
	HAS(text, "area_bytes=32M buf_bytes=16K bufs=2048 free_bufs=1021 held_bufs=-");
	HAS(text, "users=2");
	HAS(text, "received     zc_bytes_per_s=4K copied_bytes_per_s=4 copied_queue_bytes=7 "
		  "alloc_fails=- reconfigs=3");
	free(text);
}

static void test_plain_queue_has_no_details(void **state)
{
	struct zcq_queue q = { .id = 0, .listed = true };
	char *text = show(ZCQ_OUT_LINE, DETAILS, &q);

	assert_string_equal(text, "");
	free(text);
	text = show(ZCQ_OUT_JSON, QUEUE, &q);
	HAS(text, "\"provider\":\"none\"");
	HAS(text, "\"owner\":null");
	free(text);
	/* down, or an old kernel: nobody said there is none */
	q.listed = false;
	text = show(ZCQ_OUT_JSON, QUEUE, &q);
	HAS(text, "\"provider\":null");
	free(text);
}

static void test_owner_not_visible(void **state)
{
	struct zcq_queue q;
	char *text;

	bound_queue(&q);
	q.n_insts = 0;
	q.owner_state = ZCQ_OWNER_NOT_VISIBLE;
	text = show(ZCQ_OUT_LINE, DETAILS, &q);
	HAS(text, "provider     io_uring owner not visible");
	free(text);
	text = show(ZCQ_OUT_JSON, QUEUE, &q);
	HAS(text, "\"owner\":\"not visible\"");
	free(text);
	q.owner_state = ZCQ_OWNER_UNKNOWN;
	text = show(ZCQ_OUT_LINE, DETAILS, &q);
	HAS(text, "owner=-");
	free(text);
}

static void test_row(void **state)
{
	struct zcq_queue q;
	char *text;

	bound_queue(&q);
	text = show(ZCQ_OUT_TABLE, QUEUE, &q);
	assert_string_equal(text, "QUEUE NAPI CPU PROVIDER RSS% RULES PACKETS BYTES PKT/S BYTE/S\n"
				  "    1    -   - io_uring 12.5     -       -     -     -      -\n");
	free(text);
}

static void test_netdev(void **state)
{
	char *text = show(ZCQ_OUT_JSON, NETDEV, NULL);

	HAS(text, "\"tcp_data_split\":null");
	HAS(text, "\"ntuple\":null");
	free(text);
	text = show(ZCQ_OUT_LINE, NETDEV, NULL);
	HAS(text, "netdev       eth0 driver=mlx5_core");
	assert_null(strstr(text, "tcp_data_split"));
	free(text);
}

static void test_summary(void **state)
{
	struct zcq_snapshot s = { .lost_known = true };
	char *text = NULL;
	struct zcq_out *out;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	s.lost[ZCQ_SUBJECT_ZCRX].map_full = 7;
	out = zcq_out_new(f, ZCQ_OUT_JSON, NULL, false);
	zcq_show_summary(out, &s);
	s.lost_known = false;
	memset(s.lost, 0, sizeof(s.lost));
	zcq_show_summary(out, &s);
	zcq_out_free(out);
	fclose(f);
	HAS(text, "\"lost\":7,\"unreadable\":0,\"lost_by\":[{\"subject\":\"zcrx\",\"ring_full\":0,"
		  "\"map_full\":7,\"missed\":0,\"unreadable\":0}]");
	HAS(text, "\"lost\":null,\"unreadable\":null,\"lost_by\":[]");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_of_bound_queue),
		cmocka_unit_test(test_details_of_bound_queue),
		cmocka_unit_test(test_plain_queue_has_no_details),
		cmocka_unit_test(test_owner_not_visible),
		cmocka_unit_test(test_row),
		cmocka_unit_test(test_netdev),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
