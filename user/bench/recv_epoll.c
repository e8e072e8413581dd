// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ordinary receiver, for comparison: one thread, epoll, recv() into one buffer. The same
 * checks as the zero-copy engine's, so the difference between them is the receive path.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/recv.h"
#include "cmd.h"
#include "lib/log.h"

#define BUFFER		(256U << 10)
#define EVENTS		64
#define UD_LISTEN	(1ULL << 32)	/* | index */
#define UD_SIGNAL	(2ULL << 32)
				/* else: the connection's slot */

static int watch(int ep, int fd, uint64_t data)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = data };

	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev)) {
		zcq_err("epoll: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

static void accept_all(struct zcq_recv *rx, int ep, int listener)
{
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct zcq_recv_conn *conn;

		if (fd < 0) {
			if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
				zcq_warn("accept: %s", strerror(errno));
			return;
		}
		conn = zcq_recv_accepted(rx, fd);
		if (conn && watch(ep, fd, conn->slot))
			zcq_recv_end(rx, conn, -ENOMEM);
	}
}

/* One read a time: epoll's level trigger brings us back, and everybody gets a turn. */
static void read_one(struct zcq_recv *rx, struct zcq_recv_conn *conn, void *buf)
{
	ssize_t n = recv(conn->fd, buf, BUFFER, 0);

	if (n > 0)
		zcq_recv_data(rx, conn, buf, n);
	else if (n == 0)
		zcq_recv_end(rx, conn, 0);
	else if (errno != EAGAIN && errno != EINTR)
		zcq_recv_end(rx, conn, -errno);
}

static void loop(struct zcq_recv *rx, int ep, void *buf)
{
	struct epoll_event ev[EVENTS];

	while (!rx->stop) {
		int i, n = epoll_wait(ep, ev, EVENTS, zcq_recv_timers(rx));

		for (i = 0; i < n && !rx->stop; i++) {
			uint64_t ud = ev[i].data.u64;

			if (ud == UD_SIGNAL)
				zcq_recv_signal(rx);
			else if (ud & UD_LISTEN)
				accept_all(rx, ep, rx->listeners[ud & UINT32_MAX]);
			else
				read_one(rx, rx->conns[ud], buf);
		}
		if (n > 0)
			zcq_bench_progress(rx->res);
	}
	zcq_bench_stopped(rx->res);
}

int zcq_recv_engine_epoll(struct zcq_recv *rx)
{
	int status = ZCQ_EXIT_FAILED;
	void *buf = malloc(BUFFER);
	int ep = epoll_create1(EPOLL_CLOEXEC);
	size_t i;

	if (!buf || ep < 0) {
		zcq_err("receiver: %s", strerror(errno));
		goto out;
	}
	if (watch(ep, rx->signal_fd, UD_SIGNAL))
		goto out;
	for (i = 0; i < rx->nr_listeners; i++)
		if (watch(ep, rx->listeners[i], UD_LISTEN | i))
			goto out;
	zcq_recv_ready(rx, "");
	loop(rx, ep, buf);
	status = ZCQ_EXIT_OK;
out:
	if (ep >= 0)
		close(ep);
	free(buf);
	return status;
}
