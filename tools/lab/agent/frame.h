/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - what travels between the lab's host and its guest: frames on one
 * virtio-serial port, and the same frames between the guest's agent and its
 * clients on a UNIX socket. Channel 0 is the run itself (script output, kernel
 * log, status); every other channel is one request of a client in the guest.
 */
#ifndef LAB_FRAME_H
#define LAB_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LAB_FRAME_MAGIC 0x5a4c
#define LAB_FRAME_MAX 65536 /* bytes of payload */

/* Bytes that the host may send on a channel before the client took them. */
#define LAB_WINDOW 65536

enum lab_frame_type {
	LAB_HELLO = 1, /* guest: the agent is up */
	LAB_OUT, /* bytes of a standard output */
	LAB_ERR, /* bytes of a standard error */
	LAB_KMSG, /* guest: lines of the kernel's log */
	LAB_STATUS, /* exit status in decimal; the last frame of a channel */
	LAB_REQUEST, /* guest: words, each ended by a zero byte */
	LAB_ACK, /* guest: uint32_t, bytes that the client has taken */
	LAB_CLOSE, /* guest: the client went away */
	LAB_INPUT, /* host: bytes for the terminal of the script */
	LAB_WINSIZE, /* host: uint16_t rows, columns of that terminal */
	LAB_BYE, /* host: the status arrived, the guest may power off */
};

/* Both ends run on the same machine: native byte order. */
struct lab_frame_head {
	uint16_t magic;
	uint16_t type;
	uint32_t chan;
	uint32_t len; /* bytes of payload that follow */
};

struct lab_frame {
	enum lab_frame_type type;
	uint32_t chan;
	uint32_t len;
	const char *data; /* valid until the next call on its buffer */
};

/* A queue of bytes: those at [off, len) are not yet taken. */
struct lab_buf {
	char *data;
	size_t off, len, size;
};

void lab_buf_add(struct lab_buf *buf, const void *data, size_t len);
void lab_buf_frame(struct lab_buf *buf, enum lab_frame_type type, uint32_t chan, const void *data,
		   size_t len);
void lab_buf_status(struct lab_buf *buf, uint32_t chan, int status);
size_t lab_buf_pending(const struct lab_buf *buf);
void lab_buf_free(struct lab_buf *buf);

/* Writes what fd takes without blocking; bytes written or -errno. */
ssize_t lab_buf_flush(struct lab_buf *buf, int fd);

/* Reads once; bytes read, 0 at the end of the stream, -EAGAIN, -errno. */
ssize_t lab_buf_fill(struct lab_buf *buf, int fd);

/* Takes the next frame: 1, 0 if it is not all there, -EPROTO. */
int lab_buf_next(struct lab_buf *buf, struct lab_frame *frame);

/* Writes all of it, waiting as long as it takes; 0 or -errno. */
int lab_write_all(int fd, const void *data, size_t len);
int lab_send(int fd, enum lab_frame_type type, uint32_t chan, const void *data, size_t len);

int lab_set_nonblock(int fd);

/* Prints "lab: WHO: ..." and ends the process with status 1. */
void lab_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
