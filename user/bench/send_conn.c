// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One sending connection; see send_conn.h. With MSG_ZEROCOPY a buffer is written again only after
 * the kernel said that every send from it is over: completions name ranges of send numbers.
 */
#include "bench/send_conn.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/pattern.h"

int zcq_send_conn_init(struct zcq_send_conn *c, uint32_t index, const struct zcq_send_cfg *cfg)
{
	uint32_t i;

	c->fd = -1;
	c->index = index;
	c->nr_bufs = cfg->zerocopy ? ZCQ_SEND_BUFS : 1;
	c->stream.seed = zcq_pattern_seed(cfg->seed, index);
	c->stream.total = cfg->bytes;
	for (i = 0; i < c->nr_bufs; i++) {
		c->bufs[i].data = malloc(cfg->chunk);
		if (!c->bufs[i].data)
			return -ENOMEM;
	}
	zcq_addr_format(&cfg->dst, c->info.peer, sizeof(c->info.peer));
	return 0;
}

void zcq_send_conn_free(struct zcq_send_conn *c)
{
	uint32_t i;

	zcq_send_conn_close(c);
	for (i = 0; i < c->nr_bufs; i++)
		free(c->bufs[i].data);
}

void zcq_send_conn_close(struct zcq_send_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static int set_options(int fd, const struct zcq_send_cfg *cfg)
{
	int one = 1, mss = cfg->mss;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		return -errno;
	if (mss && setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)))
		return -errno;
	if (cfg->zerocopy && setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		return -errno;
	return 0;
}

static int bind_source(int fd, uint32_t index, const struct zcq_send_cfg *cfg)
{
	struct sockaddr_storage src = cfg->src;

	if (!src.ss_family && !cfg->source_port)
		return 0;
	if (!src.ss_family)
		src.ss_family = cfg->dst.ss_family;	/* all zero: any address */
	zcq_addr_set_port(&src, cfg->source_port ? cfg->source_port + index : 0);
	return bind(fd, (struct sockaddr *)&src, zcq_addr_len(&src)) ? -errno : 0;
}

int zcq_send_conn_open(struct zcq_send_conn *c, const struct zcq_send_cfg *cfg)
{
	int err, fd = socket(cfg->dst.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	err = set_options(fd, cfg);
	if (!err)
		err = bind_source(fd, c->index, cfg);
	if (!err && connect(fd, (const struct sockaddr *)&cfg->dst, zcq_addr_len(&cfg->dst)) &&
	    errno != EINPROGRESS)
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	c->fd = fd;
	c->state = ZCQ_SEND_CONNECTING;
	return 0;
}

int zcq_send_conn_connected(struct zcq_send_conn *c)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	if (err)
		return -err;
	len = sizeof(sa);
	if (!getsockname(c->fd, (struct sockaddr *)&sa, &len))
		zcq_addr_format(&sa, c->info.local, sizeof(c->info.local));
	c->state = ZCQ_SEND_SENDING;
	c->writable = true;
	return 0;
}

/* A buffer with something to send: the current one, or the next if it may be written. */
static struct zcq_send_buf *next_buf(struct zcq_send_conn *c, uint64_t chunk)
{
	struct zcq_send_buf *b = &c->bufs[c->cur];

	if (b->sent < b->len)
		return b;
	if (c->nr_bufs > 1) {
		c->cur = (c->cur + 1) % c->nr_bufs;
		b = &c->bufs[c->cur];
	}
	if (b->in_flight) {
		/* Stay before it: it is the next one when it is free. */
		c->cur = (c->cur + c->nr_bufs - 1) % c->nr_bufs;
		return NULL;
	}
	b->len = zcq_stream_make(&c->stream, b->data, chunk);
	b->sent = 0;
	return b;
}

static void note_zerocopy(struct zcq_send_conn *c, struct zcq_bench_result *res)
{
	c->buf_of_id[c->next_id++ % ZCQ_SEND_IDS] = c->cur;
	c->bufs[c->cur].in_flight++;
	res->zc_sends++;
}

ssize_t zcq_send_conn_push(struct zcq_send_conn *c, const struct zcq_send_cfg *cfg,
			   struct zcq_bench_result *res)
{
	struct zcq_send_buf *b = NULL;
	ssize_t n;

	if (c->next_id - c->done_ids < ZCQ_SEND_IDS)
		b = next_buf(c, cfg->chunk);
	if (!b) {
		c->no_room = true;
		return -EAGAIN;
	}
	if (!b->len)
		return 0;
	n = send(c->fd, b->data + b->sent, b->len - b->sent,
		 MSG_NOSIGNAL | (cfg->zerocopy ? MSG_ZEROCOPY : 0));
	if (n < 0 && errno == ENOBUFS && cfg->zerocopy && c->next_id != c->done_ids) {
		c->no_room = true;	/* net.core.optmem_max is used up */
		return -EAGAIN;
	}
	if (n < 0 && errno == EAGAIN)
		c->writable = false;
	if (n < 0)
		return -errno;
	if (cfg->zerocopy)
		note_zerocopy(c, res);
	b->sent += n;
	c->info.bytes += n;
	return n;
}

static void complete(struct zcq_send_conn *c, const struct sock_extended_err *ee,
		     struct zcq_bench_result *res)
{
	uint32_t id, n = ee->ee_data - ee->ee_info + 1;

	if (ee->ee_origin != SO_EE_ORIGIN_ZEROCOPY || ee->ee_errno || n > ZCQ_SEND_IDS)
		return;
	if (ee->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		res->zc_copied_sends += n;
	for (id = ee->ee_info; n--; id++)
		c->bufs[c->buf_of_id[id % ZCQ_SEND_IDS]].in_flight--;
	c->done_ids += ee->ee_data - ee->ee_info + 1;
	c->no_room = false;
}

void zcq_send_conn_completions(struct zcq_send_conn *c, struct zcq_bench_result *res)
{
	char control[256];

	for (;;) {
		struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
		struct cmsghdr *cm;

		if (recvmsg(c->fd, &msg, MSG_ERRQUEUE) < 0)
			return;
		for (cm = CMSG_FIRSTHDR(&msg); cm; cm = CMSG_NXTHDR(&msg, cm)) {
			if ((cm->cmsg_level == IPPROTO_IP && cm->cmsg_type == IP_RECVERR) ||
			    (cm->cmsg_level == IPPROTO_IPV6 && cm->cmsg_type == IPV6_RECVERR))
				complete(c, (const void *)CMSG_DATA(cm), res);
		}
	}
}

int zcq_send_conn_peer(struct zcq_send_conn *c)
{
	char junk[4096];
	ssize_t n;

	do
		n = recv(c->fd, junk, sizeof(junk), 0);
	while (n > 0);
	if (n == 0)
		return 1;
	return errno == EAGAIN ? 0 : -errno;
}
