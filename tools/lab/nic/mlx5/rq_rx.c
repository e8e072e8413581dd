// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rq_rx.c - puts received packets into receive queues and completes them.
 * An RQ has no doorbell: the driver's record in memory says how many WQEs it
 * has posted, and is read when a packet needs one. No WQE, or a queue that is
 * not ready: the packet is dropped and counted.
 */
#include <errno.h>

#include "../packet.h"
#include "mlx5.h"

enum { INVALID_LKEY = 0x100 };	/* ends the list of a cyclic WQE's segments early */

static u32 posted(struct mlx5_nic *nic, struct mlx5_rq *rq)
{
	const __be32 *dbr = dma_ptr(nic->dma, rq->dbr, 8);
	u16 left;

	if (!dbr)
		return 0;
	left = (u16)(be32toh(__atomic_load_n(&dbr[0], __ATOMIC_ACQUIRE)) - rq->wqes);
	if (left > 1U << rq->ring.size_log) {
		nic_err("RQ %#x: %u WQEs posted in a queue of 2^%u", rq->obj.id, left,
			rq->ring.size_log);
		return 0;
	}
	return left;
}

static void drop_no_buffer(struct mlx5_nic *nic, struct mlx5_rq *rq)
{
	nic->nr_no_buffer++;
	if (rq->qcnt)
		rq->qcnt->out_of_buffer++;
}

/* What every good completion says about its packet. */
static void fill_cqe(struct mlx5_cqe *cqe, const struct packet *pkt,
		     const struct mlx5_rx_meta *meta)
{
	struct packet_csum csum;

	packet_check(pkt, &csum);
	*cqe = (struct mlx5_cqe){
		.rss_hash_result = htobe32(meta->hash),
		.rss_hash_type = meta->hash_type,
		.check_sum = htobe16(csum.sum),
		.hds_ip_ext = (u8)(MLX5_CQE_L2_OK | (csum.l3_ok ? MLX5_CQE_L3_OK : 0) |
				   (csum.l4_ok ? MLX5_CQE_L4_OK : 0)),
		.sop_drop_qpn = htobe32(meta->flow_tag & 0xffffff),
		.byte_cnt = htobe32(pkt->len),
	};
	if (pkt->ip_version)
		cqe->l4_l3_hdr_type = pkt->ip_version == 4 ? MLX5_CQE_L3_IPV4 : MLX5_CQE_L3_IPV6;
	if (pkt->l4 == PACKET_L4_UDP)
		cqe->l4_l3_hdr_type |= MLX5_CQE_L4_UDP;
	else if (pkt->l4 == PACKET_L4_TCP && !(pkt->tcp_flags & PACKET_TCP_ACK))
		cqe->l4_l3_hdr_type |= MLX5_CQE_L4_TCP;
	else if (pkt->l4 == PACKET_L4_TCP)
		cqe->l4_l3_hdr_type |= pkt->payload_len ? MLX5_CQE_L4_TCP_ACK_AND_DATA :
							  MLX5_CQE_L4_TCP_ACK_NO_DATA;
	if (meta->vlan) {
		cqe->l4_l3_hdr_type |= MLX5_CQE_VLAN_STRIPPED;
		cqe->vlan_info = htobe16(meta->vlan_tci);
	}
	mlx5_cqe_timestamp(cqe);
}

/* The queue can't go on: an error completion, and no packet until it is reset. */
static void fail(struct mlx5_nic *nic, struct mlx5_rq *rq, u8 syndrome)
{
	union {
		struct mlx5_err_cqe err;
		struct mlx5_cqe cqe;
	} c = { 0 };

	rq->state = MLX5_Q_ERR;
	if (rq->striding) {
		c.cqe.wqe_id = htobe16(rq->wqe);
		c.err.wqe_counter = htobe16((u16)rq->stride);
	} else {
		c.err.wqe_counter = htobe16((u16)rq->wqes);
	}
	c.err.syndrome = syndrome;
	c.err.opcode_qpn = htobe32(rq->obj.id);
	mlx5_cq_post(nic, rq->cq, &c.cqe, MLX5_CQE_RESP_ERR);
}

void mlx5_rq_reset(struct mlx5_rq *rq)
{
	rq->wqes = 0;
	rq->wqe = 0;
	rq->wqe_next = 0;
	rq->wqe_open = false;
	rq->stride = 0;
	if (rq->shampo)
		mlx5_shampo_next_wqe(rq);
}

/* A queue that the driver moves to the error state returns what it holds. */
void mlx5_rq_flush(struct mlx5_nic *nic, struct mlx5_rq *rq)
{
	if (rq->flush_in_error && posted(nic, rq))
		fail(nic, rq, MLX5_CQE_SYND_FLUSHED);
}

/* ---- cyclic: one packet per WQE, scattered over its segments ---- */

static int scatter(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct mlx5_data_seg *seg,
		   const struct packet *pkt)
{
	u32 i, off = 0, nr = (1U << rq->ring.entry_log) / sizeof(*seg);

	for (i = 0; i < nr && off < pkt->len; i++) {
		u32 n = be32toh(seg[i].byte_count) & ~MLX5_WQE_INLINE_SEG, key;

		key = be32toh(seg[i].lkey);
		if (key == INVALID_LKEY)
			break;
		n = min_u32(n, pkt->len - off);
		if (mlx5_mkey_write(nic, key, be64toh(seg[i].addr), pkt->data + off, n))
			return -EFAULT;
		off += n;
	}
	return off < pkt->len ? -EMSGSIZE : 0;
}

static void deliver_cyclic(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			   const struct mlx5_rx_meta *meta)
{
	const struct mlx5_data_seg *seg;
	struct mlx5_cqe cqe;
	int err;

	if (!posted(nic, rq)) {
		drop_no_buffer(nic, rq);
		return;
	}
	seg = mlx5_ring_entry(nic, &rq->ring, rq->wqes);
	err = seg ? scatter(nic, rq, seg, pkt) : -EFAULT;
	if (err == -EMSGSIZE)
		nic_err("RQ %#x: a packet of %u bytes does not fit its WQE", rq->obj.id, pkt->len);
	if (err) {
		fail(nic, rq, err == -EMSGSIZE ? MLX5_CQE_SYND_LOCAL_LENGTH :
						 MLX5_CQE_SYND_LOCAL_PROT);
		return;
	}
	fill_cqe(&cqe, pkt, meta);
	cqe.wqe_counter = htobe16((u16)rq->wqes);
	rq->wqes++;
	mlx5_cq_post(nic, rq->cq, &cqe, MLX5_CQE_RESP_SEND);
}

/* ---- striding: packets one after the other in a large WQE ---- */

/*
 * Begins the next WQE of the list. The link to the one after it is read now:
 * once the last stride is completed the driver may put the WQE back at the
 * tail, and then its link means something else.
 */
static bool open_wqe(struct mlx5_nic *nic, struct mlx5_rq *rq)
{
	const struct mlx5_next_seg *next;
	const struct mlx5_data_seg *seg;

	if (!posted(nic, rq))
		return false;
	rq->wqe = rq->wqe_next;
	next = mlx5_ring_entry(nic, &rq->ring, rq->wqe);
	if (!next)
		return false;
	seg = (const void *)(next + 1);
	rq->wqe_next = be16toh(next->next_wqe_index);
	if (rq->wqe_next >= 1U << rq->ring.size_log) {
		nic_err("RQ %#x: WQE %u links to WQE %u of 2^%u", rq->obj.id, rq->wqe,
			rq->wqe_next, rq->ring.size_log);
		rq->wqe_next = 0;
	}
	rq->wqe_lkey = be32toh(seg->lkey);
	rq->wqe_addr = be64toh(seg->addr);
	rq->stride = 0;
	rq->wqe_open = true;
	return true;
}

static void close_wqe(struct mlx5_rq *rq)
{
	rq->wqe_open = false;
	rq->wqes++;
	if (rq->shampo)
		mlx5_shampo_next_wqe(rq);
}

/* The rest of the WQE is not used: a completion that only says so. */
static void post_filler(struct mlx5_nic *nic, struct mlx5_rq *rq)
{
	u32 left = (1U << rq->strides_log) - rq->stride;
	struct mlx5_cqe cqe = {
		.wqe_id = htobe16(rq->wqe),
		.byte_cnt = htobe32((MLX5_CQE_FILLER | left) << 16),
		.wqe_counter = htobe16((u16)rq->stride),
	};

	close_wqe(rq);
	nic->nr_filler++;
	mlx5_cqe_timestamp(&cqe);
	mlx5_cq_post(nic, rq->cq, &cqe, MLX5_CQE_RESP_SEND);
}

/* Where the packet goes in the open WQE; false if it does not fit in the rest of it. */
static bool place(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
		  struct mlx5_shampo_place *at)
{
	u32 used = rq->stride << rq->stride_log;
	u32 size = 1U << (rq->strides_log + rq->stride_log);

	if (rq->shampo)
		return mlx5_shampo_decide(nic, rq, pkt, used, size, at);
	*at = (struct mlx5_shampo_place){ .data_off = used };
	return pkt->len <= size - used;
}

static int write_packet(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			const struct mlx5_shampo_place *at)
{
	u64 hdr = (u64)at->header_index;
	u32 len = pkt->len - at->header_len;

	if (at->split &&
	    mlx5_mkey_write(nic, rq->headers_mkey, hdr << mlx5_shampo_entry_log(rq), pkt->data,
			    at->header_len))
		return -EFAULT;
	return mlx5_mkey_write(nic, rq->wqe_lkey, rq->wqe_addr + at->data_off,
			       pkt->data + at->header_len, len);
}

/* Completes a packet written at `at`; takes the strides up to its end. */
static void complete(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
		     const struct mlx5_rx_meta *meta, const struct mlx5_shampo_place *at)
{
	u32 last = at->data_off + pkt->len - at->header_len;
	u32 end = (last + (1U << rq->stride_log) - 1) >> rq->stride_log;
	u32 taken = end - rq->stride;
	struct mlx5_cqe cqe;

	fill_cqe(&cqe, pkt, meta);
	cqe.wqe_id = htobe16(rq->wqe);
	cqe.wqe_counter = htobe16((u16)(at->data_off >> rq->stride_log));
	cqe.byte_cnt = htobe32(taken << 16 | pkt->len);
	if (rq->shampo) {
		cqe.shampo_flags = (u8)((at->match ? MLX5_CQE_SHAMPO_MATCH : 0) |
					(at->flush ? MLX5_CQE_SHAMPO_FLUSH : 0));
		cqe.shampo_header_size = at->header_len;
		cqe.shampo_header_index = htobe16(at->header_index);
		cqe.shampo_data_offset = htobe32(at->data_off);
		mlx5_shampo_commit(nic, rq, pkt, at);
	}
	rq->stride = end;
	if (end == 1U << rq->strides_log)
		close_wqe(rq);
	mlx5_cq_post(nic, rq->cq, &cqe, MLX5_CQE_RESP_SEND);
}

static void deliver_striding(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			     const struct mlx5_rx_meta *meta)
{
	struct mlx5_shampo_place at;

	for (;;) {
		if (!rq->wqe_open && !open_wqe(nic, rq)) {
			drop_no_buffer(nic, rq);
			return;
		}
		if (place(nic, rq, pkt, &at))
			break;
		if (!rq->stride) {
			nic_err("RQ %#x: a packet of %u bytes does not fit an empty WQE",
				rq->obj.id, pkt->len);
			fail(nic, rq, MLX5_CQE_SYND_LOCAL_LENGTH);
			return;
		}
		post_filler(nic, rq);
	}
	if (write_packet(nic, rq, pkt, &at))
		fail(nic, rq, MLX5_CQE_SYND_LOCAL_PROT);
	else
		complete(nic, rq, pkt, meta, &at);
}

void mlx5_rq_deliver(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
		     const struct mlx5_rx_meta *meta)
{
	if (rq->state != MLX5_Q_RDY)
		drop_no_buffer(nic, rq);
	else if (rq->striding)
		deliver_striding(nic, rq, pkt, meta);
	else
		deliver_cyclic(nic, rq, pkt, meta);
}
