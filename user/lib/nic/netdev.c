// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parsers of netdev-genl messages, and the dump that any table of objects (these and
 * ethtool's) is taken with. An object without its identity (ifindex, id) is passed
 * over, anything else may be missing.
 */
#include "lib/nic/netdev.h"

#include <errno.h>

#include "lib/nic/attr.h"
#include "lib/nic/uapi.h"

#define DUMP_TRIES	5

static bool take_u32(const struct nlattr *a, uint32_t *v)
{
	struct zcq_num num = zcq_attr_num(a);

	if (!num.known || num.v > UINT32_MAX)
		return false;
	*v = (uint32_t)num.v;
	return true;
}

static void take_io_uring(const struct nlattr *nest, bool *io_uring, struct zcq_num *rx_buf_len)
{
	const struct nlattr *tb[ZCQ_IO_URING_A_MAX + 1];

	if (!nest)
		return;
	*io_uring = true;
	zcq_attr_index_nest(nest, tb, ZCQ_IO_URING_A_MAX);
	*rx_buf_len = zcq_attr_num(tb[ZCQ_IO_URING_A_RX_BUF_LEN]);
}

int zcq_nic_parse_dev(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_DEV_A_MAX + 1];
	struct zcq_nic_dev *dev = out;

	zcq_attr_index(attrs, len, tb, ZCQ_DEV_A_MAX);
	if (!take_u32(tb[ZCQ_DEV_A_IFINDEX], &dev->ifindex))
		return 0;
	dev->xdp_features = zcq_attr_num(tb[ZCQ_DEV_A_XDP_FEATURES]);
	return 1;
}

static void take_lease(const struct nlattr *nest, struct zcq_nic_queue *queue)
{
	const struct nlattr *tb[ZCQ_LEASE_A_MAX + 1], *qtb[ZCQ_QUEUE_A_MAX + 1];

	zcq_attr_index_nest(nest, tb, ZCQ_LEASE_A_MAX);
	zcq_attr_index_nest(tb[ZCQ_LEASE_A_QUEUE], qtb, ZCQ_QUEUE_A_MAX);
	if (!take_u32(tb[ZCQ_LEASE_A_IFINDEX], &queue->lease_ifindex) ||
	    !take_u32(qtb[ZCQ_QUEUE_A_ID], &queue->lease_queue))
		return;
	queue->leased = true;
	queue->lease_netns_id = zcq_attr_num(tb[ZCQ_LEASE_A_NETNS_ID]);
}

int zcq_nic_parse_queue(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_QUEUE_A_MAX + 1];
	struct zcq_nic_queue *queue = out;

	zcq_attr_index(attrs, len, tb, ZCQ_QUEUE_A_MAX);
	if (!take_u32(tb[ZCQ_QUEUE_A_IFINDEX], &queue->ifindex) ||
	    !take_u32(tb[ZCQ_QUEUE_A_ID], &queue->id) ||
	    !take_u32(tb[ZCQ_QUEUE_A_TYPE], &queue->type))
		return 0;
	queue->napi_id = zcq_attr_num(tb[ZCQ_QUEUE_A_NAPI_ID]);
	queue->dmabuf = zcq_attr_num(tb[ZCQ_QUEUE_A_DMABUF]);
	queue->xsk = tb[ZCQ_QUEUE_A_XSK];
	take_io_uring(tb[ZCQ_QUEUE_A_IO_URING], &queue->io_uring, &queue->rx_buf_len);
	if (tb[ZCQ_QUEUE_A_LEASE])
		take_lease(tb[ZCQ_QUEUE_A_LEASE], queue);
	return 1;
}

int zcq_nic_parse_napi(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_NAPI_A_MAX + 1];
	struct zcq_nic_napi *napi = out;

	zcq_attr_index(attrs, len, tb, ZCQ_NAPI_A_MAX);
	if (!take_u32(tb[ZCQ_NAPI_A_ID], &napi->id) ||
	    !take_u32(tb[ZCQ_NAPI_A_IFINDEX], &napi->ifindex))
		return 0;
	napi->irq = zcq_attr_num(tb[ZCQ_NAPI_A_IRQ]);
	napi->pid = zcq_attr_num(tb[ZCQ_NAPI_A_PID]);
	return 1;
}

int zcq_nic_parse_pool(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_POOL_A_MAX + 1];
	struct zcq_nic_pool *pool = out;
	struct zcq_num id;

	zcq_attr_index(attrs, len, tb, ZCQ_POOL_A_MAX);
	id = zcq_attr_num(tb[ZCQ_POOL_A_ID]);
	if (!id.known)
		return 0;
	pool->id = id.v;
	take_u32(tb[ZCQ_POOL_A_IFINDEX], &pool->ifindex);
	pool->napi_id = zcq_attr_num(tb[ZCQ_POOL_A_NAPI_ID]);
	pool->inflight = zcq_attr_num(tb[ZCQ_POOL_A_INFLIGHT]);
	pool->inflight_bytes = zcq_attr_num(tb[ZCQ_POOL_A_INFLIGHT_MEM]);
	pool->detach_s = zcq_attr_num(tb[ZCQ_POOL_A_DETACH_TIME]);
	pool->dmabuf = zcq_attr_num(tb[ZCQ_POOL_A_DMABUF]);
	take_io_uring(tb[ZCQ_POOL_A_IO_URING], &pool->io_uring, &pool->rx_buf_len);
	return 1;
}

int zcq_nic_parse_pool_stats(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_POOL_STATS_A_MAX + 1], *info[ZCQ_POOL_A_MAX + 1];
	struct zcq_nic_pool_stats *st = out;
	struct zcq_num id;

	zcq_attr_index(attrs, len, tb, ZCQ_POOL_STATS_A_MAX);
	zcq_attr_index_nest(tb[ZCQ_POOL_STATS_A_INFO], info, ZCQ_POOL_A_MAX);
	id = zcq_attr_num(info[ZCQ_POOL_A_ID]);
	if (!id.known)
		return 0;
	st->id = id.v;
	st->fast = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_FAST]);
	st->slow = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_SLOW]);
	st->slow_high_order = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_SLOW_HIGH_ORDER]);
	st->empty = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_EMPTY]);
	st->refill = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_REFILL]);
	st->waive = zcq_attr_num(tb[ZCQ_POOL_STATS_A_ALLOC_WAIVE]);
	st->cached = zcq_attr_num(tb[ZCQ_POOL_STATS_A_RECYCLE_CACHED]);
	st->cache_full = zcq_attr_num(tb[ZCQ_POOL_STATS_A_RECYCLE_CACHE_FULL]);
	st->ring = zcq_attr_num(tb[ZCQ_POOL_STATS_A_RECYCLE_RING]);
	st->ring_full = zcq_attr_num(tb[ZCQ_POOL_STATS_A_RECYCLE_RING_FULL]);
	st->released = zcq_attr_num(tb[ZCQ_POOL_STATS_A_RECYCLE_RELEASED_REFCNT]);
	return 1;
}

int zcq_nic_parse_qstats(const struct nlattr *attrs, size_t len, void *out)
{
	const struct nlattr *tb[ZCQ_QSTATS_A_MAX + 1];
	struct zcq_nic_qstats *st = out;

	zcq_attr_index(attrs, len, tb, ZCQ_QSTATS_A_MAX);
	if (!take_u32(tb[ZCQ_QSTATS_A_IFINDEX], &st->ifindex) ||
	    !take_u32(tb[ZCQ_QSTATS_A_QUEUE_TYPE], &st->type) ||
	    !take_u32(tb[ZCQ_QSTATS_A_QUEUE_ID], &st->queue))
		return 0;
	st->rx_pkts = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_PACKETS]);
	st->rx_bytes = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_BYTES]);
	st->rx_alloc_fails = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_ALLOC_FAIL]);
	st->rx_hw_drops = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_DROPS]);
	st->rx_hw_overruns = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_DROP_OVERRUNS]);
	st->rx_gro_pkts = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_GRO_PACKETS]);
	st->rx_gro_bytes = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_GRO_BYTES]);
	st->rx_gro_wire_pkts = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_GRO_WIRE_PACKETS]);
	st->rx_gro_wire_bytes = zcq_attr_num(tb[ZCQ_QSTATS_A_RX_HW_GRO_WIRE_BYTES]);
	return 1;
}

static int ask_per_queue(struct nl_msg *msg)
{
	/* "uint" in the spec: the kernel takes 4 or 8 bytes */
	return nla_put_u32(msg, ZCQ_QSTATS_A_SCOPE, ZCQ_QSTATS_SCOPE_QUEUE) < 0 ? -ENOMEM : 0;
}

#define NETDEV_TABLE(text, command, type, fn) \
	.what = (text), .family = ZCQ_NETDEV_FAMILY, .version = ZCQ_NETDEV_VERSION, \
	.cmd = (command), .size = sizeof(type), .parse = (fn)

const struct zcq_nic_table zcq_nic_devs = {
	NETDEV_TABLE("XDP features", ZCQ_NETDEV_DEV_GET, struct zcq_nic_dev, zcq_nic_parse_dev),
};

const struct zcq_nic_table zcq_nic_queues = {
	NETDEV_TABLE("queues", ZCQ_NETDEV_QUEUE_GET, struct zcq_nic_queue, zcq_nic_parse_queue),
};

const struct zcq_nic_table zcq_nic_napis = {
	NETDEV_TABLE("NAPIs", ZCQ_NETDEV_NAPI_GET, struct zcq_nic_napi, zcq_nic_parse_napi),
};

const struct zcq_nic_table zcq_nic_pools = {
	NETDEV_TABLE("page pools", ZCQ_NETDEV_PAGE_POOL_GET, struct zcq_nic_pool,
		     zcq_nic_parse_pool),
};

const struct zcq_nic_table zcq_nic_pool_statss = {
	NETDEV_TABLE("page pool statistics", ZCQ_NETDEV_PAGE_POOL_STATS_GET,
		     struct zcq_nic_pool_stats, zcq_nic_parse_pool_stats),
};

const struct zcq_nic_table zcq_nic_qstatss = {
	NETDEV_TABLE("queue statistics", ZCQ_NETDEV_QSTATS_GET, struct zcq_nic_qstats,
		     zcq_nic_parse_qstats),
	.ask = ask_per_queue,
};

struct dump_state {
	const struct zcq_nic_table *table;
	struct zcq_array *out;
};

static int take_object(const struct nlmsghdr *nlh, void *arg)
{
	struct dump_state *st = arg;
	const struct nlattr *attrs;
	size_t len;
	void *obj;
	int ret;

	attrs = zcq_nl_genl_attrs(nlh, &len);
	obj = zcq_array_push(st->out);
	if (!obj)
		return -ENOMEM;
	ret = st->table->parse(attrs, len, obj);
	if (ret <= 0)
		st->out->n--;
	return ret < 0 ? ret : 0;
}

int zcq_nic_dump(struct zcq_nl *nl, const struct zcq_nic_table *table, struct zcq_array *out)
{
	struct dump_state st = { .table = table, .out = out };
	struct nl_msg *msg;
	int tries, err;

	out->size = table->size;
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		zcq_array_clear(out, table->drop);
		msg = zcq_nl_genl_msg(nl, table->family, table->version, table->cmd);
		if (!msg)
			return -errno;
		err = table->ask ? table->ask(msg) : 0;
		if (err) {
			nlmsg_free(msg);
			return err;
		}
		err = zcq_nl_call(nl, msg, true, take_object, &st);
		if (err != -EAGAIN)
			return err;
	}
	/* changing all the time: what we have is as good as it gets */
	return 0;
}
