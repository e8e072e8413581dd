// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dma.c - keeps the guest's memory mapped and finds bus addresses in it.
 */
#include <errno.h>
#include <sys/mman.h>

#include "dma.h"
#include "log.h"

static bool overlaps(const struct dma_range *r, u64 iova, u64 size)
{
	return iova < r->iova + r->size && r->iova < iova + size;
}

int dma_map(struct dma *dma, u64 iova, u64 size, int fd, u64 offset, bool writable)
{
	struct dma_range *r;
	unsigned int i;
	void *va;

	if (!size || iova + size < iova)
		return -EINVAL;
	for (i = 0; i < dma->nr; i++)
		if (overlaps(&dma->range[i], iova, size))
			return -EEXIST;
	if (dma->nr == DMA_MAX_RANGES)
		return -ENOSPC;

	va = mmap(NULL, size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd,
		  (off_t)offset);
	if (va == MAP_FAILED)
		return -errno;
	r = &dma->range[dma->nr++];
	*r = (struct dma_range){ .iova = iova, .size = size, .va = va, .writable = writable };
	return 0;
}

static void drop_range(struct dma *dma, unsigned int i)
{
	munmap(dma->range[i].va, dma->range[i].size);
	dma->range[i] = dma->range[--dma->nr];
	dma->last = 0;
}

unsigned int dma_unmap(struct dma *dma, u64 iova, u64 size)
{
	unsigned int i = 0, n = 0;

	while (i < dma->nr) {
		const struct dma_range *r = &dma->range[i];

		if (r->iova >= iova && r->iova + r->size <= iova + size) {
			drop_range(dma, i);
			n++;
		} else {
			i++;
		}
	}
	return n;
}

void dma_unmap_all(struct dma *dma)
{
	while (dma->nr)
		drop_range(dma, dma->nr - 1);
}

void *dma_find(struct dma *dma, u64 addr, u64 len)
{
	unsigned int i;

	for (i = 0; i < dma->nr; i++) {
		const struct dma_range *r = &dma->range[i];

		if (addr < r->iova || len > r->size || addr - r->iova > r->size - len)
			continue;
		/* A read-only range (the guest's ROM) is no place for DMA. */
		if (!r->writable)
			break;
		dma->last = i;
		return r->va + (addr - r->iova);
	}
	dma->misses++;
	nic_err("DMA miss: %#llx, %llu bytes", (unsigned long long)addr, (unsigned long long)len);
	return NULL;
}

int dma_read(struct dma *dma, u64 addr, void *buf, u64 len)
{
	const void *p = dma_ptr(dma, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(buf, p, len);
	return 0;
}

int dma_write(struct dma *dma, u64 addr, const void *buf, u64 len)
{
	void *p = dma_ptr(dma, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(p, buf, len);
	return 0;
}
