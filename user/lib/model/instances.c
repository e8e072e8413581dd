// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instances and their owners. The iterators give one record for each owner; records of
 * one instance become one. A queue is fed by the instances that name it, and one that
 * is leased also by those that name its other end.
 */
#include "lib/model/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of this namespace, or without a netdev. netns 0: BPF could not read it. */
static bool is_ours(const struct zcq_model_inputs *in, const struct zcq_snapshot *snap,
		    const struct zcq_queue_id *id, const char *ifname)
{
	const struct zcq_netdev *nd;

	if (!id->ifindex)
		return true;
	if (id->netns)
		return id->netns == in->netns;
	nd = zcq_join_netdev(snap, id->ifindex);
	return nd && !strncmp(nd->name, ifname, sizeof(nd->name));
}

static struct zcq_inst *find_inst(struct zcq_snapshot *snap, uint64_t identity)
{
	size_t i;

	for (i = 0; i < snap->n_insts; i++)
		if (snap->insts[i].info.instance == identity)
			return &snap->insts[i];
	return NULL;
}

static void take_inst(struct zcq_inst *inst, const struct zcq_instance *rec)
{
	inst->info = *rec;
	inst->lower_bound = rec->flags & ZCQ_INSTANCE_PARTIAL;
	if (rec->flags & ZCQ_INSTANCE_STARTING)
		return;
	inst->areas = zcq_num(rec->areas);
	inst->area_bytes = zcq_num(rec->area_bytes);
	inst->buf_bytes = zcq_num(rec->buf_bytes);
	inst->refill_entries = zcq_num(rec->refill_entries);
	if (rec->users)
		inst->users = zcq_num(rec->users);
	inst->bufs = zcq_num(rec->bufs);
	inst->free_bufs = zcq_num(rec->free_bufs);
	/*
	 * Of these some may wait in the refill ring. How many can't be told: several pending
	 * entries may give back parts of one buffer.
	 */
	if (rec->flags & ZCQ_INSTANCE_HELD_OK)
		inst->held_bufs = zcq_num(rec->held_bufs);
	inst->refill_pending = zcq_num(rec->refill_pending);
}

/* The same process may be found by several of its threads or descriptors: one owner each. */
static int add_owner(struct zcq_inst *inst, const struct zcq_instance *rec)
{
	struct zcq_owner *owners;
	size_t i;

	for (i = 0; i < inst->n_owners; i++)
		if (inst->owners[i].task.pid == rec->owner.pid && inst->owners[i].ring == rec->ring)
			return 0;
	owners = reallocarray(inst->owners, inst->n_owners + 1, sizeof(*owners));
	if (!owners)
		return -ENOMEM;
	inst->owners = owners;
	owners[inst->n_owners++] = (struct zcq_owner) {
		.task = rec->owner,
		.ring = rec->ring,
		.fd = rec->fd,
		.found_by = rec->found_by,
	};
	return 0;
}

static int add_insts(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_instance *rec = in->instances.v;
	struct zcq_inst *inst;
	size_t i;
	int err;

	snap->insts = calloc(in->instances.n + 1, sizeof(*snap->insts));
	if (!snap->insts)
		return -ENOMEM;
	for (i = 0; i < in->instances.n; i++) {
		if (!is_ours(in, snap, &rec[i].queue, rec[i].ifname))
			continue;
		/* one that is being registered has no identity yet */
		inst = rec[i].instance ? find_inst(snap, rec[i].instance) : NULL;
		if (!inst) {
			inst = &snap->insts[snap->n_insts++];
			take_inst(inst, &rec[i]);
		}
		err = add_owner(inst, &rec[i]);
		if (err)
			return err;
	}
	return 0;
}

static int feed(struct zcq_queue *q, struct zcq_inst *inst)
{
	struct zcq_inst **insts;

	insts = reallocarray(q->insts, q->n_insts + 1, sizeof(*insts));
	if (!insts)
		return -ENOMEM;
	q->insts = insts;
	insts[q->n_insts++] = inst;
	/* a netdev that is down has no queues in netlink, but its providers stay bound */
	if (!q->provider && !(inst->info.flags & ZCQ_INSTANCE_STARTING))
		q->provider = ZCQ_PROVIDER_IO_URING;
	if (!q->buf_bytes.known && inst->info.buf_bytes)
		q->buf_bytes = zcq_num(inst->info.buf_bytes);
	return 0;
}

static int feed_queues(struct zcq_snapshot *snap)
{
	struct zcq_netdev *nd;
	struct zcq_queue *q;
	size_t i;
	int err = 0;

	for (i = 0; i < snap->n_insts && !err; i++) {
		struct zcq_inst *inst = &snap->insts[i];

		nd = inst->info.queue.ifindex ? zcq_join_netdev(snap, inst->info.queue.ifindex) : NULL;
		q = zcq_join_queue(nd, inst->info.queue.rxq);
		if (!q)
			continue;
		err = feed(q, inst);
		if (err || !q->lease.present || q->lease.netns_id.known)
			continue;
		q = zcq_join_queue(zcq_join_netdev(snap, q->lease.ifindex), q->lease.queue);
		if (q)
			err = feed(q, inst);
	}
	return err;
}

/* Who bound a queue while BPF watched: all there is to know of a dmabuf binding's owner. */
static void take_binders(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_ifq *ifq = in->bound.v;
	struct zcq_netdev *nd;
	struct zcq_queue *q;
	size_t i;

	for (i = 0; i < in->bound.n; i++) {
		if (!ifq[i].queue.ifindex || !is_ours(in, snap, &ifq[i].queue, ifq[i].ifname))
			continue;
		nd = zcq_join_netdev(snap, ifq[i].queue.ifindex);
		q = zcq_join_queue(nd, ifq[i].queue.rxq);
		if (!q || q->provider != ifq[i].provider)
			continue;
		/* without a time the iterators put it there */
		if (ifq[i].owner.pid && ifq[i].bound_ns) {
			q->binder.task = ifq[i].owner;
			q->binder.fd = -1;
		}
		if (!q->buf_bytes.known && ifq[i].buf_bytes)
			q->buf_bytes = zcq_num(ifq[i].buf_bytes);
	}
}

static enum zcq_owner_state owner_state(const struct zcq_model_inputs *in,
					const struct zcq_queue *q)
{
	size_t i;

	if (!q->provider)
		return ZCQ_OWNER_NONE;
	for (i = 0; i < q->n_insts; i++)
		if (q->insts[i]->n_owners)
			return ZCQ_OWNER_FOUND;
	if (q->binder.task.pid)
		return ZCQ_OWNER_FOUND;
	/* the iterators find zcrx instances only: a dmabuf binding from before is unknowable */
	if (q->provider != ZCQ_PROVIDER_IO_URING || !in->instances_known)
		return ZCQ_OWNER_UNKNOWN;
	return ZCQ_OWNER_NOT_VISIBLE;
}

int zcq_join_instances(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	size_t i, j;
	int err;

	err = add_insts(in, snap);
	if (!err)
		err = feed_queues(snap);
	if (err)
		return err;
	take_binders(in, snap);
	for (i = 0; i < snap->n_netdevs; i++)
		for (j = 0; j < snap->netdevs[i].n_queues; j++)
			snap->netdevs[i].queues[j].owner_state =
				owner_state(in, &snap->netdevs[i].queues[j]);
	return 0;
}
