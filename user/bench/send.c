// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sender's loop: edge-triggered epoll tells what became writable, then each
 * such connection sends one chunk a round, so that all move on together and a rate holds for
 * their sum. A connection is done when the peer has read all and closed.
 */
#include "bench/send.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/send_conn.h"
#include "lib/log.h"

#define EVENTS		64
#define RETRY_NS	100000000ULL
#define UD_SIGNAL	UINT64_MAX

struct sender {
	const struct zcq_send_cfg *cfg;
	struct zcq_bench_result *res;
	struct zcq_send_conn *conns;
	uint32_t nr_left;	/* connections not done */
	uint64_t begin_ns;
	int ep, signal_fd;
	bool stopping;		/* streams end with their frame */
	bool abort;		/* second signal: now */
};

static void finish(struct sender *s, struct zcq_send_conn *c, int err)
{
	if (err) {
		c->info.err = err;
		s->res->failed++;
		zcq_bench_count_errno(s->res->errors, err);
		if (s->res->failed == 1)
			zcq_err("connection %s%s%sto %s: %s", c->info.local[0] ? "from " : "",
				c->info.local, c->info.local[0] ? " " : "", c->info.peer,
				err == -ETIME ? "no progress within --idle" : strerror(-err));
	} else {
		s->res->finished++;
	}
	zcq_send_conn_close(c);
	c->state = ZCQ_SEND_DONE;
	s->nr_left--;
	zcq_bench_progress(s->res);
}

static void connect_failed(struct sender *s, struct zcq_send_conn *c, int err)
{
	uint64_t now = zcq_bench_now();

	zcq_send_conn_close(c);
	if (s->stopping || now - s->begin_ns >= s->cfg->timeout_ns || err == -EINVAL ||
	    err == -EACCES || err == -EPERM || err == -EMFILE) {
		finish(s, c, err);
		return;
	}
	s->res->connect_retries++;
	c->state = ZCQ_SEND_IDLE;
	c->next_try_ns = now + RETRY_NS;
}

static void start(struct sender *s, struct zcq_send_conn *c)
{
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = c->index,
	};
	int err = zcq_send_conn_open(c, s->cfg);

	if (!err && epoll_ctl(s->ep, EPOLL_CTL_ADD, c->fd, &ev))
		err = -errno;
	if (err)
		connect_failed(s, c, err);
}

/* All of the stream is with the kernel. */
static void sent_all(struct sender *s, struct zcq_send_conn *c)
{
	if (s->cfg->hold_open && !s->stopping) {
		c->state = ZCQ_SEND_HOLDING;
		return;
	}
	c->state = ZCQ_SEND_CLOSING;
	if (shutdown(c->fd, SHUT_WR))
		finish(s, c, -errno);
}

static void on_event(struct sender *s, struct zcq_send_conn *c, uint32_t events)
{
	int ret;

	if (c->fd < 0)
		return;
	c->moved_ns = zcq_bench_now();
	if (c->state == ZCQ_SEND_CONNECTING) {
		if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
			return;
		ret = zcq_send_conn_connected(c);
		if (ret) {
			connect_failed(s, c, ret);
			return;
		}
		s->res->accepted++;
		zcq_bench_started(s->res);
	}
	if (events & EPOLLERR && s->cfg->zerocopy)
		zcq_send_conn_completions(c, s->res);
	if (events & EPOLLOUT)
		c->writable = true;
	if (!(events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
		return;
	ret = zcq_send_conn_peer(c);
	if (ret == 1 && c->state == ZCQ_SEND_CLOSING)
		finish(s, c, 0);
	else if (ret == 1)
		finish(s, c, -EPIPE);	/* closed before it had all */
	else if (ret < 0)
		finish(s, c, ret);
}

static void on_signal(struct sender *s)
{
	struct signalfd_siginfo si;

	while (read(s->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		s->abort = s->stopping && !strcmp(s->res->ended, "signal");
		s->stopping = true;
		s->res->ended = "signal";
	}
}

/* Bytes that the rate allows now; SIZE_MAX without one. */
static uint64_t budget(const struct sender *s)
{
	uint64_t allowed;

	if (!s->cfg->rate)
		return UINT64_MAX;
	if (!s->res->start_ns)
		return s->cfg->chunk;
	/* One chunk at once, the others in their time. */
	allowed = s->cfg->chunk + (uint64_t)((zcq_bench_now() - s->res->start_ns) * 1e-9 * s->cfg->rate);
	return allowed > s->res->bytes ? allowed - s->res->bytes : 0;
}

/* One chunk. Returns whether the connection could go on at once. */
static bool push(struct sender *s, struct zcq_send_conn *c, uint64_t now)
{
	ssize_t n = zcq_send_conn_push(c, s->cfg, s->res);

	if (n > 0) {
		s->res->bytes += n;
		s->res->reads++;
		c->moved_ns = now;
		return true;
	}
	if (n == 0)
		sent_all(s, c);
	else if (n != -EAGAIN && n != -EINTR)
		finish(s, c, n);
	return false;
}

/* A round over all connections. Returns ms until the next: 0 if somebody can go on at once. */
static int send_round(struct sender *s)
{
	uint64_t now = zcq_bench_now();
	int wait = 1000;
	uint32_t i;

	for (i = 0; i < s->cfg->connections; i++) {
		struct zcq_send_conn *c = &s->conns[i];

		if (c->state == ZCQ_SEND_IDLE && now >= c->next_try_ns)
			start(s, c);
		if (c->state == ZCQ_SEND_IDLE && wait > 20)
			wait = 20;
		if (c->state == ZCQ_SEND_HOLDING && s->stopping)
			sent_all(s, c);
		if (c->state == ZCQ_SEND_SENDING && c->writable && !c->no_room) {
			if (!budget(s)) {
				wait = wait > 1 ? 1 : wait;
				c->moved_ns = now;
			} else if (push(s, c, now)) {
				wait = 0;
			}
		}
		if (s->cfg->idle_ns && c->fd >= 0 && c->state != ZCQ_SEND_HOLDING &&
		    c->state != ZCQ_SEND_CONNECTING && now > c->moved_ns + s->cfg->idle_ns)
			finish(s, c, -ETIME);
	}
	return wait;
}

/* --duration over, or a signal: streams end where their frame does. */
static void check_stop(struct sender *s)
{
	uint32_t i;

	if (!s->stopping && s->cfg->duration_ns && s->res->start_ns &&
	    zcq_bench_now() - s->res->start_ns >= s->cfg->duration_ns) {
		s->stopping = true;
		s->res->ended = "duration";
	}
	if (!s->stopping)
		return;
	for (i = 0; i < s->cfg->connections; i++) {
		struct zcq_send_conn *c = &s->conns[i];

		c->stream.stop = true;
		if (c->state == ZCQ_SEND_CONNECTING || c->state == ZCQ_SEND_IDLE)
			connect_failed(s, c, -ETIMEDOUT);
	}
}

/* Connecting that the kernel itself does not give up. */
static void check_connecting(struct sender *s)
{
	uint64_t now = zcq_bench_now();
	uint32_t i;

	if (now - s->begin_ns < s->cfg->timeout_ns)
		return;
	for (i = 0; i < s->cfg->connections; i++)
		if (s->conns[i].state == ZCQ_SEND_CONNECTING)
			connect_failed(s, &s->conns[i], -ETIMEDOUT);
}

static void loop(struct sender *s)
{
	struct epoll_event ev[EVENTS];
	int wait = 0;

	while (s->nr_left && !s->abort) {
		int i, n = epoll_wait(s->ep, ev, EVENTS, wait);

		for (i = 0; i < n; i++) {
			if (ev[i].data.u64 == UD_SIGNAL)
				on_signal(s);
			else
				on_event(s, &s->conns[ev[i].data.u64], ev[i].events);
		}
		check_stop(s);
		check_connecting(s);
		wait = send_round(s);
		/* An end that is near is not slept over. */
		if (wait > 20 && (s->cfg->duration_ns || s->res->accepted < s->cfg->connections))
			wait = 20;
	}
	zcq_bench_stopped(s->res);
}

static int open_all(struct sender *s)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = UD_SIGNAL };
	sigset_t set;
	uint32_t i;

	s->conns = calloc(s->cfg->connections, sizeof(*s->conns));
	if (!s->conns)
		return -ENOMEM;
	s->nr_left = s->cfg->connections;
	for (i = 0; i < s->cfg->connections; i++)
		s->conns[i].fd = -1;
	for (i = 0; i < s->cfg->connections; i++)
		if (zcq_send_conn_init(&s->conns[i], i, s->cfg))
			return -ENOMEM;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->ep = epoll_create1(EPOLL_CLOEXEC);
	if (s->signal_fd < 0 || s->ep < 0 ||
	    epoll_ctl(s->ep, EPOLL_CTL_ADD, s->signal_fd, &ev))
		return -errno;
	return 0;
}

static void close_all(struct sender *s, struct zcq_bench_conn *records)
{
	uint32_t i;

	for (i = 0; s->conns && i < s->cfg->connections; i++) {
		struct zcq_send_conn *c = &s->conns[i];

		if (c->state != ZCQ_SEND_DONE) {
			c->info.open = true;
			s->res->unfinished++;
		}
		if (records)
			records[i] = c->info;
		zcq_send_conn_free(c);
	}
	free(s->conns);
	if (s->ep >= 0)
		close(s->ep);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
}

int zcq_send_run(const struct zcq_send_cfg *cfg, struct zcq_bench_result *res,
		 struct zcq_bench_conn **conns, size_t *nr_conns)
{
	struct sender s = { .cfg = cfg, .res = res, .ep = -1, .signal_fd = -1 };
	int err;

	memset(res, 0, sizeof(*res));
	*conns = NULL;
	*nr_conns = 0;
	res->ended = "done";
	res->port = zcq_addr_port(&cfg->dst);
	res->zerocopy = cfg->zerocopy;
	s.begin_ns = zcq_bench_now();
	err = cfg->pin ? zcq_pin_cpu(cfg->cpu) : 0;
	if (err)
		return err;
	err = open_all(&s);
	if (!err && cfg->per_connection) {
		*conns = calloc(cfg->connections, sizeof(**conns));
		err = *conns ? 0 : -ENOMEM;
	}
	if (err) {
		zcq_err("sender: %s", strerror(-err));
		close_all(&s, NULL);
		return err;
	}
	*nr_conns = cfg->per_connection ? cfg->connections : 0;
	loop(&s);
	close_all(&s, *conns);
	res->reached = !s.abort;
	return 0;
}
