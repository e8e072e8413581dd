// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the NIC made of wire segments: packets it coalesced (mlx5 SHAMPO, bnxt TPA) on queues
 * with a provider, or on all when asked for (zcq_cfg.coalesced_all), and packets mlx5 drops
 * because their header was not split off on a provider queue.
 *
 * Hooks, all in NAPI (softirq): fentry mlx5e_shampo_flush_skb and fentry bnxt_gro_func_5750x,
 * once for each coalesced packet; fentry bnxt_poll_p5, once for each poll, to know the queue.
 * Heavy profile: fentry mlx5e_handle_rx_cqe_mpwrq_shampo, once for each wire packet. Kernels
 * 7.x (mlx5), 6.15 and on (bnxt); bnxt calls its function only for two segments and more.
 *
 * mlx5 counts nothing when it drops an unsplit packet, so this follows the driver's decision
 * from its input: no header length, no error and no filler completion, a pool with a provider,
 * and no packet under way that the completion would still be added to.
 *
 * Cost (kernel.bpf_stats on the emulated lab machine, where the least program of this family
 * takes 400 ns a run and one look at the clock 20 us; no hardware was at hand): flush
 * 3 us, cqe 0.4 us. Lost: unsplit events when the ring is full (zcq_lost); the counters still have
 * them.
 */
#include "compat.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define ETH_HLEN 14
#define SMALL_FRAME (60 + 2 * 4) /* up to this mlx5 takes a packet as a flow's last */
#define CQE_RESP_SEND 2 /* opcode: a packet, no error */
#define CQE_FILLER (1U << 31) /* in byte_cnt: no packet, only strides given back */
#define CQE_BYTES 0xffffU
#define GRO_MAX 65536U

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct napi_gro_cb {
	__u16 count;
};

struct sk_buff___gro {
	char cb[48];
};

struct mlx5e_hw_gro_data {
	struct sk_buff *skb;
};

struct mlx5e_rq {
	struct {
		__u8 page_shift;
	} mpwqe;
	struct net_device *netdev;
	struct mlx5e_hw_gro_data *hw_gro_data;
	int ix;
	struct page_pool *page_pool;
};

struct mlx5_cqe64 {
	struct {
		__u8 match : 1;
		__u8 header_size;
	} shampo;
	__be32 byte_cnt;
	__u8 op_own;
};

struct bnxt_tpa_info;

struct bnxt {
	struct net_device *dev;
};

struct bnxt_napi {
	struct napi_struct napi;
	struct bnxt *bp;
	int index;
};

#pragma clang attribute pop

static __always_inline __u32 gro_segs(const struct sk_buff *skb)
{
	const struct sk_buff___gro *s = (const void *)skb;
	const struct napi_gro_cb *cb = (const void *)&s->cb;

	return BPF_CORE_READ(cb, count);
}

static __always_inline __u32 seg_bucket(__u32 segs)
{
	__u32 b = 0;

	for (__u32 top = 1; b < ZCQ_SEG_BUCKETS - 1 && segs > top; top <<= 1)
		b++;
	return b;
}

static __always_inline int coalesced(const struct zcq_queue_id *q, __u32 segs, __u32 bytes)
{
	struct zcq_queue_counters *c = counters_of(ZCQ_SUBJECT_HWGRO, q);

	if (!c)
		return 0;
	c->coalesced_pkts++;
	c->coalesced_segs += segs;
	c->coalesced_bytes += bytes;
	c->coalesced_hist[seg_bucket(segs) & (ZCQ_SEG_BUCKETS - 1)]++;
	return 0;
}

/* --- mlx5 ---------------------------------------------------------------------------- */

SEC("fentry/mlx5e_shampo_flush_skb")
int BPF_PROG(mlx5_flush__fentry, struct mlx5e_rq *rq)
{
	const struct sk_buff *skb;
	struct zcq_queue_id q;

	if (!zcq_cfg.coalesced_all && !BPF_CORE_READ(rq, page_pool, mp_ops))
		return 0;
	skb = BPF_CORE_READ(rq, hw_gro_data, skb);
	queue_of_dev(BPF_CORE_READ(rq, netdev), BPF_CORE_READ(rq, ix), &q);
	/* Headers are in the linear part: data_len is the payload. */
	return coalesced(&q, gro_segs(skb), BPF_CORE_READ(skb, data_len));
}

struct unsplit_state {
	__u64 told_ns; /* of the last event */
	__u64 pkts; /* since then */
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct zcq_queue_id);
	__type(value, struct unsplit_state);
} hwgro_unsplit SEC(".maps");

static __always_inline struct unsplit_state *unsplit_of(const struct zcq_queue_id *q)
{
	static const struct unsplit_state zero;
	struct unsplit_state *u = bpf_map_lookup_elem(&hwgro_unsplit, q);

	if (u || !MAP_STORE(ZCQ_SUBJECT_HWGRO, hwgro_unsplit, q, &zero))
		return u;
	return bpf_map_lookup_elem(&hwgro_unsplit, q);
}

static __always_inline int unsplit(const struct net_device *dev, __u32 rxq, __u32 bytes)
{
	struct zcq_queue_counters *c;
	struct zcq_ev_unsplit *ev;
	struct unsplit_state *u;
	struct zcq_queue_id q;
	__u64 now;

	queue_of_dev(dev, rxq, &q);
	c = counters_of(ZCQ_SUBJECT_HWGRO, &q);
	if (c) {
		c->unsplit_pkts++;
		c->unsplit_bytes += bytes;
	}
	u = unsplit_of(&q);
	if (!u)
		return 0;
	u->pkts++;
	u->bytes += bytes;
	now = bpf_ktime_get_ns();
	if (u->told_ns && now - u->told_ns < zcq_cfg.copy_report_ns)
		return 0;
	u->told_ns = now;
	if (!event_pass(ZCQ_SUBJECT_HWGRO, ZCQ_EVENT_UNSPLIT, &q, 0, 0))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_HWGRO, ZCQ_EVENT_UNSPLIT, zcq_ev_unsplit);
	if (!ev)
		return 0;
	ev->queue = q;
	dev_name_read(dev, ev->ifname);
	ev->pkts = u->pkts;
	ev->bytes = u->bytes;
	u->pkts = 0;
	u->bytes = 0;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

/* Will the driver add this completion to the packet under way? */
static __always_inline bool joins(const struct mlx5e_rq *rq, struct mlx5_cqe64 *cqe, __u32 bytes)
{
	const struct sk_buff *skb = BPF_CORE_READ(rq, hw_gro_data, skb);
	struct skb_shared_info *shi;
	__u32 page;

	if (!skb || bytes <= SMALL_FRAME || !BPF_CORE_READ_BITFIELD_PROBED(cqe, shampo.match))
		return false;
	page = 1U << BPF_CORE_READ(rq, mpwqe.page_shift);
	if (page >= GRO_MAX)
		return BPF_CORE_READ(skb, len) + bytes <= GRO_MAX;
	shi = (void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
	return page * BPF_CORE_READ(shi, nr_frags) + bytes <= GRO_MAX;
}

SEC("fentry/mlx5e_handle_rx_cqe_mpwrq_shampo")
int BPF_PROG(mlx5_cqe__fentry, struct mlx5e_rq *rq, struct mlx5_cqe64 *cqe)
{
	__u32 bytes;

	if (BPF_CORE_READ(cqe, shampo.header_size))
		return 0;
	bytes = bpf_ntohl(BPF_CORE_READ(cqe, byte_cnt));
	if (BPF_CORE_READ(cqe, op_own) >> 4 != CQE_RESP_SEND || bytes & CQE_FILLER)
		return 0;
	bytes &= CQE_BYTES;
	if (!BPF_CORE_READ(rq, page_pool, mp_ops) || joins(rq, cqe, bytes))
		return 0;
	return unsplit(BPF_CORE_READ(rq, netdev), BPF_CORE_READ(rq, ix), bytes);
}

/* --- bnxt ---------------------------------------------------------------------------- */

/*
 * The queue this CPU polls: its NAPI runs to the end before another one's. ifindex 0: one whose
 * packets are not counted.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct zcq_queue_id);
} hwgro_polled SEC(".maps");

SEC("fentry/bnxt_poll_p5")
int BPF_PROG(bnxt_poll__fentry, struct napi_struct *napi)
{
	const struct bnxt_napi *b = (void *)napi - bpf_core_field_offset(struct bnxt_napi, napi);
	__u32 key = 0;
	struct zcq_queue_id *q = bpf_map_lookup_elem(&hwgro_polled, &key);
	const struct net_device *dev = BPF_CORE_READ(b, bp, dev);
	__u32 rxq = BPF_CORE_READ(b, index);

	if (!q)
		return 0;
	if (zcq_cfg.coalesced_all || rx_queue_provider(dev, rxq))
		queue_of_dev(dev, rxq, q);
	else
		q->ifindex = 0;
	return 0;
}

SEC("fentry/bnxt_gro_func_5750x")
int BPF_PROG(bnxt_gro__fentry, struct bnxt_tpa_info *tpa, int payload_off, int tcp_ts,
	     struct sk_buff *skb)
{
	__u32 key = 0, len = BPF_CORE_READ(skb, len);
	struct zcq_queue_id *q = bpf_map_lookup_elem(&hwgro_polled, &key);
	__u32 headers = payload_off - ETH_HLEN; /* the Ethernet header is already taken off */

	if (!q || !q->ifindex)
		return 0;
	return coalesced(q, gro_segs(skb), headers < len ? len - headers : 0);
}
