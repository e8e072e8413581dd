/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One well-formed record of each event type, for the tests of user/lib/event. Included by
 * tests/unit/test_event_*.c only; times and identities are arbitrary but fixed.
 */
#ifndef TEST_EVENT_SAMPLES_H
#define TEST_EVENT_SAMPLES_H

#include <string.h>

#include <zcq/events.h>

#include "lib/event/table.h"

#define OWN_NETNS	4026531840U
#define OTHER_NETNS	4026532000U
#define SAMPLE_TIME	1000000007ULL

union sample {
	struct zcq_hdr hdr;
	struct zcq_ev_register reg;
	struct zcq_ev_unregister unreg;
	struct zcq_ev_control control;
	struct zcq_ev_provider provider;
	struct zcq_ev_reconfig reconfig;
	struct zcq_ev_pool pool;
	struct zcq_ev_alloc alloc;
	struct zcq_ev_copied copied;
	struct zcq_ev_recv_ended ended;
	struct zcq_ev_unsplit unsplit;
	struct zcq_ev_flow flow;
	struct zcq_ev_dmabuf dmabuf;
	struct zcq_ev_buffer buffer;
	struct zcq_ev_interval interval;
	char bytes[512];
};

static const struct zcq_queue_id sample_queue = { .netns = OTHER_NETNS, .ifindex = 7, .rxq = 3 };
static const struct zcq_task sample_task = { .pid = 311, .tid = 313, .comm = "receiver" };
static const struct zcq_task sample_owner = { .pid = 211, .tid = 211, .comm = "owner" };
static const struct zcq_tuple sample_tuple = {
	.local = { 192, 0, 2, 1 }, .remote = { 198, 51, 100, 2 },
	.local_port = 5001, .remote_port = 40009, .family = ZCQ_AF_INET,
};

/* The fields that most structs have in different places. */
#define SAMPLE_QUEUE(m)						\
	do {							\
		s->m.queue = sample_queue;			\
		strcpy(s->m.ifname, "eth0");			\
	} while (0)

static inline void sample_core(union sample *s, unsigned int type)
{
	switch (type) {
	case ZCQ_EVENT_REGISTERED:
	case ZCQ_EVENT_REJECTED:
		SAMPLE_QUEUE(reg);
		s->reg.task = sample_task;
		s->reg.flags = ZCQ_REG_ARGS | ZCQ_REG_AREA;
		s->reg.area_bytes = 1 << 20;
		if (type == ZCQ_EVENT_REJECTED) {
			s->reg.result = -22;
			strcpy(s->reg.reason, "tcp-data-split is disabled");
		}
		break;
	case ZCQ_EVENT_UNREGISTERED:
		SAMPLE_QUEUE(unreg);
		s->unreg.task = sample_task;
		s->unreg.owner = sample_owner;
		break;
	case ZCQ_EVENT_CONTROL:
		s->control.task = sample_task;
		s->control.op = ZCQ_CTRL_EXPORT;
		break;
	case ZCQ_EVENT_BOUND:
	case ZCQ_EVENT_UNBOUND:
		SAMPLE_QUEUE(provider);
		s->provider.task = sample_task;
		s->provider.owner = sample_owner;
		s->provider.provider = ZCQ_PROVIDER_IO_URING;
		break;
	case ZCQ_EVENT_BIND_FAILED:
		SAMPLE_QUEUE(provider);
		s->provider.task = sample_task;
		s->provider.provider = ZCQ_PROVIDER_IO_URING;
		s->provider.result = -22;
		break;
	case ZCQ_EVENT_RECONFIGURED:
		SAMPLE_QUEUE(reconfig);
		s->reconfig.task = sample_task;
		s->reconfig.cause = ZCQ_CAUSE_BIND;
		s->reconfig.flags = ZCQ_RECONFIG_STAGES | ZCQ_RECONFIG_STANDSTILL;
		s->reconfig.queues = 1;
		break;
	case ZCQ_EVENT_POOL_CREATED:
	case ZCQ_EVENT_POOL_DESTROYED:
	case ZCQ_EVENT_POOL_STALLED:
		SAMPLE_QUEUE(pool);
		s->pool.task = sample_task;
		s->pool.id = 17;
		break;
	}
}

static inline void sample_zc(union sample *s, unsigned int type)
{
	switch (type) {
	case ZCQ_EVENT_ALLOC_FAILED:
	case ZCQ_EVENT_ALLOC_RECOVERED:
	case ZCQ_EVENT_STARVED:
		SAMPLE_QUEUE(alloc);
		s->alloc.owner = sample_task;
		s->alloc.run_fails = 19;
		break;
	case ZCQ_EVENT_COPIED:
		s->copied.wanted = sample_queue;
		strcpy(s->copied.ifname, "eth0");
		s->copied.tuple = sample_tuple;
		s->copied.task = sample_task;
		s->copied.seen_ifindex = 7;
		s->copied.seen_rxq = 0;
		s->copied.bytes = 4099;
		break;
	case ZCQ_EVENT_RECV_ENDED:
		SAMPLE_QUEUE(ended);
		s->ended.tuple = sample_tuple;
		s->ended.task = sample_task;
		s->ended.result = -28;
		s->ended.end = ZCQ_END_ENOSPC;
		break;
	case ZCQ_EVENT_UNSPLIT:
		SAMPLE_QUEUE(unsplit);
		s->unsplit.pkts = 23;
		break;
	case ZCQ_EVENT_FLOW_STARTED:
	case ZCQ_EVENT_FLOW_ENDED:
		s->flow.flow.wanted = sample_queue;
		strcpy(s->flow.ifname, "eth0");
		s->flow.flow.tuple = sample_tuple;
		s->flow.flow.task = sample_task;
		break;
	case ZCQ_EVENT_DMABUF_BOUND:
	case ZCQ_EVENT_DMABUF_UNBOUND:
		SAMPLE_QUEUE(dmabuf);
		s->dmabuf.task = sample_task;
		s->dmabuf.owner = sample_owner;
		break;
	case ZCQ_EVENT_BUFFER:
		s->buffer.queue = sample_queue;
		break;
	case ZCQ_EVENT_TRAFFIC:
	case ZCQ_EVENT_COALESCED:
	case ZCQ_EVENT_ALLOC_RATE:
		s->interval.queue = sample_queue;
		s->interval.interval_ns = 1000000000;
		break;
	}
}

static inline void sample(union sample *s, unsigned int type)
{
	memset(s, 0, sizeof(*s));
	s->hdr.version = ZCQ_EVENT_VERSION;
	s->hdr.type = type;
	s->hdr.size = zcq_event_desc(type)->size;
	s->hdr.time_ns = SAMPLE_TIME;
	sample_core(s, type);
	sample_zc(s, type);
}

#endif
