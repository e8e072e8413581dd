// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dispatch by type, and the fields that many events share. What an event has of its own is
 * in describe_core.c and describe_zc.c.
 */
#include "lib/event/describe.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "lib/event/table.h"

static const zcq_put_event putters[ZCQ_EVENT_MAX] = {
	[ZCQ_EVENT_REGISTERED] = zcq_put_register,
	[ZCQ_EVENT_REJECTED] = zcq_put_register,
	[ZCQ_EVENT_UNREGISTERED] = zcq_put_unregister,
	[ZCQ_EVENT_CONTROL] = zcq_put_control,
	[ZCQ_EVENT_BOUND] = zcq_put_bound,
	[ZCQ_EVENT_UNBOUND] = zcq_put_unbound,
	[ZCQ_EVENT_RECONFIGURED] = zcq_put_reconfig,
	[ZCQ_EVENT_POOL_CREATED] = zcq_put_pool,
	[ZCQ_EVENT_POOL_DESTROYED] = zcq_put_pool,
	[ZCQ_EVENT_POOL_STALLED] = zcq_put_pool,
	[ZCQ_EVENT_ALLOC_FAILED] = zcq_put_alloc,
	[ZCQ_EVENT_ALLOC_RECOVERED] = zcq_put_alloc,
	[ZCQ_EVENT_STARVED] = zcq_put_alloc,
	[ZCQ_EVENT_COPIED] = zcq_put_copied,
	[ZCQ_EVENT_RECV_ENDED] = zcq_put_recv_ended,
	[ZCQ_EVENT_UNSPLIT] = zcq_put_unsplit,
	[ZCQ_EVENT_FLOW_STARTED] = zcq_put_flow,
	[ZCQ_EVENT_FLOW_ENDED] = zcq_put_flow,
	[ZCQ_EVENT_DMABUF_BOUND] = zcq_put_dmabuf,
	[ZCQ_EVENT_DMABUF_UNBOUND] = zcq_put_dmabuf,
	[ZCQ_EVENT_BUFFER] = zcq_put_buffer,
	[ZCQ_EVENT_BIND_FAILED] = zcq_put_bind_failed,
	[ZCQ_EVENT_TRAFFIC] = zcq_put_interval,
	[ZCQ_EVENT_COALESCED] = zcq_put_interval,
	[ZCQ_EVENT_ALLOC_RATE] = zcq_put_interval,
};

int zcq_event_describe(struct zcq_out *out, struct zcq_names *names, const void *record,
		       size_t size)
{
	/* the largest record: the ring gives 8-byte alignment, a file or a fuzzer may not */
	union {
		struct zcq_hdr hdr;
		char bytes[512];
	} copy;
	const struct zcq_event_desc *desc;
	int err = zcq_event_check(record, size);

	if (err)
		return err;
	memcpy(&copy, record, size < sizeof(copy) ? size : sizeof(copy));
	desc = zcq_event_desc(copy.hdr.type);
	zcq_out_begin(out, desc->name);
	zcq_out_time(out, "time", zcq_names_realtime(names, copy.hdr.time_ns));
	putters[copy.hdr.type](out, names, &copy);
	zcq_out_end(out);
	return 0;
}

void zcq_put_rxq(struct zcq_out *out, const char *key, __u32 rxq)
{
	if (rxq == ZCQ_NO_QUEUE)
		zcq_out_null(out, key);
	else
		zcq_out_u64(out, key, rxq);
}

void zcq_put_queue(struct zcq_out *out, struct zcq_names *names, const struct zcq_queue_id *q,
		   const char *ifname)
{
	char text[ZCQ_NETDEV_TEXT];

	zcq_out_tag(out, "netdev", zcq_names_netdev(names, q, ifname, text));
	zcq_put_rxq(out, "queue", q->rxq);
}

static void put_task(struct zcq_out *out, const char *pid_key, const char *comm_key,
		     const struct zcq_task *task)
{
	char comm[ZCQ_COMM_LEN + 1];

	if (!task->pid) {
		zcq_out_null(out, pid_key);
		zcq_out_null(out, comm_key);
		return;
	}
	snprintf(comm, sizeof(comm), "%.*s", ZCQ_COMM_LEN, task->comm);
	zcq_out_u64(out, pid_key, task->pid);
	zcq_out_str(out, comm_key, comm);
}

void zcq_put_task(struct zcq_out *out, const struct zcq_task *task)
{
	put_task(out, "pid", "comm", task);
}

void zcq_put_owner(struct zcq_out *out, const struct zcq_task *owner)
{
	put_task(out, "owner_pid", "owner_comm", owner);
}

void zcq_put_error(struct zcq_out *out, int result)
{
	unsigned int err = 0U - (unsigned int)result;
	const char *name;
	char text[16];

	if (result >= 0) {
		zcq_out_null(out, "error");
		return;
	}
	name = err < 4096 ? strerrorname_np((int)err) : NULL;
	if (!name) {	/* the kernel has a few that libc does not know */
		snprintf(text, sizeof(text), "E%u", err);
		name = text;
	}
	zcq_out_str(out, "error", name);
}

void zcq_put_provider(struct zcq_out *out, __u32 provider)
{
	static const char *const words[] = {
		[ZCQ_PROVIDER_NONE] = "none",
		[ZCQ_PROVIDER_IO_URING] = "io-uring",
		[ZCQ_PROVIDER_DMABUF] = "dmabuf",
		[ZCQ_PROVIDER_OTHER] = "other",
	};

	zcq_out_str(out, "provider", provider <= ZCQ_PROVIDER_OTHER ? words[provider] : "other");
}

void zcq_put_instance(struct zcq_out *out, struct zcq_names *names, __u64 address)
{
	zcq_put_u64_known(out, "instance", zcq_names_number(names, ZCQ_NUMBER_INSTANCE, address));
}

void zcq_put_ring(struct zcq_out *out, struct zcq_names *names, __u64 address,
		  const struct zcq_task *task, __u64 instance)
{
	zcq_put_u64_known(out, "ring", zcq_names_ring(names, address, task->pid, instance));
}

void zcq_put_bytes_known(struct zcq_out *out, const char *key, __u64 bytes)
{
	if (bytes)
		zcq_out_bytes(out, key, bytes);
	else
		zcq_out_null(out, key);
}

void zcq_put_ns_known(struct zcq_out *out, const char *key, __u64 ns)
{
	if (ns)
		zcq_out_ns(out, key, ns);
	else
		zcq_out_null(out, key);
}

void zcq_put_u64_known(struct zcq_out *out, const char *key, __u64 value)
{
	if (value)
		zcq_out_u64(out, key, value);
	else
		zcq_out_null(out, key);
}

static void put_addr(char *text, size_t size, __u16 family, const __u8 *addr, __u16 port)
{
	char ip[INET6_ADDRSTRLEN];

	if (family == ZCQ_AF_INET)
		snprintf(text, size, "%s:%u", inet_ntop(AF_INET, addr, ip, sizeof(ip)), port);
	else
		snprintf(text, size, "[%s]:%u", inet_ntop(AF_INET6, addr, ip, sizeof(ip)), port);
}

void zcq_put_tuple(struct zcq_out *out, const struct zcq_tuple *t)
{
	char from[INET6_ADDRSTRLEN + 16], to[INET6_ADDRSTRLEN + 16], text[2 * sizeof(from)];

	if (t->family != ZCQ_AF_INET && t->family != ZCQ_AF_INET6) {
		zcq_out_tag(out, "flow", NULL);
		return;
	}
	put_addr(from, sizeof(from), t->family, t->remote, t->remote_port);
	put_addr(to, sizeof(to), t->family, t->local, t->local_port);
	snprintf(text, sizeof(text), "%s>%s", from, to);
	zcq_out_tag(out, "flow", text);
}
