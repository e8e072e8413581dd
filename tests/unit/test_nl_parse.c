// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects read from recorded answers of real kernels, and from attributes put together
 * here for what the recordings lack: leases, longer and unknown attributes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "nl_replay.h"
#include "lib/nic/ethtool.h"
#include "lib/nic/uapi.h"

static const struct zcq_nic_queue *queue(const struct zcq_array *a, uint32_t ifindex, uint32_t type,
					 uint32_t id)
{
	const struct zcq_nic_queue *q = a->v;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (q[i].ifindex == ifindex && q[i].type == type && q[i].id == id)
			return &q[i];
	return NULL;
}

static uint32_t ifindex_of(const struct zcq_array *links, const char *name)
{
	const struct zcq_nic_link *l = links->v;
	size_t i;

	for (i = 0; i < links->n; i++)
		if (!strcmp(l[i].name, name))
			return l[i].ifindex;
	return 0;
}

/* A namespace with lo (down) and veth va and vb of four queues, XDP on va. */
static void test_veth_6_18(void **state)
{
	struct zcq_array links, queues, napis, channels, features, empty;
	const struct zcq_nic_channels *ch;
	const struct zcq_nic_napi *napi;
	const struct zcq_nic_link *link;
	struct zcq_nl_end end;
	uint32_t va, id;

	assert_true(nl_replay("linux-6.18-veth-links.bin", NULL, &links, &end));
	assert_true(end.done);
	assert_int_equal(links.n, 3);
	va = ifindex_of(&links, "va");
	assert_int_not_equal(va, 0);
	for (link = links.v; link->ifindex != va; link++)
		;
	assert_string_equal(link->kind, "veth");
	assert_string_equal(link->bus_addr, "");
	assert_true(link->up);
	assert_true(link->xdp);
	assert_int_equal(link->max_rx_queues.v, 4);

	assert_true(nl_replay("linux-6.18-veth-queues.bin", &zcq_nic_queues, &queues, &end));
	assert_true(end.done);
	assert_int_equal(end.err, 0);
	assert_int_equal(queues.n, 16);
	assert_true(nl_replay("linux-6.18-veth-napis.bin", &zcq_nic_napis, &napis, &end));
	assert_int_equal(napis.n, 4);
	for (id = 0; id < 4; id++) {
		const struct zcq_nic_queue *q = queue(&queues, va, ZCQ_QUEUE_RX, id);

		assert_non_null(q);
		assert_non_null(queue(&queues, va, ZCQ_QUEUE_TX, id));
		assert_false(q->io_uring);
		assert_false(q->dmabuf.known);
		assert_false(q->leased);
	}
	for (napi = napis.v, id = 0; id < 4; id++) {
		assert_int_equal(napi[id].ifindex, va);
		assert_false(napi[id].irq.known);
		assert_false(napi[id].pid.known);
	}

	assert_true(nl_replay("linux-6.18-veth-channels.bin", &zcq_nic_channelss, &channels, &end));
	assert_int_equal(channels.n, 2);
	ch = channels.v;
	assert_int_equal(ch->rx.v, 4);
	assert_int_equal(ch->rx_max.v, 4);
	assert_false(ch->combined.known);

	assert_true(nl_replay("linux-6.18-veth-features.bin", &zcq_nic_featuress, &features, &end));
	assert_int_equal(features.n, 3);
	assert_false(((struct zcq_nic_features *)features.v)->ntuple.active);
	assert_true(((struct zcq_nic_features *)features.v)->ntuple.fixed);

	assert_true(nl_replay("linux-6.18-veth-pool-stats.bin", &zcq_nic_pool_statss, &empty, &end));
	assert_true(end.done);
	assert_int_equal(end.err, -EOPNOTSUPP);
	assert_int_equal(empty.n, 0);

	zcq_array_clear(&links, NULL);
	zcq_array_clear(&queues, NULL);
	zcq_array_clear(&napis, NULL);
	zcq_array_clear(&channels, NULL);
	zcq_array_clear(&features, NULL);
	zcq_array_clear(&empty, NULL);
}

static const struct zcq_nic_pool *pool_of(const struct zcq_array *a, uint64_t napi_id)
{
	const struct zcq_nic_pool *p = a->v;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (p[i].napi_id.known && p[i].napi_id.v == napi_id)
			return &p[i];
	return NULL;
}

/* eth0 with an instance on queue 1, queue 2 leased to nk0 and bound through it. */
static void test_mlx5_7_3_queues(void **state)
{
	const struct zcq_nic_queue *q;
	const struct zcq_nic_pool *p;
	struct zcq_array links, queues, napis, pools, stats;
	struct zcq_nl_end end;
	uint32_t eth0, nk0;

	assert_true(nl_replay("linux-7.3-mlx5-links.bin", NULL, &links, &end));
	eth0 = ifindex_of(&links, "eth0");
	nk0 = ifindex_of(&links, "nk0");
	assert_true(nl_replay("linux-7.3-mlx5-queues.bin", &zcq_nic_queues, &queues, &end));
	assert_int_equal(queues.n, 11);
	q = queue(&queues, eth0, ZCQ_QUEUE_RX, 0);
	assert_false(q->io_uring || q->leased);
	q = queue(&queues, eth0, ZCQ_QUEUE_RX, 1);
	assert_true(q->io_uring);
	assert_int_equal(q->rx_buf_len.v, 4096);
	assert_false(q->leased);
	q = queue(&queues, eth0, ZCQ_QUEUE_RX, 2);
	assert_true(q->io_uring && q->leased);
	assert_int_equal(q->lease_ifindex, nk0);
	assert_int_equal(q->lease_queue, 1);
	assert_false(q->lease_netns_id.known);
	q = queue(&queues, nk0, ZCQ_QUEUE_RX, 1);
	assert_true(q->io_uring);
	assert_false(q->leased || q->napi_id.known);

	assert_true(nl_replay("linux-7.3-mlx5-napis.bin", &zcq_nic_napis, &napis, &end));
	assert_int_equal(napis.n, 3);
	assert_true(((struct zcq_nic_napi *)napis.v)->irq.known);

	assert_true(nl_replay("linux-7.3-mlx5-pools.bin", &zcq_nic_pools, &pools, &end));
	assert_int_equal(pools.n, 4);
	p = pool_of(&pools, queue(&queues, eth0, ZCQ_QUEUE_RX, 1)->napi_id.v);
	assert_true(p->io_uring);
	assert_int_equal(p->rx_buf_len.v, 4096);
	assert_int_equal(p->inflight.v, 4032);
	assert_int_equal(p->inflight_bytes.v, 4032 * 4096);
	assert_false(p->detach_s.known);
	p = pool_of(&pools, queue(&queues, eth0, ZCQ_QUEUE_RX, 0)->napi_id.v);
	assert_false(p->io_uring);

	assert_true(nl_replay("linux-7.3-mlx5-pool-stats.bin", &zcq_nic_pool_statss, &stats, &end));
	assert_int_equal(stats.n, 4);
	assert_true(((struct zcq_nic_pool_stats *)stats.v)->empty.known);

	zcq_array_clear(&links, NULL);
	zcq_array_clear(&queues, NULL);
	zcq_array_clear(&napis, NULL);
	zcq_array_clear(&pools, NULL);
	zcq_array_clear(&stats, NULL);
}

static void test_mlx5_7_3_settings(void **state)
{
	struct zcq_array rings, features, channels, rss, qstats;
	const struct zcq_nic_features *ft;
	const struct zcq_nic_rings *r;
	const struct zcq_nic_rss *t;
	struct zcq_nl_end end;
	size_t i;

	assert_true(nl_replay("linux-7.3-mlx5-rings.bin", &zcq_nic_ringss, &rings, &end));
	assert_int_equal(rings.n, 1);
	r = rings.v;
	assert_int_equal(r->split.v, ZCQ_SPLIT_ON);
	assert_int_equal(r->hds_thresh.v, 0);
	assert_int_equal(r->rx.v, 1024);
	assert_false(r->rx_buf_len.known);

	assert_true(nl_replay("linux-7.3-mlx5-features.bin", &zcq_nic_featuress, &features, &end));
	for (ft = features.v; ft->ifindex != r->ifindex; ft++)
		;
	assert_true(ft->rx_gro_hw.active && ft->rx_gro_hw.wanted && !ft->rx_gro_hw.fixed);
	assert_true(ft->ntuple.active);

	assert_true(nl_replay("linux-7.3-mlx5-channels.bin", &zcq_nic_channelss, &channels, &end));
	assert_int_equal(((struct zcq_nic_channels *)channels.v)->combined.v, 3);
	assert_false(((struct zcq_nic_channels *)channels.v)->rx.known);

	assert_true(nl_replay("linux-7.3-mlx5-rss.bin", &zcq_nic_rsss, &rss, &end));
	assert_int_equal(rss.n, 2);
	t = rss.v;
	assert_int_equal(t[0].context, 0);
	assert_int_equal(t[1].context, 1);
	assert_int_equal(t[1].n_indir, 128);
	for (i = 0; i < 128; i++) {
		assert_int_equal(t[0].indir[i], 0);
		assert_int_equal(t[1].indir[i], 1);
	}

	assert_true(nl_replay("linux-7.3-mlx5-qstats.bin", &zcq_nic_qstatss, &qstats, &end));
	assert_int_equal(qstats.n, 6);
	assert_true(((struct zcq_nic_qstats *)qstats.v)->rx_pkts.known);

	zcq_array_clear(&rings, NULL);
	zcq_array_clear(&features, NULL);
	zcq_array_clear(&channels, NULL);
	zcq_array_clear(&rss, zcq_nic_rss_drop);
	zcq_array_clear(&qstats, NULL);
}

/* Attributes under construction. */
struct attrs {
	_Alignas(8) char buf[1024];
	size_t len;
};

static size_t put(struct attrs *a, uint16_t type, const void *data, size_t len)
{
	struct nlattr *at = (struct nlattr *)(a->buf + a->len);
	size_t start = a->len;

	at->nla_type = type;
	at->nla_len = (uint16_t)(sizeof(*at) + len);
	if (len)
		memcpy((char *)at + sizeof(*at), data, len);
	a->len += NLA_ALIGN(at->nla_len);
	return start;
}

static void put_u32(struct attrs *a, uint16_t type, uint32_t v)
{
	put(a, type, &v, sizeof(v));
}

static size_t nest(struct attrs *a, uint16_t type)
{
	return put(a, type | NLA_F_NESTED, NULL, 0);
}

static void nest_end(struct attrs *a, size_t start)
{
	((struct nlattr *)(a->buf + start))->nla_len = (uint16_t)(a->len - start);
}

static const struct nlattr *head(const struct attrs *a)
{
	return (const struct nlattr *)a->buf;
}

static void test_queue_with_provider_and_lease(void **state)
{
	struct zcq_nic_queue q = { 0 };
	struct attrs a = { .len = 0 };
	uint64_t wide = 16384;
	size_t n, inner;

	put_u32(&a, ZCQ_QUEUE_A_ID, 5);
	put_u32(&a, ZCQ_QUEUE_A_IFINDEX, 3);
	put_u32(&a, ZCQ_QUEUE_A_TYPE, ZCQ_QUEUE_RX);
	put_u32(&a, ZCQ_QUEUE_A_NAPI_ID, 8201);
	n = nest(&a, ZCQ_QUEUE_A_IO_URING);
	put(&a, ZCQ_IO_URING_A_RX_BUF_LEN, &wide, sizeof(wide));
	nest_end(&a, n);
	n = nest(&a, ZCQ_QUEUE_A_LEASE);
	inner = nest(&a, ZCQ_LEASE_A_QUEUE);
	put_u32(&a, ZCQ_QUEUE_A_ID, 1);
	put_u32(&a, ZCQ_QUEUE_A_TYPE, ZCQ_QUEUE_RX);
	nest_end(&a, inner);
	put_u32(&a, ZCQ_LEASE_A_IFINDEX, 9);
	put_u32(&a, ZCQ_LEASE_A_NETNS_ID, 0);
	nest_end(&a, n);
	put(&a, 200, "what a later kernel adds", 24);

	assert_int_equal(zcq_nic_parse_queue(head(&a), a.len, &q), 1);
	assert_int_equal(q.id, 5);
	assert_int_equal(q.ifindex, 3);
	assert_int_equal(q.napi_id.v, 8201);
	assert_true(q.io_uring);
	assert_int_equal(q.rx_buf_len.v, 16384);
	assert_true(q.leased);
	assert_int_equal(q.lease_ifindex, 9);
	assert_int_equal(q.lease_queue, 1);
	assert_true(q.lease_netns_id.known);
	assert_int_equal(q.lease_netns_id.v, 0);
	assert_false(q.xsk);
	assert_false(q.dmabuf.known);
}

/* 6.15 to 6.19 send the io-uring nest empty. */
static void test_queue_of_older_kernel(void **state)
{
	struct zcq_nic_queue q = { 0 };
	struct attrs a = { .len = 0 };

	put_u32(&a, ZCQ_QUEUE_A_ID, 5);
	put_u32(&a, ZCQ_QUEUE_A_IFINDEX, 3);
	put_u32(&a, ZCQ_QUEUE_A_TYPE, ZCQ_QUEUE_RX);
	nest(&a, ZCQ_QUEUE_A_IO_URING);
	nest(&a, ZCQ_QUEUE_A_LEASE);
	assert_int_equal(zcq_nic_parse_queue(head(&a), a.len, &q), 1);
	assert_true(q.io_uring);
	assert_false(q.rx_buf_len.known);
	assert_false(q.napi_id.known);
	assert_false(q.leased);
}

static void test_object_without_identity(void **state)
{
	struct zcq_nic_queue q = { 0 };
	struct zcq_nic_pool pool = { 0 };
	struct attrs a = { .len = 0 };

	put_u32(&a, ZCQ_QUEUE_A_IFINDEX, 3);
	assert_int_equal(zcq_nic_parse_queue(head(&a), a.len, &q), 0);
	assert_int_equal(zcq_nic_parse_pool(head(&a), a.len, &pool), 0);
	assert_int_equal(zcq_nic_parse_queue(NULL, 0, &q), 0);
}

static void test_pool(void **state)
{
	struct zcq_nic_pool pool = { 0 };
	struct attrs a = { .len = 0 };
	uint64_t mem = 1ULL << 33;

	put_u32(&a, ZCQ_POOL_A_ID, 17);
	put_u32(&a, ZCQ_POOL_A_INFLIGHT, 4099);
	put(&a, ZCQ_POOL_A_INFLIGHT_MEM, &mem, sizeof(mem));
	put_u32(&a, ZCQ_POOL_A_DETACH_TIME, 61);
	put_u32(&a, ZCQ_POOL_A_DMABUF, 2);
	assert_int_equal(zcq_nic_parse_pool(head(&a), a.len, &pool), 1);
	assert_int_equal(pool.id, 17);
	assert_int_equal(pool.ifindex, 0);
	assert_int_equal(pool.inflight.v, 4099);
	assert_int_equal(pool.inflight_bytes.v, mem);
	assert_int_equal(pool.detach_s.v, 61);
	assert_int_equal(pool.dmabuf.v, 2);
	assert_false(pool.napi_id.known);
}

static size_t header(struct attrs *a, uint32_t ifindex)
{
	size_t n = nest(a, ZCQ_ETHTOOL_A_HEADER);

	put_u32(a, ZCQ_HEADER_A_DEV_INDEX, ifindex);
	put(a, ZCQ_HEADER_A_DEV_NAME, "eth0", 5);
	nest_end(a, n);
	return n;
}

static void test_rings(void **state)
{
	struct zcq_nic_rings rings = { 0 };
	struct attrs a = { .len = 0 };
	uint8_t on = ZCQ_SPLIT_ON;

	header(&a, 4);
	put_u32(&a, ZCQ_RINGS_A_RX, 1021);
	put(&a, ZCQ_RINGS_A_TCP_DATA_SPLIT, &on, 1);
	put_u32(&a, ZCQ_RINGS_A_HDS_THRESH, 0);
	assert_int_equal(zcq_nic_parse_rings(head(&a), a.len, &rings), 1);
	assert_int_equal(rings.ifindex, 4);
	assert_int_equal(rings.split.v, ZCQ_SPLIT_ON);
	assert_true(rings.hds_thresh.known);
	assert_int_equal(rings.hds_thresh.v, 0);
	assert_false(rings.rx_buf_len.known);
}

static void test_rss(void **state)
{
	static const uint32_t table[] = { 0, 1, 2, 3, 0, 1, 2 };
	struct zcq_nic_rss rss = { 0 };
	struct attrs a = { .len = 0 };

	header(&a, 4);
	put_u32(&a, ZCQ_RSS_A_CONTEXT, 3);
	put(&a, ZCQ_RSS_A_INDIR, table, sizeof(table));
	put(&a, ZCQ_RSS_A_HKEY, "0123456789", 10);
	assert_int_equal(zcq_nic_parse_rss(head(&a), a.len, &rss), 1);
	assert_int_equal(rss.context, 3);
	assert_int_equal(rss.n_indir, 7);
	assert_memory_equal(rss.indir, table, sizeof(table));
	assert_int_equal(rss.n_key, 10);
	zcq_nic_rss_drop(&rss);
}

static void bit(struct attrs *a, const char *name)
{
	size_t n = nest(a, ZCQ_BITSET_A_BIT);

	put(a, ZCQ_BIT_A_NAME, name, strlen(name) + 1);
	nest_end(a, n);
}

static void test_features(void **state)
{
	static const int sets[] = { ZCQ_FEATURES_A_HW, ZCQ_FEATURES_A_WANTED, ZCQ_FEATURES_A_ACTIVE };
	struct zcq_nic_features ft = { 0 };
	struct attrs a = { .len = 0 };
	size_t i, set, bits;

	header(&a, 4);
	for (i = 0; i < 3; i++) {
		set = nest(&a, (uint16_t)sets[i]);
		put(&a, ZCQ_BITSET_A_NOMASK, NULL, 0);
		bits = nest(&a, ZCQ_BITSET_A_BITS);
		bit(&a, "rx-gro-hw-other");
		if (sets[i] != ZCQ_FEATURES_A_ACTIVE)
			bit(&a, "rx-gro-hw");
		nest_end(&a, bits);
		nest_end(&a, set);
	}
	assert_int_equal(zcq_nic_parse_features(head(&a), a.len, &ft), 1);
	assert_true(ft.rx_gro_hw.hw);
	assert_true(ft.rx_gro_hw.wanted);
	assert_false(ft.rx_gro_hw.active);
	assert_false(ft.rx_gro_hw.fixed);
	assert_true(ft.ntuple.fixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_veth_6_18),
		cmocka_unit_test(test_mlx5_7_3_queues),
		cmocka_unit_test(test_mlx5_7_3_settings),
		cmocka_unit_test(test_queue_with_provider_and_lease),
		cmocka_unit_test(test_queue_of_older_kernel),
		cmocka_unit_test(test_object_without_identity),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_rss),
		cmocka_unit_test(test_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
