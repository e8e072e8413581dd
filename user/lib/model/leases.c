// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queue leases (netkit): the kernel names the virtual queue on the physical one. Where
 * both are in this namespace the virtual queue gets the way back.
 */
#include "lib/model/join.h"

#include <string.h>

#include "lib/nic/uapi.h"

static void name_peer(const struct zcq_model_inputs *in, const struct zcq_snapshot *snap,
		      struct zcq_lease *lease)
{
	const struct zcq_model_lease_name *known = in->lease_names.v;
	const struct zcq_netdev *nd;
	size_t i;

	if (!lease->netns_id.known) {
		nd = zcq_join_netdev(snap, lease->ifindex);
		if (nd)
			memcpy(lease->name, nd->name, sizeof(lease->name));
		return;
	}
	for (i = 0; i < in->lease_names.n; i++)
		if (known[i].netns_id == lease->netns_id.v && known[i].ifindex == lease->ifindex)
			memcpy(lease->name, known[i].name, sizeof(lease->name));
}

static void join_one(const struct zcq_model_inputs *in, struct zcq_snapshot *snap,
		     const struct zcq_nic_queue *nlq)
{
	struct zcq_netdev *nd = zcq_join_netdev(snap, nlq->ifindex);
	struct zcq_queue *q = zcq_join_queue(nd, nlq->id), *peer;
	bool virtual;

	if (!q)
		return;
	/* a virtual netdev has no parent device: then the kernel names the physical queue */
	virtual = !nd->bus_addr[0] && nd->kind[0];
	q->lease = (struct zcq_lease) {
		.present = true,
		.to = !virtual,
		.ifindex = nlq->lease_ifindex,
		.queue = nlq->lease_queue,
		.netns_id = nlq->lease_netns_id,
	};
	name_peer(in, snap, &q->lease);
	if (nlq->lease_netns_id.known)
		return;
	peer = zcq_join_queue(zcq_join_netdev(snap, nlq->lease_ifindex), nlq->lease_queue);
	if (!peer || peer->lease.present)
		return;
	peer->lease = (struct zcq_lease) {
		.present = true,
		.to = virtual,
		.ifindex = nlq->ifindex,
		.queue = nlq->id,
	};
	name_peer(in, snap, &peer->lease);
}

void zcq_join_leases(const struct zcq_model_inputs *in, struct zcq_snapshot *snap)
{
	const struct zcq_nic_queue *nlq = in->queues.v;
	size_t i;

	for (i = 0; i < in->queues.n; i++)
		if (nlq[i].leased && nlq[i].type == ZCQ_QUEUE_RX)
			join_one(in, snap, &nlq[i]);
}
