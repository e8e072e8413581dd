// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See state.h. Dumps take all netdevs of the namespace at once; only the one asked for is
 * kept.
 */
#include "lib/nic/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/nic/uapi.h"

int zcq_nic_ask_open(struct zcq_nic_ask *nl)
{
	int err;

	*nl = (struct zcq_nic_ask){ .fd = -1 };
	nl->route = zcq_nl_open(NETLINK_ROUTE);
	if (nl->route)
		nl->genl = zcq_nl_open(NETLINK_GENERIC);
	if (nl->genl)
		nl->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (nl->fd >= 0)
		return 0;
	err = -errno;
	zcq_nic_ask_close(nl);
	return err;
}

void zcq_nic_ask_close(struct zcq_nic_ask *nl)
{
	zcq_nl_close(nl->genl);
	zcq_nl_close(nl->route);
	if (nl->fd >= 0)
		close(nl->fd);
	*nl = (struct zcq_nic_ask){ .fd = -1 };
}

/* --- one netdev out of a dump ---------------------------------------------------------------- */

/* Every object begins with the ifindex it belongs to. */
static uint32_t ifindex_of(const void *obj)
{
	return *(const uint32_t *)obj;
}

/* Moves the objects of one netdev to the front and drops the others. */
static void keep_own(struct zcq_array *a, uint32_t ifindex, void (*drop)(void *obj))
{
	char *v = a->v;
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		char *obj = v + i * a->size;

		if (ifindex_of(obj) == ifindex)
			memmove(v + n++ * a->size, obj, a->size);
		else if (drop)
			drop(obj);
	}
	a->n = n;
}

static int dump_own(struct zcq_nl *nl, const struct zcq_nic_table *table, uint32_t ifindex,
		    struct zcq_array *out)
{
	int err = zcq_nic_dump(nl, table, out);

	if (err) {
		zcq_array_clear(out, table->drop);
		return err;
	}
	keep_own(out, ifindex, table->drop);
	return 0;
}

/* The netdev's only object of a kind. -ENODATA: it has none. */
static int dump_one(struct zcq_nl *nl, const struct zcq_nic_table *table, uint32_t ifindex, void *obj)
{
	struct zcq_array all = { 0 };
	int err = dump_own(nl, table, ifindex, &all);

	if (!err && !all.n)
		err = -ENODATA;
	if (!err)
		memcpy(obj, all.v, table->size);
	zcq_array_clear(&all, NULL);
	return err;
}

static int read_link(struct zcq_nic_ask *nl, const char *name, struct zcq_nic_link *link)
{
	struct zcq_array links = { 0 };
	const struct zcq_nic_link *l;
	int err = zcq_nic_links(nl->route, &links);

	if (!err) {
		err = -ENODEV;
		l = links.v;
		for (size_t i = 0; i < links.n && err; i++) {
			if (strcmp(l[i].name, name))
				continue;
			*link = l[i];
			zcq_nic_driver(nl->fd, name, link->driver, sizeof(link->driver));
			err = 0;
		}
	}
	zcq_array_clear(&links, NULL);
	return err;
}

/* --- RSS --------------------------------------------------------------------------------------- */

static int read_rss(struct zcq_nic_ask *nl, struct zcq_nic_state *s)
{
	struct zcq_nic_rss rss, *own;
	int err = dump_own(nl->genl, &zcq_nic_rsss, s->link.ifindex, &s->rss);

	if (err != -EOPNOTSUPP && err != -ENOENT)
		return err;
	/* Before Linux 6.11 only the default table can be asked for. */
	err = zcq_nic_rss_ioctl(nl->fd, s->link.name, s->link.ifindex, 0, &rss);
	if (err == -EOPNOTSUPP)
		return 0;
	if (err)
		return err;
	s->rss.size = sizeof(rss);
	own = zcq_array_push(&s->rss);
	if (!own) {
		zcq_nic_rss_drop(&rss);
		return -ENOMEM;
	}
	*own = rss;
	return 0;
}

const struct zcq_nic_rss *zcq_nic_state_rss(const struct zcq_nic_state *state, uint32_t context)
{
	const struct zcq_nic_rss *r = state->rss.v;

	for (size_t i = 0; i < state->rss.n; i++)
		if (r[i].context == context && r[i].n_indir)
			return &r[i];
	return NULL;
}

bool zcq_nic_rss_is_default(const struct zcq_nic_rss *rss, uint32_t n_queues)
{
	for (size_t i = 0; i < rss->n_indir; i++)
		if (!n_queues || rss->indir[i] != i % n_queues)
			return false;
	return rss->n_indir > 0;
}

/* --- queues and rules ----------------------------------------------------------------------------- */

static void keep_rx(struct zcq_array *queues)
{
	struct zcq_nic_queue *q = queues->v;
	size_t n = 0;

	for (size_t i = 0; i < queues->n; i++)
		if (q[i].type == ZCQ_QUEUE_RX)
			q[n++] = q[i];
	queues->n = n;
}

const struct zcq_nic_queue *zcq_nic_state_queue(const struct zcq_nic_state *state, uint32_t id)
{
	const struct zcq_nic_queue *q = state->queues.v;

	for (size_t i = 0; i < state->queues.n; i++)
		if (q[i].id == id)
			return &q[i];
	return NULL;
}

static uint32_t count_queues(const struct zcq_nic_state *s)
{
	const struct zcq_nic_channels *ch = &s->channels;
	struct zcq_num n;

	if (ch->rx.known || ch->combined.known)
		return (uint32_t)(ch->rx.v + ch->combined.v);
	n = zcq_nic_sysfs_rx_queues(s->link.name, s->link.ifindex);
	return (uint32_t)n.v;
}

static int by_location(const void *a, const void *b)
{
	const struct zcq_nic_rule *x = a, *y = b;

	return x->location < y->location ? -1 : x->location > y->location;
}

static void read_rules(struct zcq_nic_ask *nl, struct zcq_nic_state *s)
{
	s->rules_err = zcq_nic_rules(nl->fd, s->link.name, s->link.ifindex, &s->rule_info, &s->rules);
	if (s->rules.n)
		qsort(s->rules.v, s->rules.n, s->rules.size, by_location);
}

/* What a driver or kernel does not have is no error. */
static int optional(int err)
{
	return err == -ENODATA || err == -EOPNOTSUPP || err == -ENOENT ? 0 : err;
}

int zcq_nic_state_read(struct zcq_nic_ask *nl, const char *name, struct zcq_nic_state *state,
		       const char **what)
{
	uint32_t ifindex;
	int err;

	*state = (struct zcq_nic_state){ 0 };
	*what = "netdevs";
	err = read_link(nl, name, &state->link);
	if (err)
		goto out;
	ifindex = state->link.ifindex;
	*what = "channels";
	err = optional(dump_one(nl->genl, &zcq_nic_channelss, ifindex, &state->channels));
	if (err)
		goto out;
	*what = "rings";
	err = optional(dump_one(nl->genl, &zcq_nic_ringss, ifindex, &state->rings));
	if (err)
		goto out;
	*what = "features";
	err = dump_one(nl->genl, &zcq_nic_featuress, ifindex, &state->features);
	state->features_known = !err;
	err = optional(err);
	if (err)
		goto out;
	*what = "rx queues";
	err = optional(dump_own(nl->genl, &zcq_nic_queues, ifindex, &state->queues));
	if (err)
		goto out;
	keep_rx(&state->queues);
	state->n_queues = count_queues(state);
	*what = "RSS";
	err = read_rss(nl, state);
	if (err)
		goto out;
	read_rules(nl, state);
	return 0;
out:
	zcq_nic_state_free(state);
	return err;
}

void zcq_nic_state_free(struct zcq_nic_state *state)
{
	zcq_array_clear(&state->queues, NULL);
	zcq_array_clear(&state->rss, zcq_nic_rss_drop);
	zcq_array_clear(&state->rules, NULL);
	*state = (struct zcq_nic_state){ 0 };
}
