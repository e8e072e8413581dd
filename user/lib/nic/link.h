/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The netdevs of the network namespace by rtnetlink, and the facts about one that only
 * ioctl, /sys or /proc give: driver, number of queues on old kernels, where an interrupt
 * is handled. Called by user/lib/model.
 */
#ifndef ZCQ_NIC_LINK_H
#define ZCQ_NIC_LINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/nic/array.h"
#include "lib/nic/nl.h"
#include "lib/nic/num.h"

struct zcq_nic_link {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	char kind[16];			/* "veth", "netkit", "vlan"; "" for hardware */
	char bus_addr[32];		/* "0000:01:00.0"; "" if it has no parent device */
	bool up;			/* IFF_UP */
	bool xdp;			/* an XDP program is attached */
	struct zcq_num max_rx_queues;	/* allocated, not in use */
	char driver[32];		/* filled by zcq_nic_driver() */
};

/* ifi: behind the rtnetlink header. As zcq_nic_parse_fn, see netdev.h. */
int zcq_nic_parse_link(const struct nlmsghdr *nlh, struct zcq_nic_link *link);

/* nl: a NETLINK_ROUTE socket. out: struct zcq_nic_link. 0 or -errno. */
int zcq_nic_links(struct zcq_nl *nl, struct zcq_array *out);

/*
 * The name of a netdev in the namespace that this one knows under netns_id.
 * name is IF_NAMESIZE long. 0 or -errno.
 */
int zcq_nic_link_name_in(struct zcq_nl *nl, uint32_t netns_id, uint32_t ifindex, char *name);

/* Driver's name by SIOCETHTOOL; fd is any socket of the namespace. 0 or -errno. */
int zcq_nic_driver(int fd, const char *ifname, char *driver, size_t size);

/*
 * Rx queues in use by /sys/class/net, for kernels without queue-get and for netdevs that are
 * down. Unknown where /sys shows another namespace.
 */
struct zcq_num zcq_nic_sysfs_rx_queues(const char *ifname, uint32_t ifindex);

/*
 * CPUs that handle an interrupt, as /proc/irq writes them ("3", "0-7"): those in effect,
 * else those allowed. buf is "" if unknown.
 */
void zcq_nic_irq_cpus(uint32_t irq, char *buf, size_t size);

#endif
