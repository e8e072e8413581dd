// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each event gives at most two queues (wanted and seen, physical and leased) and two tasks
 * (who ran, who owns); a filter matches either.
 */
#include "lib/event/filter.h"

#include <errno.h>
#include <string.h>

#include "lib/event/table.h"

struct view {
	struct zcq_queue_id queues[2];
	bool known[2];		/* ZCQ_NO_QUEUE there means the whole netdev, not an unknown queue */
	const char *ifname;	/* of queues[0] */
	const struct zcq_task *tasks[2];
	int n_queues;
	int n_tasks;
};

static void view_queue(struct view *v, const struct zcq_queue_id *q, const char *ifname)
{
	if (!v->n_queues)
		v->ifname = ifname;
	v->known[v->n_queues] = true;
	v->queues[v->n_queues++] = *q;
}

static void view_task(struct view *v, const struct zcq_task *task)
{
	v->tasks[v->n_tasks++] = task;
}

/* The queue where a flow's packets arrive, on the same netdev or another. */
static void view_seen(struct view *v, __u32 netns, __u32 ifindex, __u32 rxq)
{
	struct zcq_queue_id seen = { .netns = netns, .ifindex = ifindex, .rxq = rxq };

	if (!ifindex)
		return;
	view_queue(v, &seen, "");
	v->known[v->n_queues - 1] = rxq != ZCQ_NO_QUEUE;
}

#define VIEW_QT(type, q, name, t)				\
	do {							\
		const struct type *e = record;			\
								\
		view_queue(v, &e->q, name);			\
		view_task(v, &e->t);				\
	} while (0)

static void view_more(struct view *v, const void *record, unsigned int type)
{
	switch (type) {
	case ZCQ_EVENT_COPIED: {
		const struct zcq_ev_copied *e = record;

		view_queue(v, &e->wanted, e->ifname);
		view_seen(v, e->wanted.netns, e->seen_ifindex, e->seen_rxq);
		view_task(v, &e->task);
		break;
	}
	case ZCQ_EVENT_FLOW_STARTED:
	case ZCQ_EVENT_FLOW_ENDED: {
		const struct zcq_ev_flow *e = record;

		view_queue(v, &e->flow.wanted, e->ifname);
		view_seen(v, e->flow.netns, e->flow.seen_ifindex, e->flow.seen_rxq);
		view_task(v, &e->flow.task);
		break;
	}
	case ZCQ_EVENT_CONTROL: {
		const struct zcq_ev_control *e = record;

		view_task(v, &e->task);
		break;
	}
	case ZCQ_EVENT_UNSPLIT: {
		const struct zcq_ev_unsplit *e = record;

		view_queue(v, &e->queue, e->ifname);
		break;
	}
	case ZCQ_EVENT_BUFFER: {
		const struct zcq_ev_buffer *e = record;

		view_queue(v, &e->queue, "");
		break;
	}
	case ZCQ_EVENT_TRAFFIC:
	case ZCQ_EVENT_COALESCED:
	case ZCQ_EVENT_ALLOC_RATE: {
		const struct zcq_ev_interval *e = record;

		view_queue(v, &e->queue, "");
		break;
	}
	}
}

static void view_fill(struct view *v, const void *record)
{
	const struct zcq_hdr *hdr = record;

	switch (hdr->type) {
	case ZCQ_EVENT_REGISTERED:
	case ZCQ_EVENT_REJECTED:
		VIEW_QT(zcq_ev_register, queue, e->ifname, task);
		break;
	case ZCQ_EVENT_UNREGISTERED:
		VIEW_QT(zcq_ev_unregister, queue, e->ifname, task);
		view_task(v, &((const struct zcq_ev_unregister *)record)->owner);
		break;
	case ZCQ_EVENT_BOUND:
	case ZCQ_EVENT_BIND_FAILED:
	case ZCQ_EVENT_UNBOUND:
		VIEW_QT(zcq_ev_provider, queue, e->ifname, task);
		view_task(v, &((const struct zcq_ev_provider *)record)->owner);
		if (((const struct zcq_ev_provider *)record)->flags & ZCQ_PROV_LEASED)
			view_queue(v, &((const struct zcq_ev_provider *)record)->lease, "");
		break;
	case ZCQ_EVENT_RECONFIGURED:
		VIEW_QT(zcq_ev_reconfig, queue, e->ifname, task);
		break;
	case ZCQ_EVENT_POOL_CREATED:
	case ZCQ_EVENT_POOL_DESTROYED:
	case ZCQ_EVENT_POOL_STALLED:
		VIEW_QT(zcq_ev_pool, queue, e->ifname, task);
		break;
	case ZCQ_EVENT_ALLOC_FAILED:
	case ZCQ_EVENT_ALLOC_RECOVERED:
	case ZCQ_EVENT_STARVED:
		VIEW_QT(zcq_ev_alloc, queue, e->ifname, owner);
		break;
	case ZCQ_EVENT_RECV_ENDED:
		VIEW_QT(zcq_ev_recv_ended, queue, e->ifname, task);
		break;
	case ZCQ_EVENT_DMABUF_BOUND:
	case ZCQ_EVENT_DMABUF_UNBOUND:
		VIEW_QT(zcq_ev_dmabuf, queue, e->ifname, task);
		view_task(v, &((const struct zcq_ev_dmabuf *)record)->owner);
		break;
	default:
		view_more(v, record, hdr->type);
	}
}

int zcq_event_types(const struct zcq_strv *names, bool heavy, uint64_t *types, const char **bad)
{
	const struct zcq_event_desc *d;

	*types = 0;
	for (size_t i = 0; i < names->n; i++) {
		d = zcq_event_find(names->v[i]);
		if (!d) {
			*bad = names->v[i];
			return -EINVAL;
		}
		*types |= 1ULL << d->type;
	}
	if (!names->n)
		for (size_t i = 0; (d = zcq_event_nth(i)); i++)
			if (heavy || !d->optional)
				*types |= 1ULL << d->type;
	return 0;
}

static bool match_netdev(const struct zcq_event_filter *f, struct zcq_names *names,
			 const struct view *v, int i)
{
	char text[ZCQ_NETDEV_TEXT];
	const char *name;

	if (!f->netdevs || !f->netdevs->n)
		return true;
	name = zcq_names_netdev(names, &v->queues[i], i ? "" : v->ifname, text);
	return name && zcq_strv_has(f->netdevs, name);
}

/* An event about a whole netdev is about each of its queues. */
static bool match_queue(const struct zcq_event_filter *f, const struct view *v, int i)
{
	const struct zcq_queue_id *q = &v->queues[i];

	if (f->queue == ZCQ_NO_QUEUE || q->rxq == f->queue)
		return true;
	return q->rxq == ZCQ_NO_QUEUE && q->ifindex && v->known[i];
}

/* Netdev and queue are asked of one and the same place: eth0's queue 3, not eth1's. */
static bool match_place(const struct zcq_event_filter *f, struct zcq_names *names,
			const struct view *v)
{
	if ((!f->netdevs || !f->netdevs->n) && f->queue == ZCQ_NO_QUEUE)
		return true;
	for (int i = 0; i < v->n_queues; i++)
		if (match_netdev(f, names, v, i) && match_queue(f, v, i))
			return true;
	return false;
}

static bool match_task(const struct zcq_event_filter *f, const struct view *v)
{
	bool pid = !f->pid, comm = !f->comms || !f->comms->n;

	for (int i = 0; i < v->n_tasks; i++) {
		char name[ZCQ_COMM_LEN + 1] = "";

		memcpy(name, v->tasks[i]->comm, ZCQ_COMM_LEN);
		if (!v->tasks[i]->pid)
			continue;
		pid = pid || v->tasks[i]->pid == f->pid;
		comm = comm || zcq_strv_has(f->comms, name);
	}
	return pid && comm;
}

bool zcq_event_match(const struct zcq_event_filter *f, struct zcq_names *names, const void *record)
{
	const struct zcq_hdr *hdr = record;
	struct view v = { 0 };

	if (!(f->types & (1ULL << hdr->type)))
		return false;
	view_fill(&v, record);
	return match_place(f, names, &v) && match_task(f, &v);
}
