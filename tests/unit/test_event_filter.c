// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters, over one sample of each event: who passes which. And the interval summaries.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "event_samples.h"
#include "lib/event/filter.h"
#include "lib/event/interval.h"

static struct zcq_names *names;

static int setup(void **state)
{
	(void)state;
	names = zcq_names_new_fixed(0, OWN_NETNS);
	return names ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	zcq_names_free(names);
	return 0;
}

/* How many of the samples pass. */
static size_t passing(const struct zcq_event_filter *f)
{
	const struct zcq_event_desc *d;
	size_t n = 0;
	union sample s;

	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		sample(&s, d->type);
		n += zcq_event_match(f, names, &s);
	}
	return n;
}

static bool passes(const struct zcq_event_filter *f, unsigned int type)
{
	union sample s;

	sample(&s, type);
	return zcq_event_match(f, names, &s);
}

static const struct zcq_event_filter any = { .types = ~0ULL, .queue = ZCQ_NO_QUEUE };

static size_t n_events(void)
{
	size_t n = 0;

	while (zcq_event_nth(n))
		n++;
	return n;
}

static void test_types(void **state)
{
	struct zcq_strv list = { 0 };
	const char *bad = NULL;
	uint64_t types;

	(void)state;
	assert_int_equal(zcq_event_types(&list, false, &types, &bad), 0);
	assert_true(types & (1ULL << ZCQ_EVENT_BOUND));
	assert_false(types & (1ULL << ZCQ_EVENT_BUFFER));
	assert_int_equal(zcq_event_types(&list, true, &types, &bad), 0);
	assert_true(types & (1ULL << ZCQ_EVENT_BUFFER));
	zcq_strv_add(&list, "bound", 5);
	zcq_strv_add(&list, "copied", 6);
	assert_int_equal(zcq_event_types(&list, false, &types, &bad), 0);
	assert_int_equal(types, 1ULL << ZCQ_EVENT_BOUND | 1ULL << ZCQ_EVENT_COPIED);
	zcq_strv_add(&list, "bond", 4);
	assert_int_equal(zcq_event_types(&list, false, &types, &bad), -EINVAL);
	assert_string_equal(bad, "bond");
	zcq_strv_free(&list);
}

static void test_any(void **state)
{
	struct zcq_event_filter f = any;

	(void)state;
	assert_int_equal(passing(&f), n_events());
	f.types = 1ULL << ZCQ_EVENT_BOUND;
	assert_int_equal(passing(&f), 1);
}

static void test_queue(void **state)
{
	struct zcq_event_filter f = any;

	(void)state;
	f.queue = 3;
	/* all but control, which names none, and the dmabuf pair passes as of the whole netdev */
	assert_int_equal(passing(&f), n_events() - 1);
	f.queue = 0;
	assert_true(passes(&f, ZCQ_EVENT_COPIED));	/* seen there */
	assert_false(passes(&f, ZCQ_EVENT_BOUND));
	assert_int_equal(passing(&f), 1);
}

/* eth0's queue 3 and queue 0 of another netdev are not eth0's queue 0. */
static void test_netdev_and_queue_of_one_place(void **state)
{
	struct zcq_strv list = { 0 };
	struct zcq_event_filter f = any;
	union sample s;

	(void)state;
	f.netdevs = &list;
	zcq_strv_add(&list, "eth0@net:4026532000", 19);
	sample(&s, ZCQ_EVENT_COPIED);
	s.copied.seen_ifindex = 9;
	f.queue = 0;
	assert_false(zcq_event_match(&f, names, &s));
	f.queue = 3;
	assert_true(zcq_event_match(&f, names, &s));
	zcq_strv_free(&list);
}

static void test_unknown_queue_is_no_whole_netdev(void **state)
{
	struct zcq_event_filter f = any;
	union sample s;

	(void)state;
	f.queue = 5;
	sample(&s, ZCQ_EVENT_COPIED);
	s.copied.seen_rxq = ZCQ_NO_QUEUE;
	assert_false(zcq_event_match(&f, names, &s));
	sample(&s, ZCQ_EVENT_FLOW_STARTED);
	s.flow.flow.seen_ifindex = 7;
	s.flow.flow.seen_rxq = ZCQ_NO_QUEUE;
	assert_false(zcq_event_match(&f, names, &s));
	s.flow.flow.seen_rxq = 5;
	assert_true(zcq_event_match(&f, names, &s));
}

static void test_whole_netdev_passes(void **state)
{
	struct zcq_event_filter f = any;
	union sample s;

	(void)state;
	f.queue = 5;
	sample(&s, ZCQ_EVENT_RECONFIGURED);
	assert_false(zcq_event_match(&f, names, &s));
	s.reconfig.queue.rxq = ZCQ_NO_QUEUE;
	assert_true(zcq_event_match(&f, names, &s));
	/* an instance without a netdev is no netdev's */
	sample(&s, ZCQ_EVENT_REGISTERED);
	s.reg.queue = (struct zcq_queue_id){ .rxq = ZCQ_NO_QUEUE };
	assert_false(zcq_event_match(&f, names, &s));
}

static void test_task(void **state)
{
	struct zcq_strv comms = { 0 };
	struct zcq_event_filter f = any;

	(void)state;
	f.pid = 211;
	assert_true(passes(&f, ZCQ_EVENT_UNBOUND));	/* as the owner */
	assert_false(passes(&f, ZCQ_EVENT_RECONFIGURED));
	assert_false(passes(&f, ZCQ_EVENT_TRAFFIC));	/* names no process */
	f.pid = 0;
	f.comms = &comms;
	zcq_strv_add(&comms, "receiver", 8);
	assert_true(passes(&f, ZCQ_EVENT_COPIED));
	assert_false(passes(&f, ZCQ_EVENT_UNSPLIT));
	zcq_strv_free(&comms);
}

static void test_netdev(void **state)
{
	struct zcq_strv list = { 0 };
	struct zcq_event_filter f = any;

	(void)state;
	f.netdevs = &list;
	zcq_strv_add(&list, "eth0", 4);
	assert_false(passes(&f, ZCQ_EVENT_BOUND));	/* that one is in another namespace */
	zcq_strv_add(&list, "eth0@net:4026532000", 19);
	assert_true(passes(&f, ZCQ_EVENT_BOUND));
	assert_false(passes(&f, ZCQ_EVENT_CONTROL));
	zcq_strv_free(&list);
}

/* --- intervals ------------------------------------------------------------------------------ */

static struct zcq_ev_interval got[8];
static size_t n_got;

static int collect(void *arg, const struct zcq_hdr *event, size_t size)
{
	(void)arg;
	assert_int_equal(size, sizeof(got[0]));
	assert_int_equal(zcq_event_check(event, size), 0);
	assert_true(n_got < 8);
	memcpy(&got[n_got++], event, size);
	return 0;
}

static struct zcq_queue_count *one_count(uint64_t zc, uint64_t copied, uint64_t fails,
					 uint64_t pkts)
{
	struct zcq_queue_count *c = calloc(1, sizeof(*c));

	c->queue = sample_queue;
	c->c.zc_bytes = zc;
	c->c.copied_bytes[ZCQ_COPY_QUEUE] = copied;
	c->c.alloc_fails = fails;
	c->c.coalesced_pkts = pkts;
	c->c.coalesced_segs = pkts * 3;
	return c;
}

static void test_interval(void **state)
{
	struct zcq_interval iv;

	(void)state;
	n_got = 0;
	zcq_interval_start(&iv, 1000, ~0ULL);
	zcq_interval_step(&iv, one_count(4099, 0, 0, 0), 1, 2000, collect, NULL);
	assert_int_equal(n_got, 1);
	assert_int_equal(got[0].hdr.type, ZCQ_EVENT_TRAFFIC);
	assert_int_equal(got[0].zc_bytes, 4099);
	assert_int_equal(got[0].interval_ns, 1000);
	/* nothing changed: nothing said */
	zcq_interval_step(&iv, one_count(4099, 0, 0, 0), 1, 3000, collect, NULL);
	assert_int_equal(n_got, 1);
	zcq_interval_step(&iv, one_count(4099, 1009, 13, 7), 1, 5000, collect, NULL);
	assert_int_equal(n_got, 4);
	assert_int_equal(got[1].zc_bytes, 0);
	assert_int_equal(got[1].copied_bytes, 1009);
	assert_int_equal(got[1].interval_ns, 2000);
	assert_int_equal(got[2].hdr.type, ZCQ_EVENT_COALESCED);
	assert_int_equal(got[2].coalesced_segs, 21);
	assert_int_equal(got[3].hdr.type, ZCQ_EVENT_ALLOC_RATE);
	assert_int_equal(got[3].alloc_fails, 13);
	zcq_interval_free(&iv);
}

static void test_interval_of_all_counters(void **state)
{
	struct zcq_queue_count *c = one_count(0, 0, 0, 5);
	struct zcq_interval iv;

	(void)state;
	n_got = 0;
	c->c.coalesced_hist[0] = 2;
	c->c.coalesced_hist[ZCQ_SEG_BUCKETS - 1] = 3;
	c->c.recv_ended[ZCQ_END_EOF] = 11;
	c->c.recv_ended[ZCQ_END_LENGTH] = 2;
	c->c.returned_bufs = 17;
	c->c.unsplit_bytes = 1009;
	zcq_interval_start(&iv, 0, 1ULL << ZCQ_EVENT_TRAFFIC | 1ULL << ZCQ_EVENT_COALESCED |
				   1ULL << ZCQ_EVENT_ALLOC_RATE);
	zcq_interval_step(&iv, c, 1, 1, collect, NULL);
	assert_int_equal(n_got, 3);
	assert_int_equal(got[0].recv_ended, 13);
	assert_int_equal(got[1].coalesced_hist[0], 2);
	assert_int_equal(got[1].coalesced_hist[ZCQ_SEG_BUCKETS - 1], 3);
	assert_int_equal(got[1].unsplit_bytes, 1009);
	assert_int_equal(got[2].returned_bufs, 17);
	zcq_interval_free(&iv);
	/* what is not wanted is not made, and so not held back either */
	n_got = 0;
	zcq_interval_start(&iv, 0, 1ULL << ZCQ_EVENT_COALESCED);
	zcq_interval_step(&iv, one_count(1, 1, 1, 1), 1, 1, collect, NULL);
	assert_int_equal(n_got, 1);
	zcq_interval_free(&iv);
}

/* --- numbers -------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
	const uint64_t first = 0xffff888000000000ULL, step = 64, n = 100003;

	(void)state;
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_BUFFER, 0), 0);
	/* downwards, which moved everything in a sorted array */
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_BUFFER, first + (n - i) * step),
				 i + 1);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_BUFFER, first + (n - i) * step),
				 i + 1);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_RING, first + step), 1);
}

static int refuse(void *arg, const struct zcq_hdr *event, size_t size)
{
	(void)arg, (void)event, (void)size;
	return -EPIPE;
}

static void test_interval_error(void **state)
{
	struct zcq_interval iv;

	(void)state;
	zcq_interval_start(&iv, 0, ~0ULL);
	assert_int_equal(zcq_interval_step(&iv, one_count(1, 1, 1, 1), 1, 1, refuse, NULL), -EPIPE);
	zcq_interval_free(&iv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_netdev_and_queue_of_one_place),
		cmocka_unit_test(test_unknown_queue_is_no_whole_netdev),
		cmocka_unit_test(test_whole_netdev_passes),
		cmocka_unit_test(test_task),
		cmocka_unit_test(test_netdev),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_interval_of_all_counters),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_interval_error),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
