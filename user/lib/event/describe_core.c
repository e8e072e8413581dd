// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields of registrations, provider changes, reconfigures and page pools.
 */
#include "lib/event/describe.h"

#include <stdio.h>
#include <unistd.h>

static const char *word_of(const char *const words[], size_t n, __u32 i)
{
	return i < n && words[i] ? words[i] : "unknown";
}

#define WORD(words, i) word_of(words, sizeof(words) / sizeof(words[0]), i)

void zcq_put_register(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_register *e = event;
	bool args = e->flags & ZCQ_REG_ARGS;
	char reason[ZCQ_TEXT_LEN + 1];

	snprintf(reason, sizeof(reason), "%.*s", ZCQ_TEXT_LEN, e->reason);
	zcq_names_began(names, e->instance);
	if (e->result)
		zcq_out_severity(out, ZCQ_OUT_BAD);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_put_task(out, &e->task);
	zcq_put_error(out, e->result);
	zcq_out_str(out, "reason", reason[0] ? reason : NULL);
	zcq_put_bytes_known(out, "area_bytes", e->flags & ZCQ_REG_AREA ? e->area_bytes : 0);
	zcq_put_bytes_known(out, "buffer_bytes", args ? e->rx_buf_len : 0);
	zcq_put_u64_known(out, "refill_entries", args ? e->rq_entries : 0);
	zcq_out_arr_begin(out, "flags");
	if (args && (e->reg_flags & 1))
		zcq_out_str(out, NULL, "import");
	if (args && (e->reg_flags & 2))
		zcq_out_str(out, NULL, "nodev");
	if ((e->flags & ZCQ_REG_AREA) && (e->area_flags & 1))
		zcq_out_str(out, NULL, "dmabuf");
	zcq_out_arr_end(out);
	zcq_put_ring(out, names, e->ring, &e->task, e->instance);
	zcq_put_instance(out, names, e->instance);
	zcq_put_ns_known(out, "duration_ns", e->duration_ns);
}

void zcq_put_unregister(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_unregister *e = event;

	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_put_task(out, &e->task);
	zcq_put_owner(out, &e->owner);
	zcq_put_instance(out, names, e->instance);
	zcq_put_ns_known(out, "age_ns", e->age_ns);
	zcq_names_ended(names, e->instance);
}

void zcq_put_control(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	static const char *const ops[] = {
		[ZCQ_CTRL_FLUSH] = "flush",
		[ZCQ_CTRL_EXPORT] = "export",
		[ZCQ_CTRL_ARM_EVENT] = "arm-event",
		[ZCQ_CTRL_ADD_AREA] = "add-area",
	};
	const struct zcq_ev_control *e = event;
	bool read = e->op != ZCQ_CTRL_UNREAD;

	if (e->result)
		zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_put_task(out, &e->task);
	zcq_out_str(out, "operation", read ? WORD(ops, e->op) : NULL);
	zcq_put_error(out, e->result);
	zcq_put_bytes_known(out, "area_bytes", e->area_bytes);
	zcq_put_ring(out, names, e->ring, &e->task, 0);
	if (read)
		zcq_out_u64(out, "zcrx_id", e->zcrx_id);
	else
		zcq_out_null(out, "zcrx_id");
}

/* bound, bind-failed and unbound, but for the age. */
static void put_provider_change(struct zcq_out *out, struct zcq_names *names,
				const struct zcq_ev_provider *e)
{
	bool failed = e->hdr.type == ZCQ_EVENT_BIND_FAILED;
	char text[ZCQ_NETDEV_TEXT];

	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_put_provider(out, e->provider);
	zcq_put_task(out, &e->task);
	if (failed)
		zcq_put_error(out, e->result);
	else
		zcq_put_owner(out, &e->owner);
	zcq_put_bytes_known(out, "page_bytes", e->page_size);
	if (!failed)
		zcq_put_instance(out, names, e->instance);
	if (e->flags & ZCQ_PROV_LEASED) {
		zcq_out_str(out, "lease_netdev", zcq_names_netdev(names, &e->lease, "", text));
		zcq_put_rxq(out, "lease_queue", e->lease.rxq);
	} else {
		zcq_out_null(out, "lease_netdev");
		zcq_out_null(out, "lease_queue");
	}
	if (e->hdr.type == ZCQ_EVENT_UNBOUND)
		zcq_out_str(out, "cause",
			    e->flags & ZCQ_PROV_UNINSTALL ? "netdev-removed" : "close");
	zcq_put_ns_known(out, "duration_ns", e->duration_ns);
}

void zcq_put_bound(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_provider *e = event;

	zcq_names_began(names, e->instance);
	put_provider_change(out, names, e);
}

void zcq_put_bind_failed(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_provider *e = event;

	zcq_out_severity(out, ZCQ_OUT_BAD);
	put_provider_change(out, names, e);
	zcq_names_ended(names, e->instance);	/* a pool of it may have been shown */
}

void zcq_put_unbound(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_provider *e = event;

	put_provider_change(out, names, e);
	zcq_put_ns_known(out, "age_ns", e->age_ns);
	if (!(e->flags & ZCQ_PROV_UNINSTALL))	/* else it lives on without a netdev */
		zcq_names_ended(names, e->instance);
}

static void put_stages(struct zcq_out *out, const struct zcq_ev_reconfig *e)
{
	static const char *const keys[ZCQ_STAGES] = {
		[ZCQ_STAGE_ALLOC] = "alloc_ns",
		[ZCQ_STAGE_STOP] = "stop_ns",
		[ZCQ_STAGE_START] = "start_ns",
		[ZCQ_STAGE_FREE] = "free_ns",
	};

	if (!(e->flags & ZCQ_RECONFIG_STAGES)) {
		zcq_out_null(out, "stages");
		return;
	}
	zcq_out_obj_begin(out, "stages");
	for (int i = 0; i < ZCQ_STAGES; i++)
		zcq_put_ns_known(out, keys[i], e->stage_ns[i]);
	zcq_out_obj_end(out);
}

void zcq_put_reconfig(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	static const char *const causes[] = {
		[ZCQ_CAUSE_BIND] = "bind",     [ZCQ_CAUSE_UNBIND] = "unbind",
		[ZCQ_CAUSE_RESTART] = "restart", [ZCQ_CAUSE_REOPEN] = "reopen",
		[ZCQ_CAUSE_UP] = "up",	       [ZCQ_CAUSE_DOWN] = "down",
	};
	const struct zcq_ev_reconfig *e = event;
	const char *health = NULL;

	if (e->flags & ZCQ_RECONFIG_UNHEALTHY)
		health = "unhealthy";
	else if (e->flags & ZCQ_RECONFIG_RESTORED)
		health = "restored";
	else if (!e->result)
		health = "ok";
	if (e->flags & ZCQ_RECONFIG_UNHEALTHY)
		zcq_out_severity(out, ZCQ_OUT_BAD);
	else if (e->result)
		zcq_out_severity(out, ZCQ_OUT_WARN);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_out_str(out, "cause", WORD(causes, e->cause));
	zcq_put_error(out, e->result);
	zcq_out_str(out, "health", health);
	zcq_out_ns(out, "duration_ns", e->duration_ns);
	if (e->flags & ZCQ_RECONFIG_STANDSTILL)
		zcq_out_ns(out, "standstill_ns", e->standstill_ns);
	else
		zcq_out_null(out, "standstill_ns");
	put_stages(out, e);
	zcq_out_u64(out, "queues", e->queues);
	zcq_out_bool(out, "provider", e->flags & ZCQ_RECONFIG_PROVIDER);
	zcq_out_bool(out, "running", !(e->flags & ZCQ_RECONFIG_DOWN));
	zcq_put_bytes_known(out, "page_bytes_old", e->page_size_old);
	zcq_put_bytes_known(out, "page_bytes_new", e->page_size_new);
	zcq_put_task(out, &e->task);
}

void zcq_put_pool(struct zcq_out *out, struct zcq_names *names, const void *event)
{
	const struct zcq_ev_pool *e = event;

	if (e->result || e->hdr.type == ZCQ_EVENT_POOL_STALLED)
		zcq_out_severity(out, ZCQ_OUT_WARN);
	if (e->hdr.type == ZCQ_EVENT_POOL_CREATED)	/* comes before bound */
		zcq_names_began(names, e->instance);
	zcq_put_queue(out, names, &e->queue, e->ifname);
	zcq_put_u64_known(out, "pool", e->id);
	zcq_put_provider(out, e->provider);
	zcq_put_error(out, e->result);
	zcq_out_i64(out, "inflight", e->inflight);
	zcq_put_ns_known(out, "age_ns", e->age_ns);
	zcq_put_u64_known(out, "ring_entries", e->ring_size);
	zcq_out_bytes(out, "buffer_bytes", (uint64_t)sysconf(_SC_PAGESIZE) << (e->order & 31));
	zcq_put_u64_known(out, "napi", e->napi_id);
	zcq_put_instance(out, names, e->instance);
	zcq_put_task(out, &e->task);
}
