/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netdev-genl: queues, NAPIs, page pools and per-queue statistics as the kernel
 * reports them. The parsers take the attributes of one message, so that recorded
 * answers can be tested and fuzzed; the dumps take one question for all netdevs of the
 * network namespace. Called by user/lib/model.
 */
#ifndef ZCQ_NIC_NETDEV_H
#define ZCQ_NIC_NETDEV_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/nic/array.h"
#include "lib/nic/nl.h"
#include "lib/nic/num.h"

struct zcq_nic_dev {
	uint32_t ifindex;
	struct zcq_num xdp_features;	/* bits, what the driver can do */
};

struct zcq_nic_queue {
	uint32_t ifindex;
	uint32_t id;
	uint32_t type;			/* enum zcq_netdev_queue_type */
	struct zcq_num napi_id;
	bool io_uring;			/* fed by an io_uring zcrx instance */
	struct zcq_num rx_buf_len;	/* bytes, of the io_uring provider (7.0 and later) */
	struct zcq_num dmabuf;		/* binding id, fed by devmem */
	bool xsk;			/* an AF_XDP socket owns it */
	bool leased;			/* to (or from) the queue below */
	uint32_t lease_ifindex;		/* in the namespace lease_netns_id */
	uint32_t lease_queue;
	struct zcq_num lease_netns_id;	/* unknown: same namespace */
};

struct zcq_nic_napi {
	uint32_t ifindex;
	uint32_t id;
	struct zcq_num irq;
	struct zcq_num pid;		/* of the NAPI's thread, when it has one */
};

struct zcq_nic_pool {
	uint64_t id;
	uint32_t ifindex;		/* 0: its netdev is gone, or has moved to another namespace */
	struct zcq_num napi_id;
	struct zcq_num inflight;	/* buffers out */
	struct zcq_num inflight_bytes;
	struct zcq_num detach_s;	/* CLOCK_BOOTTIME, when the driver let go of it */
	bool io_uring;
	struct zcq_num rx_buf_len;
	struct zcq_num dmabuf;
};

struct zcq_nic_pool_stats {
	uint64_t id;
	struct zcq_num fast, slow, slow_high_order, empty, refill, waive;
	struct zcq_num cached, cache_full, ring, ring_full, released;
};

struct zcq_nic_qstats {
	uint32_t ifindex;
	uint32_t type;			/* enum zcq_netdev_queue_type */
	uint32_t queue;
	struct zcq_num rx_pkts, rx_bytes, rx_alloc_fails;
	struct zcq_num rx_hw_drops, rx_hw_overruns;
	struct zcq_num rx_gro_pkts, rx_gro_bytes;		/* after coalescing */
	struct zcq_num rx_gro_wire_pkts, rx_gro_wire_bytes;	/* before */
};

/*
 * Parsers of one message's attributes. 1: *out is filled; 0: not a whole object, pass
 * over it; -errno. out is zeroed by the caller.
 */
typedef int (*zcq_nic_parse_fn)(const struct nlattr *attrs, size_t len, void *out);

int zcq_nic_parse_dev(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_queue(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_napi(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_pool(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_pool_stats(const struct nlattr *attrs, size_t len, void *out);
int zcq_nic_parse_qstats(const struct nlattr *attrs, size_t len, void *out);

/* A kind of object that is dumped whole. */
struct zcq_nic_table {
	const char *what;		/* for messages: "rx queues" */
	const char *family;
	uint8_t version;
	uint8_t cmd;
	size_t size;			/* of one object */
	zcq_nic_parse_fn parse;
	int (*ask)(struct nl_msg *msg);	/* adds the request's attributes, may be NULL */
	void (*drop)(void *obj);	/* frees what an object owns, may be NULL */
};

extern const struct zcq_nic_table zcq_nic_devs;		/* struct zcq_nic_dev */
extern const struct zcq_nic_table zcq_nic_queues;	/* struct zcq_nic_queue, rx and tx */
extern const struct zcq_nic_table zcq_nic_napis;	/* struct zcq_nic_napi */
extern const struct zcq_nic_table zcq_nic_pools;	/* struct zcq_nic_pool */
extern const struct zcq_nic_table zcq_nic_pool_statss;	/* struct zcq_nic_pool_stats */
extern const struct zcq_nic_table zcq_nic_qstatss;	/* struct zcq_nic_qstats, rx and tx */

/*
 * Takes all objects of a table into out (emptied first). An interrupted dump is taken
 * again a few times. -ENOENT: the kernel has no such family, -EOPNOTSUPP: it has no such
 * dump; both are facts about the kernel. What came before an error stays in out.
 */
int zcq_nic_dump(struct zcq_nl *nl, const struct zcq_nic_table *table, struct zcq_array *out);

#endif
