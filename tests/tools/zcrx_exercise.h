/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What zcrx_exercise.c is told and the kernel calls its commands are made of. Included by it
 * alone; a header only to keep both readable.
 */
#ifndef ZCRX_EXERCISE_H
#define ZCRX_EXERCISE_H

#include <errno.h>
#include <liburing.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench/unbound.h"
#include "bench/zcrx_abi.h"

#define HUGE_2M		(2UL << 20)

enum bad {
	BAD_NONE,
	BAD_REGION_PTR,
	BAD_AREA_PTR,
	BAD_AREA_ADDR,
	BAD_TOKEN,
	BAD_RESV,
	BAD_EVENT_MASK,
	BAD_REGION_SMALL,
	BAD_UNALIGNED,
	BAD_CAPS,
};

static const char *const bad_names[] = {
	[BAD_NONE] = "none", [BAD_REGION_PTR] = "region-ptr", [BAD_AREA_PTR] = "area-ptr",
	[BAD_AREA_ADDR] = "area-addr", [BAD_TOKEN] = "token", [BAD_RESV] = "resv",
	[BAD_EVENT_MASK] = "event-mask", [BAD_REGION_SMALL] = "region-small",
	[BAD_UNALIGNED] = "unaligned", [BAD_CAPS] = "caps", NULL
};

enum ring_kind { RING_GOOD, RING_MIXED, RING_NODEFER, RING_NOCQE32 };

static const char *const ring_names[] = { "good", "mixed", "nodefer", "nocqe32", NULL };

static struct {
	const char *ifname, *flags_text, *expect_text, *comm;
	uint32_t ifindex;	/* given by number: may be one that isn't there */
	uint32_t queue, queue2, rq_entries, flags, times, areas, gap_ms, port;
	uint64_t rx_buf_len, area_len, bytes;
	int bad, ring;		/* enum bad, enum ring_kind */
	int expect;		/* errno wanted, 0: success */
	bool nodev, huge, hold, ringless, fork_import, owner_exits;
} cfg = {
	.rq_entries = 256,
	.area_len = 1UL << 20,
	.times = 1,
	.port = 7799,
	.bytes = 1000003,
	.queue2 = 2,
};

struct inst {
	struct io_uring ring;
	bool have_ring, bound;
	void *area, *region;
	size_t area_map, region_len;
	struct zcq_zcrx_area_reg area_reg;
	struct zcq_zcrx_reg reg;
};

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("zcrx_exercise: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static int sys_register(int fd, unsigned int op, void *arg, unsigned int nr)
{
	return syscall(__NR_io_uring_register, fd, op, arg, nr) < 0 ? -errno : 0;
}

static const char *errname(int err)
{
	return err ? strerrorname_np(err) : "OK";
}

static void *map(size_t len, bool huge)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB : 0);
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == MAP_FAILED)
		die("%zu bytes of %s memory: %s", len, huge ? "huge page" : "anonymous", strerror(errno));
	return p;
}

static unsigned int ring_flags(void)
{
	unsigned int flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;

	switch (cfg.ring) {
	case RING_MIXED:
		return flags | ZCQ_IORING_SETUP_CQE_MIXED;
	case RING_NODEFER:
		return IORING_SETUP_CQE32;
	case RING_NOCQE32:
		return flags;
	default:
		return flags | IORING_SETUP_CQE32;
	}
}

static void ring_open(struct inst *in)
{
	struct io_uring_params p = { .flags = ring_flags() };
	int ret = io_uring_queue_init_params(64, &in->ring, &p);

	if (ret)
		die("io_uring_setup with flags %#x: %s", ring_flags(), strerror(-ret));
	in->have_ring = true;
}

static void inst_map(struct inst *in)
{
	size_t len = cfg.area_len;

	if (cfg.huge)
		len = (len + HUGE_2M - 1) & ~(HUGE_2M - 1);
	if (cfg.bad == BAD_UNALIGNED)
		len += cfg.huge ? HUGE_2M : 4096;
	in->area_map = len;
	in->area = map(len, cfg.huge);
	/* Head, tail and statistics fit in the page that follows the entries. */
	in->region_len = (((size_t)cfg.rq_entries * sizeof(struct zcq_zcrx_rqe) + 4095) & ~4095UL) + 8192;
	in->region = map(in->region_len, false);
}

/* Registers; returns 0 or -errno of the kernel. */
static int inst_register(struct inst *in, unsigned int queue, struct zcq_zcrx_event_desc *ev)
{
	struct zcq_zcrx_region region = {
		.user_addr = (uintptr_t)in->region, .size = in->region_len, .flags = ZCQ_ZCRX_MEM_REGION_USER,
	};
	struct zcq_zcrx_event_desc wrong = { .type_mask = 1U << 31 };
	int ret;

	in->area_reg = (struct zcq_zcrx_area_reg){ .addr = (uintptr_t)in->area, .len = cfg.area_len };
	in->reg = (struct zcq_zcrx_reg){
		.if_idx = cfg.ifindex, .if_rxq = queue, .rq_entries = cfg.rq_entries,
		.flags = cfg.flags, .rx_buf_len = cfg.rx_buf_len,
		.area_ptr = (uintptr_t)&in->area_reg, .region_ptr = (uintptr_t)&region,
		.event_desc = (uintptr_t)ev,
	};
	switch (cfg.bad) {
	case BAD_REGION_PTR:
		in->reg.region_ptr = 8;
		break;
	case BAD_AREA_PTR:
		in->reg.area_ptr = 8;
		break;
	case BAD_AREA_ADDR:
		in->area_reg.addr = 4096;
		break;
	case BAD_TOKEN:
		in->area_reg.rq_area_token = 1;
		break;
	case BAD_RESV:
		in->reg.resv[1] = 1;
		break;
	case BAD_EVENT_MASK:
		in->reg.event_desc = (uintptr_t)&wrong;
		break;
	case BAD_REGION_SMALL:
		in->region_len = region.size = 4096;
		in->reg.rq_entries = 4096;
		break;
	case BAD_UNALIGNED:
		in->area_reg.addr += 4096;
		break;
	case BAD_CAPS:
	case BAD_NONE:
		break;
	}
	ret = sys_register(in->ring.ring_fd, ZCQ_IORING_REGISTER_ZCRX_IFQ, &in->reg, 1);
	in->bound = !ret;
	return ret;
}

static void inst_close(struct inst *in)
{
	if (in->have_ring)
		io_uring_queue_exit(&in->ring);
	if (in->bound && cfg.ifname)
		zcq_wait_unbound(cfg.ifname, in->reg.if_rxq, 5000);
	if (in->area)
		munmap(in->area, in->area_map);
	if (in->region)
		munmap(in->region, in->region_len);
	memset(in, 0, sizeof(*in));
}

static int ctrl(struct inst *in, struct zcq_zcrx_ctrl *c)
{
	c->zcrx_id = in->reg.zcrx_id;
	return sys_register(in->ring.ring_fd, ZCQ_IORING_REGISTER_ZCRX_CTRL, c, 0);
}

static bool report(const char *what, int ret, const struct inst *in)
{
	if (ret)
		printf("%s: result=%s errno=%d\n", what, errname(-ret), -ret);
	else
		printf("%s: result=OK id=%u rx_buf_len=%u token=%#llx rq_entries=%u\n", what, in->reg.zcrx_id,
		       in->reg.rx_buf_len, (unsigned long long)in->area_reg.rq_area_token,
		       in->reg.rq_entries);
	fflush(stdout);
	return ret == -cfg.expect;
}

/* Says "ready" and stays until SIGTERM or SIGINT (both blocked since main()). */
static void hold(void)
{
	sigset_t set;
	int sig;

	printf("ready: pid=%d\n", getpid());
	fflush(stdout);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigwait(&set, &sig);
}

static void nap(void)
{
	struct timespec ts = { cfg.gap_ms / 1000, (cfg.gap_ms % 1000) * 1000000L };

	if (cfg.gap_ms)
		nanosleep(&ts, NULL);
}

static bool add_areas(struct inst *in)
{
	unsigned int i;

	for (i = 0; i < cfg.areas; i++) {
		/* Never unmapped by hand: the kernel has it pinned while the instance lives. */
		struct zcq_zcrx_area_reg area = { .addr = (uintptr_t)map(cfg.area_len, cfg.huge), .len = cfg.area_len };
		struct zcq_zcrx_ctrl c = { .op = ZCQ_ZCRX_CTRL_ADD_AREA, .area_ptr = (uintptr_t)&area };
		int ret = ctrl(in, &c);

		printf("add-area: result=%s token=%#llx\n", errname(-ret), (unsigned long long)area.rq_area_token);
		if (ret)
			return false;
	}
	return true;
}

#endif
