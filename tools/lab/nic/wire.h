/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - the network cable: a TAP device in this process's network
 * namespace. Frames go in and out whole, without FCS.
 */
#ifndef NIC_WIRE_H
#define NIC_WIRE_H

#include <sys/uio.h>

#include "types.h"

struct wire {
	int fd;
	u64 rx_frames, rx_bytes;
	u64 tx_frames, tx_bytes;
	u64 tx_dropped;		/* the TAP is down or its queue is full */
};

/* Attaches to TAP ifname, which is created if it isn't there. 0 or -errno. */
int wire_open(struct wire *wire, const char *ifname);
void wire_close(struct wire *wire);

/* One frame: its length, 0 if none waits, -errno. */
int wire_recv(struct wire *wire, u8 *buf, u32 size);

/* One frame gathered from iov. 0 or -errno. */
int wire_send(struct wire *wire, const struct iovec *iov, int iovcnt);

#endif /* NIC_WIRE_H */
