// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame.c - byte queues and the frames in them; see frame.h. Used by both
 * agents and by the clients in the guest.
 */
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lab_die(const char *fmt, ...)
{
	va_list ap;

	fputs("lab: error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

int lab_set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static void buf_reserve(struct lab_buf *buf, size_t more)
{
	size_t size;

	if (buf->off == buf->len)
		buf->off = buf->len = 0;
	if (buf->size - buf->len >= more)
		return;
	if (buf->off) {
		memmove(buf->data, buf->data + buf->off, buf->len - buf->off);
		buf->len -= buf->off;
		buf->off = 0;
	}
	size = buf->size ? buf->size : 4096;
	while (size - buf->len < more)
		size *= 2;
	if (size == buf->size)
		return;
	buf->data = realloc(buf->data, size);
	if (!buf->data)
		lab_die("no memory for %zu bytes", size);
	buf->size = size;
}

void lab_buf_add(struct lab_buf *buf, const void *data, size_t len)
{
	if (!len)
		return;
	buf_reserve(buf, len);
	memcpy(buf->data + buf->len, data, len);
	buf->len += len;
}

void lab_buf_frame(struct lab_buf *buf, enum lab_frame_type type, uint32_t chan, const void *data,
		   size_t len)
{
	struct lab_frame_head head = {
		.magic = LAB_FRAME_MAGIC,
		.type = type,
		.chan = chan,
		.len = len,
	};

	lab_buf_add(buf, &head, sizeof(head));
	lab_buf_add(buf, data, len);
}

void lab_buf_status(struct lab_buf *buf, uint32_t chan, int status)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", status);

	lab_buf_frame(buf, LAB_STATUS, chan, text, len);
}

size_t lab_buf_pending(const struct lab_buf *buf)
{
	return buf->len - buf->off;
}

void lab_buf_free(struct lab_buf *buf)
{
	free(buf->data);
	memset(buf, 0, sizeof(*buf));
}

ssize_t lab_buf_flush(struct lab_buf *buf, int fd)
{
	ssize_t n, sum = 0;

	while (buf->off < buf->len) {
		n = write(fd, buf->data + buf->off, buf->len - buf->off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return -errno;
		buf->off += n;
		sum += n;
	}
	return sum;
}

ssize_t lab_buf_fill(struct lab_buf *buf, int fd)
{
	ssize_t n;

	buf_reserve(buf, 16384);
	n = read(fd, buf->data + buf->len, buf->size - buf->len);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	buf->len += n;
	return n;
}

int lab_buf_next(struct lab_buf *buf, struct lab_frame *frame)
{
	struct lab_frame_head head;

	if (lab_buf_pending(buf) < sizeof(head))
		return 0;
	memcpy(&head, buf->data + buf->off, sizeof(head));
	if (head.magic != LAB_FRAME_MAGIC || head.len > LAB_FRAME_MAX)
		return -EPROTO;
	if (lab_buf_pending(buf) < sizeof(head) + head.len)
		return 0;
	frame->type = head.type;
	frame->chan = head.chan;
	frame->len = head.len;
	frame->data = buf->data + buf->off + sizeof(head);
	buf->off += sizeof(head) + head.len;
	return 1;
}

int lab_write_all(int fd, const void *data, size_t len)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EAGAIN) {
			poll(&pfd, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return 0;
}

int lab_send(int fd, enum lab_frame_type type, uint32_t chan, const void *data, size_t len)
{
	struct lab_buf buf = { 0 };
	int err;

	lab_buf_frame(&buf, type, chan, data, len);
	err = lab_write_all(fd, buf.data, buf.len);
	lab_buf_free(&buf);
	return err;
}
