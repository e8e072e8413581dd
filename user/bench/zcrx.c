// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcrx by io_uring_register(2) with our own ABI header: no liburing call of the last years is
 * needed. Unknown abilities are asked for (IORING_REGISTER_QUERY), never guessed from versions.
 */
#include "bench/zcrx.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>


#define REGISTER_PROBE	8
#define PROBE_OPS	(ZCQ_IORING_OP_RECV_ZC + 1)
#define PROBE_OP_KNOWN	1U

/* Answer of IORING_REGISTER_PROBE. */
struct probe {
	uint8_t last_op;
	uint8_t nr;
	uint16_t resv;
	uint32_t resv2[3];
	struct {
		uint8_t op;
		uint8_t resv;
		uint16_t flags;
		uint32_t resv2;
	} ops[PROBE_OPS];
};

static int io_register(int fd, unsigned int op, void *arg, unsigned int nr)
{
	return syscall(__NR_io_uring_register, fd, op, arg, nr) < 0 ? -errno : 0;
}

bool zcq_zcrx_supported(int io_uring_fd)
{
	struct probe p = { 0 };

	if (io_register(io_uring_fd, REGISTER_PROBE, &p, PROBE_OPS))
		return false;
	return p.last_op >= ZCQ_IORING_OP_RECV_ZC &&
	       p.ops[ZCQ_IORING_OP_RECV_ZC].flags & PROBE_OP_KNOWN;
}

/* One question; the answer is zeroed when the kernel doesn't know it. */
static int query(enum zcq_query_op op, void *answer, uint32_t size)
{
	struct zcq_query_hdr h = {
		.query_op = op, .query_data = (uintptr_t)answer, .size = size,
	};
	int err;

	memset(answer, 0, size);
	err = io_register(-1, ZCQ_IORING_REGISTER_QUERY, &h, 0);
	return err ? err : h.result;
}

static size_t align_up(size_t value, size_t to)
{
	return to ? (value + to - 1) / to * to : value;
}

/*
 * Memory for header, entries and, where the kernel keeps them, statistics. *stats_off is
 * 0 when there are none.
 */
static int map_region(struct zcq_zcrx *z, size_t *stats_off)
{
	struct zcq_query_zcrx_event event;
	struct zcq_query_zcrx info;
	size_t page = sysconf(_SC_PAGESIZE), len;

	*stats_off = 0;
	query(ZCQ_QUERY_ZCRX, &info, sizeof(info));
	if (!info.rq_hdr_size)
		info.rq_hdr_size = page;
	len = align_up(info.rq_hdr_size, info.rq_hdr_alignment) +
	      z->nr_entries * sizeof(struct zcq_zcrx_rqe);
	if (!query(ZCQ_QUERY_ZCRX_EVENT, &event, sizeof(event)) &&
	    event.stats_size >= sizeof(struct zcq_zcrx_stats)) {
		/* A cache line of its own, away from the last entries. */
		*stats_off = align_up(align_up(len, 64), event.stats_off_alignment);
		len = *stats_off + event.stats_size;
	}
	z->region_len = align_up(len, page);
	z->region = mmap(NULL, z->region_len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (z->region == MAP_FAILED) {
		z->region = NULL;
		return -errno;
	}
	return 0;
}

static uint32_t pow2_up(uint32_t n)
{
	uint32_t p = 1;

	while (p < n && p < ZCQ_ZCRX_RQ_MAX_ENTRIES)
		p *= 2;
	return p;
}

static int do_register(struct zcq_zcrx *z, const struct zcq_zcrx_cfg *cfg,
		       const struct zcq_area *area, size_t stats_off)
{
	struct zcq_zcrx_area_reg area_reg = { .addr = (uintptr_t)area->addr, .len = area->len };
	struct zcq_zcrx_event_desc event = {
		.flags = ZCQ_ZCRX_EVENT_DESC_STATS, .stats_offset = stats_off,
	};
	struct zcq_zcrx_region region = {
		.user_addr = (uintptr_t)z->region, .size = z->region_len,
		.flags = ZCQ_ZCRX_MEM_REGION_USER,
	};
	struct zcq_zcrx_reg reg = {
		.rq_entries = z->nr_entries, .rx_buf_len = cfg->rx_buf_len,
		.area_ptr = (uintptr_t)&area_reg, .region_ptr = (uintptr_t)&region,
		.event_desc = stats_off ? (uintptr_t)&event : 0,
	};
	uint8_t *base = z->region;
	int err;

	if (cfg->ifname) {
		reg.if_idx = if_nametoindex(cfg->ifname);
		if (!reg.if_idx)
			return -ENODEV;
		reg.if_rxq = cfg->queue;
	} else {
		reg.flags = ZCQ_ZCRX_REG_NODEV;
	}
	err = io_register(z->ring_fd, ZCQ_IORING_REGISTER_ZCRX_IFQ, &reg, 1);
	if (err)
		return err;
	z->id = reg.zcrx_id;
	z->nr_entries = reg.rq_entries;
	/* Kernels that don't know the field leave it as it was: 0, a page. */
	z->rx_buf_len = reg.rx_buf_len ? reg.rx_buf_len : (uint32_t)sysconf(_SC_PAGESIZE);
	z->nr_bufs = area->len / z->rx_buf_len;
	z->token = area_reg.rq_area_token;
	z->area = area->addr;
	z->khead = (uint32_t *)(base + reg.offsets.head);
	z->ktail = (uint32_t *)(base + reg.offsets.tail);
	z->rqes = (struct zcq_zcrx_rqe *)(base + reg.offsets.rqes);
	if (stats_off)
		z->stats = (const struct zcq_zcrx_stats *)(base + stats_off);
	return 0;
}

int zcq_zcrx_open(struct zcq_zcrx *z, int io_uring_fd, const struct zcq_zcrx_cfg *cfg,
		  const struct zcq_area *area)
{
	uint32_t buf_len = cfg->rx_buf_len ? cfg->rx_buf_len : (uint32_t)sysconf(_SC_PAGESIZE);
	size_t stats_off;
	int err;

	memset(z, 0, sizeof(*z));
	z->ring_fd = io_uring_fd;
	z->nr_entries = pow2_up(cfg->rq_entries ? cfg->rq_entries : area->len / buf_len);
	err = map_region(z, &stats_off);
	if (!err)
		err = do_register(z, cfg, area, stats_off);
	if (err) {
		zcq_zcrx_close(z);
		return err;
	}
	z->can_flush = zcq_zcrx_flush(z) == 0;
	return 0;
}

void zcq_zcrx_close(struct zcq_zcrx *z)
{
	if (z->region)
		munmap(z->region, z->region_len);
	memset(z, 0, sizeof(*z));
	z->ring_fd = -1;
}

uint32_t zcq_zcrx_pending(const struct zcq_zcrx *z)
{
	return z->tail - __atomic_load_n(z->khead, __ATOMIC_ACQUIRE);
}

bool zcq_zcrx_put(struct zcq_zcrx *z, uint64_t off, uint32_t len)
{
	struct zcq_zcrx_rqe *rqe;

	if (zcq_zcrx_pending(z) >= z->nr_entries)
		return false;
	rqe = &z->rqes[z->tail & (z->nr_entries - 1)];
	rqe->off = (off & ZCQ_ZCRX_AREA_OFF_MASK) | z->token;
	rqe->len = len;
	rqe->pad = 0;
	/* The kernel may take the entry as soon as it sees the tail. */
	__atomic_store_n(z->ktail, ++z->tail, __ATOMIC_RELEASE);
	return true;
}

int zcq_zcrx_flush(struct zcq_zcrx *z)
{
	struct zcq_zcrx_ctrl ctrl = { .zcrx_id = z->id, .op = ZCQ_ZCRX_CTRL_FLUSH_RQ };
	int err = io_register(z->ring_fd, ZCQ_IORING_REGISTER_ZCRX_CTRL, &ctrl, 0);

	/* A kernel without the control call says EINVAL to any. */
	return err == -EINVAL ? -EOPNOTSUPP : err;
}

const uint8_t *zcq_zcrx_data(const struct zcq_zcrx *z, uint64_t off, uint32_t len)
{
	uint64_t at = off & ZCQ_ZCRX_AREA_OFF_MASK;
	uint64_t size = (uint64_t)z->nr_bufs * z->rx_buf_len;

	if ((off & ~ZCQ_ZCRX_AREA_OFF_MASK) != z->token || at >= size || len > size - at)
		return NULL;
	return z->area + at;
}
