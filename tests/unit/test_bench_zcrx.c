// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of the zero-copy receiver that need no kernel: refill ring arithmetic, where data
 * lies, what an errno may mean, the histogram, the verdict.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/explain.h"
#include "bench/result.h"
#include "bench/zcrx.h"
#include "cmd.h"
#include "lib/log.h"

#define ENTRIES	8

struct fixture {
	struct zcq_zcrx z;
	uint32_t head, tail;
	struct zcq_zcrx_rqe rqes[ENTRIES];
	uint8_t area[16 * 4096];
};

static void init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->z.nr_entries = ENTRIES;
	f->z.nr_bufs = 16;
	f->z.rx_buf_len = 4096;
	f->z.khead = &f->head;
	f->z.ktail = &f->tail;
	f->z.rqes = f->rqes;
	f->z.area = f->area;
	f->z.token = 3ULL << ZCQ_ZCRX_AREA_SHIFT;
}

static void refill_ring_fills_and_wraps(void **state)
{
	struct fixture f;
	uint32_t i;

	(void)state;
	init(&f);
	/* Close to where the 32-bit counters wrap. */
	f.head = f.tail = f.z.tail = UINT32_MAX - 2;
	for (i = 0; i < ENTRIES; i++)
		assert_true(zcq_zcrx_put(&f.z, i * 4096, 100 + i));
	assert_int_equal(f.tail, (uint32_t)(UINT32_MAX - 2 + ENTRIES));
	assert_int_equal(zcq_zcrx_pending(&f.z), ENTRIES);
	assert_false(zcq_zcrx_put(&f.z, 0, 1));
	for (i = 0; i < ENTRIES; i++) {
		const struct zcq_zcrx_rqe *rqe = &f.rqes[(UINT32_MAX - 2 + i) % ENTRIES];

		assert_int_equal(rqe->off, f.z.token | i * 4096);
		assert_int_equal(rqe->len, 100 + i);
	}
	f.head += 3;	/* the kernel took three */
	assert_int_equal(zcq_zcrx_pending(&f.z), ENTRIES - 3);
	for (i = 0; i < 3; i++)
		assert_true(zcq_zcrx_put(&f.z, 0, 1));
	assert_false(zcq_zcrx_put(&f.z, 0, 1));
}

static void data_stays_inside_the_area(void **state)
{
	struct fixture f;
	uint64_t t;

	(void)state;
	init(&f);
	t = f.z.token;
	assert_ptr_equal(zcq_zcrx_data(&f.z, t, 4096), f.area);
	assert_ptr_equal(zcq_zcrx_data(&f.z, t | (15 * 4096 + 4095), 1), f.area + 15 * 4096 + 4095);
	assert_null(zcq_zcrx_data(&f.z, t | (15 * 4096 + 4095), 2));
	assert_null(zcq_zcrx_data(&f.z, t | (16 * 4096), 0));
	assert_null(zcq_zcrx_data(&f.z, t | ZCQ_ZCRX_AREA_OFF_MASK, 1));
	assert_null(zcq_zcrx_data(&f.z, 0, 1));	/* another area */
	assert_int_equal(zcq_zcrx_buf(&f.z, t | (15 * 4096 + 4095)), 15);
}

static struct zcq_reasons reasons(int err, const struct zcq_zcrx_cfg *cfg,
				  const struct zcq_nic_state *state)
{
	struct zcq_reasons r;

	zcq_explain_reasons(-err, cfg, state, &r);
	return r;
}

static void registrations_are_explained(void **state)
{
	static const int with_netdev[] = {
		EPERM, ENODEV, EFAULT, EINVAL, EEXIST, EBUSY, EOPNOTSUPP, ENETDOWN, ERANGE, ENOMEM,
	};
	struct zcq_zcrx_cfg dev = { .ifname = "eth0" }, big = { .ifname = "eth0", .rx_buf_len = 16384 };
	struct zcq_zcrx_cfg nodev = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(with_netdev) / sizeof(with_netdev[0]); i++)
		assert_true(reasons(with_netdev[i], &dev, NULL).n > 0);
	assert_non_null(strstr(reasons(EINVAL, &dev, NULL).texts[0], "tcp-data-split on"));
	assert_false(reasons(EINVAL, &dev, NULL).certain);
	assert_int_equal(reasons(EINVAL, &nodev, NULL).n, 1);
	assert_int_equal(reasons(ENODEV, &nodev, NULL).n, 0);
	/* A length that nobody asked for is nobody's mistake. */
	assert_true(reasons(EOPNOTSUPP, &big, NULL).n > reasons(EOPNOTSUPP, &dev, NULL).n);
	assert_true(reasons(ERANGE, &big, NULL).n > reasons(ERANGE, &dev, NULL).n);
}

static void certain(int err, const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s,
		    const char *text)
{
	struct zcq_reasons r = reasons(err, cfg, s);

	assert_true(r.certain && r.n == 1);
	assert_non_null(strstr(r.texts[0], text));
}

/* What the netdev is set to proves a reason, or takes it from the list. */
static void settings_decide_the_reason(void **state)
{
	struct zcq_nic_queue *q, fed = { .id = 7, .io_uring = true };
	struct zcq_nic_state s = {
		.link.up = true, .n_queues = 8,
		.rings = { .split = zcq_num(ZCQ_SPLIT_ON), .hds_thresh = zcq_num(0) },
		.queues = { .v = &fed, .n = 1, .size = sizeof(fed) },
	};
	struct zcq_zcrx_cfg dev = { .ifname = "eth0", .queue = 7 };
	struct zcq_reasons r;

	(void)state;
	q = s.queues.v;
	certain(EEXIST, &dev, &s, "already has a memory provider");
	q->io_uring = false;
	s.link.xdp = true;
	certain(EEXIST, &dev, &s, "XDP program");
	q->xsk = true;
	certain(EBUSY, &dev, &s, "AF_XDP");
	r = reasons(EOPNOTSUPP, &dev, &s);
	assert_false(r.certain);
	for (size_t i = 0; i < r.n; i++)
		assert_true(!strstr(r.texts[i], "no such rx queue") && !strstr(r.texts[i], "is down") &&
			    !strstr(r.texts[i], "mlx5"));
	strcpy(s.link.driver, "mlx5_core");
	assert_int_equal(reasons(EOPNOTSUPP, &dev, &s).n, r.n + 1);
	dev.queue = 8;
	certain(EOPNOTSUPP, &dev, &s, "no such rx queue");
	certain(ERANGE, &dev, &s, "no such rx queue");
	dev.queue = 7;
	s.link.up = false;
	strcpy(s.link.driver, "veth");
	assert_false(reasons(EOPNOTSUPP, &dev, &s).certain);	/* up it would not do either */
	strcpy(s.link.driver, "mlx5_core");
	certain(EOPNOTSUPP, &dev, &s, "is down");
	certain(ENETDOWN, &dev, &s, "is down");
	assert_false(reasons(EINVAL, &dev, &s).certain);
	s.rings.hds_thresh = zcq_num(100);
	certain(EINVAL, &dev, &s, "threshold");
	s.rings.split = zcq_num(ZCQ_SPLIT_OFF);
	certain(EINVAL, &dev, &s, "header split is off");
}

static void unsupported_is_told_from_failed(void **state)
{
	struct zcq_zcrx_cfg dev = { .ifname = "eth0" }, nodev = { 0 };

	(void)state;
	assert_int_equal(zcq_explain_register(-EOPNOTSUPP, &dev), ZCQ_EXIT_UNSUPPORTED);
	assert_int_equal(zcq_explain_register(-EINVAL, &nodev), ZCQ_EXIT_UNSUPPORTED);
	assert_int_equal(zcq_explain_register(-EINVAL, &dev), ZCQ_EXIT_FAILED);
	assert_int_equal(zcq_explain_register(-EEXIST, &dev), ZCQ_EXIT_FAILED);
	assert_non_null(zcq_explain_recv(-EFAULT));
	assert_null(zcq_explain_recv(-EPIPE));
}

static void sizes_are_powers_of_two(void **state)
{
	struct zcq_bench_result r = { 0 };

	(void)state;
	zcq_bench_count_size(&r, 1);
	zcq_bench_count_size(&r, 2);
	zcq_bench_count_size(&r, 3);
	zcq_bench_count_size(&r, 4);
	zcq_bench_count_size(&r, 4096);
	zcq_bench_count_size(&r, 4097);
	zcq_bench_count_size(&r, UINT32_MAX);
	assert_int_equal(r.sizes[0], 1);
	assert_int_equal(r.sizes[1], 1);
	assert_int_equal(r.sizes[2], 2);
	assert_int_equal(r.sizes[12], 1);
	assert_int_equal(r.sizes[13], 1);
	assert_int_equal(r.sizes[32], 1);
	assert_int_equal(r.reads, 7);
}

static void one_wrong_thing_is_not_ok(void **state)
{
	struct zcq_bench_result r = { .reached = true };
	struct zcq_stream s = { .fault = ZCQ_STREAM_SHORT, .fault_offset = 7 };
	int i;

	(void)state;
	assert_true(zcq_bench_ok(&r));
	r.reached = false;
	assert_false(zcq_bench_ok(&r));
	r.reached = true;
	r.failed = 1;
	assert_false(zcq_bench_ok(&r));
	r.failed = 0;
	for (i = 0; i < ZCQ_BENCH_FAULTS + 3; i++)
		zcq_bench_add_fault(&r, "192.0.2.1:7", &s);
	assert_false(zcq_bench_ok(&r));
	assert_int_equal(r.faults, ZCQ_BENCH_FAULTS + 3);
	assert_int_equal(r.first_faults[ZCQ_BENCH_FAULTS - 1].offset, 7);
	assert_string_equal(r.first_faults[0].peer, "192.0.2.1:7");
}

static void addresses_in_and_out(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "192.0.2.7", "192.0.2.7:99" },
		{ "2001:db8::7", "[2001:db8::7]:99" },
		{ "::ffff:192.0.2.7", "192.0.2.7:99" },
	};
	struct sockaddr_storage sa;
	char text[ZCQ_ADDR_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(zcq_addr_parse(cases[i].in, 99, &sa), 0);
		assert_int_equal(zcq_addr_port(&sa), 99);
		zcq_addr_format(&sa, text, sizeof(text));
		assert_string_equal(text, cases[i].out);
	}
	assert_int_equal(zcq_addr_parse("localhost", 1, &sa), -EINVAL);
	assert_int_equal(zcq_addr_parse("192.0.2.256", 1, &sa), -EINVAL);
	assert_int_equal(zcq_addr_parse("", 1, &sa), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refill_ring_fills_and_wraps),
		cmocka_unit_test(data_stays_inside_the_area),
		cmocka_unit_test(registrations_are_explained),
		cmocka_unit_test(settings_decide_the_reason),
		cmocka_unit_test(unsupported_is_told_from_failed),
		cmocka_unit_test(sizes_are_powers_of_two),
		cmocka_unit_test(one_wrong_thing_is_not_ok),
		cmocka_unit_test(addresses_in_and_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
