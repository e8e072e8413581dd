/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are shown: by type, netdev, queue, process, task name. An event passes when
 * every kind of filter that was given finds a match in it; one that lacks the thing asked
 * for does not pass. Called by trace.c; BPF filters types and the process already.
 */
#ifndef ZCQ_EVENT_FILTER_H
#define ZCQ_EVENT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <zcq/events.h>

#include "lib/event/names.h"
#include "lib/opt.h"

struct zcq_event_filter {
	uint64_t types;			/* bit n: type n */
	const struct zcq_strv *netdevs;	/* names as they are shown; NULL or empty: any */
	const struct zcq_strv *comms;
	uint32_t queue;			/* ZCQ_NO_QUEUE: any */
	uint32_t pid;			/* 0: any */
};

/*
 * types from names; an unknown name: -EINVAL and *bad points to it. An empty list is every
 * event, without the optional ones unless heavy.
 */
int zcq_event_types(const struct zcq_strv *names, bool heavy, uint64_t *types, const char **bad);

/* The record has been checked (zcq_event_check()). */
bool zcq_event_match(const struct zcq_event_filter *filter, struct zcq_names *names,
		     const void *record);

#endif
