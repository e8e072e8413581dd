// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the flow table in batches: a walk key by key would begin again whenever the entry
 * under it is removed, and busy hosts close sockets all the time.
 */
#include "lib/bpf/flows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bpf/session.h"

#define BATCH 256 /* entries; more when one bucket of the table holds more */

struct batch {
	struct zcq_flow_key *keys;
	struct zcq_flow_entry *entries;
	uint32_t room;
};

static void batch_free(struct batch *b)
{
	free(b->keys);
	free(b->entries);
	memset(b, 0, sizeof(*b));
}

static int batch_make(struct batch *b, uint32_t room)
{
	batch_free(b);
	b->keys = calloc(room, sizeof(*b->keys));
	b->entries = calloc(room, sizeof(*b->entries));
	if (!b->keys || !b->entries)
		return -ENOMEM;
	b->room = room;
	return 0;
}

static int take(const struct batch *b, uint32_t count, struct zcq_flow_row **rows, size_t *n)
{
	struct zcq_flow_row *more = realloc(*rows, (*n + count + 1) * sizeof(**rows));
	uint32_t i;

	if (!more)
		return -ENOMEM;
	*rows = more;
	for (i = 0; i < count; i++) {
		if (!b->entries[i].flow.recvs)
			continue;
		more[*n].sock = b->keys[i].sock;
		more[*n].flow = b->entries[i].flow;
		memcpy(more[*n].ifname, b->entries[i].ifname, sizeof(more->ifname));
		(*n)++;
	}
	return 0;
}

int zcq_flows_read_fd(int map_fd, struct zcq_flow_row **rows, size_t *n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	struct zcq_flow_row *v = NULL;
	struct batch b = { 0 };
	bool started = false;
	uint32_t count, at = 0, next; /* at, next: the kernel's own note of where it is */
	size_t found = 0;
	int err, ret;

	err = batch_make(&b, BATCH);
	while (!err) {
		count = b.room;
		ret = bpf_map_lookup_batch(map_fd, started ? &at : NULL, &next, b.keys, b.entries,
					   &count, &opts);
		if (ret && errno == ENOSPC) {
			err = batch_make(&b, b.room * 2);
			continue;
		}
		if (ret && errno != ENOENT) {
			err = -errno;
			break;
		}
		err = take(&b, count, &v, &found);
		if (ret) /* ENOENT: that was the last */
			break;
		at = next;
		started = true;
	}
	batch_free(&b);
	if (err) {
		free(v);
		return err;
	}
	*rows = v;
	*n = found;
	return 0;
}

int zcq_flows_read(const struct zcq_session *s, struct zcq_flow_row **rows, size_t *n)
{
	int fd = zcq_session_map_fd(s, "zcq_flows");

	return fd < 0 ? fd : zcq_flows_read_fd(fd, rows, n);
}

uint64_t zcq_flow_copied(const struct zcq_flow *flow)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ZCQ_COPY_REASONS; i++)
		sum += flow->copied_bytes[i];
	return sum;
}
