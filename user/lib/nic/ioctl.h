/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIOCETHTOOL: what has no netlink. Called in user/lib/nic only.
 */
#ifndef ZCQ_NIC_IOCTL_H
#define ZCQ_NIC_IOCTL_H

/* fd: any socket of the network namespace. data begins with its ETHTOOL_ command. 0 or -errno. */
int zcq_nic_ioctl(int fd, const char *ifname, void *data);

#endif
