// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The join from facts to a snapshot: a host with a NIC of four queues (one with a zcrx
 * instance of two owners), a second NIC that is down, and a netkit that leases a queue.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lib/model/model.h"
#include "lib/nic/uapi.h"

#define NETNS	4026531840U
#define ETH0	7U
#define ETH1	5U
#define NK0	11U

#define SET(in, field, array) \
	((in)->field = (struct zcq_array){ .v = (array), .n = sizeof(array) / sizeof((array)[0]) })

static struct zcq_nic_link links[] = {
	{ .ifindex = ETH0, .name = "eth0", .driver = "mlx5_core", .bus_addr = "0000:01:00.0", .up = true },
	{ .ifindex = NK0, .name = "nk0", .kind = "netkit", .up = true },
	{ .ifindex = ETH1, .name = "eth1", .driver = "mlx5_core", .bus_addr = "0000:01:00.1" },
};

static struct zcq_nic_queue queues[] = {
	{ .ifindex = ETH0, .id = 0, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8193 } },
	{ .ifindex = ETH0, .id = 1, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8194 },
	  .io_uring = true, .rx_buf_len = { true, 16384 } },
	{ .ifindex = ETH0, .id = 2, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8195 },
	  .dmabuf = { true, 3 } },
	{ .ifindex = ETH0, .id = 3, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8196 },
	  .io_uring = true, .leased = true, .lease_ifindex = NK0, .lease_queue = 1 },
	{ .ifindex = ETH0, .id = 0, .type = ZCQ_QUEUE_TX, .napi_id = { true, 8193 } },
	{ .ifindex = NK0, .id = 0, .type = ZCQ_QUEUE_RX },
	{ .ifindex = NK0, .id = 1, .type = ZCQ_QUEUE_RX, .io_uring = true },
};

static struct zcq_model_rx_count rx_counts[] = { { .ifindex = ETH1, .n = 2 } };

static struct zcq_nic_napi napis[] = {
	{ .ifindex = ETH0, .id = 8194, .irq = { true, 41 } },
	{ .ifindex = ETH0, .id = 8193, .irq = { true, 40 }, .pid = { true, 331 } },
};

static struct zcq_model_irq irqs[] = { { 40, "0" }, { 41, "2-3" } };

static struct zcq_nic_pool pools[] = {
	{ .id = 9, .ifindex = ETH0, .napi_id = { true, 8194 }, .io_uring = true,
	  .inflight = { true, 4099 } },
	{ .id = 8, .ifindex = ETH0, .napi_id = { true, 8193 }, .inflight = { true, 0 } },
	{ .id = 7, .ifindex = ETH0, .detach_s = { true, 900 } },
	{ .id = 3, .detach_s = { true, 1001 } },
};

static struct zcq_nic_qstats before[] = {
	{ .ifindex = ETH0, .type = ZCQ_QUEUE_RX, .queue = 0, .rx_pkts = { true, 100 } },
	{ .ifindex = ETH0, .type = ZCQ_QUEUE_RX, .queue = 1, .rx_pkts = { true, 1000 },
	  .rx_bytes = { true, 5000 } },
};

static struct zcq_nic_qstats after[] = {
	{ .ifindex = ETH0, .type = ZCQ_QUEUE_TX, .queue = 1, .rx_pkts = { true, 77 } },
	{ .ifindex = ETH0, .type = ZCQ_QUEUE_RX, .queue = 1, .rx_pkts = { true, 1211 },
	  .rx_bytes = { true, 7003 } },
	/* the queue was reconfigured: its counter began anew */
	{ .ifindex = ETH0, .type = ZCQ_QUEUE_RX, .queue = 0, .rx_pkts = { true, 13 } },
};

static uint32_t table0[] = { 0, 2, 0, 2, 0, 2, 0, 1 }, table1[] = { 1, 1, 1, 9 };

static struct zcq_nic_rss rss[] = {
	{ .ifindex = ETH0, .context = 0, .indir = table0, .n_indir = 8 },
	{ .ifindex = ETH0, .context = 1, .indir = table1, .n_indir = 4 },
};

static struct zcq_nic_rule_info rule_infos[] = {
	{ .ifindex = ETH0, .rules = { true, 3 } }, { .ifindex = ETH1 }, { .ifindex = NK0 },
};

static struct zcq_nic_rule rules[] = {
	{ .ifindex = ETH0, .location = 5, .action = ZCQ_RULE_QUEUE, .queue = 1 },
	{ .ifindex = ETH0, .location = 6, .action = ZCQ_RULE_CONTEXT, .queue = 0, .context = 1 },
	{ .ifindex = ETH0, .location = 7, .action = ZCQ_RULE_DROP },
};

static struct zcq_instance instances[] = {
	{ .instance = 0xa1, .ring = 0x11, .queue = { NETNS, ETH0, 1, 0 }, .ifname = "eth0",
	  .owner = { 4242, 4242, "recv" }, .fd = 5, .found_by = ZCQ_FOUND_RING_FD,
	  .areas = 1, .buf_bytes = 16384, .area_bytes = 1 << 25, .bufs = 2048, .free_bufs = 1021,
	  .held_bufs = 17, .flags = ZCQ_INSTANCE_HELD_OK, .refill_entries = 4096, .refill_pending = 2 },
	/* the same ring, found by a second thread; then a second process that shares it */
	{ .instance = 0xa1, .ring = 0x11, .queue = { NETNS, ETH0, 1, 0 }, .ifname = "eth0",
	  .owner = { 4242, 4243, "recv-io" }, .fd = 5, .found_by = ZCQ_FOUND_RING_FD },
	{ .instance = 0xa1, .ring = 0, .queue = { NETNS, ETH0, 1, 0 }, .ifname = "eth0",
	  .owner = { 4300, 4300, "worker" }, .fd = 9, .found_by = ZCQ_FOUND_EXPORTED_FD },
	/* one of another namespace with the same numbers, one without netdev, one on a netdev down */
	{ .instance = 0xa2, .ring = 0x12, .queue = { NETNS + 1, ETH0, 1, 0 }, .ifname = "eth0",
	  .owner = { 99, 99, "foreign" } },
	{ .instance = 0xa3, .ring = 0x13, .queue = { 0, 0, ZCQ_NO_QUEUE, 0 }, .owner = { 50, 50, "copy" },
	  .flags = ZCQ_INSTANCE_NODEV },
	{ .instance = 0xa4, .ring = 0x14, .queue = { NETNS, ETH1, 1, 0 }, .ifname = "eth1",
	  .owner = { 60, 60, "waits" }, .buf_bytes = 4096 },
};

static struct zcq_ifq bound[] = {
	{ .queue = { NETNS, ETH0, 2, 0 }, .ifname = "eth0", .owner = { 70, 70, "ncdevmem" },
	  .provider = ZCQ_PROVIDER_DMABUF, .buf_bytes = 4096, .bound_ns = 1 },
	/* put there by the iterators: nobody saw this bind */
	{ .queue = { NETNS, ETH0, 1, 0 }, .ifname = "eth0", .owner = { 4242, 4242, "recv" },
	  .provider = ZCQ_PROVIDER_IO_URING },
};

static struct zcq_model_count counts[] = {
	{ .queue = { NETNS, ETH0, 1, 0 },
	  .c = { .zc_bytes = 4000, .copied_bytes = { [ZCQ_COPY_QUEUE] = 7, [ZCQ_COPY_LINEAR] = 4 },
		 .alloc_fails = 3, .reconfigs = 2 } },
	{ .queue = { NETNS, ETH0, ZCQ_NO_QUEUE, 0 }, .c = { .reconfigs = 5 } },
	{ .queue = { NETNS + 1, ETH0, 1, 0 }, .c = { .zc_bytes = 1000000 } },
	/* had a provider for a moment only */
	{ .queue = { NETNS, ETH0, 0, 0 }, .c = { .zc_bytes = 11 } },
};

static void fill(struct zcq_model_inputs *in)
{
	memset(in, 0, sizeof(*in));
	in->netns = NETNS;
	in->boottime_s = 1000;
	SET(in, links, links);
	SET(in, queues, queues);
	SET(in, rx_counts, rx_counts);
	SET(in, napis, napis);
	SET(in, irqs, irqs);
	SET(in, pools, pools);
	SET(in, qstats, after);
	SET(in, rss, rss);
	SET(in, rule_infos, rule_infos);
	SET(in, rules, rules);
}

static void fill_bpf(struct zcq_model_inputs *in)
{
	in->instances_known = true;
	SET(in, instances, instances);
	SET(in, bound, bound);
}

static void fill_interval(struct zcq_model_inputs *in)
{
	in->interval_ns = 500000000;
	in->stats_ns = 1000000000;
	SET(in, qstats_before, before);
	SET(in, counts, counts);
	in->measured = (struct zcq_model_measured) {
		.zc_bytes = true, .copied_bytes = true, .alloc_fails = true, .reconfigs = true,
		.mlx5_reopens = true,
	};
}

static struct zcq_snapshot *join(const struct zcq_model_inputs *in)
{
	struct zcq_snapshot *snap = NULL;

	assert_int_equal(zcq_model_join(in, &snap), 0);
	assert_non_null(snap);
	return snap;
}

static void test_frame(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;

	fill(&in);
	snap = join(&in);
	assert_int_equal(snap->n_netdevs, 3);
	assert_string_equal(snap->netdevs[0].name, "eth1");
	assert_null(zcq_snapshot_netdev(snap, "eth2"));

	nd = zcq_snapshot_netdev(snap, "eth0");
	assert_int_equal(nd->n_queues, 4);
	assert_int_equal(nd->queues[0].provider, ZCQ_PROVIDER_NONE);
	assert_int_equal(nd->queues[0].napi_pid.v, 331);
	assert_string_equal(nd->queues[0].cpus, "0");
	assert_int_equal(nd->queues[1].provider, ZCQ_PROVIDER_IO_URING);
	assert_int_equal(nd->queues[1].buf_bytes.v, 16384);
	assert_int_equal(nd->queues[1].irq.v, 41);
	assert_string_equal(nd->queues[1].cpus, "2-3");
	assert_int_equal(nd->queues[2].provider, ZCQ_PROVIDER_DMABUF);
	assert_int_equal(nd->queues[2].dmabuf.v, 3);
	assert_false(nd->queues[2].irq.known);
	assert_string_equal(nd->queues[2].cpus, "");

	/* down: its queues are counted, nothing is claimed about them */
	nd = zcq_snapshot_netdev(snap, "eth1");
	assert_false(nd->up);
	assert_int_equal(nd->n_queues, 2);
	assert_false(nd->queues[0].listed);
	assert_false(nd->queues[0].napi_id.known);
	assert_false(nd->queues[0].rules_known);
	zcq_snapshot_free(snap);
}

static void test_unmeasured_is_unknown(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_queue *q;

	fill(&in);
	snap = join(&in);
	q = &zcq_snapshot_netdev(snap, "eth0")->queues[1];
	assert_int_equal(q->pkts.v, 1211);
	assert_false(q->rates.pkts.known);
	assert_false(q->rates.zc_bytes.known);
	assert_false(q->rates.reconfigs.known);
	assert_false(zcq_snapshot_netdev(snap, "eth0")->reopens.known);
	/* bound, but nothing could look for the owner */
	assert_int_equal(q->owner_state, ZCQ_OWNER_UNKNOWN);
	assert_false(zcq_snapshot_netdev(snap, "eth0")->queues[3].pkts.known);
	zcq_snapshot_free(snap);
}

static void test_rates(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;
	struct zcq_rates *r;

	fill(&in);
	fill_interval(&in);
	snap = join(&in);
	nd = zcq_snapshot_netdev(snap, "eth0");
	r = &nd->queues[1].rates;
	assert_int_equal(r->pkts.v, 211);
	/* each rate by the time between its own readings */
	assert_int_equal(zcq_snapshot_rate(r->pkts, snap->stats_ns).v, 211);
	assert_int_equal(zcq_snapshot_rate(r->zc_bytes, snap->interval_ns).v, 8000);
	assert_int_equal(r->bytes.v, 2003);
	assert_int_equal(r->zc_bytes.v, 4000);
	assert_int_equal(r->copied_bytes.v, 11);
	assert_int_equal(r->copied_by[ZCQ_COPY_QUEUE].v, 7);
	assert_true(r->copied_by[ZCQ_COPY_PAGE].known);
	assert_int_equal(r->copied_by[ZCQ_COPY_PAGE].v, 0);
	assert_int_equal(r->alloc_fails.v, 3);
	assert_int_equal(r->reconfigs.v, 2);
	assert_int_equal(nd->reopens.v, 5);

	assert_int_equal(nd->queues[0].rates.pkts.v, 13);
	assert_false(nd->queues[0].rates.bytes.known);
	assert_int_equal(nd->queues[0].rates.zc_bytes.v, 11);
	assert_false(nd->queues[0].rates.copied_bytes.known);
	assert_true(nd->queues[0].rates.reconfigs.known);
	/* devmem was not watched; a queue with a provider that counted nothing has 0 */
	assert_false(nd->queues[2].rates.zc_bytes.known);
	assert_true(nd->queues[3].rates.zc_bytes.known);
	assert_int_equal(nd->queues[3].rates.zc_bytes.v, 0);
	zcq_snapshot_free(snap);
}

static void test_instances(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;
	struct zcq_inst *inst;

	fill(&in);
	fill_bpf(&in);
	snap = join(&in);
	nd = zcq_snapshot_netdev(snap, "eth0");
	assert_int_equal(nd->queues[1].owner_state, ZCQ_OWNER_FOUND);
	assert_int_equal(nd->queues[1].n_insts, 1);
	inst = nd->queues[1].insts[0];
	assert_int_equal(inst->n_owners, 2);
	assert_string_equal(inst->owners[0].task.comm, "recv");
	assert_int_equal(inst->owners[1].task.pid, 4300);
	assert_int_equal(inst->held_bufs.v, 17);
	assert_int_equal(inst->free_bufs.v, 1021);
	assert_int_equal(nd->queues[1].binder.task.pid, 0);

	/* a dmabuf's owner is known from the bind alone */
	assert_int_equal(nd->queues[2].owner_state, ZCQ_OWNER_FOUND);
	assert_int_equal(nd->queues[2].binder.task.pid, 70);
	assert_int_equal(nd->queues[2].buf_bytes.v, 4096);
	/* bound, looked for, not found */
	assert_int_equal(nd->queues[3].owner_state, ZCQ_OWNER_NOT_VISIBLE);
	assert_int_equal(nd->queues[0].owner_state, ZCQ_OWNER_NONE);

	nd = zcq_snapshot_netdev(snap, "eth1");
	assert_int_equal(nd->queues[1].provider, ZCQ_PROVIDER_IO_URING);
	assert_int_equal(nd->queues[1].owner_state, ZCQ_OWNER_FOUND);
	assert_int_equal(nd->queues[1].buf_bytes.v, 4096);
	assert_false(nd->queues[1].insts[0]->held_bufs.known);
	/* two on netdevs of ours and the one without; not the foreign one */
	assert_int_equal(snap->n_insts, 3);
	zcq_snapshot_free(snap);
}

static void test_rules_and_rss(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;

	fill(&in);
	snap = join(&in);
	nd = zcq_snapshot_netdev(snap, "eth0");
	assert_int_equal(nd->n_rules.v, 3);
	assert_int_equal(nd->queues[1].n_rules, 1);
	assert_int_equal(nd->queues[1].rules[0].location, 5);
	/* a rule to a context or to nowhere does not point at queue 0 */
	assert_int_equal(nd->queues[0].n_rules, 0);
	assert_true(nd->queues[0].rules_known);

	assert_int_equal(nd->queues[0].rss_entries.v, 4);
	assert_int_equal(nd->queues[0].rss_of.v, 8);
	assert_int_equal(nd->queues[1].rss_entries.v, 1);
	assert_true(nd->queues[3].rss_entries.known);
	assert_int_equal(nd->queues[3].rss_entries.v, 0);
	assert_int_equal(nd->queues[1].n_rss, 1);
	assert_int_equal(nd->queues[1].rss[0].context, 1);
	assert_int_equal(nd->queues[1].rss[0].entries, 3);
	assert_int_equal(nd->queues[0].n_rss, 0);
	assert_false(zcq_snapshot_netdev(snap, "nk0")->queues[0].rss_entries.known);
	zcq_snapshot_free(snap);
}

static void test_lease(void **state)
{
	struct zcq_instance via_netkit[] = {
		{ .instance = 0xb1, .ring = 0x21, .queue = { NETNS, NK0, 1, 0 }, .ifname = "nk0",
		  .owner = { 80, 80, "in-pod" } },
	};
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_queue *phys, *virt;

	fill(&in);
	in.instances_known = true;
	SET(&in, instances, via_netkit);
	snap = join(&in);
	phys = &zcq_snapshot_netdev(snap, "eth0")->queues[3];
	virt = &zcq_snapshot_netdev(snap, "nk0")->queues[1];
	assert_true(phys->lease.present && phys->lease.to);
	assert_string_equal(phys->lease.name, "nk0");
	assert_int_equal(phys->lease.queue, 1);
	assert_true(virt->lease.present && !virt->lease.to);
	assert_string_equal(virt->lease.name, "eth0");
	assert_int_equal(virt->lease.queue, 3);
	/* found under either name, it feeds both ends */
	assert_int_equal(phys->n_insts, 1);
	assert_int_equal(virt->n_insts, 1);
	assert_int_equal(phys->owner_state, ZCQ_OWNER_FOUND);
	assert_false(zcq_snapshot_netdev(snap, "nk0")->queues[0].lease.present);
	zcq_snapshot_free(snap);
}

static void test_lease_into_namespace(void **state)
{
	struct zcq_nic_queue leased[] = {
		{ .ifindex = ETH0, .id = 0, .type = ZCQ_QUEUE_RX, .leased = true, .lease_ifindex = 3,
		  .lease_queue = 1, .lease_netns_id = { true, 4 } },
		{ .ifindex = ETH0, .id = 1, .type = ZCQ_QUEUE_RX, .leased = true, .lease_ifindex = 4,
		  .lease_queue = 1, .lease_netns_id = { true, 4 } },
	};
	struct zcq_model_lease_name names[] = { { 4, 3, "nk-pod" } };
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;

	fill(&in);
	SET(&in, queues, leased);
	SET(&in, lease_names, names);
	snap = join(&in);
	nd = zcq_snapshot_netdev(snap, "eth0");
	assert_string_equal(nd->queues[0].lease.name, "nk-pod");
	assert_int_equal(nd->queues[0].lease.netns_id.v, 4);
	assert_string_equal(nd->queues[1].lease.name, "");
	zcq_snapshot_free(snap);
}

static void test_pools(void **state)
{
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;
	struct zcq_netdev *nd;

	fill(&in);
	snap = join(&in);
	nd = zcq_snapshot_netdev(snap, "eth0");
	assert_int_equal(nd->n_pools, 3);
	assert_int_equal(nd->pools[0].id, 8);
	assert_int_equal(nd->pools[0].queue.v, 0);
	assert_int_equal(nd->pools[1].id, 9);
	assert_int_equal(nd->pools[1].provider, ZCQ_PROVIDER_IO_URING);
	assert_int_equal(nd->pools[1].inflight.v, 4099);
	assert_false(nd->pools[1].detached_s.known);
	assert_int_equal(nd->pools[2].id, 7);
	assert_false(nd->pools[2].queue.known);
	assert_int_equal(nd->pools[2].detached_s.v, 100);
	assert_int_equal(snap->n_orphans, 1);
	/* a clock that is a second behind gives no age of centuries */
	assert_int_equal(snap->orphans[0].detached_s.v, 0);
	zcq_snapshot_free(snap);
}

/* Two queues served by one NAPI: which of them the pool feeds can't be told. */
static void test_pool_of_shared_napi(void **state)
{
	struct zcq_nic_queue shared[] = {
		{ .ifindex = ETH0, .id = 0, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8193 } },
		{ .ifindex = ETH0, .id = 1, .type = ZCQ_QUEUE_RX, .napi_id = { true, 8193 } },
	};
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;

	fill(&in);
	SET(&in, queues, shared);
	snap = join(&in);
	assert_false(zcq_snapshot_netdev(snap, "eth0")->pools[0].queue.known);
	zcq_snapshot_free(snap);
}

static void test_nonsense(void **state)
{
	struct zcq_nic_queue odd[] = {
		{ .ifindex = 999, .id = 0, .type = ZCQ_QUEUE_RX },
		{ .ifindex = ETH0, .id = 4000000000U, .type = ZCQ_QUEUE_RX },
		{ .ifindex = ETH0, .id = 0, .type = 7 },
		{ .ifindex = ETH0, .id = 0, .type = ZCQ_QUEUE_RX, .leased = true,
		  .lease_ifindex = ETH0, .lease_queue = 77 },
	};
	struct zcq_model_inputs in;
	struct zcq_snapshot *snap;

	fill(&in);
	fill_bpf(&in);
	fill_interval(&in);
	SET(&in, queues, odd);
	snap = join(&in);
	assert_int_equal(zcq_snapshot_netdev(snap, "eth0")->n_queues, 1);
	zcq_snapshot_free(snap);

	memset(&in, 0, sizeof(in));
	snap = join(&in);
	assert_int_equal(snap->n_netdevs, 0);
	zcq_snapshot_free(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_unmeasured_is_unknown),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_rules_and_rss),
		cmocka_unit_test(test_lease),
		cmocka_unit_test(test_lease_into_namespace),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_pool_of_shared_napi),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
