// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See ioctl.h.
 */
#include "lib/nic/ioctl.h"

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>

int zcq_nic_ioctl(int fd, const char *ifname, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}
