/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks an event record into a zcq_out: the only place where an event becomes words, so text
 * and JSON can't differ. Called by trace.c; the helpers are shared by describe*.c only.
 */
#ifndef ZCQ_EVENT_DESCRIBE_H
#define ZCQ_EVENT_DESCRIBE_H

#include <stddef.h>

#include <zcq/events.h>

#include "lib/event/names.h"
#include "lib/out.h"

/*
 * One record, begun and ended here. 0, or what zcq_event_check() says of it (nothing is
 * written then).
 */
int zcq_event_describe(struct zcq_out *out, struct zcq_names *names, const void *record,
		       size_t size);

/* --- for describe*.c ------------------------------------------------------------------------- */

void zcq_put_queue(struct zcq_out *out, struct zcq_names *names, const struct zcq_queue_id *q,
		   const char *ifname);
void zcq_put_rxq(struct zcq_out *out, const char *key, __u32 rxq);
void zcq_put_task(struct zcq_out *out, const struct zcq_task *task);
void zcq_put_owner(struct zcq_out *out, const struct zcq_task *owner);
void zcq_put_error(struct zcq_out *out, int result);
void zcq_put_provider(struct zcq_out *out, __u32 provider);
void zcq_put_instance(struct zcq_out *out, struct zcq_names *names, __u64 address);
/* instance: the one this ring has registered just now; 0: none. */
void zcq_put_ring(struct zcq_out *out, struct zcq_names *names, __u64 address,
		  const struct zcq_task *task, __u64 instance);
void zcq_put_tuple(struct zcq_out *out, const struct zcq_tuple *t);
/* Null instead of 0. */
void zcq_put_bytes_known(struct zcq_out *out, const char *key, __u64 bytes);
void zcq_put_ns_known(struct zcq_out *out, const char *key, __u64 ns);
void zcq_put_u64_known(struct zcq_out *out, const char *key, __u64 value);

/* The fields of each event after type and time. */
typedef void (*zcq_put_event)(struct zcq_out *out, struct zcq_names *names, const void *event);

void zcq_put_register(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_unregister(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_control(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_bound(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_bind_failed(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_unbound(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_reconfig(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_pool(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_alloc(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_copied(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_recv_ended(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_unsplit(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_flow(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_dmabuf(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_buffer(struct zcq_out *out, struct zcq_names *names, const void *event);
void zcq_put_interval(struct zcq_out *out, struct zcq_names *names, const void *event);

#endif
