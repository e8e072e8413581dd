// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The zero-copy receiver: one thread, one ring, one instance, a multishot receive for each
 * connection. Data is checked where the NIC (or the kernel's copy) put it and given
 * back at once, unless --hold keeps it. Receives that end for want of completion slots (ENOSPC) or
 * buffers (ENOMEM) are armed again and counted.
 */
#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/area.h"
#include "bench/explain.h"
#include "bench/pieces.h"
#include "bench/recv.h"
#include "bench/unbound.h"
#include "bench/zcrx.h"
#include "cmd.h"
#include "lib/log.h"

#define SQ_ENTRIES	256
#define UD_ACCEPT	(1ULL << 32)	/* | listener */
#define UD_SIGNAL	(2ULL << 32)
#define UD_RECV		(3ULL << 32)	/* | slot */
#define NO_SLOT		UINT32_MAX
#define UD_TYPE(ud)	((ud) & ~(uint64_t)UINT32_MAX)

/* Retries of receives that found no buffer, while none was given back either. */
#define RETRY_MIN_MS	20
#define RETRY_MAX_MS	320

/* A quiet NAPI is made to poll after 50 ms, 100 ms, ... of silence, so many times. */
#define KICK_MS		50
#define KICKS		6

/* How long the end waits for the queue to be free for the next instance. */
#define UNBIND_MS	5000

struct engine {
	struct zcq_recv *rx;
	struct io_uring ring;
	bool ring_open;
	struct zcq_area area;
	struct zcq_zcrx z;
	int fatal;			/* -errno that ends the run */
	bool told[ZCQ_BENCH_ERRNOS];	/* ends of receives explained already */

	bool holding;
	struct zcq_pieces held;
	uint8_t *held_bufs;		/* by buffer: 1 is held */
	uint64_t release_ns;		/* --hold-for; 0: not running */

	struct zcq_pieces backlog;	/* the refill ring was full */
	uint32_t rearm_head, rearm_tail; /* connections whose receive ended with ENOSPC */
	uint64_t data_ns;		/* when data came last, or buffers were let go */
	uint32_t kicks;			/* since then */
	uint32_t nr_starved;
	uint32_t retry_ms;
	uint64_t retry_ns;
};

static struct io_uring_sqe *get_sqe(struct engine *e)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&e->ring);
	int ret;

	if (sqe)
		return sqe;
	ret = io_uring_submit(&e->ring);
	sqe = io_uring_get_sqe(&e->ring);
	if (!sqe)
		e->fatal = ret < 0 ? ret : -EBUSY;
	return sqe;
}

static void arm_accept(struct engine *e, uint32_t i)
{
	struct io_uring_sqe *sqe = get_sqe(e);

	if (!sqe)
		return;
	io_uring_prep_multishot_accept(sqe, e->rx->listeners[i], NULL, NULL, SOCK_CLOEXEC);
	sqe->user_data = UD_ACCEPT | i;
}

static void arm_signal(struct engine *e)
{
	struct io_uring_sqe *sqe = get_sqe(e);

	if (!sqe)
		return;
	io_uring_prep_poll_multishot(sqe, e->rx->signal_fd, POLLIN);
	sqe->user_data = UD_SIGNAL;
}

static void arm_recv(struct engine *e, const struct zcq_recv_conn *conn)
{
	struct io_uring_sqe *sqe = get_sqe(e);

	if (!sqe)
		return;
	io_uring_prep_rw(ZCQ_IORING_OP_RECV_ZC, sqe, conn->fd, NULL, 0, 0);
	sqe->ioprio = ZCQ_IORING_RECV_MULTISHOT;
	sqe->file_index = e->z.id;	/* the same place as zcrx_ifq_idx */
	sqe->user_data = UD_RECV | conn->slot;
}

static void flush(struct engine *e)
{
	if (!e->z.can_flush)
		return;
	zcq_zcrx_flush(&e->z);
	e->rx->res->flushes++;
}

static void give_back(struct engine *e, uint64_t off, uint32_t len)
{
	if (!e->backlog.n && zcq_zcrx_put(&e->z, off, len))
		return;
	e->rx->res->refill_full++;
	if (zcq_pieces_add(&e->backlog, off, len))
		e->fatal = -ENOMEM;
}

static void drain_backlog(struct engine *e)
{
	size_t i = 0;

	while (i < e->backlog.n) {
		if (zcq_zcrx_put(&e->z, e->backlog.v[i].off, e->backlog.v[i].len)) {
			i++;
			continue;
		}
		if (!e->z.can_flush)
			break;		/* until the NIC has taken some */
		flush(e);
		if (zcq_zcrx_pending(&e->z) >= e->z.nr_entries)
			break;
	}
	e->backlog.n -= i;
	memmove(e->backlog.v, e->backlog.v + i, e->backlog.n * sizeof(*e->backlog.v));
}

/* Whether this piece stays with us: buffers held already keep all of their pieces. */
static bool hold_piece(struct engine *e, uint64_t off, uint32_t len)
{
	struct zcq_bench_result *res = e->rx->res;
	const struct zcq_recv_cfg *cfg = e->rx->cfg;
	uint32_t buf = zcq_zcrx_buf(&e->z, off);

	if (!e->holding || (!e->held_bufs[buf] && res->held >= cfg->hold))
		return false;
	if (zcq_pieces_add(&e->held, off, len)) {
		e->fatal = -ENOMEM;
		return false;
	}
	if (!e->held_bufs[buf]) {
		e->held_bufs[buf] = 1;
		res->held++;
		if (res->held > res->held_max)
			res->held_max = res->held;
		if (cfg->hold_for_ns && !e->release_ns)
			e->release_ns = zcq_bench_now() + cfg->hold_for_ns;
	}
	return true;
}

static void release_held(struct engine *e)
{
	size_t i;

	for (i = 0; i < e->held.n; i++) {
		e->held_bufs[zcq_zcrx_buf(&e->z, e->held.v[i].off)] = 0;
		give_back(e, e->held.v[i].off, e->held.v[i].len);
	}
	zcq_info("gave back %llu held buffers", (unsigned long long)e->rx->res->held);
	e->held.n = 0;
	e->rx->res->held = 0;
	e->holding = false;
	e->release_ns = 0;
	e->data_ns = zcq_bench_now();
	e->kicks = 0;
}

static void on_signal(struct engine *e, const struct io_uring_cqe *cqe)
{
	int sig;

	while ((sig = zcq_recv_signal(e->rx))) {
		if (sig == SIGUSR1)
			release_held(e);
		else if (sig == SIGUSR2)
			e->holding = e->held_bufs != NULL;
	}
	if (!(cqe->flags & IORING_CQE_F_MORE))
		arm_signal(e);
}

static void on_accept(struct engine *e, const struct io_uring_cqe *cqe, uint32_t listener)
{
	struct zcq_recv_conn *conn;

	if (cqe->res >= 0) {
		conn = zcq_recv_accepted(e->rx, cqe->res);
		if (conn)
			arm_recv(e, conn);
	} else {
		zcq_warn("accept: %s", strerror(-cqe->res));
	}
	if (!(cqe->flags & IORING_CQE_F_MORE))
		arm_accept(e, listener);
}

static void on_data(struct engine *e, struct zcq_recv_conn *conn, const struct io_uring_cqe *cqe)
{
	const struct zcq_zcrx_cqe *zc = (const void *)(cqe + 1);
	const uint8_t *data = zcq_zcrx_data(&e->z, zc->off, cqe->res);

	if (!data) {
		zcq_err("the kernel reports %d bytes at %#llx, which is outside of the area", cqe->res,
			(unsigned long long)zc->off);
		e->fatal = -ERANGE;
		return;
	}
	e->retry_ms = RETRY_MIN_MS;
	zcq_recv_data(e->rx, conn, data, cqe->res);
	if (!hold_piece(e, zc->off, cqe->res))
		give_back(e, zc->off, cqe->res);
}

static void rearm_later(struct engine *e, struct zcq_recv_conn *conn)
{
	conn->next = NO_SLOT;
	if (e->rearm_head == NO_SLOT)
		e->rearm_head = conn->slot;
	else
		e->rx->conns[e->rearm_tail]->next = conn->slot;
	e->rearm_tail = conn->slot;
}

/*
 * A receive that found no completion slot is armed again when all completions are read,
 * and only so many at a time: while completions wait in the kernel's overflow list it posts no
 * data at all, and if more receives end at once than the queue has slots, arming them all
 * would go on for ever without a byte moving.
 */
static void rearm_some(struct engine *e)
{
	uint32_t n = e->ring.cq.ring_entries / 4;

	if (__atomic_load_n(e->ring.sq.kflags, __ATOMIC_ACQUIRE) & IORING_SQ_CQ_OVERFLOW)
		return;
	do {
		struct zcq_recv_conn *conn = e->rx->conns[e->rearm_head];

		e->rearm_head = conn->next;
		zcq_bench_count_errno(e->rx->res->rearmed, -ENOSPC);
		arm_recv(e, conn);
	} while (e->rearm_head != NO_SLOT && n-- > 1);
}

static void on_recv_end(struct engine *e, struct zcq_recv_conn *conn, int res)
{
	const char *text;

	switch (res) {
	case -ENOSPC:
		rearm_later(e, conn);
		return;
	case -ENOMEM:
		conn->starved = true;
		e->nr_starved++;
		return;
	}
	text = res < 0 && -res < ZCQ_BENCH_ERRNOS && !e->told[-res] ? zcq_explain_recv(res) : NULL;
	if (text) {
		e->told[-res] = true;
		zcq_err("%s: receive ended: %s (%s): %s", conn->info.peer, strerror(-res),
			strerrorname_np(-res), text);
	}
	zcq_recv_end(e->rx, conn, res < 0 ? res : 0);
}

static void on_cqe(struct engine *e, const struct io_uring_cqe *cqe)
{
	uint32_t index = cqe->user_data & UINT32_MAX;

	switch (UD_TYPE(cqe->user_data)) {
	case UD_ACCEPT:
		on_accept(e, cqe, index);
		break;
	case UD_SIGNAL:
		on_signal(e, cqe);
		break;
	case UD_RECV:
		if (cqe->flags & IORING_CQE_F_MORE)
			on_data(e, e->rx->conns[index], cqe);
		else
			on_recv_end(e, e->rx->conns[index], cqe->res);
		break;
	}
}

/* Arms the starved receives again when buffers came back, or after a while of waiting. */
static void feed_starved(struct engine *e, bool returned)
{
	uint64_t now = zcq_bench_now();
	uint32_t i;

	if (!returned && now < e->retry_ns)
		return;
	if (!returned && e->retry_ms < RETRY_MAX_MS)
		e->retry_ms *= 2;
	e->retry_ns = now + e->retry_ms * 1000000ULL;
	for (i = 0; i < e->rx->nr_conns && e->nr_starved; i++) {
		struct zcq_recv_conn *conn = e->rx->conns[i];

		if (conn->fd < 0 || !conn->starved)
			continue;
		conn->starved = false;
		e->nr_starved--;
		zcq_bench_count_errno(e->rx->res->rearmed, -ENOMEM);
		arm_recv(e, conn);
	}
}

/*
 * What is in the refill ring is taken by the NIC when it needs buffers. Copies are
 * served from elsewhere, and without a netdev all are: then it takes a flush.
 */
static void after_batch(struct engine *e)
{
	uint32_t pending, limit = e->z.nr_bufs / (e->rx->cfg->nodev ? 4 : 2);

	if (e->release_ns && zcq_bench_now() >= e->release_ns)
		release_held(e);
	if (e->backlog.n)
		drain_backlog(e);
	if (limit > e->z.nr_entries / 2)
		limit = e->z.nr_entries / 2;
	pending = zcq_zcrx_pending(&e->z);
	if (pending && (e->nr_starved || pending >= limit))
		flush(e);
	if (e->nr_starved)
		feed_starved(e, pending && e->z.can_flush);
	if (e->rearm_head != NO_SLOT)
		rearm_some(e);
}

/* When the next kick is due; 0: none is. */
static uint64_t kick_ns(const struct engine *e)
{
	if (e->rx->cfg->no_kick || e->rx->cfg->nodev || !e->rx->nr_open || e->kicks >= KICKS)
		return 0;
	return e->data_ns + ((uint64_t)KICK_MS * 1000000 << e->kicks);
}

/*
 * Nothing came for a while, perhaps because nothing was sent. But a queue whose buffers were all
 * out at once stays dead although they are back: mlx5 looks for buffers only when its NAPI
 * polls, and with none posted no packet makes it poll. One connection of each NAPI is enough.
 */
static void kick(struct engine *e)
{
	uint32_t i, id, last = 0;
	socklen_t len = sizeof(id);

	for (i = 0; i < e->rx->nr_conns; i++) {
		const struct zcq_recv_conn *conn = e->rx->conns[i];

		if (conn->fd < 0 ||
		    getsockopt(conn->fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &len) ||
		    !id || id == last)
			continue;
		last = id;
		e->rx->res->kicks += zcq_kick_napi(conn->fd) == 0;
	}
	e->kicks++;
}

static int wait_ms(struct engine *e)
{
	uint64_t now = zcq_bench_now(), until = kick_ns(e);
	int ms = zcq_recv_timers(e->rx), own;

	if (e->rearm_head != NO_SLOT)
		return 0;
	if (e->release_ns && (!until || e->release_ns < until))
		until = e->release_ns;
	if (e->nr_starved && (!until || e->retry_ns < until))
		until = e->retry_ns;
	if (e->backlog.n && (!until || now + RETRY_MIN_MS * 1000000ULL < until))
		until = now + RETRY_MIN_MS * 1000000ULL;
	if (!until)
		return ms;
	own = until > now ? (int)((until - now + 999999) / 1000000) : 0;
	return ms < 0 || own < ms ? own : ms;
}

static int wait_cqes(struct engine *e)
{
	struct __kernel_timespec ts;
	struct io_uring_cqe *cqe;
	int ms = wait_ms(e), ret;

	if (e->rx->stop)
		return 0;
	if (ms < 0) {
		ret = io_uring_submit_and_wait(&e->ring, 1);
	} else {
		ts.tv_sec = ms / 1000;
		ts.tv_nsec = (ms % 1000) * 1000000L;
		ret = io_uring_submit_and_wait_timeout(&e->ring, &cqe, 1, &ts, NULL);
	}
	return ret == -ETIME || ret == -EINTR || ret == -EAGAIN || ret == -EBUSY ? 0 : ret;
}

static int loop(struct engine *e)
{
	int ret = 0;

	while (!e->rx->stop && !e->fatal) {
		struct io_uring_cqe *cqe;
		unsigned int head;
		bool any = false;

		ret = wait_cqes(e);
		if (ret < 0) {
			zcq_err("io_uring_enter: %s", strerror(-ret));
			return ret;
		}
		io_uring_for_each_cqe(&e->ring, head, cqe) {
			if (!e->rx->stop)
				on_cqe(e, cqe);
			io_uring_cq_advance(&e->ring, 1);
			any = true;
		}
		after_batch(e);
		if (any) {
			zcq_bench_progress(e->rx->res);
			e->data_ns = e->rx->res->end_ns;
			e->kicks = 0;
		} else if (kick_ns(e) && zcq_bench_now() >= kick_ns(e)) {
			kick(e);
		}
	}
	if (e->fatal)
		zcq_err("receiver: %s", strerror(-e->fatal));
	zcq_bench_stopped(e->rx->res);
	return e->fatal;
}

static int open_ring(struct engine *e)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_CQE32 | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE |
			 IORING_SETUP_CLAMP,
		.cq_entries = e->rx->cfg->cq_entries,
	};
	/* A completion queue is not smaller than the submission queue. */
	unsigned int sq = e->rx->cfg->cq_entries < SQ_ENTRIES ? e->rx->cfg->cq_entries : SQ_ENTRIES;
	int ret = io_uring_queue_init_params(sq, &e->ring, &p);

	if (ret == -EPERM || ret == -ENOSYS) {
		zcq_err("io_uring is %s here (%s): sysctl kernel.io_uring_disabled, seccomp",
			ret == -EPERM ? "forbidden" : "absent", strerror(-ret));
		return ZCQ_EXIT_UNSUPPORTED;
	}
	if (ret == -EINVAL) {
		zcq_err("this kernel's io_uring is too old for zcrx (6.15 and later have it)");
		return ZCQ_EXIT_UNSUPPORTED;
	}
	if (ret) {
		zcq_err("io_uring: %s", strerror(-ret));
		return ZCQ_EXIT_FAILED;
	}
	e->ring_open = true;
	if (!zcq_zcrx_supported(e->ring.ring_fd)) {
		zcq_err("this kernel has no zcrx (6.15 and later have it, with CONFIG_IO_URING_ZCRX)");
		return ZCQ_EXIT_UNSUPPORTED;
	}
	return 0;
}

static int open_instance(struct engine *e)
{
	const struct zcq_recv_cfg *cfg = e->rx->cfg;
	struct zcq_zcrx_cfg zcfg = {
		.ifname = cfg->nodev ? NULL : cfg->ifname, .queue = cfg->queue,
		.rx_buf_len = cfg->rx_buf_len, .rq_entries = cfg->refill,
	};
	int err;

	if (zcq_area_open(&e->area, cfg->area_type, cfg->area_bytes))
		return ZCQ_EXIT_FAILED;
	err = zcq_zcrx_open(&e->z, e->ring.ring_fd, &zcfg, &e->area);
	if (err)
		return zcq_explain_register(err, &zcfg);
	if (cfg->hold) {
		e->held_bufs = calloc(e->z.nr_bufs, 1);
		if (!e->held_bufs) {
			zcq_err("receiver: %s", strerror(ENOMEM));
			return ZCQ_EXIT_FAILED;
		}
		e->holding = true;
	}
	e->rx->res->ifname = zcfg.ifname;
	e->rx->res->queue = cfg->queue;
	e->rx->res->nodev = cfg->nodev;
	e->rx->res->area_bytes = e->area.len;
	e->rx->res->rx_buf_len = e->z.rx_buf_len;
	e->rx->res->nr_bufs = e->z.nr_bufs;
	e->rx->res->refill_entries = e->z.nr_entries;
	return 0;
}

/* How much was copied: by the kernel's count, or all of it where there is no netdev. */
static void take_stats(struct engine *e)
{
	struct zcq_bench_result *res = e->rx->res;

	if (e->z.stats) {
		res->stats_known = true;
		res->kernel_copy_count = __atomic_load_n(&e->z.stats->copy_count, __ATOMIC_RELAXED);
		res->kernel_copy_bytes = __atomic_load_n(&e->z.stats->copy_bytes, __ATOMIC_RELAXED);
	}
	res->split_known = e->rx->cfg->nodev || e->z.stats;
	res->copied_bytes = e->rx->cfg->nodev ? res->bytes : res->kernel_copy_bytes;
	/* The kernel counts what it put into completions we did not get to see any more. */
	if (res->copied_bytes > res->bytes)
		res->copied_bytes = res->bytes;
}

static int run(struct engine *e)
{
	char extra[160];
	uint32_t i;
	int ret;

	arm_signal(e);
	for (i = 0; i < e->rx->nr_listeners; i++)
		arm_accept(e, i);
	ret = io_uring_submit(&e->ring);
	if (ret < 0) {
		zcq_err("io_uring_enter: %s", strerror(-ret));
		return ZCQ_EXIT_FAILED;
	}
	snprintf(extra, sizeof(extra), " netdev=%s queue=%u buffers=%u rx_buf_len=%u refill=%u",
		 e->rx->res->ifname ? e->rx->res->ifname : "-", e->rx->res->queue, e->z.nr_bufs,
		 e->z.rx_buf_len, e->z.nr_entries);
	zcq_recv_ready(e->rx, extra);
	ret = loop(e);
	take_stats(e);
	if (ret)
		e->rx->res->ended = "error";
	return ZCQ_EXIT_OK;
}

int zcq_recv_engine_zcrx(struct zcq_recv *rx)
{
	struct engine e = { .rx = rx, .retry_ms = RETRY_MIN_MS, .rearm_head = NO_SLOT };
	int status = open_ring(&e);

	if (!status)
		status = open_instance(&e);
	if (!status)
		status = run(&e);
	if (e.ring_open)
		io_uring_queue_exit(&e.ring);
	if (e.z.region && rx->res->ifname)
		zcq_wait_unbound(rx->res->ifname, rx->res->queue, UNBIND_MS);
	zcq_zcrx_close(&e.z);
	zcq_area_close(&e.area);
	free(e.held.v);
	free(e.held_bufs);
	free(e.backlog.v);
	return status;
}
