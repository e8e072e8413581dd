// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a snapshot's records are called and in which order they come. Names are those of
 * docs/man/zcq-queues.1; a unit is part of a name.
 */
#include "lib/model/show.h"

#include <stdio.h>

#include "lib/event/lost.h"

const struct zcq_out_col zcq_show_queue_cols[] = {
	{ "queue", "QUEUE" },
	{ "napi_id", "NAPI" },
	{ "cpus", "CPU", false, 7 },
	{ "provider", "PROVIDER", true },
	{ "rss_pct", "RSS%" },
	{ "n_rules", "RULES" },
	{ "pkts", "PACKETS" },
	{ "bytes", "BYTES" },
	{ "pkts_per_s", "PKT/S" },
	{ "bytes_per_s", "BYTE/S" },
	{ NULL },
};

static const char *const copy_keys[ZCQ_COPY_REASONS] = {
	[ZCQ_COPY_QUEUE] = "copied_queue_bytes",
	[ZCQ_COPY_NETDEV] = "copied_netdev_bytes",
	[ZCQ_COPY_NODEV] = "copied_nodev_bytes",
	[ZCQ_COPY_LINEAR] = "copied_linear_bytes",
	[ZCQ_COPY_PAGE] = "copied_page_bytes",
	[ZCQ_COPY_UNKNOWN] = "copied_unknown_bytes",
};

/*
 * As text a field that says nothing is left out of a line, so that the lines stay short; in
 * JSON every field is always there.
 */
static bool brief(const struct zcq_out *out)
{
	return zcq_out_style(out) == ZCQ_OUT_LINE;
}

static void num(struct zcq_out *out, const char *key, struct zcq_num v)
{
	if (v.known)
		zcq_out_u64(out, key, v.v);
	else
		zcq_out_null(out, key);
}

static void num_bytes(struct zcq_out *out, const char *key, struct zcq_num v)
{
	if (v.known)
		zcq_out_bytes(out, key, v.v);
	else
		zcq_out_null(out, key);
}

/* NULL for "". */
static void word(struct zcq_out *out, const char *key, const char *text)
{
	if (*text)
		zcq_out_str(out, key, text);
	else
		zcq_out_null(out, key);
}

static const char *provider_name(enum zcq_provider provider)
{
	switch (provider) {
	case ZCQ_PROVIDER_NONE:
		return "none";
	case ZCQ_PROVIDER_IO_URING:
		return "io_uring";
	case ZCQ_PROVIDER_DMABUF:
		return "dmabuf";
	default:
		return "other";
	}
}

/* NULL: nobody could say. */
static const char *queue_provider(const struct zcq_queue *q)
{
	if (q->provider)
		return provider_name(q->provider);
	if (q->xsk)
		return "af_xdp";
	return q->listed ? "none" : NULL;
}

static const char *owner_name(enum zcq_owner_state state)
{
	switch (state) {
	case ZCQ_OWNER_FOUND:
		return "found";
	case ZCQ_OWNER_NOT_VISIBLE:
		return "not visible";
	case ZCQ_OWNER_UNKNOWN:
		return "unknown";
	default:
		return NULL;
	}
}

static const char *found_by_name(uint32_t found_by)
{
	switch (found_by) {
	case ZCQ_FOUND_RING_FD:
		return "ring";
	case ZCQ_FOUND_REGISTERED_RING:
		return "registered-ring";
	case ZCQ_FOUND_EXPORTED_FD:
		return "exported";
	default:
		return "bind";
	}
}

static void owner_fields(struct zcq_out *out, const struct zcq_owner *owner)
{
	zcq_out_tag(out, "comm", owner->task.comm);
	zcq_out_u64(out, "pid", owner->task.pid);
	if (owner->fd >= 0)
		zcq_out_i64(out, "fd", owner->fd);
	else
		zcq_out_null(out, "fd");
	zcq_out_str(out, "found_by", found_by_name(owner->found_by));
}

static void instance_fields(struct zcq_out *out, const struct zcq_inst *inst)
{
	const struct zcq_instance *info = &inst->info;

	if (!brief(out) || info->flags & ZCQ_INSTANCE_STARTING)
		zcq_out_bool(out, "starting", info->flags & ZCQ_INSTANCE_STARTING);
	if (!brief(out) || info->flags & ZCQ_INSTANCE_DMABUF)
		zcq_out_str(out, "memory", info->flags & ZCQ_INSTANCE_DMABUF ? "dmabuf" : "user");
	num_bytes(out, "area_bytes", inst->area_bytes);
	if (!brief(out) || inst->areas.v > 1)
		num(out, "areas", inst->areas);
	num_bytes(out, "buf_bytes", inst->buf_bytes);
	num(out, "bufs", inst->bufs);
	num(out, "free_bufs", inst->free_bufs);
	num(out, "held_bufs", inst->held_bufs);
	num(out, "refill_entries", inst->refill_entries);
	num(out, "refill_pending", inst->refill_pending);
	if (!brief(out) || inst->users.v > 1)
		num(out, "users", inst->users);
	if (!brief(out) || inst->lower_bound)
		zcq_out_bool(out, "partial", inst->lower_bound);
}

/*
 * What belongs to a record: in JSON objects inside of it, in lists where there may be several;
 * as text records of their own, behind it.
 */
static void list_begin(struct zcq_out *out, const char *key)
{
	if (!brief(out))
		zcq_out_arr_begin(out, key);
}

static void list_end(struct zcq_out *out)
{
	if (!brief(out))
		zcq_out_arr_end(out);
}

/* key NULL: in a list. */
static void part_begin(struct zcq_out *out, const char *key, const char *type)
{
	if (brief(out))
		zcq_out_begin(out, type);
	else
		zcq_out_obj_begin(out, key);
}

static void part_end(struct zcq_out *out)
{
	if (brief(out))
		zcq_out_end(out);
	else
		zcq_out_obj_end(out);
}

static void owner_parts(struct zcq_out *out, const struct zcq_inst *inst)
{
	size_t i;

	list_begin(out, "owners");
	for (i = 0; i < inst->n_owners; i++) {
		part_begin(out, NULL, "owner");
		owner_fields(out, &inst->owners[i]);
		part_end(out);
	}
	list_end(out);
}

/* In JSON its owners are a field of it; as text they follow it. */
static void instance_whole(struct zcq_out *out, const struct zcq_inst *inst, bool in_list)
{
	if (in_list)
		part_begin(out, NULL, "instance");
	else
		zcq_out_begin(out, "instance");
	if (!brief(out))
		owner_parts(out, inst);
	instance_fields(out, inst);
	if (in_list)
		part_end(out);
	else
		zcq_out_end(out);
	if (brief(out))
		owner_parts(out, inst);
}

static void received_fields(struct zcq_out *out, const struct zcq_snapshot *snap,
			    const struct zcq_queue *q)
{
	const struct zcq_rates *r = &q->rates;
	size_t i;

	num_bytes(out, "zc_bytes_per_s", zcq_snapshot_rate(r->zc_bytes, snap->interval_ns));
	num_bytes(out, "copied_bytes_per_s", zcq_snapshot_rate(r->copied_bytes, snap->interval_ns));
	if (!brief(out)) {
		num_bytes(out, "zc_bytes", r->zc_bytes);
		num_bytes(out, "copied_bytes", r->copied_bytes);
	}
	for (i = 0; i < ZCQ_COPY_REASONS; i++)
		if (!brief(out) || r->copied_by[i].v)
			num_bytes(out, copy_keys[i], r->copied_by[i]);
	num(out, "alloc_fails", r->alloc_fails);
	num(out, "reconfigs", r->reconfigs);
	if (!brief(out) || r->driver_alloc_fails.v)
		num(out, "driver_alloc_fails", r->driver_alloc_fails);
}

static void rule_fields(struct zcq_out *out, const struct zcq_nic_rule *rule)
{
	char text[256], location[16];

	zcq_nic_rule_text(rule, text, sizeof(text));
	if (brief(out)) {
		snprintf(location, sizeof(location), "%u", rule->location);
		zcq_out_tag(out, "location", location);
	} else {
		zcq_out_u64(out, "location", rule->location);
	}
	zcq_out_tag(out, "match", text);
}

static void share_fields(struct zcq_out *out, const struct zcq_rss_share *share)
{
	zcq_out_u64(out, "context", share->context);
	zcq_out_u64(out, "entries", share->entries);
	zcq_out_u64(out, "of", share->of);
}

static void lease_fields(struct zcq_out *out, const struct zcq_lease *lease)
{
	zcq_out_tag(out, "direction", lease->to ? "to" : "from");
	word(out, "netdev", lease->name);
	if (!brief(out) || !lease->name[0])
		zcq_out_u64(out, "ifindex", lease->ifindex);
	zcq_out_u64(out, "queue", lease->queue);
	if (!brief(out) || lease->netns_id.known)
		num(out, "netns_id", lease->netns_id);
}

/* The share of the default table's entries, in percent. */
static void rss_pct(struct zcq_out *out, const struct zcq_queue *q)
{
	if (q->rss_entries.known && q->rss_of.v)
		zcq_out_f64(out, "rss_pct", 100.0 * (double)q->rss_entries.v / (double)q->rss_of.v, 1);
	else
		zcq_out_null(out, "rss_pct");
}

static void queue_row(struct zcq_out *out, const struct zcq_snapshot *snap,
		      const struct zcq_netdev *nd, const struct zcq_queue *q)
{
	zcq_out_str(out, "netdev", nd->name);
	zcq_out_u64(out, "ifindex", nd->ifindex);
	zcq_out_u64(out, "queue", q->id);
	num(out, "napi_id", q->napi_id);
	num(out, "irq", q->irq);
	word(out, "cpus", q->cpus);
	num(out, "napi_pid", q->napi_pid);
	zcq_out_str(out, "provider", queue_provider(q));
	num_bytes(out, "buf_bytes", q->buf_bytes);
	num(out, "dmabuf_id", q->dmabuf);
	zcq_out_str(out, "owner", owner_name(q->owner_state));
	num(out, "rss_entries", q->rss_entries);
	num(out, "rss_table", q->rss_of);
	rss_pct(out, q);
	if (q->rules_known)
		zcq_out_u64(out, "n_rules", q->n_rules);
	else
		zcq_out_null(out, "n_rules");
	num(out, "pkts", q->pkts);
	num_bytes(out, "bytes", q->bytes);
	num(out, "driver_alloc_fails", q->alloc_fails);
	num(out, "gro_pkts", q->gro_pkts);
	num(out, "gro_wire_pkts", q->gro_wire_pkts);
	num(out, "pkts_per_s", zcq_snapshot_rate(q->rates.pkts, snap->stats_ns));
	num_bytes(out, "bytes_per_s", zcq_snapshot_rate(q->rates.bytes, snap->stats_ns));
	if (snap->stats_ns)
		zcq_out_ns(out, "stats_interval_ns", snap->stats_ns);
	else
		zcq_out_null(out, "stats_interval_ns");
}

/* As text only: a provider whose instance (and owner) was not found. */
static void bare_provider(struct zcq_out *out, const struct zcq_queue *q)
{
	zcq_out_begin(out, "provider");
	if (q->owner_state == ZCQ_OWNER_NOT_VISIBLE)
		zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_out_tag(out, "provider", queue_provider(q));
	if (q->owner_state == ZCQ_OWNER_NOT_VISIBLE)
		zcq_out_tag(out, "owner", "owner not visible");
	else if (q->owner_state == ZCQ_OWNER_UNKNOWN)
		zcq_out_null(out, "owner");
	num_bytes(out, "buf_bytes", q->buf_bytes);
	if (q->dmabuf.known)
		num(out, "dmabuf_id", q->dmabuf);
	zcq_out_end(out);
}

static void binder_part(struct zcq_out *out, const struct zcq_queue *q)
{
	if (q->binder.task.pid && (!brief(out) || !q->n_insts)) {
		part_begin(out, "bound_by", "bound_by");
		owner_fields(out, &q->binder);
		part_end(out);
	} else if (!brief(out)) {
		zcq_out_null(out, "bound_by");
	}
}

static void received_part(struct zcq_out *out, const struct zcq_snapshot *snap,
			  const struct zcq_queue *q)
{
	const struct zcq_rates *r = &q->rates;

	if (snap->interval_ns && (!brief(out) || q->provider || r->zc_bytes.v ||
				  r->copied_bytes.v || r->reconfigs.v)) {
		part_begin(out, "received", "received");
		if (!brief(out))
			zcq_out_ns(out, "interval_ns", snap->interval_ns);
		received_fields(out, snap, q);
		part_end(out);
	} else if (!brief(out)) {
		zcq_out_null(out, "received");
	}
}

static void lease_part(struct zcq_out *out, const struct zcq_queue *q)
{
	if (q->lease.present) {
		part_begin(out, "lease", "lease");
		lease_fields(out, &q->lease);
		part_end(out);
	} else if (!brief(out)) {
		zcq_out_null(out, "lease");
	}
}

/* The one walk of what belongs to a queue. */
static void queue_parts(struct zcq_out *out, const struct zcq_snapshot *snap,
			const struct zcq_queue *q)
{
	size_t i;

	list_begin(out, "instances");
	for (i = 0; i < q->n_insts; i++)
		instance_whole(out, q->insts[i], true);
	list_end(out);
	if (brief(out) && q->provider && !q->n_insts)
		bare_provider(out, q);
	binder_part(out, q);
	received_part(out, snap, q);
	list_begin(out, "rules");
	for (i = 0; i < q->n_rules; i++) {
		part_begin(out, NULL, "rule");
		rule_fields(out, &q->rules[i]);
		part_end(out);
	}
	list_end(out);
	list_begin(out, "rss_contexts");
	for (i = 0; i < q->n_rss; i++) {
		part_begin(out, NULL, "rss");
		share_fields(out, &q->rss[i]);
		part_end(out);
	}
	list_end(out);
	lease_part(out, q);
}

void zcq_show_queue(struct zcq_out *out, const struct zcq_snapshot *snap,
		    const struct zcq_netdev *nd, const struct zcq_queue *q)
{
	zcq_out_begin(out, "queue");
	queue_row(out, snap, nd, q);
	if (zcq_out_style(out) == ZCQ_OUT_JSON)
		queue_parts(out, snap, q);
	zcq_out_end(out);
}

void zcq_show_queue_details(struct zcq_out *out, const struct zcq_snapshot *snap,
			    const struct zcq_queue *q)
{
	if (zcq_out_style(out) != ZCQ_OUT_JSON)
		queue_parts(out, snap, q);
}

void zcq_show_instance(struct zcq_out *out, const struct zcq_inst *inst)
{
	instance_whole(out, inst, false);
}

void zcq_show_summary(struct zcq_out *out, const struct zcq_snapshot *snap)
{
	uint64_t lost = zcq_lost_total(snap->lost);

	if (brief(out))
		return;
	zcq_out_begin(out, "summary");
	if (lost)
		zcq_out_severity(out, ZCQ_OUT_BAD);
	num(out, "lost", (struct zcq_num){ snap->lost_known, lost });
	num(out, "unreadable",
	    (struct zcq_num){ snap->lost_known, zcq_lost_unreadable(snap->lost) });
	zcq_put_lost(out, snap->lost);
	zcq_out_end(out);
}

static void feature(struct zcq_out *out, const char *key, const struct zcq_netdev *nd,
		    const struct zcq_nic_feature *f)
{
	if (!nd->features_known)
		zcq_out_null(out, key);
	else
		zcq_out_str(out, key, f->active ? "on" : f->fixed ? "fixed-off" : "off");
}

static void split(struct zcq_out *out, struct zcq_num v)
{
	static const char *const words[] = { NULL, "off", "on" };

	if (v.known && v.v && v.v < 3)
		zcq_out_str(out, "tcp_data_split", words[v.v]);
	else
		zcq_out_null(out, "tcp_data_split");
}

void zcq_show_netdev(struct zcq_out *out, const struct zcq_netdev *nd)
{
	zcq_out_begin(out, "netdev");
	zcq_out_tag(out, "netdev", nd->name);
	if (!brief(out))
		zcq_out_u64(out, "ifindex", nd->ifindex);
	if (!brief(out) || nd->driver[0])
		word(out, "driver", nd->driver);
	if (!brief(out) || nd->bus_addr[0])
		word(out, "bus_addr", nd->bus_addr);
	if (!brief(out))
		word(out, "kind", nd->kind);
	if (!brief(out) || !nd->up)
		zcq_out_bool(out, "up", nd->up);
	if (!brief(out) || nd->xdp)
		zcq_out_bool(out, "xdp", nd->xdp);
	if (!brief(out))
		zcq_out_u64(out, "n_queues", nd->n_queues);
	if (!brief(out) || nd->split.known)
		split(out, nd->split);
	if (!brief(out) || nd->hds_thresh.known)
		num(out, "hds_thresh", nd->hds_thresh);
	if (!brief(out) || nd->rx_buf_len.known)
		num_bytes(out, "rx_buf_len", nd->rx_buf_len);
	if (!brief(out) || nd->ring_entries.known)
		num(out, "ring_entries", nd->ring_entries);
	if (!brief(out) || !nd->rx_gro_hw.fixed || nd->rx_gro_hw.active)
		feature(out, "rx_gro_hw", nd, &nd->rx_gro_hw);
	if (!brief(out) || !nd->ntuple.fixed || nd->ntuple.active)
		feature(out, "ntuple", nd, &nd->ntuple);
	if (!brief(out) || nd->n_rules.v)
		num(out, "n_rules", nd->n_rules);
	if (!brief(out) || nd->reopens.v)
		num(out, "reopens", nd->reopens);
	zcq_out_end(out);
}

void zcq_show_pool(struct zcq_out *out, const struct zcq_netdev *nd, const struct zcq_pool *pool)
{
	char id[24];

	zcq_out_begin(out, "pool");
	snprintf(id, sizeof(id), "%llu", (unsigned long long)pool->id);
	if (brief(out)) {
		zcq_out_tag(out, "id", id);
	} else {
		zcq_out_u64(out, "id", pool->id);
		zcq_out_str(out, "netdev", nd ? nd->name : NULL);
	}
	if (!brief(out) || !pool->queue.known)
		num(out, "queue", pool->queue);
	if (!brief(out) || !pool->queue.known)
		num(out, "napi_id", pool->napi_id);
	num(out, "inflight", pool->inflight);
	num_bytes(out, "inflight_bytes", pool->inflight_bytes);
	if (!brief(out) || pool->provider)
		zcq_out_str(out, "provider", provider_name(pool->provider));
	if (!brief(out) || pool->buf_bytes.known)
		num_bytes(out, "buf_bytes", pool->buf_bytes);
	if (!brief(out) || pool->dmabuf.known)
		num(out, "dmabuf_id", pool->dmabuf);
	if (!brief(out) || pool->detached_s.known) {
		num(out, "detached_s", pool->detached_s);
		if (pool->detached_s.known)
			zcq_out_severity(out, ZCQ_OUT_WARN);
	}
	zcq_out_end(out);
}
