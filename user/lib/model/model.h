/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one snapshot that every view is made from: netdev -> rx queue (leased ones too)
 * -> provider -> instance -> owners; pools; rules; RSS. zcq_model_join() is a pure
 * function from facts to snapshot; collecting the facts is in collect.c, snapshot.h is
 * what commands call. A figure nobody gave stays unknown.
 */
#ifndef ZCQ_MODEL_H
#define ZCQ_MODEL_H

#include <zcq/counters.h>
#include <zcq/instance.h>
#include <zcq/types.h>

#include "lib/nic/array.h"
#include "lib/nic/ethtool.h"
#include "lib/nic/link.h"
#include "lib/nic/netdev.h"
#include "lib/nic/ntuple.h"
#include "lib/nic/num.h"

/* --- facts in --------------------------------------------------------------------- */

/* Where an interrupt is handled. */
struct zcq_model_irq {
	uint32_t irq;
	char cpus[32];		/* list as in /proc/irq, "" if unknown */
};

/* Rx queues in use of a netdev for which queue-get gave none. */
struct zcq_model_rx_count {
	uint32_t ifindex;
	uint32_t n;
};

/* The name of a lease's other end in another namespace. */
struct zcq_model_lease_name {
	uint32_t netns_id;
	uint32_t ifindex;
	char name[ZCQ_NAME_LEN];
};

/* What BPF counted for one queue during the interval. */
struct zcq_model_count {
	struct zcq_queue_id queue;
	struct zcq_queue_counters c;
};

/* Which of BPF's counters mean anything: 0 of a probe that did not attach is unknown. */
struct zcq_model_measured {
	bool zc_bytes;		/* of io_uring queues */
	bool copied_bytes;
	bool alloc_fails;
	bool devmem_bytes;	/* of dmabuf queues */
	bool devmem_allocs;
	bool reconfigs;
	bool mlx5_reopens, bnxt_reopens;
};

struct zcq_model_inputs {
	uint32_t netns;			/* inode of the namespace looked at */
	uint64_t boottime_s;		/* CLOCK_BOOTTIME now, for ages */
	uint64_t interval_ns;		/* between BPF's counts; 0: nothing was measured */
	uint64_t stats_ns;		/* between qstats_before and qstats; 0: as above */
	struct zcq_array links;		/* struct zcq_nic_link */
	struct zcq_array queues;	/* struct zcq_nic_queue */
	struct zcq_array rx_counts;	/* struct zcq_model_rx_count */
	struct zcq_array napis;		/* struct zcq_nic_napi */
	struct zcq_array irqs;		/* struct zcq_model_irq */
	struct zcq_array pools;		/* struct zcq_nic_pool */
	struct zcq_array qstats_before;	/* struct zcq_nic_qstats */
	struct zcq_array qstats;	/* struct zcq_nic_qstats */
	struct zcq_array channels;	/* struct zcq_nic_channels */
	struct zcq_array rings;		/* struct zcq_nic_rings */
	struct zcq_array features;	/* struct zcq_nic_features */
	struct zcq_array rss;		/* struct zcq_nic_rss */
	struct zcq_array rule_infos;	/* struct zcq_nic_rule_info */
	struct zcq_array rules;		/* struct zcq_nic_rule */
	struct zcq_array lease_names;	/* struct zcq_model_lease_name */
	bool instances_known;		/* BPF could look at all; else owners are unknown, not absent */
	struct zcq_array instances;	/* struct zcq_instance, one for each owner found */
	struct zcq_array bound;		/* struct zcq_ifq: who bound what, while BPF watched */
	struct zcq_model_measured measured;
	struct zcq_array counts;	/* struct zcq_model_count */
	bool lost_known;
	struct zcq_lost lost[ZCQ_SUBJECTS];
};

/* Frees what collecting put into the arrays. */
void zcq_model_inputs_free(struct zcq_model_inputs *in);

/* --- snapshot out ------------------------------------------------------------------ */

struct zcq_owner {
	struct zcq_task task;
	uint64_t ring;			/* identity of its ring, 0: holds an exported file */
	int32_t fd;			/* -1: none */
	uint32_t found_by;		/* enum zcq_found_by; 0: seen when it bound */
};

struct zcq_inst {
	struct zcq_instance info;	/* owner, ring, fd and found_by are the first owner's */
	struct zcq_owner *owners;
	size_t n_owners;
	struct zcq_num areas, area_bytes, buf_bytes;	/* all unknown while it starts */
	struct zcq_num bufs, free_bufs;
	struct zcq_num held_bufs;	/* with the application, or in the refill ring not yet taken */
	struct zcq_num refill_entries, refill_pending;
	struct zcq_num users;		/* rings and exported files that share it */
	bool lower_bound;		/* more areas or buffers than were counted */
};

enum zcq_owner_state {
	ZCQ_OWNER_NONE,			/* no provider, no owner */
	ZCQ_OWNER_FOUND,
	ZCQ_OWNER_NOT_VISIBLE,		/* bound, BPF looked, nobody found */
	ZCQ_OWNER_UNKNOWN,		/* bound, but nothing here could look */
};

/* The other end of a lease. */
struct zcq_lease {
	bool present;
	bool to;			/* this (physical) queue is leased to a virtual one; else from */
	uint32_t ifindex;
	uint32_t queue;
	struct zcq_num netns_id;	/* unknown: this namespace */
	char name[ZCQ_NAME_LEN];	/* "" if it could not be looked up */
};

/* What points at a queue from an RSS table. */
struct zcq_rss_share {
	uint32_t context;
	uint32_t entries;		/* that point at the queue */
	uint32_t of;			/* entries in the table */
};

/* What was measured over the interval; unknown where it was not. */
struct zcq_rates {
	struct zcq_num pkts, bytes;			/* by the driver's statistics */
	struct zcq_num driver_alloc_fails;
	struct zcq_num zc_bytes, copied_bytes;		/* by BPF */
	struct zcq_num copied_by[ZCQ_COPY_REASONS];
	struct zcq_num alloc_fails;			/* the provider had no buffer */
	struct zcq_num reconfigs;
};

struct zcq_queue {
	uint32_t id;
	struct zcq_num napi_id, irq, napi_pid;
	char cpus[32];			/* that handle its interrupt; "" unknown */
	enum zcq_provider provider;
	bool xsk;
	bool listed;			/* by queue-get; false: only its number is known */
	struct zcq_num dmabuf;
	struct zcq_num buf_bytes;
	struct zcq_lease lease;
	enum zcq_owner_state owner_state;
	struct zcq_inst **insts;	/* instances that feed it */
	size_t n_insts;
	struct zcq_owner binder;	/* who bound it as BPF saw; pid 0: before it watched */
	struct zcq_rss_share *rss;	/* one for each context that points here, and the default */
	size_t n_rss;
	struct zcq_num rss_entries, rss_of;	/* default context */
	struct zcq_nic_rule *rules;	/* rules that name this queue */
	size_t n_rules;
	bool rules_known;		/* false: the netdev's rules could not be read */
	struct zcq_num pkts, bytes, alloc_fails;	/* totals by the driver */
	struct zcq_num gro_pkts, gro_wire_pkts;
	struct zcq_rates rates;
};

struct zcq_pool {
	uint64_t id;
	struct zcq_num napi_id;
	struct zcq_num queue;		/* by NAPI; unknown if none or several */
	struct zcq_num inflight, inflight_bytes;
	struct zcq_num detached_s;	/* seconds since the driver let go; unknown: in use */
	enum zcq_provider provider;
	struct zcq_num buf_bytes, dmabuf;
};

struct zcq_netdev {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	char kind[16];
	char driver[32];
	char bus_addr[32];
	bool up, xdp;
	struct zcq_num split;		/* enum zcq_nic_split */
	struct zcq_num hds_thresh, rx_buf_len, ring_entries;
	bool features_known;
	struct zcq_nic_feature rx_gro_hw, ntuple;
	struct zcq_num n_rules, max_rules;
	struct zcq_num reopens;		/* whole-netdev reconfigures in the interval */
	struct zcq_queue *queues;	/* by id */
	size_t n_queues;
	struct zcq_pool *pools;
	size_t n_pools;
};

struct zcq_snapshot {
	uint64_t interval_ns;		/* of what BPF counted; 0: nothing was measured */
	uint64_t stats_ns;		/* of the drivers' statistics, read at other moments */
	bool lost_known;		/* BPF was there to lose anything */
	struct zcq_lost lost[ZCQ_SUBJECTS];
	uint32_t netns;
	struct zcq_netdev *netdevs;	/* by ifindex */
	size_t n_netdevs;
	struct zcq_pool *orphans;	/* pools whose netdev is gone or has moved to another namespace */
	size_t n_orphans;
	struct zcq_inst *insts;		/* of this namespace and without netdev */
	size_t n_insts;
};

/* Joins facts to a snapshot that owns all it points at. 0 or -ENOMEM. */
int zcq_model_join(const struct zcq_model_inputs *in, struct zcq_snapshot **snap);
void zcq_snapshot_free(struct zcq_snapshot *snap);

/* NULL if there is no such netdev. */
struct zcq_netdev *zcq_snapshot_netdev(const struct zcq_snapshot *snap, const char *name);

/* v per second of the interval it was measured in; unknown if v is. */
struct zcq_num zcq_snapshot_rate(struct zcq_num v, uint64_t interval_ns);

#endif
