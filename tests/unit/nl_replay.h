/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts a recorded netlink answer (tests/data/netlink, see tests/tools/nlrec.c) through
 * the same walk and parsers as a live one. For unit tests only.
 */
#ifndef ZCQ_TEST_NL_REPLAY_H
#define ZCQ_TEST_NL_REPLAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nic/link.h"
#include "lib/nic/netdev.h"
#include "lib/nic/nl.h"

#define NL_DATA "tests/data/netlink/"

static inline void *nl_load(const char *name, size_t *len)
{
	char path[256];
	void *buf;
	FILE *f;

	snprintf(path, sizeof(path), NL_DATA "%s", name);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	buf = malloc(1 << 20);
	*len = buf ? fread(buf, 1, 1 << 20, f) : 0;
	fclose(f);
	return buf;
}

struct nl_replay {
	const struct zcq_nic_table *table;	/* NULL: links */
	struct zcq_array *out;
};

static inline int nl_replay_one(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_replay *r = arg;
	const struct nlattr *attrs;
	void *obj = zcq_array_push(r->out);
	size_t len;
	int ret;

	attrs = zcq_nl_genl_attrs(nlh, &len);
	ret = r->table ? r->table->parse(attrs, len, obj) : zcq_nic_parse_link(nlh, obj);
	if (ret <= 0)
		r->out->n--;
	return ret < 0 ? ret : 0;
}

/* Fills out from a recording; *end tells how it ended. false: no such file. */
static inline bool nl_replay(const char *name, const struct zcq_nic_table *table,
			     struct zcq_array *out, struct zcq_nl_end *end)
{
	struct nl_replay r = { .table = table, .out = out };
	size_t len;
	void *buf = nl_load(name, &len);

	memset(end, 0, sizeof(*end));
	memset(out, 0, sizeof(*out));
	out->size = table ? table->size : sizeof(struct zcq_nic_link);
	if (!buf)
		return false;
	zcq_nl_walk(buf, len, 0, nl_replay_one, &r, end);
	free(buf);
	return true;
}

#endif
