// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tx.c - send work requests: gathers a frame from the header in the WQE and
 * its data segments, cuts it up if it is LSO (TCP or UDP), and fills in the
 * checksums that the driver left to the device. A VLAN tag is inserted by the
 * driver into the inline header; the device is not asked to.
 */
#include "../packet.h"
#include "ifc.h"
#include "mlx5.h"
#include "tx.h"

#define MAX_SEND (256 * 1024)	/* one LSO request, headers included */
#define MAX_INLINE 0x3ff
#define TCP_CWR 0x80		/* in the flags byte of the header */

static u8 frame_buf[MAX_SEND];

/* Appends the data segments in [seg, end). New length, 0: malformed (logged). */
static u32 gather(struct mlx5_nic *nic, struct mlx5_sq *sq, const u8 *seg, const u8 *end, u8 *buf,
		  u32 len)
{
	for (; seg < end; seg += sizeof(struct mlx5_data_seg)) {
		const struct mlx5_data_seg *d = (const void *)seg;
		u32 n = be32toh(d->byte_count);

		if (n & MLX5_WQE_INLINE_SEG || n > MAX_SEND - len) {
			nic_err("SQ %#x: data segment of %#x bytes after %u", sq->obj.id, n, len);
			return 0;
		}
		if (mlx5_mkey_read(nic, be32toh(d->lkey), be64toh(d->addr), buf + len, n))
			return 0;
		len += n;
	}
	return len;
}

static void transmit(struct mlx5_nic *nic, u8 *frame, u32 len)
{
	struct iovec iov = { frame, len };

	mlx5_count_frame(&nic->vport.tx, frame, len);
	if (mlx5_vport_loops(nic, frame))
		mlx5_rx_vport(nic, frame, len);
	else if (mlx5_link_up(nic))
		(void)nic_xmit(nic->nic, &iov, 1);	/* a lost frame is counted there */
}

static unsigned int csum_flags(const struct mlx5_eth_seg *eth)
{
	return (eth->cs_flags & MLX5_WQE_L3_CSUM ? PACKET_TX_L3 : 0) |
	       (eth->cs_flags & MLX5_WQE_L4_CSUM ? PACKET_TX_L4 : 0);
}

static bool send_one(struct mlx5_nic *nic, struct mlx5_sq *sq, u8 *frame, u32 len,
		     unsigned int csum)
{
	/* L3 is asked for over IPv6 too, where there is none: packet_tx_csum() knows. */
	if (csum && packet_tx_csum(frame, len, csum)) {
		nic_err("SQ %#x: checksum %#x asked for on a frame that has no place for it",
			sq->obj.id, csum);
		return false;
	}
	transmit(nic, frame, len);
	return true;
}

/*
 * Parses the headers of an LSO request. Their length fields speak of the whole
 * request or, when that is too long for them, are 0: make them say that
 * nothing follows, so that they parse.
 */
static void parse_headers(struct packet *pkt, u8 *hdr, u32 hdr_len)
{
	u16 l3_len;

	packet_parse(pkt, hdr, hdr_len);
	if (pkt->l3_off + 20U > hdr_len)
		return;
	l3_len = (u16)(hdr_len - pkt->l3_off);
	if (pkt->ethertype == PACKET_ETH_IPV4)
		put_be16(hdr + pkt->l3_off + 2, l3_len);
	else if (pkt->ethertype == PACKET_ETH_IPV6)
		put_be16(hdr + pkt->l3_off + 4, (u16)(l3_len - 40));
	packet_parse(pkt, hdr, hdr_len);
	if (pkt->ip_proto == PACKET_IP_UDP && pkt->l4_off + 8U <= hdr_len) {
		put_be16(hdr + pkt->l4_off + 4, 8);
		packet_parse(pkt, hdr, hdr_len);
	}
}

/* Patches the headers of segment nr: bytes payload bytes from off on. */
static void patch_headers(const struct packet *pkt, u8 *hdr, u32 nr, u32 off, u32 bytes, bool last)
{
	u8 *l3 = hdr + pkt->l3_off, *l4 = hdr + pkt->l4_off;
	u32 l4_len = pkt->l4_hlen + bytes;

	if (pkt->ip_version == 4) {
		put_be16(l3 + 2, (u16)(pkt->l3_hlen + l4_len));
		put_be16(l3 + 4, (u16)(pkt->ip_id + nr));
	} else {
		put_be16(l3 + 4, (u16)(pkt->l3_hlen - 40 + l4_len));
	}
	if (pkt->l4 == PACKET_L4_UDP) {
		put_be16(l4 + 4, (u16)l4_len);
		return;
	}
	put_be32(l4 + 4, pkt->tcp_seq + off);
	if (!last)
		l4[13] &= (u8)~(PACKET_TCP_FIN | PACKET_TCP_PSH);
	if (nr)
		l4[13] &= (u8)~TCP_CWR;
}

static bool send_lso(struct mlx5_nic *nic, struct mlx5_sq *sq, u8 *buf, u32 len, u32 hdr_len,
		     u32 mss, unsigned int csum)
{
	static u8 seg[NIC_MAX_FRAME];
	struct packet pkt;
	u32 off, nr = 0, payload = len - hdr_len;

	parse_headers(&pkt, buf, hdr_len);
	if (!mss || hdr_len + mss > sizeof(seg) || pkt.l4 == PACKET_L4_NONE ||
	    pkt.payload_off != hdr_len) {
		nic_err("SQ %#x: LSO with %u bytes of headers, MSS %u, that is no TCP or UDP",
			sq->obj.id, hdr_len, mss);
		return false;
	}
	for (off = 0; off < payload; off += mss, nr++) {
		u32 n = min_u32(mss, payload - off);

		memcpy(seg, buf, hdr_len);
		patch_headers(&pkt, seg, nr, off, n, off + n == payload);
		memcpy(seg + hdr_len, buf + hdr_len + off, n);
		if (!send_one(nic, sq, seg, hdr_len + n, csum))
			return false;
	}
	return true;
}

bool mlx5_tx_send(struct mlx5_nic *nic, struct mlx5_sq *sq, const u8 *wqe, u32 bytes, bool lso)
{
	const u8 *end = wqe + bytes, *seg = wqe + 32, *inl = wqe + 30;
	const struct mlx5_eth_seg *eth = (const void *)(wqe + sizeof(struct mlx5_ctrl_seg));
	u32 len = 0, hdr_len = 0;
	u16 sz;

	if (bytes < 32) {
		nic_err("SQ %#x: SEND of %u bytes has no Ethernet segment", sq->obj.id, bytes);
		return false;
	}
	sz = be16toh(eth->inline_hdr_sz);
	if (sz & ~MAX_INLINE) {
		nic_err("SQ %#x: inline header size %#x", sq->obj.id, sz);
		return false;
	}
	if (sz) {
		hdr_len = sz;
		if (inl + hdr_len > end) {
			nic_err("SQ %#x: %u inline bytes in a WQE of %u", sq->obj.id, hdr_len,
				bytes);
			return false;
		}
		memcpy(frame_buf, inl, hdr_len);
		len = hdr_len;
		if (hdr_len > 2)	/* the first two are in the Ethernet segment */
			seg += ALIGN_UP(hdr_len - 2, 16U);
	}
	len = gather(nic, sq, seg, end, frame_buf, len);
	if (len < PACKET_ETH_HLEN || (!lso && len > NIC_MAX_FRAME)) {
		nic_err("SQ %#x: a frame of %u bytes", sq->obj.id, len);
		return false;
	}
	if (lso)
		return send_lso(nic, sq, frame_buf, len, hdr_len, be16toh(eth->mss),
				csum_flags(eth));
	return send_one(nic, sq, frame_buf, len, csum_flags(eth));
}
