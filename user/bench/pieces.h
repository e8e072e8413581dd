/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing list of received pieces of buffers that are not given back yet: those held on purpose,
 * and those the refill ring had no room for. Called by user/bench/recv_zcrx.c.
 */
#ifndef ZCQ_BENCH_PIECES_H
#define ZCQ_BENCH_PIECES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct zcq_piece {
	uint64_t off;	/* as in the CQE */
	uint32_t len;
};

struct zcq_pieces {
	struct zcq_piece *v;
	size_t n, cap;
};

static inline int zcq_pieces_add(struct zcq_pieces *list, uint64_t off, uint32_t len)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 256;
		struct zcq_piece *p = realloc(list->v, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		list->v = p;
		list->cap = cap;
	}
	list->v[list->n++] = (struct zcq_piece){ off, len };
	return 0;
}

#endif
