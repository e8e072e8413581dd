// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of reasons. Texts say the cause, then what to do; where several causes share
 * an errno the likeliest comes first. Which one it was shows "zcq trace", which sees the kernel's
 * own text.
 */
#include "bench/explain.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd.h"
#include "lib/log.h"

enum scope {
	DEV = 1,	/* with a netdev */
	NODEV = 2,	/* without */
	ANY = 3,
	BUF = 4,	/* only where a buffer length was asked for */
};

static const struct {
	int err;
	unsigned int scope;	/* enum scope */
	const char *text;
} reasons[] = {
	{ EPERM, ANY, "no CAP_NET_ADMIN in the initial user namespace: run as root" },
	{ ENODEV, DEV, "no such netdev in this network namespace: ip link" },
	{ EFAULT, ANY, "memory of the area or of the refill ring can't be read" },
	{ EINVAL, DEV, "header split is off: ethtool -G IF tcp-data-split on (mlx5: first ethtool -K IF rx-gro-hw on)" },
	{ EINVAL, DEV, "header-split threshold is not 0: set hds-thresh to 0" },
	{ EINVAL, DEV | BUF, "the driver refuses this buffer length: without --rx-buf-len" },
	{ EINVAL, DEV, "the driver refused to start the queue: dmesg" },
	{ EINVAL, NODEV, "this kernel has no instances without a netdev (7.x has)" },
	{ EINVAL, ANY | BUF, "buffer length is no power of two or below a page: --rx-buf-len" },
	{ EEXIST, DEV, "the queue already has a memory provider: zcq queues IF names the owner" },
	{ EEXIST, DEV, "an XDP program is attached to the netdev: ip link set IF xdp off" },
	{ EBUSY, DEV, "the queue is used by AF_XDP, or is leased to a virtual netdev" },
	{ EOPNOTSUPP, DEV, "the driver can't give a queue other memory (no queue management operations)" },
	{ EOPNOTSUPP, DEV, "there is no such rx queue: ethtool -l IF" },
	{ EOPNOTSUPP, DEV | BUF, "the driver can't do this buffer length: without --rx-buf-len" },
	{ EOPNOTSUPP, DEV, "the netdev is down (mlx5 says so): ip link set IF up" },
	{ EOPNOTSUPP, DEV, "mlx5: XDP, PTP or HTB is in use" },
	{ EOPNOTSUPP, NODEV | BUF, "buffers of an instance without netdev have the size of a page: without --rx-buf-len" },
	{ ENETDOWN, DEV, "the netdev is down: ip link set IF up" },
	{ ERANGE, DEV, "there is no such rx queue: ethtool -l IF" },
	{ ERANGE, DEV | BUF, "the area is not contiguous enough for --rx-buf-len: --area-type huge" },
	{ ENOMEM, ANY, "locked memory limit, or no memory: ulimit -l, a smaller --area" },
	{ ENOMEM, DEV, "the driver got no memory for the queue" },
	{ ENOSYS, ANY, "this kernel has no io_uring" },
};

const char *zcq_explain_reason(int err, const struct zcq_zcrx_cfg *cfg, unsigned int i)
{
	unsigned int where = cfg->ifname ? DEV : NODEV;
	size_t r;

	for (r = 0; r < sizeof(reasons) / sizeof(reasons[0]); r++) {
		if (reasons[r].err != -err || !(reasons[r].scope & where) ||
		    (reasons[r].scope & BUF && !cfg->rx_buf_len))
			continue;
		if (i-- == 0)
			return reasons[r].text;
	}
	return NULL;
}

int zcq_explain_register(int err, const struct zcq_zcrx_cfg *cfg)
{
	const char *text;
	unsigned int i;

	if (cfg->ifname)
		zcq_err("%s queue %u: zcrx registration: %s (%s)", cfg->ifname, cfg->queue,
			strerror(-err), strerrorname_np(-err));
	else
		zcq_err("zcrx registration without netdev: %s (%s)", strerror(-err),
			strerrorname_np(-err));
	for (i = 0; (text = zcq_explain_reason(err, cfg, i)); i++)
		zcq_err("  %s %s", i ? "or:" : "perhaps:", text);
	switch (-err) {
	case EOPNOTSUPP:
	case ENOSYS:
		return ZCQ_EXIT_UNSUPPORTED;
	case EINVAL:
		/* Without a netdev nothing else of ours can be wrong than what the kernel lacks. */
		return cfg->ifname || cfg->rx_buf_len ? ZCQ_EXIT_FAILED : ZCQ_EXIT_UNSUPPORTED;
	default:
		return ZCQ_EXIT_FAILED;
	}
}

const char *zcq_explain_recv(int err)
{
	switch (-err) {
	case EFAULT:
		return "data lies in buffers of another instance or of a dmabuf: this flow arrives on a queue whose provider is not ours (zcq queues shows rules and owners)";
	case EPROTONOSUPPORT:
		return "not plain TCP (kTLS, MPTCP, sockmap): zcrx can't receive it";
	case ECONNRESET:
		return "the peer reset the connection";
	case EINVAL:
		return "the instance is gone, or this kernel wants something else of a zero-copy receive";
	default:
		return NULL;
	}
}
