// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields of receives: allocation, copies, flows, dmabufs, and the interval summaries.
 */
#include "lib/event/describe.h"

static const char *const reasons[ZCQ_COPY_REASONS] = {
	[ZCQ_COPY_QUEUE] = "wrong-queue",   [ZCQ_COPY_NETDEV] = "wrong-netdev",
	[ZCQ_COPY_NODEV] = "nodev",	    [ZCQ_COPY_LINEAR] = "linear",
	[ZCQ_COPY_PAGE] = "page",	    [ZCQ_COPY_UNKNOWN] = "unknown",
};

static const char *const ends[ZCQ_END_CLASSES] = {
	[ZCQ_END_EOF] = "eof",	     [ZCQ_END_ENOSPC] = "enospc", [ZCQ_END_ENOMEM] = "enomem",
	[ZCQ_END_EFAULT] = "efault", [ZCQ_END_RESET] = "reset",	  [ZCQ_END_OTHER] = "other",
	[ZCQ_END_LENGTH] = "length",
};

void zcq_put_alloc(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_alloc *e = event;

	if (e->hdr.type == ZCQ_EVENT_STARVED)
		zcq_out_severity(out, ZCQ_OUT_BAD);
	else if (e->hdr.type == ZCQ_EVENT_ALLOC_FAILED)
		zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_put_provider(out, e->provider);
	zcq_out_u64(out, "fails", e->run_fails);
	zcq_out_ns(out, "run_ns", e->run_ns);
	if (e->bufs) {
		zcq_out_u64(out, "buffers", e->bufs);
		zcq_out_u64(out, "free", e->free_bufs);
	} else {
		zcq_out_null(out, "buffers");
		zcq_out_null(out, "free");
	}
	if (e->refill_entries) {
		zcq_out_u64(out, "refill_entries", e->refill_entries);
		zcq_out_u64(out, "refill_pending", e->refill_pending);
	} else {
		zcq_out_null(out, "refill_entries");
		zcq_out_null(out, "refill_pending");
	}
	zcq_put_instance(out, names, e->instance);
	zcq_put_owner(out, &e->owner);
}

/* Where a flow's packets come in: the netdev's name, when it is ours to know. */
static void put_seen(struct zcq_out *out, struct zcq_names *names, __u32 netns, __u32 ifindex,
		     __u32 rxq)
{
	struct zcq_queue_id seen = { .netns = netns, .ifindex = ifindex, .rxq = rxq };
	char text[ZCQ_NETDEV_TEXT];

	zcq_out_str(out, "netdev_seen", zcq_names_netdev(names, &seen, "", text));
	zcq_put_rxq(out, "queue_seen", rxq);
}

void zcq_put_copied(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_copied *e = event;
	char text[ZCQ_NETDEV_TEXT];

	zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_put_tuple(out, &e->tuple);
	zcq_out_str(out, "netdev", zcq_names_netdev(names, &e->wanted, e->ifname, text));
	zcq_put_rxq(out, "queue_wanted", e->wanted.rxq);
	put_seen(out, names, e->wanted.netns, e->seen_ifindex, e->seen_rxq);
	zcq_out_str(out, "reason", e->reason < ZCQ_COPY_REASONS ? reasons[e->reason] : "unknown");
	zcq_out_bytes(out, "bytes", e->bytes);
	zcq_out_u64(out, "copies", e->copies);
	zcq_out_bytes(out, "total_bytes", e->total_bytes);
	zcq_put_task(out, &e->task);
	zcq_put_instance(out, names, e->instance);
}

void zcq_put_recv_ended(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_recv_ended *e = event;

	if (e->result < 0)
		zcq_out_severity(out, e->end == ZCQ_END_RESET ? ZCQ_OUT_WARN : ZCQ_OUT_BAD);
	zcq_put_tuple(out, &e->tuple);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_out_str(out, "end", e->end < ZCQ_END_CLASSES && ends[e->end] ? ends[e->end] : "other");
	zcq_put_error(out, e->result);
	zcq_out_bytes(out, "zc_bytes", e->zc_bytes);
	zcq_out_bytes(out, "copied_bytes", e->copied_bytes);
	zcq_put_task(out, &e->task);
	zcq_put_instance(out, names, e->instance);
}

void zcq_put_unsplit(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_unsplit *e = event;

	zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_out_u64(out, "packets", e->pkts);
	zcq_put_bytes_known(out, "bytes", e->bytes);
}

void zcq_put_flow(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_flow *e = event;
	const struct zcq_flow *f = &e->flow;
	char text[ZCQ_NETDEV_TEXT];
	__u64 copied = 0;

	for (int i = 0; i < ZCQ_COPY_REASONS; i++)
		copied += f->copied_bytes[i];
	zcq_put_tuple(out, &f->tuple);
	zcq_out_str(out, "netdev", zcq_names_netdev(names, &f->wanted, e->ifname, text));
	zcq_put_rxq(out, "queue_wanted", f->wanted.rxq);
	zcq_put_rxq(out, "queue_seen", f->seen_rxq);
	zcq_out_str(out, "receiver", f->flags & ZCQ_FLOW_DEVMEM ? "devmem" : "zcrx");
	zcq_out_bytes(out, "zc_bytes", f->zc_bytes);
	zcq_out_bytes(out, "copied_bytes", copied);
	zcq_out_ns(out, "duration_ns", f->last_ns > f->first_ns ? f->last_ns - f->first_ns : 0);
	zcq_put_error(out, f->err);
	zcq_put_task(out, &f->task);
	zcq_put_instance(out, names, f->instance);
}

void zcq_put_dmabuf(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_dmabuf *e = event;
	char text[ZCQ_NETDEV_TEXT];

	if (e->hdr.type == ZCQ_EVENT_DMABUF_BOUND)
		zcq_names_began(names, e->instance);
	if (e->result)
		zcq_out_severity(out, ZCQ_OUT_BAD);
	zcq_out_tag(out, "netdev", zcq_names_netdev(names, &e->queue, e->ifname, text));
	zcq_put_task(out, &e->task);
	zcq_put_owner(out, &e->owner);
	zcq_put_error(out, e->result);
	zcq_put_u64_known(out, "dmabuf", e->id);
	zcq_out_str(out, "direction", e->tx ? "tx" : "rx");
	zcq_put_bytes_known(out, "area_bytes", e->bytes);
	zcq_put_bytes_known(out, "buffer_bytes", e->chunk_bytes);
	zcq_put_instance(out, names, e->instance);
	if (e->hdr.type == ZCQ_EVENT_DMABUF_UNBOUND)
		zcq_names_ended(names, e->instance);
}

void zcq_put_buffer(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_buffer *e = event;

	zcq_put_queue(out, names, &e->queue, "");
	zcq_out_str(out, "action", e->what ? "returned" : "given");
	zcq_put_u64_known(out, "buffer", zcq_names_number(names, ZCQ_NUMBER_BUFFER, e->buffer));
	if (e->what) {
		zcq_out_null(out, "offset");
		zcq_out_null(out, "bytes");
	} else {
		zcq_out_bytes(out, "offset", e->offset);
		zcq_out_bytes(out, "bytes", e->bytes);
	}
	zcq_put_instance(out, names, e->instance);
}

/* Buckets that have packets, each by the most segments that a packet of it has; null: 65 and more. */
static void put_histogram(struct zcq_out *out, const __u64 hist[ZCQ_SEG_BUCKETS])
{
	zcq_out_arr_begin(out, "histogram");
	for (int i = 0; i < ZCQ_SEG_BUCKETS; i++) {
		if (!hist[i])
			continue;
		zcq_out_obj_begin(out, NULL);
		zcq_put_u64_known(out, "segments_max", i < ZCQ_SEG_BUCKETS - 1 ? 1U << i : 0);
		zcq_out_u64(out, "packets", hist[i]);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}

void zcq_put_interval(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_interval *e = event;

	zcq_put_queue(out, names, &e->queue, "");
	zcq_out_ns(out, "interval_ns", e->interval_ns);
	switch (e->hdr.type) {
	case ZCQ_EVENT_TRAFFIC:
		zcq_out_bytes(out, "zc_bytes", e->zc_bytes);
		zcq_out_u64(out, "zc_receives", e->zc_recvs);
		zcq_out_bytes(out, "copied_bytes", e->copied_bytes);
		zcq_out_u64(out, "copies", e->copies);
		zcq_put_u64_known(out, "receives_ended", e->recv_ended);
		break;
	case ZCQ_EVENT_COALESCED:
		zcq_out_u64(out, "packets", e->coalesced_pkts);
		zcq_out_u64(out, "segments", e->coalesced_segs);
		zcq_out_bytes(out, "bytes", e->coalesced_bytes);
		if (e->coalesced_pkts)
			zcq_out_f64(out, "segments_per_packet",
				    (double)e->coalesced_segs / e->coalesced_pkts, 1);
		else
			zcq_out_null(out, "segments_per_packet");
		put_histogram(out, e->coalesced_hist);
		zcq_put_u64_known(out, "unsplit_packets", e->unsplit_pkts);
		zcq_put_bytes_known(out, "unsplit_bytes", e->unsplit_bytes);
		break;
	case ZCQ_EVENT_ALLOC_RATE:
		zcq_out_u64(out, "fails", e->alloc_fails);
		zcq_out_u64(out, "buffers", e->alloc_bufs);
		zcq_put_u64_known(out, "returned", e->returned_bufs);
		break;
	}
}
