// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Netdevs of the namespace: rtnetlink for the list, SIOCETHTOOL for the driver, /sys
 * and /proc for the rest. /sys belongs to a mount namespace and may show another
 * network namespace than ours: an ifindex that differs gives it away.
 */
#include "lib/nic/link.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/nic/attr.h"
#include "lib/nic/ioctl.h"

#define LINK_A_PARENT_DEV_NAME	56	/* IFLA_PARENT_DEV_NAME */
#define LINK_A_MAX		LINK_A_PARENT_DEV_NAME

int zcq_nic_parse_link(const struct nlmsghdr *nlh, struct zcq_nic_link *link)
{
	const struct nlattr *tb[LINK_A_MAX + 1], *info[IFLA_INFO_KIND + 1];
	const struct nlattr *xdp[IFLA_XDP_ATTACHED + 1];
	size_t off = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct ifinfomsg));
	struct ifinfomsg ifi;

	if (nlh->nlmsg_type != RTM_NEWLINK || nlh->nlmsg_len < off)
		return 0;
	memcpy(&ifi, (const char *)nlh + NLMSG_HDRLEN, sizeof(ifi));
	zcq_attr_index((const struct nlattr *)((const char *)nlh + off), nlh->nlmsg_len - off,
		       tb, LINK_A_MAX);
	if (ifi.ifi_index <= 0 || !zcq_attr_str(tb[IFLA_IFNAME], link->name, sizeof(link->name)))
		return 0;
	link->ifindex = (uint32_t)ifi.ifi_index;
	link->up = ifi.ifi_flags & IFF_UP;
	link->max_rx_queues = zcq_attr_num(tb[IFLA_NUM_RX_QUEUES]);
	zcq_attr_str(tb[LINK_A_PARENT_DEV_NAME], link->bus_addr, sizeof(link->bus_addr));
	zcq_attr_index_nest(tb[IFLA_LINKINFO], info, IFLA_INFO_KIND);
	zcq_attr_str(info[IFLA_INFO_KIND], link->kind, sizeof(link->kind));
	zcq_attr_index_nest(tb[IFLA_XDP], xdp, IFLA_XDP_ATTACHED);
	link->xdp = zcq_attr_num(xdp[IFLA_XDP_ATTACHED]).v != XDP_ATTACHED_NONE;
	return 1;
}

static int take_link(const struct nlmsghdr *nlh, void *arg)
{
	struct zcq_array *out = arg;
	struct zcq_nic_link *link = zcq_array_push(out);

	if (!link)
		return -ENOMEM;
	if (!zcq_nic_parse_link(nlh, link))
		out->n--;
	return 0;
}

static struct nl_msg *getlink(uint32_t ifindex)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, 0);

	if (!msg)
		return NULL;
	/* no VF tables in the answer: a NIC may have hundreds of them */
	if (nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0 ||
	    nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int zcq_nic_links(struct zcq_nl *nl, struct zcq_array *out)
{
	struct nl_msg *msg;
	int tries, err = 0;

	out->size = sizeof(struct zcq_nic_link);
	for (tries = 0; tries < 5; tries++) {
		zcq_array_clear(out, NULL);
		msg = getlink(0);
		if (!msg)
			return -ENOMEM;
		err = zcq_nl_call(nl, msg, true, take_link, out);
		if (err != -EAGAIN)
			return err;
	}
	return 0;
}

int zcq_nic_link_name_in(struct zcq_nl *nl, uint32_t netns_id, uint32_t ifindex, char *name)
{
	struct zcq_array found = { .size = sizeof(struct zcq_nic_link) };
	struct nl_msg *msg = getlink(ifindex);
	int err;

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, IFLA_TARGET_NETNSID, netns_id) < 0) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	err = zcq_nl_call(nl, msg, false, take_link, &found);
	if (!err && !found.n)
		err = -ENODEV;
	if (!err)
		memcpy(name, ((struct zcq_nic_link *)found.v)->name, IF_NAMESIZE);
	zcq_array_clear(&found, NULL);
	return err;
}

int zcq_nic_driver(int fd, const char *ifname, char *driver, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = zcq_nic_ioctl(fd, ifname, &info);

	driver[0] = '\0';
	if (err)
		return err;
	snprintf(driver, size, "%.*s", (int)sizeof(info.driver), info.driver);
	return 0;
}

/* Reads the first line of a small file; false if that can't be done. */
static bool read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	buf[0] = '\0';
	if (!f)
		return false;
	ok = fgets(buf, (int)size, f);
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return ok && buf[0];
}

struct zcq_num zcq_nic_sysfs_rx_queues(const char *ifname, uint32_t ifindex)
{
	struct zcq_num none = { 0 };
	char path[64], line[32];
	struct dirent *de;
	uint64_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/net/%.15s/ifindex", ifname);
	if (!read_line(path, line, sizeof(line)) || strtoul(line, NULL, 10) != ifindex)
		return none;
	snprintf(path, sizeof(path), "/sys/class/net/%.15s/queues", ifname);
	dir = opendir(path);
	if (!dir)
		return none;
	while ((de = readdir(dir)))
		n += !strncmp(de->d_name, "rx-", 3);
	closedir(dir);
	return zcq_num(n);
}

void zcq_nic_irq_cpus(uint32_t irq, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/irq/%u/effective_affinity_list", irq);
	if (read_line(path, buf, size))
		return;
	snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", irq);
	read_line(path, buf, size);
}
