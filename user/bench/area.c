// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps an area. Large receive buffers must be contiguous for the device; only hugetlb pages
 * promise that, transparent ones are a request.
 */
#include "bench/area.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/log.h"

#define HUGE_PAGE	(2UL << 20)
#define MAP_2M		(21 << 26)	/* MAP_HUGE_2MB of newer headers */

int zcq_area_open(struct zcq_area *area, enum zcq_area_type type, size_t len)
{
	size_t page = type == ZCQ_AREA_ANON ? (size_t)sysconf(_SC_PAGESIZE) : HUGE_PAGE;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	memset(area, 0, sizeof(*area));
	len = (len + page - 1) & ~(page - 1);
	area->len = len;
	area->mapped = type == ZCQ_AREA_THP ? len + page : len;
	if (type == ZCQ_AREA_HUGE)
		flags |= MAP_HUGETLB | MAP_2M;
	area->map = mmap(NULL, area->mapped, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (area->map == MAP_FAILED) {
		err = -errno;
		if (type == ZCQ_AREA_HUGE)
			zcq_err("area of %zu huge pages of 2 MiB: %s: sysctl vm.nr_hugepages=%zu or more, or --area-type anon",
				len / page, strerror(-err), len / page);
		else
			zcq_err("area of %zu bytes: %s", len, strerror(-err));
		area->map = NULL;
		return err;
	}
	area->addr = area->map;
	if (type == ZCQ_AREA_THP) {
		area->addr = (void *)(((uintptr_t)area->map + page - 1) & ~(page - 1));
		if (madvise(area->addr, len, MADV_HUGEPAGE))
			zcq_warn("area: transparent huge pages: %s: it has ordinary pages", strerror(errno));
	}
	/* Present before the kernel pins it: a failure is clear here, a late one would be EFAULT. */
	memset(area->addr, 0, len);
	return 0;
}

void zcq_area_close(struct zcq_area *area)
{
	if (area->map)
		munmap(area->map, area->mapped);
	memset(area, 0, sizeof(*area));
}
