// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - the TAP device behind the port.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/if_tun.h>

#include "wire.h"

int wire_open(struct wire *wire, const char *ifname)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd, err;

	*wire = (struct wire){ .fd = -1 };
	if (strlen(ifname) >= sizeof(ifr.ifr_name))
		return -ENAMETOOLONG;
	strcpy(ifr.ifr_name, ifname);

	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, TUNSETIFF, &ifr) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	wire->fd = fd;
	return 0;
}

void wire_close(struct wire *wire)
{
	if (wire->fd >= 0)
		close(wire->fd);
	wire->fd = -1;
}

int wire_recv(struct wire *wire, u8 *buf, u32 size)
{
	ssize_t n = read(wire->fd, buf, size);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	wire->rx_frames++;
	wire->rx_bytes += (u64)n;
	return (int)n;
}

int wire_send(struct wire *wire, const struct iovec *iov, int iovcnt)
{
	ssize_t n = writev(wire->fd, iov, iovcnt);

	if (n < 0) {
		wire->tx_dropped++;
		return -errno;
	}
	wire->tx_frames++;
	wire->tx_bytes += (u64)n;
	return 0;
}
