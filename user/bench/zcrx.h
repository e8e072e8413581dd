/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One zcrx instance of this process: registration, refill ring, flush, the kernel's own copy
 * statistics. It knows nothing of sockets or streams. The ring must be one with
 * DEFER_TASKRUN and 32-byte CQEs. Called by user/bench/recv_zcrx.c.
 */
#ifndef ZCQ_BENCH_ZCRX_H
#define ZCQ_BENCH_ZCRX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/area.h"
#include "bench/zcrx_abi.h"

struct zcq_zcrx_cfg {
	const char *ifname;	/* NULL: no netdev */
	uint32_t queue;
	uint32_t rx_buf_len;	/* bytes, 0: a page */
	uint32_t rq_entries;	/* 0: as many as the area has buffers */
};

struct zcq_zcrx {
	int ring_fd;
	uint32_t id;		/* this instance in its ring */
	uint32_t rx_buf_len;	/* bytes, as the kernel has it */
	uint32_t nr_bufs;	/* buffers in the area */
	uint32_t nr_entries;	/* of the refill ring */
	bool can_flush;
	void *region;
	size_t region_len;
	uint32_t *khead, *ktail;
	struct zcq_zcrx_rqe *rqes;
	uint32_t tail;		/* ours; *ktail is what the kernel was told */
	uint64_t token;
	uint8_t *area;
	const struct zcq_zcrx_stats *stats;	/* NULL: this kernel keeps none for us */
};

/* Whether this kernel's io_uring has zcrx at all; io_uring_fd is any ring. */
bool zcq_zcrx_supported(int io_uring_fd);

/*
 * Registers. 0 or -errno; no message: the caller prints what explain.h has to say.
 * z keeps using the area's memory until the ring is closed.
 */
int zcq_zcrx_open(struct zcq_zcrx *z, int io_uring_fd, const struct zcq_zcrx_cfg *cfg,
		  const struct zcq_area *area);

/* Unmaps the refill ring. Call it after the ring was closed. */
void zcq_zcrx_close(struct zcq_zcrx *z);

/* Gives back one piece of a buffer. False: the refill ring is full. */
bool zcq_zcrx_put(struct zcq_zcrx *z, uint64_t off, uint32_t len);

/* Pieces given back that the kernel has not taken yet. */
uint32_t zcq_zcrx_pending(const struct zcq_zcrx *z);

/* Makes the kernel take what is pending. 0 or -errno; -EOPNOTSUPP: it can't, before 6.19. */
int zcq_zcrx_flush(struct zcq_zcrx *z);

/* Where the data of a CQE is, NULL if the kernel names a place outside of the area. */
const uint8_t *zcq_zcrx_data(const struct zcq_zcrx *z, uint64_t off, uint32_t len);

/* The buffer that off lies in. */
static inline uint32_t zcq_zcrx_buf(const struct zcq_zcrx *z, uint64_t off)
{
	return (off & ZCQ_ZCRX_AREA_OFF_MASK) / z->rx_buf_len;
}

#endif
