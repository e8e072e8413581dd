/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory a zcrx instance's buffers are in. Called by user/bench/recv_zcrx.c.
 */
#ifndef ZCQ_BENCH_AREA_H
#define ZCQ_BENCH_AREA_H

#include <stddef.h>

enum zcq_area_type {
	ZCQ_AREA_ANON,	/* ordinary pages */
	ZCQ_AREA_THP,	/* transparent huge pages where the kernel has some */
	ZCQ_AREA_HUGE,	/* hugetlb pages of 2 MiB: contiguous, so fit for large buffers */
};

struct zcq_area {
	void *addr;		/* NULL: not there */
	size_t len;		/* bytes used */
	size_t mapped;		/* bytes mapped */
	void *map;
};

/* len is rounded up to the page size of the type. 0 or -errno, then after its own message. */
int zcq_area_open(struct zcq_area *area, enum zcq_area_type type, size_t len);
void zcq_area_close(struct zcq_area *area);

#endif
