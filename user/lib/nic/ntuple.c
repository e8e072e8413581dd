// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flow rules and RSS tables by SIOCETHTOOL. The table may change between the question
 * how many rules there are and the answer which: a rule that went away is passed over.
 */
#include "lib/nic/ntuple.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ioctl.h"

#define COUNT_TRIES	3
#define MAX_RULES	(1U << 20)
/* No NIC has more; keeps a broken driver's answer from being an allocation. */
#define MAX_INDIR	(1U << 20)

void zcq_nic_rule_decode(struct zcq_nic_rule *rule, uint32_t rss_context)
{
	uint64_t cookie = rule->spec.ring_cookie;

	rule->location = rule->spec.location;
	if (cookie == RX_CLS_FLOW_DISC) {
		rule->action = ZCQ_RULE_DROP;
		return;
	}
	if (cookie == RX_CLS_FLOW_WAKE || ethtool_get_flow_spec_ring_vf(cookie)) {
		rule->action = ZCQ_RULE_OTHER;
		return;
	}
	rule->queue = (uint32_t)ethtool_get_flow_spec_ring(cookie);
	rule->action = ZCQ_RULE_QUEUE;
	if (rule->spec.flow_type & FLOW_RSS) {
		rule->action = ZCQ_RULE_CONTEXT;
		rule->context = rss_context;
	}
}

static int get_rule(int fd, const char *ifname, uint32_t location, struct zcq_nic_rule *rule)
{
	struct ethtool_rxnfc nfc = { .cmd = ETHTOOL_GRXCLSRULE };
	int err;

	nfc.fs.location = location;
	err = zcq_nic_ioctl(fd, ifname, &nfc);
	if (err)
		return err;
	rule->spec = nfc.fs;
	zcq_nic_rule_decode(rule, nfc.rss_context);
	return 0;
}

static int get_count(int fd, const char *ifname, struct zcq_nic_rule_info *info)
{
	struct ethtool_rxnfc nfc = { .cmd = ETHTOOL_GRXCLSRLCNT };
	int err = zcq_nic_ioctl(fd, ifname, &nfc);

	if (err)
		return err;
	if (nfc.rule_cnt > MAX_RULES)
		return -ERANGE;
	info->rules = zcq_num(nfc.rule_cnt);
	info->any_location = nfc.data & RX_CLS_LOC_SPECIAL;
	if (nfc.data & ~(uint64_t)RX_CLS_LOC_SPECIAL)
		info->max = zcq_num(nfc.data & ~(uint64_t)RX_CLS_LOC_SPECIAL);
	return 0;
}

/* The locations in use, *n of at most count; to be freed. NULL and errno. */
static uint32_t *get_locations(int fd, const char *ifname, uint32_t count, uint32_t *n)
{
	size_t head = offsetof(struct ethtool_rxnfc, rule_locs);
	size_t size = head + count * sizeof(uint32_t);
	struct ethtool_rxnfc *nfc;
	uint32_t *locs;
	int err;

	nfc = calloc(1, size > sizeof(*nfc) ? size : sizeof(*nfc));
	locs = calloc((size_t)count + 1, sizeof(*locs));
	if (!nfc || !locs) {
		err = -ENOMEM;
		goto out;
	}
	nfc->cmd = ETHTOOL_GRXCLSRLALL;
	nfc->rule_cnt = count;
	err = zcq_nic_ioctl(fd, ifname, nfc);
	if (err)
		goto out;
	*n = nfc->rule_cnt < count ? nfc->rule_cnt : count;
	memcpy(locs, (char *)nfc + head, *n * sizeof(*locs));
out:
	free(nfc);
	if (err) {
		free(locs);
		locs = NULL;
		errno = -err;
	}
	return locs;
}

static int get_rules(int fd, const char *ifname, const struct zcq_nic_rule_info *info,
		     const uint32_t *locs, uint32_t n, struct zcq_array *out)
{
	struct zcq_nic_rule *rule;
	uint32_t i;
	int err;

	for (i = 0; i < n; i++) {
		rule = zcq_array_push(out);
		if (!rule)
			return -ENOMEM;
		rule->ifindex = info->ifindex;
		err = get_rule(fd, ifname, locs[i], rule);
		if (err)
			out->n--;
		if (err && err != -ENOENT && err != -EINVAL)
			return err;	/* those two: gone meanwhile */
	}
	return 0;
}

int zcq_nic_rules(int fd, const char *ifname, uint32_t ifindex, struct zcq_nic_rule_info *info,
		  struct zcq_array *out)
{
	uint32_t *locs = NULL, n = 0;
	int tries, err;

	memset(info, 0, sizeof(*info));
	info->ifindex = ifindex;
	out->size = sizeof(struct zcq_nic_rule);
	/*
	 * Drivers want the exact number: one refuses a room too small with EMSGSIZE, mlx5 one
	 * too large with EINVAL. The number may change before it is used.
	 */
	for (tries = 0; tries < COUNT_TRIES && !locs; tries++) {
		err = get_count(fd, ifname, info);
		if (err || !info->rules.v)
			return err;
		locs = get_locations(fd, ifname, (uint32_t)info->rules.v, &n);
		if (!locs && errno != EMSGSIZE && errno != EINVAL)
			return -errno;
	}
	if (!locs)
		return -errno;
	err = get_rules(fd, ifname, info, locs, n, out);
	free(locs);
	return err;
}

int zcq_nic_rss_ioctl(int fd, const char *ifname, uint32_t ifindex, uint32_t context,
		      struct zcq_nic_rss *rss)
{
	struct ethtool_rxfh sizes = { .cmd = ETHTOOL_GRSSH, .rss_context = context };
	struct ethtool_rxfh *rxfh;
	size_t indir, key;
	int err;

	memset(rss, 0, sizeof(*rss));
	err = zcq_nic_ioctl(fd, ifname, &sizes);
	if (err)
		return err;
	if (sizes.indir_size > MAX_INDIR || sizes.key_size > MAX_INDIR)
		return -ERANGE;
	indir = sizes.indir_size * sizeof(uint32_t);
	key = sizes.key_size;
	rxfh = calloc(1, sizeof(*rxfh) + indir + key);
	rss->indir = malloc(indir + 1);
	rss->key = malloc(key + 1);
	if (!rxfh || !rss->indir || !rss->key) {
		err = -ENOMEM;
		goto out;
	}
	*rxfh = sizes;
	rxfh->cmd = ETHTOOL_GRSSH;
	rxfh->rss_context = context;
	err = zcq_nic_ioctl(fd, ifname, rxfh);
	if (err)
		goto out;
	memcpy(rss->indir, (char *)rxfh + offsetof(struct ethtool_rxfh, rss_config), indir);
	memcpy(rss->key, (char *)rxfh + offsetof(struct ethtool_rxfh, rss_config) + indir, key);
	rss->n_indir = sizes.indir_size;
	rss->n_key = key;
	rss->ifindex = ifindex;
	rss->context = context;
	rss->hfunc = zcq_num(rxfh->hfunc);
out:
	if (err)
		zcq_nic_rss_drop(rss);
	free(rxfh);
	return err;
}
