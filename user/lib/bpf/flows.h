/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow table as user space reads it. Called by lib/model and by `zcq flows`.
 */
#ifndef ZCQ_BPF_FLOWS_H
#define ZCQ_BPF_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include <zcq/flow.h>

struct zcq_session;

struct zcq_flow_row {
	uint64_t sock; /* identity of the socket */
	struct zcq_flow flow;
	char ifname[ZCQ_NAME_LEN]; /* of flow.wanted; "" without a netdev */
};

/*
 * Every flow that has received since the session began; the caller frees *rows. Entries
 * change while they are read: each row is one moment's, different rows are of different
 * moments. 0 or -errno.
 */
int zcq_flows_read(const struct zcq_session *s, struct zcq_flow_row **rows, size_t *n);

/* The same from the map itself. */
int zcq_flows_read_fd(int map_fd, struct zcq_flow_row **rows, size_t *n);

uint64_t zcq_flow_copied(const struct zcq_flow *flow);

#endif
