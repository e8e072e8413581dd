// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steer_match.c - what flow table entries match on: the outer headers from
 * layer 2 to 4, with any mask. A group that wants more (inner headers, misc
 * parameters) is refused loudly when it is made, so that a packet is never
 * steered by half of a rule. Used by steer.c and its lookup.
 */
#include "../packet.h"
#include "ifc.h"
#include "steer.h"

/* enum in mlx5_ifc.h without a name: MLX5_PACKET_L4_TYPE_*. */
_Static_assert(MLX5_PACKET_L4_TYPE_TCP == 1 && MLX5_PACKET_L4_TYPE_UDP == 2, "l4_type");
_Static_assert(IFC_SIZE(fte_match_set_lyr_2_4) == MLX5_STEER_KEY_LEN, "key length");
_Static_assert(IFC_OFF(fte_match_param, outer_headers) == 0, "outer headers come first");

/* include/linux/mlx5/device.h: MLX5_MATCH_OUTER_HEADERS of match_criteria_enable. */
#define MATCH_OUTER_HEADERS 1

#define FIELD(name) \
	{ IFC_BIT_OFF(fte_match_set_lyr_2_4, name), IFC_BIT_LEN(fte_match_set_lyr_2_4, name) }

/* The fields that mlx5_steer_key() fills in: bit offset and length. */
static const struct {
	u16 off, len;
} supported[] = {
	FIELD(smac_47_16), FIELD(smac_15_0), FIELD(ethertype),
	FIELD(dmac_47_16), FIELD(dmac_15_0),
	FIELD(first_prio), FIELD(first_cfi), FIELD(first_vid),
	FIELD(ip_protocol), FIELD(ip_dscp), FIELD(ip_ecn),
	FIELD(cvlan_tag), FIELD(svlan_tag), FIELD(frag), FIELD(ip_version),
	FIELD(tcp_flags), FIELD(tcp_sport), FIELD(tcp_dport),
	FIELD(l4_type), FIELD(ipv4_ihl), FIELD(ttl_hoplimit),
	FIELD(udp_sport), FIELD(udp_dport),
	FIELD(src_ipv4_src_ipv6), FIELD(dst_ipv4_dst_ipv6),
};

static bool bit_supported(u32 bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(supported); i++)
		if (bit - supported[i].off < supported[i].len)
			return true;
	return false;
}

int mlx5_steer_check_mask(struct mlx5_cmd *cmd, const u8 *match_param, u8 enable)
{
	if (enable & ~MATCH_OUTER_HEADERS)
		return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
				     "match_criteria_enable %#x: only outer headers (1) are modelled",
				     enable);
	for (u32 i = 0; i < IFC_SIZE(fte_match_param); i++) {
		if (!match_param[i])
			continue;
		if (i >= MLX5_STEER_KEY_LEN || !enable)
			return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
					     "match criteria at byte %u: %#x is set but not enabled",
					     i, match_param[i]);
		for (u32 bit = 0; bit < 8; bit++)
			if ((match_param[i] & 0x80 >> bit) && !bit_supported(i * 8 + bit))
				return mlx5_cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR,
						     "outer match criterion at bit %u (dword %#x) is not modelled",
						     i * 8 + bit, i / 4 * 4);
	}
	return MLX5_CMD_STAT_OK;
}

#define KEY_SET(key, field, v) IFC_SET(fte_match_set_lyr_2_4, key, field, v)

static void key_l2(u8 *key, const struct packet *pkt)
{
	if (pkt->len < PACKET_ETH_HLEN)
		return;
	memcpy(IFC_PTR(fte_match_set_lyr_2_4, key, dmac_47_16), pkt->data, 6);
	memcpy(IFC_PTR(fte_match_set_lyr_2_4, key, smac_47_16), pkt->data + 6, 6);
	/* The type after the last tag; the tag fields are those of the first one. */
	KEY_SET(key, ethertype, pkt->ethertype);
	if (!pkt->nr_vlans)
		return;
	KEY_SET(key, first_prio, pkt->vlan_tci[0] >> 13);
	KEY_SET(key, first_cfi, pkt->vlan_tci[0] >> 12);
	KEY_SET(key, first_vid, pkt->vlan_tci[0]);
	KEY_SET(key, cvlan_tag, pkt->vlan_tpid[0] == PACKET_ETH_VLAN);
	KEY_SET(key, svlan_tag, pkt->vlan_tpid[0] == PACKET_ETH_SVLAN);
}

static void key_l3(u8 *key, const struct packet *pkt)
{
	u8 *src = IFC_PTR(fte_match_set_lyr_2_4, key, src_ipv4_src_ipv6);
	u8 *dst = IFC_PTR(fte_match_set_lyr_2_4, key, dst_ipv4_dst_ipv6);
	/* An IPv4 address is the last word of the field: mlx5_ifc_ipv4_layout_bits. */
	u32 at = pkt->ip_version == 4 ? 12 : 0;

	KEY_SET(key, ip_version, pkt->ip_version);
	KEY_SET(key, ip_protocol, pkt->ip_proto);
	KEY_SET(key, ip_dscp, pkt->tos >> 2);
	KEY_SET(key, ip_ecn, pkt->tos);
	KEY_SET(key, frag, pkt->frag);
	KEY_SET(key, ttl_hoplimit, pkt->ttl);
	if (pkt->ip_version == 4)
		KEY_SET(key, ipv4_ihl, pkt->l3_hlen / 4);
	memcpy(src + at, pkt->saddr, 16 - at);
	memcpy(dst + at, pkt->daddr, 16 - at);
}

static void key_l4(u8 *key, const struct packet *pkt)
{
	if (pkt->l4 == PACKET_L4_TCP) {
		KEY_SET(key, l4_type, MLX5_PACKET_L4_TYPE_TCP);
		KEY_SET(key, tcp_flags, pkt->tcp_flags);
		KEY_SET(key, tcp_sport, pkt->sport);
		KEY_SET(key, tcp_dport, pkt->dport);
	} else if (pkt->l4 == PACKET_L4_UDP) {
		KEY_SET(key, l4_type, MLX5_PACKET_L4_TYPE_UDP);
		KEY_SET(key, udp_sport, pkt->sport);
		KEY_SET(key, udp_dport, pkt->dport);
	}
}

void mlx5_steer_key(u8 key[MLX5_STEER_KEY_LEN], const struct packet *pkt)
{
	memset(key, 0, MLX5_STEER_KEY_LEN);
	key_l2(key, pkt);
	if (pkt->ip_version)
		key_l3(key, pkt);
	key_l4(key, pkt);
}

static bool equal_under_mask(const u8 *a, const u8 *b, const u8 *mask)
{
	for (u32 i = 0; i < MLX5_STEER_KEY_LEN; i += 8) {
		u64 x, y, m;

		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		memcpy(&m, mask + i, 8);
		if ((x ^ y) & m)
			return false;
	}
	return true;
}

/*
 * The lowest flow index wins. The driver counts on it within a table: the
 * groups of lib/fs_ttc.c ttc_groups[] and en_fs.c l2_groups go from the most to the
 * least specific. Its priorities are tables of their own, chained by miss.
 */
struct mlx5_fte *mlx5_steer_match(const struct mlx5_ft *ft, const u8 key[MLX5_STEER_KEY_LEN])
{
	for (u32 i = 0; i < ft->nr_fte; i++)
		if (equal_under_mask(key, ft->fte[i].value, ft->fte[i].fg->mask))
			return &ft->fte[i];
	return NULL;
}
