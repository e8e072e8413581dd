// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of the bench receiver that all engines share; see recv.h.
 */
#include "bench/recv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/log.h"

#define NO_SLOT	UINT32_MAX

static int open_listeners(struct zcq_recv *rx)
{
	size_t i, n = rx->cfg->binds.n ? rx->cfg->binds.n : 1;
	uint16_t port = rx->cfg->port;

	rx->listeners = calloc(n, sizeof(*rx->listeners));
	if (!rx->listeners)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		/* With port 0 the first address chooses for all. */
		int fd = zcq_listen(rx->cfg->binds.n ? rx->cfg->binds.v[i] : NULL, &port);

		if (fd < 0)
			return fd;
		rx->listeners[rx->nr_listeners++] = fd;
	}
	rx->res->port = port;
	return 0;
}

/*
 * The port is free at once: closing alone would leave that to the end of the ring, which
 * holds the socket for its accept and which the kernel takes down later, in the background.
 */
static void close_listeners(struct zcq_recv *rx)
{
	size_t i;

	for (i = 0; i < rx->nr_listeners; i++) {
		shutdown(rx->listeners[i], SHUT_RDWR);
		close(rx->listeners[i]);
	}
	rx->nr_listeners = 0;
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int zcq_recv_signal(struct zcq_recv *rx)
{
	struct signalfd_siginfo si;

	if (read(rx->signal_fd, &si, sizeof(si)) != sizeof(si))
		return 0;
	if (si.ssi_signo == SIGINT || si.ssi_signo == SIGTERM) {
		rx->res->ended = "signal";
		rx->stop = true;
	}
	return si.ssi_signo;
}

void zcq_recv_ready(struct zcq_recv *rx, const char *extra)
{
	if (rx->cfg->ready_fd == STDERR_FILENO && zcq_opt_common.quiet)
		return;
	if (dprintf(rx->cfg->ready_fd, "ready: port=%u engine=%s%s\n", rx->res->port,
		    rx->res->engine, extra) < 0)
		zcq_warn("--ready-fd %u: %s", rx->cfg->ready_fd, strerror(errno));
}

static int more_slots(struct zcq_recv *rx)
{
	uint32_t cap = rx->cap_conns ? rx->cap_conns * 2 : 64;
	struct zcq_recv_conn **p = realloc(rx->conns, cap * sizeof(*p));

	if (!p)
		return -ENOMEM;
	rx->conns = p;
	rx->cap_conns = cap;
	return 0;
}

static struct zcq_recv_conn *take_slot(struct zcq_recv *rx)
{
	struct zcq_recv_conn *conn;
	uint32_t slot = rx->free_head;

	if (slot != NO_SLOT) {
		conn = rx->conns[slot];
		rx->free_head = conn->next;
		memset(conn, 0, sizeof(*conn));
	} else {
		if (rx->nr_conns == rx->cap_conns && more_slots(rx))
			return NULL;
		conn = calloc(1, sizeof(*conn));
		if (!conn)
			return NULL;
		slot = rx->nr_conns++;
		rx->conns[slot] = conn;
	}
	conn->slot = slot;
	return conn;
}

struct zcq_recv_conn *zcq_recv_accepted(struct zcq_recv *rx, int fd)
{
	struct zcq_recv_conn *conn = take_slot(rx);
	struct sockaddr_storage sa;
	socklen_t len;

	if (!conn) {
		zcq_warn("a connection was refused: out of memory");
		close(fd);
		return NULL;
	}
	conn->fd = fd;
	len = sizeof(sa);
	if (!getpeername(fd, (struct sockaddr *)&sa, &len))
		zcq_addr_format(&sa, conn->info.peer, sizeof(conn->info.peer));
	len = sizeof(sa);
	if (!getsockname(fd, (struct sockaddr *)&sa, &len))
		zcq_addr_format(&sa, conn->info.local, sizeof(conn->info.local));
	rx->res->accepted++;
	rx->nr_open++;
	zcq_bench_started(rx->res);
	return conn;
}

void zcq_recv_data(struct zcq_recv *rx, struct zcq_recv_conn *conn, const void *data, size_t len)
{
	zcq_stream_feed(&conn->stream, data, len);
	rx->res->bytes += len;
	zcq_bench_count_size(rx->res, len);
	if (rx->cfg->bytes && rx->res->bytes >= rx->cfg->bytes && !rx->stop) {
		rx->res->ended = "bytes";
		rx->stop = true;
	}
}

static void keep_record(struct zcq_recv *rx, const struct zcq_recv_conn *conn)
{
	if (!rx->cfg->per_connection)
		return;
	if (rx->nr_done == rx->cap_done) {
		size_t cap = rx->cap_done ? rx->cap_done * 2 : 64;
		struct zcq_bench_conn *p = realloc(rx->done, cap * sizeof(*p));

		if (!p) {
			zcq_warn("%s: no record of this connection: out of memory", conn->info.peer);
			return;
		}
		rx->done = p;
		rx->cap_done = cap;
	}
	rx->done[rx->nr_done++] = conn->info;
}

/* What both a connection's end and the run's end do. */
static void leave(struct zcq_recv *rx, struct zcq_recv_conn *conn)
{
	socklen_t len = sizeof(conn->info.napi_id);

	if (getsockopt(conn->fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &conn->info.napi_id, &len))
		conn->info.napi_id = 0;
	conn->info.bytes = conn->stream.bytes;
	conn->info.fault = conn->stream.fault;
	if (conn->stream.fault)
		zcq_bench_add_fault(rx->res, conn->info.peer, &conn->stream);
	keep_record(rx, conn);
	close(conn->fd);
	conn->fd = -1;
	rx->nr_open--;
}

void zcq_recv_end(struct zcq_recv *rx, struct zcq_recv_conn *conn, int err)
{
	zcq_bench_progress(rx->res);
	if (err) {
		conn->info.err = err;
		rx->res->failed++;
		zcq_bench_count_errno(rx->res->errors, err);
	} else {
		zcq_stream_end(&conn->stream);
		rx->res->finished++;
	}
	leave(rx, conn);
	conn->next = rx->free_head;
	rx->free_head = conn->slot;
	if (rx->cfg->connections && rx->res->finished + rx->res->failed >= rx->cfg->connections &&
	    !rx->stop) {
		rx->res->ended = "connections";
		rx->stop = true;
	}
}

int zcq_recv_timers(struct zcq_recv *rx)
{
	uint64_t limit, now, from;
	const char *what;

	if (rx->res->start_ns) {
		limit = rx->cfg->duration_ns;
		from = rx->res->start_ns;
		what = "duration";
	} else {
		limit = rx->cfg->wait_ns;
		from = rx->opened_ns;
		what = "wait";
	}
	if (!limit || rx->stop)
		return -1;
	now = zcq_bench_now();
	if (now - from >= limit) {
		rx->res->ended = what;
		rx->stop = true;
		return 0;
	}
	/* Rounded up: not to wake before it is time. */
	limit = (from + limit - now + 999999) / 1000000;
	return limit > 3600000 ? 3600000 : (int)limit;
}

/* Whether the run ended by the limit it was given; a signal is a fair end of any run. */
static bool reached(const struct zcq_recv *rx)
{
	const struct zcq_recv_cfg *cfg = rx->cfg;
	const char *ended = rx->res->ended;

	if (!strcmp(ended, "error") || !strcmp(ended, "wait"))
		return false;
	if (!strcmp(ended, "duration"))
		return !cfg->connections && !cfg->bytes;
	return true;
}

static void close_all(struct zcq_recv *rx)
{
	uint32_t i;

	for (i = 0; i < rx->nr_conns; i++) {
		if (rx->conns[i]->fd >= 0) {
			rx->conns[i]->info.open = true;
			rx->res->unfinished++;
			leave(rx, rx->conns[i]);
		}
		free(rx->conns[i]);
	}
	free(rx->conns);
	free(rx->listeners);
	if (rx->signal_fd >= 0)
		close(rx->signal_fd);
}

int zcq_recv_run(const struct zcq_recv_cfg *cfg, struct zcq_bench_result *res,
		 struct zcq_bench_conn **conns, size_t *nr_conns)
{
	struct zcq_recv rx = {
		.cfg = cfg, .res = res, .signal_fd = -1, .free_head = NO_SLOT,
	};
	int status = ZCQ_EXIT_FAILED;

	memset(res, 0, sizeof(*res));
	res->engine = cfg->engine == ZCQ_RECV_ZCRX ? "zcrx" : "epoll";
	res->ended = "error";
	if (cfg->pin && zcq_pin_cpu(cfg->cpu))
		goto out;
	rx.signal_fd = open_signals();
	if (rx.signal_fd < 0) {
		zcq_err("signalfd: %s", strerror(-rx.signal_fd));
		goto out;
	}
	if (open_listeners(&rx))
		goto out;
	rx.opened_ns = zcq_bench_now();
	if (cfg->engine == ZCQ_RECV_ZCRX)
		status = zcq_recv_engine_zcrx(&rx);
	else
		status = zcq_recv_engine_epoll(&rx);
out:
	close_listeners(&rx);
	close_all(&rx);
	res->reached = reached(&rx);
	*conns = rx.done;
	*nr_conns = rx.nr_done;
	return status;
}
