/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dma.h - the guest's memory as the device sees it: ranges of bus addresses,
 * each a mapping of a file descriptor that the vfio-user client handed over.
 * An access outside every range is an error that is logged here ("DMA miss").
 */
#ifndef NIC_DMA_H
#define NIC_DMA_H

#include "types.h"

#define DMA_MAX_RANGES 64

struct dma_range {
	u64 iova;		/* first bus address */
	u64 size;		/* bytes */
	u8 *va;			/* where it is mapped here */
	bool writable;
};

struct dma {
	struct dma_range range[DMA_MAX_RANGES];
	unsigned int nr;
	unsigned int last;	/* index of the range hit last: a one-entry cache */
	u64 misses;
};

/* Maps fd at offset; the caller keeps the fd. 0 or -errno. */
int dma_map(struct dma *dma, u64 iova, u64 size, int fd, u64 offset, bool writable);

/* Unmaps every range that lies inside [iova, iova + size). Returns how many. */
unsigned int dma_unmap(struct dma *dma, u64 iova, u64 size);
void dma_unmap_all(struct dma *dma);

/* The slow path of dma_ptr(): looks at all ranges, logs a miss. */
void *dma_find(struct dma *dma, u64 addr, u64 len);

/*
 * Where [addr, addr + len) is mapped, or NULL (logged) if any part of it is
 * not guest memory. The pointer is good until the next unmap.
 */
static inline void *dma_ptr(struct dma *dma, u64 addr, u64 len)
{
	const struct dma_range *r = &dma->range[dma->last];

	if (dma->nr && addr >= r->iova && len <= r->size && addr - r->iova <= r->size - len)
		return r->va + (addr - r->iova);
	return dma_find(dma, addr, len);
}

/* Copy to and from guest memory; -EFAULT if it is not (all) guest memory. */
int dma_read(struct dma *dma, u64 addr, void *buf, u64 len);
int dma_write(struct dma *dma, u64 addr, const void *buf, u64 len);

#endif /* NIC_DMA_H */
