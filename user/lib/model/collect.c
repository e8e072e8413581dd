// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Facts by asking: one netlink dump for each kind of object, for all netdevs at once;
 * ioctl for flow rules; /sys and /proc for what is left. A kernel that does not have a
 * dump makes the snapshot poorer, not impossible.
 */
#include "lib/model/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/nic/uapi.h"

int zcq_collect_open(struct zcq_collect *c)
{
	int err;

	*c = (struct zcq_collect) { .fd = -1 };
	c->route = zcq_nl_open(NETLINK_ROUTE);
	if (!c->route) {
		err = -errno;
		goto out;
	}
	c->genl = zcq_nl_open(NETLINK_GENERIC);
	if (!c->genl) {
		err = -errno;
		goto out;
	}
	c->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		c->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0) {
		err = -errno;
		goto out;
	}
	return 0;
out:
	zcq_err("can't open a netlink socket: %s", strerror(-err));
	zcq_collect_close(c);
	return err;
}

void zcq_collect_close(struct zcq_collect *c)
{
	zcq_nl_close(c->genl);
	zcq_nl_close(c->route);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct zcq_collect) { .fd = -1 };
}

static void note_missing(struct zcq_collect *c, const char *what)
{
	size_t len = strlen(c->missing);

	if (!strstr(c->missing, what) && len + strlen(what) + 3 < sizeof(c->missing)) {
		if (len)
			strcat(c->missing, ", ");
		strcat(c->missing, what);
	}
}

/* One table. Only memory running out is an error; a refusal is a fact, told once. */
static int dump(struct zcq_collect *c, const struct zcq_nic_table *table, struct zcq_array *out)
{
	int err = zcq_nic_dump(c->genl, table, out);

	if (!err || err == -ENOMEM)
		return err;
	if (err == -ENOENT && !strcmp(table->family, ZCQ_NETDEV_FAMILY))
		c->no_netdev_family = true;
	else if (err == -ENOENT || err == -EOPNOTSUPP)
		note_missing(c, table->what);
	else
		zcq_warn("can't read all %s: %s%s%s", table->what, strerror(-err),
			 *zcq_nl_reason(c->genl) ? ": " : "", zcq_nl_reason(c->genl));
	return 0;
}

int zcq_collect_qstats(struct zcq_collect *c, struct zcq_array *out)
{
	return dump(c, &zcq_nic_qstatss, out);
}

static bool has_queues(const struct zcq_model_inputs *in, uint32_t ifindex)
{
	const struct zcq_nic_queue *q = in->queues.v;
	size_t i;

	for (i = 0; i < in->queues.n; i++)
		if (q[i].ifindex == ifindex && q[i].type == ZCQ_QUEUE_RX)
			return true;
	return false;
}

/* Queues of a netdev that netlink left out, because it is down or the kernel is old. */
static struct zcq_num guess_queues(const struct zcq_model_inputs *in,
				   const struct zcq_nic_link *link)
{
	const struct zcq_nic_channels *ch = in->channels.v;
	struct zcq_num n = { 0 };
	size_t i;

	for (i = 0; i < in->channels.n; i++) {
		if (ch[i].ifindex != link->ifindex)
			continue;
		zcq_num_add(&n, ch[i].rx);
		zcq_num_add(&n, ch[i].combined);
	}
	if (n.known && n.v)
		return n;
	n = zcq_nic_sysfs_rx_queues(link->name, link->ifindex);
	if (!n.known && link->max_rx_queues.v == 1)
		n = link->max_rx_queues;
	return n;
}

static int collect_counts(struct zcq_model_inputs *in)
{
	const struct zcq_nic_link *links = in->links.v;
	struct zcq_model_rx_count *rc;
	struct zcq_num n;
	size_t i;

	in->rx_counts.size = sizeof(*rc);
	for (i = 0; i < in->links.n; i++) {
		if (has_queues(in, links[i].ifindex))
			continue;
		n = guess_queues(in, &links[i]);
		if (!n.known)
			continue;
		rc = zcq_array_push(&in->rx_counts);
		if (!rc)
			return -ENOMEM;
		rc->ifindex = links[i].ifindex;
		rc->n = (uint32_t)n.v;
	}
	return 0;
}

static int collect_irqs(struct zcq_model_inputs *in)
{
	const struct zcq_nic_napi *napi = in->napis.v;
	struct zcq_model_irq *irq;
	size_t i;

	in->irqs.size = sizeof(*irq);
	for (i = 0; i < in->napis.n; i++) {
		if (!napi[i].irq.known)
			continue;
		irq = zcq_array_push(&in->irqs);
		if (!irq)
			return -ENOMEM;
		irq->irq = (uint32_t)napi[i].irq.v;
		zcq_nic_irq_cpus(irq->irq, irq->cpus, sizeof(irq->cpus));
	}
	return 0;
}

static int collect_rules(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	const struct zcq_nic_link *links = in->links.v;
	struct zcq_nic_rule_info *info;
	size_t i;
	int err;

	in->rule_infos.size = sizeof(*info);
	for (i = 0; i < in->links.n; i++) {
		info = zcq_array_push(&in->rule_infos);
		if (!info)
			return -ENOMEM;
		err = zcq_nic_rules(c->fd, links[i].name, links[i].ifindex, info, &in->rules);
		if (err == -ENOMEM)
			return err;
		if (err && err != -EOPNOTSUPP && info->rules.known) {
			zcq_warn("%s: can't read all flow rules: %s", links[i].name, strerror(-err));
			info->rules.known = false;
		}
	}
	return 0;
}

static int add_rss(struct zcq_collect *c, struct zcq_model_inputs *in, const char *ifname,
		   uint32_t ifindex, uint32_t context)
{
	struct zcq_nic_rss *rss = in->rss.v, got;
	size_t i;

	for (i = 0; i < in->rss.n; i++)
		if (rss[i].ifindex == ifindex && rss[i].context == context)
			return 0;
	if (zcq_nic_rss_ioctl(c->fd, ifname, ifindex, context, &got))
		return 0;
	rss = zcq_array_push(&in->rss);
	if (!rss) {
		zcq_nic_rss_drop(&got);
		return -ENOMEM;
	}
	*rss = got;
	return 0;
}

/* Before 6.11: the default table, and the contexts that rules point at. */
static int collect_rss_by_ioctl(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	const struct zcq_nic_link *links = in->links.v;
	const struct zcq_nic_rule *rules = in->rules.v;
	size_t i, j;
	int err = 0;

	in->rss.size = sizeof(struct zcq_nic_rss);
	for (i = 0; i < in->links.n && !err; i++) {
		err = add_rss(c, in, links[i].name, links[i].ifindex, 0);
		for (j = 0; j < in->rules.n && !err; j++)
			if (rules[j].ifindex == links[i].ifindex &&
			    rules[j].action == ZCQ_RULE_CONTEXT)
				err = add_rss(c, in, links[i].name, links[i].ifindex,
					      rules[j].context);
	}
	return err;
}

static int collect_rss(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	int err = zcq_nic_dump(c->genl, &zcq_nic_rsss, &in->rss);

	if (!err || err == -ENOMEM)
		return err;
	return collect_rss_by_ioctl(c, in);
}

static int collect_lease_names(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	const struct zcq_nic_queue *q = in->queues.v;
	struct zcq_model_lease_name *ln;
	size_t i;

	in->lease_names.size = sizeof(*ln);
	for (i = 0; i < in->queues.n; i++) {
		if (!q[i].leased || !q[i].lease_netns_id.known)
			continue;
		ln = zcq_array_push(&in->lease_names);
		if (!ln)
			return -ENOMEM;
		ln->netns_id = (uint32_t)q[i].lease_netns_id.v;
		ln->ifindex = q[i].lease_ifindex;
		/* without permission in that namespace the number has to do */
		zcq_nic_link_name_in(c->route, ln->netns_id, ln->ifindex, ln->name);
	}
	return 0;
}

static int collect_links(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	struct zcq_nic_link *links;
	size_t i;
	int err;

	err = zcq_nic_links(c->route, &in->links);
	if (err) {
		zcq_err("can't list the netdevs: %s%s%s", strerror(-err),
			*zcq_nl_reason(c->route) ? ": " : "", zcq_nl_reason(c->route));
		return err;
	}
	links = in->links.v;
	for (i = 0; i < in->links.n; i++)
		zcq_nic_driver(c->fd, links[i].name, links[i].driver, sizeof(links[i].driver));
	return 0;
}

static int collect_dumps(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	const struct {
		const struct zcq_nic_table *table;
		struct zcq_array *out;
	} dumps[] = {
		{ &zcq_nic_queues, &in->queues },
		{ &zcq_nic_napis, &in->napis },
		{ &zcq_nic_pools, &in->pools },
		{ &zcq_nic_qstatss, &in->qstats },
		{ &zcq_nic_channelss, &in->channels },
		{ &zcq_nic_ringss, &in->rings },
		{ &zcq_nic_featuress, &in->features },
	};
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]) && !err; i++) {
		/* those of an interval are read where it ends */
		if (dumps[i].out == &in->qstats && in->stats_ns)
			continue;
		err = dump(c, dumps[i].table, dumps[i].out);
	}
	return err;
}

int zcq_collect_all(struct zcq_collect *c, struct zcq_model_inputs *in)
{
	struct timespec ts;
	struct stat st;
	int err;

	if (!stat("/proc/self/ns/net", &st))
		in->netns = (uint32_t)st.st_ino;
	clock_gettime(CLOCK_BOOTTIME, &ts);
	in->boottime_s = (uint64_t)ts.tv_sec;
	err = collect_links(c, in);
	if (err)
		return err;
	err = collect_dumps(c, in);
	if (!err)
		err = collect_counts(in);
	if (!err)
		err = collect_irqs(in);
	if (!err)
		err = collect_rules(c, in);
	if (!err)
		err = collect_rss(c, in);
	if (!err)
		err = collect_lease_names(c, in);
	if (err)
		zcq_err("can't take a snapshot: %s", strerror(-err));
	return err;
}

void zcq_collect_warn(const struct zcq_collect *c)
{
	if (c->no_netdev_family)
		zcq_warn("this kernel has no netdev netlink family (Linux 6.8 and later have "
			 "queues in it): only the number of queues is known, no NAPI, provider, "
			 "pool or statistics");
	if (c->missing[0])
		zcq_warn("this kernel can't tell: %s", c->missing);
}
