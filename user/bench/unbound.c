// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks netdev-genl until the provider is gone. The kernel answers under the netdev's lock, which it
 * also holds over the whole unbinding: the answer "no provider" means that it is over.
 */
#include "bench/unbound.h"

#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <time.h>

#include "lib/nic/netdev.h"
#include "lib/nic/uapi.h"

#define STEP_MS	5

/* 1: bound, 0: not, or -errno. */
static int is_bound(struct zcq_nl *nl, uint32_t ifindex, uint32_t queue)
{
	struct zcq_array queues = { 0 };
	int ret = zcq_nic_dump(nl, &zcq_nic_queues, &queues);
	const struct zcq_nic_queue *q = queues.v;
	size_t i;

	for (i = 0; !ret && i < queues.n; i++)
		if (q[i].ifindex == ifindex && q[i].id == queue && q[i].type == ZCQ_QUEUE_RX &&
		    q[i].io_uring)
			ret = 1;
	zcq_array_clear(&queues, zcq_nic_queues.drop);
	return ret;
}

int zcq_wait_unbound(const char *ifname, uint32_t queue, unsigned int limit_ms)
{
	struct timespec step = { 0, STEP_MS * 1000000L };
	uint32_t ifindex = if_nametoindex(ifname);
	struct zcq_nl *nl;
	unsigned int ms;
	int ret = 1;

	if (!ifindex)
		return -errno;
	nl = zcq_nl_open(NETLINK_GENERIC);
	if (!nl)
		return -errno;
	for (ms = 0; ms < limit_ms && ret == 1; ms += STEP_MS) {
		ret = is_bound(nl, ifindex, queue);
		if (ret == 1)
			nanosleep(&step, NULL);
	}
	zcq_nl_close(nl);
	return ret == 1 ? -ETIMEDOUT : ret;
}
