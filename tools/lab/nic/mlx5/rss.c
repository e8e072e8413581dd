// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rss.c - who receives a packet that steering handed to a TIR: one RQ, or by
 * hash one of an indirection table (RQT). The commands of both, and
 * mlx5_rss_pick() for the receive path. The driver's side is
 * drivers/net/ethernet/mellanox/mlx5/core/en/{rqt,tir,rss}.c.
 */
#include <stdlib.h>

#include "../packet.h"
#include "../toeplitz.h"
#include "ifc.h"
#include "rss.h"

/* include/linux/mlx5/device.h: MLX5_HASH_FIELD_SEL_*, MLX5_L[34]_PROT_TYPE_*. */
enum {
	SEL_SRC_IP = 1 << MLX5_RX_HASH_FIELD_SELECT_SELECTED_FIELDS_SRC_IP,
	SEL_DST_IP = 1 << MLX5_RX_HASH_FIELD_SELECT_SELECTED_FIELDS_DST_IP,
	SEL_SPORT = 1 << MLX5_RX_HASH_FIELD_SELECT_SELECTED_FIELDS_L4_SPORT,
	SEL_DPORT = 1 << MLX5_RX_HASH_FIELD_SELECT_SELECTED_FIELDS_L4_DPORT,
	SEL_SPI = 1 << MLX5_RX_HASH_FIELD_SELECT_SELECTED_FIELDS_IPSEC_SPI,
	SEL_IPS = SEL_SRC_IP | SEL_DST_IP,
	SEL_PORTS = SEL_SPORT | SEL_DPORT,
	SEL_ALL = SEL_IPS | SEL_PORTS | SEL_SPI,
	L3_IPV6 = 1,		/* l3_prot_type; 0 is IPv4 */
	L4_UDP = 1,		/* l4_prot_type; 0 is TCP */
};

_Static_assert(IFC_BIT_LEN(tirc, rx_hash_toeplitz_key) == TOEPLITZ_KEY_LEN * 8, "key length");

struct mlx5_rqt {
	struct mlx5_obj obj;
	u32 max, nr;
	struct mlx5_rq **rq;
};

/* What the driver may change with MODIFY_TIR's hash bit. */
struct tir_hash {
	u8 fn;			/* MLX5_RX_HASH_FN_* */
	bool symmetric;
	bool ipv6, udp;		/* what the selected fields are of */
	u32 fields;		/* SEL_* */
	u8 key[TOEPLITZ_KEY_LEN];
};

struct mlx5_tir {
	struct mlx5_obj obj;
	struct mlx5_obj *td;
	struct mlx5_rq *rq;	/* direct */
	struct mlx5_rqt *rqt;	/* indirect */
	struct tir_hash hash;
	u8 self_lb_block;
};

/* ---- indirection tables ---- */

static void put_rqs(struct mlx5_rqt *rqt)
{
	for (u32 i = 0; i < rqt->nr; i++)
		mlx5_obj_put(&rqt->rq[i]->obj);
	free(rqt->rq);
	rqt->rq = NULL;
	rqt->nr = 0;
}

static void release_rqt(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	(void)nic;
	put_rqs(container_of(obj, struct mlx5_rqt, obj));
}

static int check_rqtc(struct mlx5_cmd *cmd, const u8 *rqtc, u32 max)
{
	u32 nr = IFC_GET(rqtc, rqtc, rqt_actual_size);
	u32 need = (u32)(rqtc - cmd->in) + IFC_OFF(rqtc, rq_num) + nr * IFC_SIZE(rq_num);

	if (IFC_GET(rqtc, rqtc, list_q_type) || IFC_GET(rqtc, rqtc, rq_vhca_id_format))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "list_q_type or rq_vhca_id_format: not offered");
	if (!nr || nr > max)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "rqt_actual_size %u of rqt_max_size %u", nr, max);
	if (cmd->in_len < need)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR,
				     "%u bytes of input, %u RQs need %u", cmd->in_len, nr, need);
	return MLX5_CMD_STAT_OK;
}

/* Replaces the list by the context's; leaves it as it was if one RQ is not there. */
static int load_rqs(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rqt *rqt,
		    const u8 *rqtc)
{
	const u8 *list = IFC_CPTR(rqtc, rqtc, rq_num);
	u32 nr = IFC_GET(rqtc, rqtc, rqt_actual_size);
	struct mlx5_rq **rq = calloc(nr, sizeof(struct mlx5_rq *));

	if (!rq)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR, "out of memory");
	for (u32 i = 0; i < nr; i++, list += IFC_SIZE(rq_num)) {
		rq[i] = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQ, IFC_GET(rq_num, list, rq_num));
		if (!rq[i]) {
			free(rq);
			return MLX5_CMD_STAT_BAD_RES_ERR;
		}
	}
	for (u32 i = 0; i < nr; i++)
		mlx5_obj_get(&rq[i]->obj);
	put_rqs(rqt);
	rqt->rq = rq;
	rqt->nr = nr;
	return MLX5_CMD_STAT_OK;
}

static int create_rqt(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *rqtc = IFC_CPTR(create_rqt_in, cmd->in, rqt_context);
	u32 max = IFC_GET(rqtc, rqtc, rqt_max_size);
	struct mlx5_rqt *rqt;
	int st;

	if (max > 1 << MLX5_RSS_LOG_MAX_RQT_SIZE)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR,
				     "rqt_max_size %u, log_max_rqt_size is %u", max,
				     MLX5_RSS_LOG_MAX_RQT_SIZE);
	st = check_rqtc(cmd, rqtc, max);
	if (st)
		return st;
	rqt = mlx5_obj_new(nic, cmd, MLX5_OBJ_RQT, sizeof(*rqt));
	if (!rqt)
		return MLX5_CMD_STAT_LIM_ERR;
	rqt->obj.release = release_rqt;
	rqt->max = max;
	st = load_rqs(nic, cmd, rqt, rqtc);
	if (st) {
		mlx5_obj_del(nic, &rqt->obj);
		return st;
	}
	IFC_SET(create_rqt_out, cmd->out, rqtn, rqt->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int modify_rqt(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *rqtc = IFC_CPTR(modify_rqt_in, cmd->in, ctx);
	struct mlx5_rqt *rqt;
	int st;

	rqt = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQT, IFC_GET(modify_rqt_in, cmd->in, rqtn));
	if (!rqt)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	/* en/rqt.c mlx5e_rqt_redirect() sets it; without it nothing would change. */
	if (!IFC_GET(modify_rqt_in, cmd->in, bitmask.rqn_list))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "bitmask without rqn_list changes nothing");
	st = check_rqtc(cmd, rqtc, rqt->max);
	return st ? st : load_rqs(nic, cmd, rqt, rqtc);
}

static int destroy_rqt(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_RQT, IFC_GET(destroy_rqt_in, cmd->in, rqtn));
}

static int query_rqt(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *rqtc = IFC_PTR(query_rqt_out, cmd->out, rqt_context);
	u8 *list = IFC_PTR(rqtc, rqtc, rq_num);
	struct mlx5_rqt *rqt;

	rqt = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQT, IFC_GET(query_rqt_in, cmd->in, rqtn));
	if (!rqt)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (cmd->out_len < (u32)(list - cmd->out) + rqt->nr * IFC_SIZE(rq_num))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR,
				     "%u bytes of output for %u RQs", cmd->out_len, rqt->nr);
	IFC_SET(rqtc, rqtc, rqt_max_size, rqt->max);
	IFC_SET(rqtc, rqtc, rqt_actual_size, rqt->nr);
	for (u32 i = 0; i < rqt->nr; i++)
		IFC_SET(rq_num, list + i * IFC_SIZE(rq_num), rq_num, rqt->rq[i]->obj.id);
	return MLX5_CMD_STAT_OK;
}

/* ---- TIRs ---- */

static void release_tir(struct mlx5_nic *nic, struct mlx5_obj *obj)
{
	struct mlx5_tir *tir = container_of(obj, struct mlx5_tir, obj);

	(void)nic;
	mlx5_obj_put(tir->td);
	mlx5_obj_put(tir->rq ? &tir->rq->obj : NULL);
	mlx5_obj_put(tir->rqt ? &tir->rqt->obj : NULL);
}

static bool one_of(u32 fields, u32 pair)
{
	return (fields & pair) && (fields & pair) != pair;
}

/* The hash part of a TIR context. */
static int parse_hash(struct mlx5_cmd *cmd, const u8 *tirc, struct tir_hash *hash)
{
	const u8 *sel = IFC_CPTR(tirc, tirc, rx_hash_field_selector_outer);
	const u8 *inner = IFC_CPTR(tirc, tirc, rx_hash_field_selector_inner);

	hash->fn = IFC_GET(tirc, tirc, rx_hash_fn);
	hash->symmetric = IFC_GET(tirc, tirc, rx_hash_symmetric);
	hash->ipv6 = IFC_GET(rx_hash_field_select, sel, l3_prot_type) == L3_IPV6;
	hash->udp = IFC_GET(rx_hash_field_select, sel, l4_prot_type) == L4_UDP;
	hash->fields = IFC_GET(rx_hash_field_select, sel, selected_fields);
	memcpy(hash->key, IFC_CPTR(tirc, tirc, rx_hash_toeplitz_key), sizeof(hash->key));

	if (hash->fn > MLX5_RX_HASH_FN_TOEPLITZ)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR, "rx_hash_fn %u", hash->fn);
	if (IFC_GET(rx_hash_field_select, inner, selected_fields))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "hash of inner headers, without tunnel capabilities");
	if ((hash->fields & ~SEL_ALL) || ((hash->fields & SEL_SPI) && (hash->fields & SEL_PORTS)))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "selected_fields %#x", hash->fields);
	if (hash->symmetric &&
	    (hash->fn != MLX5_RX_HASH_FN_TOEPLITZ || one_of(hash->fields, SEL_IPS) ||
	     one_of(hash->fields, SEL_PORTS)))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "symmetric hash of fields %#x by function %u",
				     hash->fields, hash->fn);
	return MLX5_CMD_STAT_OK;
}

/* What neither creation nor modification may ask for. */
static int check_tirc(struct mlx5_cmd *cmd, const u8 *tirc)
{
	/* LRO only with lro_cap; SHAMPO is a matter of the RQ, not of the TIR. */
	if (IFC_GET(tirc, tirc, packet_merge_mask))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "packet_merge_mask %#x, without lro_cap",
				     IFC_GET(tirc, tirc, packet_merge_mask));
	if (IFC_GET(tirc, tirc, tls_en) || IFC_GET(tirc, tirc, tunneled_offload_en))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "TLS or tunnel offload: not offered");
	return MLX5_CMD_STAT_OK;
}

/* Direct: an RQ. Indirect: an RQT and a hash function, if only to pick entry 0. */
static int find_receiver(struct mlx5_nic *nic, struct mlx5_cmd *cmd, const u8 *tirc, u8 hash_fn,
			 struct mlx5_rq **rq, struct mlx5_rqt **rqt)
{
	u32 disp = IFC_GET(tirc, tirc, disp_type);

	*rq = NULL;
	*rqt = NULL;
	if (disp == MLX5_TIRC_DISP_TYPE_DIRECT) {
		if (hash_fn != MLX5_RX_HASH_FN_NONE)
			return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
					     "direct TIR with rx_hash_fn %u", hash_fn);
		*rq = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQ, IFC_GET(tirc, tirc, inline_rqn));
		return *rq ? MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
	}
	if (disp != MLX5_TIRC_DISP_TYPE_INDIRECT || hash_fn == MLX5_RX_HASH_FN_NONE)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "disp_type %u with rx_hash_fn %u", disp, hash_fn);
	*rqt = mlx5_obj_need(nic, cmd, MLX5_OBJ_RQT, IFC_GET(tirc, tirc, indirect_table));
	return *rqt ? MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
}

static int create_tir(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *tirc = IFC_CPTR(create_tir_in, cmd->in, ctx);
	struct tir_hash hash = { 0 };
	struct mlx5_tir *tir;
	struct mlx5_rqt *rqt;
	struct mlx5_obj *td;
	struct mlx5_rq *rq;
	int st;

	st = check_tirc(cmd, tirc);
	if (!st)
		st = parse_hash(cmd, tirc, &hash);
	if (!st)
		st = find_receiver(nic, cmd, tirc, hash.fn, &rq, &rqt);
	if (st)
		return st;
	td = mlx5_obj_need(nic, cmd, MLX5_OBJ_TD, IFC_GET(tirc, tirc, transport_domain));
	if (!td)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	tir = mlx5_obj_new(nic, cmd, MLX5_OBJ_TIR, sizeof(*tir));
	if (!tir)
		return MLX5_CMD_STAT_LIM_ERR;
	tir->obj.release = release_tir;
	tir->td = td;
	tir->rq = rq;
	tir->rqt = rqt;
	tir->hash = hash;
	tir->self_lb_block = IFC_GET(tirc, tirc, self_lb_block);
	mlx5_obj_get(td);
	mlx5_obj_get(rq ? &rq->obj : NULL);
	mlx5_obj_get(rqt ? &rqt->obj : NULL);
	IFC_SET(create_tir_out, cmd->out, tirn, tir->obj.id);
	return MLX5_CMD_STAT_OK;
}

static int modify_tir(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	const u8 *tirc = IFC_CPTR(modify_tir_in, cmd->in, ctx);
	const u8 *select = IFC_CPTR(modify_tir_in, cmd->in, bitmask);
	bool change_hash = IFC_GET(modify_tir_bitmask, select, hash);
	u8 known[IFC_SIZE(modify_tir_bitmask)] = { 0 };
	struct tir_hash hash = { 0 };
	struct mlx5_tir *tir;
	int st;

	tir = mlx5_obj_need(nic, cmd, MLX5_OBJ_TIR, IFC_GET(modify_tir_in, cmd->in, tirn));
	if (!tir)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(modify_tir_bitmask, known, self_lb_en, 1);
	IFC_SET(modify_tir_bitmask, known, hash, 1);
	IFC_SET(modify_tir_bitmask, known, packet_merge, 1);
	if (get_be64(select) & ~get_be64(known))
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "bitmask %#llx has bits that are not modelled",
				     (unsigned long long)get_be64(select));
	st = check_tirc(cmd, tirc);
	if (!st && change_hash)
		st = parse_hash(cmd, tirc, &hash);
	if (st)
		return st;
	if (change_hash && (hash.fn == MLX5_RX_HASH_FN_NONE) != !tir->rqt)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "rx_hash_fn %u does not suit the TIR's disp_type", hash.fn);
	if (change_hash)
		tir->hash = hash;
	if (IFC_GET(modify_tir_bitmask, select, self_lb_en))
		tir->self_lb_block = IFC_GET(tirc, tirc, self_lb_block);
	return MLX5_CMD_STAT_OK;
}

static int destroy_tir(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	return mlx5_obj_destroy(nic, cmd, MLX5_OBJ_TIR, IFC_GET(destroy_tir_in, cmd->in, tirn));
}

static int query_tir(struct mlx5_nic *nic, struct mlx5_cmd *cmd)
{
	u8 *tirc = IFC_PTR(query_tir_out, cmd->out, tir_context);
	u8 *sel = IFC_PTR(tirc, tirc, rx_hash_field_selector_outer);
	struct mlx5_tir *tir;

	tir = mlx5_obj_need(nic, cmd, MLX5_OBJ_TIR, IFC_GET(query_tir_in, cmd->in, tirn));
	if (!tir)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	IFC_SET(tirc, tirc, disp_type,
		tir->rqt ? MLX5_TIRC_DISP_TYPE_INDIRECT : MLX5_TIRC_DISP_TYPE_DIRECT);
	if (tir->rqt)
		IFC_SET(tirc, tirc, indirect_table, tir->rqt->obj.id);
	else
		IFC_SET(tirc, tirc, inline_rqn, tir->rq->obj.id);
	IFC_SET(tirc, tirc, rx_hash_fn, tir->hash.fn);
	IFC_SET(tirc, tirc, rx_hash_symmetric, tir->hash.symmetric);
	IFC_SET(tirc, tirc, self_lb_block, tir->self_lb_block);
	IFC_SET(tirc, tirc, transport_domain, tir->td->id);
	memcpy(IFC_PTR(tirc, tirc, rx_hash_toeplitz_key), tir->hash.key, TOEPLITZ_KEY_LEN);
	IFC_SET(rx_hash_field_select, sel, l3_prot_type, tir->hash.ipv6);
	IFC_SET(rx_hash_field_select, sel, l4_prot_type, tir->hash.udp);
	IFC_SET(rx_hash_field_select, sel, selected_fields, tir->hash.fields);
	return MLX5_CMD_STAT_OK;
}

const struct mlx5_cmd_op mlx5_rss_ops[] = {
	MLX5_OP(CREATE_RQT, create_rqt, create_rqt),
	MLX5_OP(MODIFY_RQT, modify_rqt, modify_rqt),
	MLX5_OP(DESTROY_RQT, destroy_rqt, destroy_rqt),
	MLX5_OP(QUERY_RQT, query_rqt, query_rqt),
	MLX5_OP(CREATE_TIR, create_tir, create_tir),
	MLX5_OP(MODIFY_TIR, modify_tir, modify_tir),
	MLX5_OP(DESTROY_TIR, destroy_tir, destroy_tir),
	MLX5_OP(QUERY_TIR, query_tir, query_tir),
	{ 0 }
};

/* ---- the hash ---- */

/*
 * Appends the two sides of a field, n bytes each, if they are selected. The
 * symmetric form is the one that ethtool calls symmetric-or-xor, the only one
 * that en_ethtool.c offers: (src | dst), (src ^ dst).
 */
static u32 put_pair(u8 *in, const u8 *src, const u8 *dst, u32 n, bool has_src, bool has_dst,
		    bool symmetric)
{
	u32 len = 0;

	if (symmetric && has_src && has_dst) {
		for (u32 i = 0; i < n; i++) {
			in[i] = src[i] | dst[i];
			in[n + i] = src[i] ^ dst[i];
		}
		return 2 * n;
	}
	if (has_src) {
		memcpy(in, src, n);
		len = n;
	}
	if (has_dst) {
		memcpy(in + len, dst, n);
		len += n;
	}
	return len;
}

/* The security parameter index of ESP or AH, if the packet has one. */
static bool get_spi(const struct packet *pkt, u8 spi[4])
{
	enum { ESP = 50, AH = 51 };
	u32 at = pkt->ip_proto == ESP ? 0 : 4;

	if ((pkt->ip_proto != ESP && pkt->ip_proto != AH) || pkt->frag ||
	    pkt->l3_len < pkt->l3_hlen + at + 4)
		return false;
	memcpy(spi, pkt->data + pkt->l4_off + at, 4);
	return true;
}

/*
 * What is hashed of a packet, and what of that the CQE says. A packet that
 * isn't of the TIR's IP version is not hashed; one without the TIR's L4
 * header (a fragment) by its addresses only.
 */
static u32 hash_input(const struct tir_hash *hash, const struct packet *pkt,
		      u8 in[TOEPLITZ_MAX_INPUT], u8 *type)
{
	u32 f = hash->fields, alen = pkt->ip_version == 4 ? 4 : 16, len, ports;
	u8 port[4];

	*type = 0;
	if (pkt->ip_version != (hash->ipv6 ? 6 : 4))
		return 0;
	len = put_pair(in, pkt->saddr, pkt->daddr, alen, f & SEL_SRC_IP, f & SEL_DST_IP,
		       hash->symmetric);
	if (len)
		*type |= pkt->ip_version == 4 ? MLX5_CQE_HASH_IPV4 : MLX5_CQE_HASH_IPV6;
	if ((f & SEL_SPI) && get_spi(pkt, in + len)) {
		*type |= MLX5_CQE_HASH_SPI;
		return len + 4;
	}
	if (pkt->l4 != (hash->udp ? PACKET_L4_UDP : PACKET_L4_TCP))
		return len;
	put_be16(port, pkt->sport);
	put_be16(port + 2, pkt->dport);
	ports = put_pair(in + len, port, port + 2, 2, f & SEL_SPORT, f & SEL_DPORT,
			 hash->symmetric);
	if (ports)
		*type |= hash->udp ? MLX5_CQE_HASH_UDP : MLX5_CQE_HASH_TCP;
	return len + ports;
}

/*
 * MLX5_RX_HASH_FN_INVERTED_XOR8: the xor of all bytes; the index into the
 * table is its lower bits in reverse, which en/rqt.c mlx5e_calc_indir_rqns()
 * undoes when it lays the table out.
 */
static u32 xor8(const u8 *in, u32 len)
{
	u8 x = 0;

	while (len--)
		x ^= *in++;
	return x;
}

static u32 reverse_bits(u32 v, u32 nr)
{
	u32 r = 0;

	for (u32 bit = 1; bit < nr; bit <<= 1, v >>= 1)
		r = r << 1 | (v & 1);
	return r;
}

struct mlx5_rq *mlx5_rss_pick(struct mlx5_nic *nic, struct mlx5_tir *tir,
			      const struct packet *pkt, struct mlx5_rx_meta *meta)
{
	u8 in[TOEPLITZ_MAX_INPUT];
	u32 len, index = 0;

	(void)nic;
	meta->hash = 0;
	meta->hash_type = 0;
	if (!tir->rqt)
		return tir->rq;
	if (!tir->rqt->nr)
		return NULL;
	len = hash_input(&tir->hash, pkt, in, &meta->hash_type);
	if (len && tir->hash.fn == MLX5_RX_HASH_FN_TOEPLITZ) {
		meta->hash = toeplitz_hash(tir->hash.key, in, len);
		index = meta->hash;
	} else if (len) {
		meta->hash = xor8(in, len);
		index = reverse_bits(meta->hash, tir->rqt->nr);
	}
	return tir->rqt->rq[index % tir->rqt->nr];
}
