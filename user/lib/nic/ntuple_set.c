// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See ntuple_set.h.
 */
#include "lib/nic/ntuple_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/ioctl.h"

int zcq_nic_rule_insert(int fd, const char *ifname, const struct ethtool_rx_flow_spec *spec,
			uint32_t context, uint32_t *location)
{
	struct ethtool_rxnfc nfc = { .cmd = ETHTOOL_SRXCLSRLINS, .fs = *spec };
	int err;

	nfc.rss_context = context;
	err = zcq_nic_ioctl(fd, ifname, &nfc);
	if (!err)
		*location = nfc.fs.location;
	return err;
}

int zcq_nic_rule_delete(int fd, const char *ifname, uint32_t location)
{
	struct ethtool_rxnfc nfc = { .cmd = ETHTOOL_SRXCLSRLDEL };

	nfc.fs.location = location;
	return zcq_nic_ioctl(fd, ifname, &nfc);
}

/* --- RSS ----------------------------------------------------------------------------------- */

/*
 * The byte behind hfunc: reserved and 0 before Linux 6.8, since then "input_xfrm", where
 * 0 means none and this value "leave it".
 */
#define XFRM_NO_CHANGE 0xff

static void set_xfrm(struct ethtool_rxfh *rxfh, uint8_t value)
{
	*((uint8_t *)rxfh + offsetof(struct ethtool_rxfh, hfunc) + 1) = value;
}

/* n 0: reset or, of a context, delete. *context comes back. */
static int set_rxfh(int fd, const char *ifname, const uint32_t *indir, size_t n, uint32_t *context)
{
	struct ethtool_rxfh *rxfh = calloc(1, sizeof(*rxfh) + n * sizeof(*indir));
	int err;

	if (!rxfh)
		return -ENOMEM;
	rxfh->cmd = ETHTOOL_SRSSH;
	rxfh->rss_context = *context;
	rxfh->indir_size = (uint32_t)n;
	if (n)
		memcpy((char *)rxfh + offsetof(struct ethtool_rxfh, rss_config), indir,
		       n * sizeof(*indir));
	set_xfrm(rxfh, XFRM_NO_CHANGE);
	err = zcq_nic_ioctl(fd, ifname, rxfh);
	if (err == -EINVAL) {
		set_xfrm(rxfh, 0);
		err = zcq_nic_ioctl(fd, ifname, rxfh);
	}
	if (!err)
		*context = rxfh->rss_context;
	free(rxfh);
	return err;
}

int zcq_nic_rss_set(int fd, const char *ifname, uint32_t context, const uint32_t *indir, size_t n)
{
	return n ? set_rxfh(fd, ifname, indir, n, &context) : -EINVAL;
}

int zcq_nic_rss_reset(int fd, const char *ifname)
{
	uint32_t context = 0;

	return set_rxfh(fd, ifname, NULL, 0, &context);
}

int zcq_nic_rss_context_new(int fd, const char *ifname, const uint32_t *indir, size_t n,
			    uint32_t *context)
{
	*context = ETH_RXFH_CONTEXT_ALLOC;
	return n ? set_rxfh(fd, ifname, indir, n, context) : -EINVAL;
}

int zcq_nic_rss_context_delete(int fd, const char *ifname, uint32_t context)
{
	return context ? set_rxfh(fd, ifname, NULL, 0, &context) : -EINVAL;
}
