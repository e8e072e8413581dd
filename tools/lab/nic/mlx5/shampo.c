// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shampo.c - header split and SHAMPO (hardware GRO of a striding RQ): which
 * part of a packet goes to the header buffer, where its data goes in the WQE,
 * and what the completion says about merging. Every packet is written and
 * completed at once, so that nothing is ever held back: a session is only the
 * right of the next packet to follow on and say "match".
 *
 * How the hardware decides is not public. This is what the driver needs:
 * drivers/net/ethernet/mellanox/mlx5/core/en_rx.c
 * mlx5e_handle_rx_cqe_mpwrq_shampo() and what it calls ("rx" below), and
 * en/params.c ("params"). Called by the receive path (rq.c).
 */
#include <stdlib.h>

#include "ifc.h"
#include "shampo.h"

#define HOST_PAGE 4096u
#define MAX_HEADER_SIZE 255	/* 8 bits in the CQE */

/* ---- set-up ---- */

static int parse_reservation(struct mlx5_cmd *cmd, const struct mlx5_rq *rq, const u8 *wqc,
			     struct mlx5_shampo_cfg *cfg)
{
	/* params: MLX5E_SHAMPO_WQ_RESRV_SIZE_BASE_SHIFT is 12. */
	u32 log = IFC_GET(wq, wqc, log_reservation_size) + 12;

	if (log > MLX5_SHAMPO_LOG_MAX_RSRV || log > (u32)rq->strides_log + rq->stride_log ||
	    log < rq->stride_log)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "reservation of 2^%u bytes: at most 2^%u, WQE 2^%u, stride 2^%u",
				     log, MLX5_SHAMPO_LOG_MAX_RSRV,
				     rq->strides_log + rq->stride_log, rq->stride_log);
	cfg->rsrv = 1u << log;
	cfg->rsrv_pkts = 1u << IFC_GET(wq, wqc, log_max_num_of_packets_per_reservation);
	return MLX5_CMD_STAT_OK;
}

static int parse_policy(struct mlx5_cmd *cmd, const struct mlx5_rq *rq, const u8 *rqc,
			struct mlx5_shampo_cfg *cfg)
{
	u32 granularity = IFC_GET(rqc, rqc, shampo_no_match_alignment_granularity);
	u32 criteria = IFC_GET(rqc, rqc, shampo_match_criteria_type);

	if (granularity == MLX5_RQC_SHAMPO_NO_MATCH_ALIGNMENT_GRANULARITY_STRIDE)
		cfg->align = 1u << rq->stride_log;
	else if (granularity == MLX5_RQC_SHAMPO_NO_MATCH_ALIGNMENT_GRANULARITY_PAGE)
		cfg->align = HOST_PAGE;
	else
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "no_match_alignment_granularity %u is not modelled",
				     granularity);
	if (criteria != MLX5_RQC_SHAMPO_MATCH_CRITERIA_TYPE_NO_MATCH &&
	    criteria != MLX5_RQC_SHAMPO_MATCH_CRITERIA_TYPE_EXTENDED)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "shampo_match_criteria_type %u is not modelled", criteria);
	cfg->merge = criteria == MLX5_RQC_SHAMPO_MATCH_CRITERIA_TYPE_EXTENDED;
	return MLX5_CMD_STAT_OK;
}

/*
 * The header buffer must hold all headers that the RQ's WQEs can bring before
 * the driver has looked at them: params, mlx5e_shampo_hd_per_wqe().
 */
static int parse_headers(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const struct mlx5_rq *rq,
			 const u8 *wqc, struct mlx5_shampo *s)
{
	u32 wqes = 1u << IFC_GET(wq, wqc, log_wq_sz), key = IFC_GET(wq, wqc, headers_mkey);
	u64 need = (u64)wqes * ((1u << (rq->strides_log + rq->stride_log)) / s->cfg.rsrv) *
		   s->cfg.rsrv_pkts;

	/* params: MLX5E_SHAMPO_WQ_BASE_HEAD_ENTRY_SIZE_SHIFT is 6. */
	s->cfg.entry_log = IFC_GET(wq, wqc, log_headers_entry_size) + 6;
	s->cfg.entries = 1u << IFC_GET(wq, wqc, log_headers_buffer_entry_num);
	if (s->cfg.entry_log > MLX5_SHAMPO_LOG_MAX_HEADER)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "header entry of 2^%u bytes, shampo_log_max_headers_entry_size is %u",
				     s->cfg.entry_log, MLX5_SHAMPO_LOG_MAX_HEADER);
	if (s->cfg.entries < need)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "%u header entries for %llu packets in %u WQEs",
				     s->cfg.entries, (unsigned long long)need, wqes);
	s->cfg.header_max = min_u32(1u << s->cfg.entry_log, MAX_HEADER_SIZE);

	s->mkey = mlx5_obj_need(nic, cmd, MLX5_OBJ_MKEY, key >> 8);
	if (!s->mkey)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (s->mkey->variant != (key & 0xff) ||
	    (!s->mkey->len64 && s->mkey->len < (u64)s->cfg.entries << s->cfg.entry_log))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "headers_mkey %#x covers %llu bytes, %u entries of 2^%u are needed",
				     key, (unsigned long long)s->mkey->len, s->cfg.entries,
				     s->cfg.entry_log);
	return MLX5_CMD_STAT_OK;
}

int mlx5_shampo_create(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rq *rq,
		       const u8 *wqc)
{
	/* The wq context lies in the rq context, which has the policy. */
	const u8 *rqc = wqc - IFC_OFF(rqc, wq);
	struct mlx5_shampo *s;
	int st;

	if (!rq->striding || IFC_GET(wq, wqc, shampo_mode))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "shampo_enable on a cyclic RQ, or shampo_mode %u",
				     IFC_GET(wq, wqc, shampo_mode));
	s = calloc(1, sizeof(*s));
	if (!s)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR, "out of memory");
	st = parse_reservation(cmd, rq, wqc, &s->cfg);
	if (!st)
		st = parse_policy(cmd, rq, rqc, &s->cfg);
	if (!st)
		st = parse_headers(nic, cmd, rq, wqc, s);
	if (st) {
		free(s);
		return st;
	}
	mlx5_obj_get(&s->mkey->obj);
	rq->shampo = s;
	rq->headers_mkey = IFC_GET(wq, wqc, headers_mkey);
	return MLX5_CMD_STAT_OK;
}

void mlx5_shampo_destroy(struct mlx5_rq *rq)
{
	if (!rq->shampo)
		return;
	mlx5_obj_put(rq->shampo->mkey ? &rq->shampo->mkey->obj : NULL);
	free(rq->shampo);
	rq->shampo = NULL;
}

unsigned int mlx5_shampo_entry_log(const struct mlx5_rq *rq)
{
	return rq->shampo->cfg.entry_log;
}

/* ---- splitting ---- */

/*
 * How many bytes go to the header entry; 0 leaves the packet whole in the WQE,
 * which on a provider's memory the driver must drop (rx: netmem_is_net_iov).
 * TCP's headers are split off. What is not TCP, and TCP without data, goes to
 * the header entry as a whole, padding included, if it fits: then ARP,
 * neighbour discovery and ping live on a zero-copy queue as on any other.
 */
static u32 split_at(const struct mlx5_shampo_cfg *cfg, const struct packet *pkt)
{
	if (pkt->l4 == PACKET_L4_TCP && pkt->payload_len)
		return pkt->payload_off <= cfg->header_max ? pkt->payload_off : 0;
	return pkt->len <= cfg->header_max ? pkt->len : 0;
}

/* A packet that the fault "unsplit" is for: TCP with data that would be split. */
static bool splits_data(const struct mlx5_shampo_cfg *cfg, const struct packet *pkt)
{
	u32 header = split_at(cfg, pkt);

	return header && header < pkt->len;
}

/* ---- sessions ---- */

static bool right_checksums(const struct packet *pkt)
{
	struct packet_csum csum;

	packet_check(pkt, &csum);
	return csum.l3_ok && csum.l4_ok;
}

/*
 * May a packet be merged at all? The driver finds the IP header by counting
 * back from the TCP header (rx: mlx5e_shampo_update_hdr), so there may be
 * nothing in between; it takes FIN and PSH over from the last header only;
 * and it tells the stack that checksums are right.
 */
static bool mergeable(const struct packet *pkt)
{
	return pkt->l4 == PACKET_L4_TCP && pkt->payload_len && !pkt->l3_opts &&
	       (pkt->tcp_flags & ~PACKET_TCP_PSH) == PACKET_TCP_ACK &&
	       pkt->l3_off + pkt->l3_len == pkt->len && right_checksums(pkt);
}

/*
 * Everything in the headers that the merged packet would lose must be as in
 * the session's first packet: the kernel's own rules for GRO (tcp_gro_receive(),
 * inet_gro_receive(), ipv6_gro_receive()).
 */
static bool same_headers(const struct packet *a, const struct packet *b)
{
	return packet_same_flow(a, b) && a->l3_off == b->l3_off && a->l4_hlen == b->l4_hlen &&
	       !memcmp(a->data, b->data, a->l3_off) &&
	       a->tos == b->tos && a->ttl == b->ttl && a->df == b->df &&
	       a->flow_label == b->flow_label &&
	       a->tcp_ack == b->tcp_ack && a->tcp_window == b->tcp_window &&
	       !memcmp(a->data + a->l4_off + 20, b->data + b->l4_off + 20, a->l4_hlen - 20);
}

/* IPv4 ids of one GRO packet count up by 1, or all are the same with DF set. */
static bool ip_id_follows(const struct mlx5_shampo_session *ss, const struct packet *pkt)
{
	u16 first = ss->first.ip_id;

	if (pkt->ip_version != 4)
		return true;
	if (ss->packets == 1)
		return pkt->ip_id == (u16)(first + 1) || (pkt->df && pkt->ip_id == first);
	return pkt->ip_id == ss->next_ip_id;
}

static bool continues(const struct mlx5_shampo_session *ss, const struct packet *pkt)
{
	return ss->open && pkt->l4 == PACKET_L4_TCP && pkt->tcp_seq == ss->next_seq &&
	       pkt->payload_len <= ss->first.payload_len &&
	       same_headers(&ss->first, pkt) && ip_id_follows(ss, pkt) && mergeable(pkt);
}

static void open_session(struct mlx5_shampo_session *ss, const struct packet *pkt)
{
	ss->open = true;
	ss->packets = 1;
	ss->first = *pkt;
	memcpy(ss->header, pkt->data, pkt->payload_off);
	ss->first.data = ss->header;
	ss->next_seq = pkt->tcp_seq + pkt->payload_len;
}

static void continue_session(struct mlx5_shampo_session *ss, const struct packet *pkt)
{
	if (ss->packets++ == 1)
		ss->fixed_ip_id = pkt->ip_id == ss->first.ip_id;
	ss->next_ip_id = pkt->ip_id + !ss->fixed_ip_id;
	ss->next_seq += pkt->payload_len;
}

/* ---- placing ---- */

static u32 rsrv_end(const struct mlx5_shampo *s)
{
	return s->rsrv_start + s->cfg.rsrv;
}

static u32 max_u32(u32 a, u32 b)
{
	return a > b ? a : b;
}

/*
 * Where a packet's data goes that does not continue a session: aligned, in the
 * current reservation while that has room for it and for one more packet, else
 * at the start of the next one (which may be the end of the WQE). What lies in
 * between is consumed with the packet, even if it has no data: packets without
 * data are bounded too, by their header entries (params:
 * mlx5e_shampo_get_log_cq_size(), mlx5e_shampo_hd_per_wqe()).
 */
static u32 place_new(const struct mlx5_shampo *s, u32 used, u32 data)
{
	/* Without data there is nothing to align. */
	u32 off = data ? ALIGN_UP(max_u32(used, s->end), s->cfg.align) : used;

	off = max_u32(off, s->rsrv_start);
	if (off >= rsrv_end(s) || s->rsrv_used >= s->cfg.rsrv_pkts ||
	    (off != s->rsrv_start && off + data > rsrv_end(s)))
		off = ALIGN_UP(max_u32(off, rsrv_end(s)), s->cfg.rsrv);
	return off;
}

/* Could another full segment follow a packet that ends at end, as number pkts? */
static bool room_for_more(const struct mlx5_shampo *s, u32 start, u32 end, u32 pkts, u32 mss)
{
	return pkts < s->cfg.rsrv_pkts && end + mss <= start + s->cfg.rsrv;
}

/* It fits: the packet before it would have flushed otherwise. */
static void place_match(const struct mlx5_shampo *s, const struct packet *pkt, u32 data,
			struct mlx5_shampo_place *at)
{
	u32 mss = s->session.first.payload_len;

	at->match = true;
	at->data_off = s->end;
	at->flush = (pkt->tcp_flags & PACKET_TCP_PSH) || data < mss ||
		    !room_for_more(s, s->rsrv_start, s->end + data, s->rsrv_used + 1, mss);
}

/* Ends the session with this very packet unless another one may follow it. */
static bool flush_new(const struct mlx5_shampo *s, const struct packet *pkt, u32 data, u32 off)
{
	bool next_rsrv = off >= rsrv_end(s);
	u32 start = next_rsrv ? off : s->rsrv_start;

	return !s->cfg.merge || data < MLX5_SHAMPO_MIN_MSS ||
	       (pkt->tcp_flags & PACKET_TCP_PSH) || !mergeable(pkt) ||
	       !room_for_more(s, start, off + data, next_rsrv ? 1 : s->rsrv_used + 1, data);
}

bool mlx5_shampo_decide(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			u32 used, u32 size, struct mlx5_shampo_place *at)
{
	struct mlx5_shampo *s = rq->shampo;
	u32 header = nic->fault_unsplit && splits_data(&s->cfg, pkt) ? 0 : split_at(&s->cfg, pkt);
	u32 data = pkt->len - header;

	memset(at, 0, sizeof(*at));
	/*
	 * A WQE whose strides are all consumed is the driver's again (rx: it pops
	 * it), even if the last stride has bytes left.
	 */
	if (used >= size)
		return false;
	at->split = header;
	at->header_len = header;
	if (header)
		at->header_index = s->next_entry & (s->cfg.entries - 1);
	if (header && data && continues(&s->session, pkt)) {
		place_match(s, pkt, data, at);
		return true;
	}
	at->data_off = place_new(s, used, data);
	at->flush = !header || !data || flush_new(s, pkt, data, at->data_off);
	return at->data_off + data <= size && at->data_off < size;
}

void mlx5_shampo_commit(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			const struct mlx5_shampo_place *at)
{
	struct mlx5_shampo *s = rq->shampo;
	u32 data = pkt->len - at->header_len;

	if (at->data_off >= rsrv_end(s)) {
		s->rsrv_start = at->data_off & ~(s->cfg.rsrv - 1);
		s->rsrv_used = 0;
	}
	s->rsrv_used++;
	if (data)
		s->end = at->data_off + data;
	/* A packet longer than a reservation ends in one that it has to itself. */
	if (s->end > rsrv_end(s)) {
		s->rsrv_start = (s->end - 1) & ~(s->cfg.rsrv - 1);
		s->rsrv_used = s->cfg.rsrv_pkts;
	}

	if (at->split) {
		s->next_entry++;
		nic->nr_split++;
	} else {
		nic->nr_unsplit++;
		if (nic->fault_unsplit && splits_data(&s->cfg, pkt))
			nic->fault_unsplit--;
	}
	nic->nr_match += at->match;
	nic->nr_flush += at->flush;

	if (at->flush)
		s->session.open = false;
	else if (at->match)
		continue_session(&s->session, pkt);
	else
		open_session(&s->session, pkt);
}

void mlx5_shampo_next_wqe(struct mlx5_rq *rq)
{
	struct mlx5_shampo *s = rq->shampo;

	s->end = 0;
	s->rsrv_start = 0;
	s->rsrv_used = 0;
	s->session.open = false;
}
