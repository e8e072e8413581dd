// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vfio_user.c - receives the client's messages and answers them. Layouts and
 * numbers are those of the vfio-user specification, which reuses the kernel's
 * vfio ones (linux/vfio.h). A client that breaks the protocol is an error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vfio.h>

#include "log.h"
#include "pci.h"
#include "vfio_user.h"

#define MAX_BODY (1U << 20)
#define MAX_FDS 64
#define MAX_XFER 65536		/* bytes of one region access; told to the client */
#define MAX_BATCH 64

enum vu_command {
	VU_VERSION = 1,
	VU_DMA_MAP = 2,
	VU_DMA_UNMAP = 3,
	VU_GET_INFO = 4,
	VU_GET_REGION_INFO = 5,
	VU_GET_IRQ_INFO = 7,
	VU_SET_IRQS = 8,
	VU_REGION_READ = 9,
	VU_REGION_WRITE = 10,
	VU_RESET = 13,
};

enum vu_flag {
	VU_TYPE_MASK = 0xf,
	VU_TYPE_COMMAND = 0,
	VU_TYPE_REPLY = 1,
	VU_NO_REPLY = 1 << 4,
	VU_ERROR = 1 << 5,
};

struct vu_header {
	u16 id;
	u16 command;
	u32 size;		/* header included */
	u32 flags;
	u32 error;
};

struct vu_dma_map {
	u32 argsz;
	u32 flags;		/* 1: readable, 2: writable */
	u64 offset, addr, size;
};

struct vu_dma_unmap {
	u32 argsz;
	u32 flags;		/* 2: all */
	u64 addr, size;
};

struct vu_region_access {
	u64 offset;
	u32 region;
	u32 count;
	u8 data[];
};

/* One message: its body and the file descriptors that came with it. */
struct vu_msg {
	struct vu_header h;
	u32 len;
	int fd[MAX_FDS];
	unsigned int nr_fds;
};

int vfio_user_listen(struct vfio_user *vu, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	unsigned int i;

	*vu = (struct vfio_user){ .listen_fd = -1, .fd = -1 };
	for (i = 0; i < ARRAY_SIZE(vu->irq); i++)
		vu->irq[i] = -1;
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);

	vu->buf = malloc(MAX_BODY);
	if (!vu->buf)
		return -ENOMEM;
	vu->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (vu->listen_fd < 0)
		return -errno;
	unlink(path);
	if (bind(vu->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(vu->listen_fd, 1) < 0)
		return -errno;
	return 0;
}

int vfio_user_accept(struct vfio_user *vu)
{
	vu->fd = accept4(vu->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (vu->fd < 0)
		return -errno;
	close(vu->listen_fd);
	vu->listen_fd = -1;
	return 0;
}

static void drop_irqs(struct vfio_user *vu, u32 first, u32 count)
{
	u32 i;

	for (i = first; i < first + count && i < NIC_MAX_VECTORS; i++) {
		if (vu->irq[i] >= 0)
			close(vu->irq[i]);
		vu->irq[i] = -1;
	}
}

void vfio_user_close(struct vfio_user *vu)
{
	if (vu->buf)	/* listening began: irq[] is set */
		drop_irqs(vu, 0, NIC_MAX_VECTORS);
	if (vu->fd >= 0)
		close(vu->fd);
	if (vu->listen_fd >= 0)
		close(vu->listen_fd);
	vu->fd = -1;
	vu->listen_fd = -1;
	free(vu->buf);
	vu->buf = NULL;
}

bool vfio_user_irq(struct vfio_user *vu, unsigned int vector)
{
	u64 one = 1;

	if (vector >= NIC_MAX_VECTORS || vu->irq[vector] < 0)
		return false;
	return write(vu->irq[vector], &one, sizeof(one)) == sizeof(one);
}

/* ---- receiving and replying ---- */

static int recv_all(int fd, void *buf, size_t len)
{
	u8 *p = buf;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static void take_fds(struct vu_msg *msg, struct msghdr *mh)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(msg->fd, CMSG_DATA(c), n * sizeof(int));
		msg->nr_fds = (unsigned int)n;
	}
}

/* The next message, or -EAGAIN if none has begun to arrive. */
static int recv_msg(struct vfio_user *vu, struct vu_msg *msg)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int) * MAX_FDS)];
	} control;
	struct iovec iov = { &msg->h, sizeof(msg->h) };
	struct msghdr mh = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(vu->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int err;

	msg->nr_fds = 0;
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (!n)
		return -ECONNRESET;
	take_fds(msg, &mh);
	if ((size_t)n < sizeof(msg->h)) {
		err = recv_all(vu->fd, (u8 *)&msg->h + n, sizeof(msg->h) - (size_t)n);
		if (err)
			return err;
	}
	if (msg->h.size < sizeof(msg->h) || msg->h.size - sizeof(msg->h) > MAX_BODY) {
		nic_err("vfio-user: command %u has a size of %u", msg->h.command, msg->h.size);
		return -EPROTO;
	}
	msg->len = msg->h.size - (u32)sizeof(msg->h);
	return recv_all(vu->fd, vu->buf, msg->len);
}

static int reply(struct vfio_user *vu, const struct vu_msg *msg, int error, const void *body,
		 size_t len)
{
	struct vu_header h = {
		.id = msg->h.id,
		.command = msg->h.command,
		.size = (u32)(sizeof(h) + (error ? 0 : len)),
		.flags = VU_TYPE_REPLY | (error ? VU_ERROR : 0),
		.error = (u32)error,
	};
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)body, len } };
	struct msghdr mh = { .msg_iov = iov, .msg_iovlen = error || !len ? 1 : 2 };

	if (msg->h.flags & VU_NO_REPLY)
		return 0;
	if (sendmsg(vu->fd, &mh, MSG_NOSIGNAL) != (ssize_t)h.size)
		return -ECONNRESET;
	return 0;
}

/* ---- the commands ---- */

static int do_version(struct vfio_user *vu, const struct vu_msg *msg)
{
	static const char json[] = "{\"capabilities\":{\"max_msg_fds\":16,"
				   "\"max_data_xfer_size\":65536}}";
	u8 body[4 + sizeof(json)] = { 0 };	/* major 0, minor 0: QEMU refuses 0.1 */

	memcpy(body + 4, json, sizeof(json));
	return reply(vu, msg, 0, body, sizeof(body));
}

static int do_dma_map(struct vfio_user *vu, const struct vu_msg *msg, struct nic *nic)
{
	struct vu_dma_map m;
	int err = -EINVAL;

	if (msg->len >= sizeof(m)) {
		memcpy(&m, vu->buf, sizeof(m));
		/* Without a descriptor it could only be reached by messages: no use. */
		err = msg->nr_fds == 1 ? dma_map(&nic->dma, m.addr, m.size, msg->fd[0], m.offset,
						 m.flags & 2)
				       : 0;
		if (err)
			nic_err("vfio-user: can't map %#llx, %llu bytes: %s",
				(unsigned long long)m.addr, (unsigned long long)m.size,
				strerror(-err));
	}
	return reply(vu, msg, -err, NULL, 0);
}

static int do_dma_unmap(struct vfio_user *vu, const struct vu_msg *msg, struct nic *nic)
{
	struct vu_dma_unmap m;

	if (msg->len < sizeof(m))
		return reply(vu, msg, EINVAL, NULL, 0);
	memcpy(&m, vu->buf, sizeof(m));
	if (m.flags & 2)
		dma_unmap_all(&nic->dma);
	else
		dma_unmap(&nic->dma, m.addr, m.size);
	return reply(vu, msg, 0, &m, sizeof(m));
}

static int do_get_info(struct vfio_user *vu, const struct vu_msg *msg)
{
	u32 info[4] = { sizeof(info), VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
			VFIO_PCI_NUM_REGIONS, VFIO_PCI_NUM_IRQS };

	return reply(vu, msg, 0, info, sizeof(info));
}

static int do_region_info(struct vfio_user *vu, const struct vu_msg *msg, const struct nic *nic)
{
	struct vfio_region_info info;
	const struct nic_pci_info *pci = &nic->ops->pci;

	if (msg->len < sizeof(info))
		return reply(vu, msg, EINVAL, NULL, 0);
	memcpy(&info, vu->buf, sizeof(info));
	info.argsz = sizeof(info);
	info.flags = 0;
	info.cap_offset = 0;
	info.size = 0;
	info.offset = (u64)info.index << 40;
	if (info.index <= VFIO_PCI_BAR5_REGION_INDEX)
		info.size = pci->bar_size[info.index];
	else if (info.index == VFIO_PCI_CONFIG_REGION_INDEX)
		info.size = PCI_CONFIG_SIZE;
	if (info.size)
		info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	return reply(vu, msg, 0, &info, sizeof(info));
}

static int do_irq_info(struct vfio_user *vu, const struct vu_msg *msg, const struct nic *nic)
{
	struct vfio_irq_info info;

	if (msg->len < sizeof(info))
		return reply(vu, msg, EINVAL, NULL, 0);
	memcpy(&info, vu->buf, sizeof(info));
	info.argsz = sizeof(info);
	info.flags = 0;
	info.count = 0;
	if (info.index == VFIO_PCI_MSIX_IRQ_INDEX) {
		info.flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
		info.count = nic->ops->pci.msix_vectors;
	}
	return reply(vu, msg, 0, &info, sizeof(info));
}

static int do_set_irqs(struct vfio_user *vu, struct vu_msg *msg)
{
	struct vfio_irq_set set;
	u32 i;

	if (msg->len < sizeof(set))
		return reply(vu, msg, EINVAL, NULL, 0);
	memcpy(&set, vu->buf, sizeof(set));
	if (set.index != VFIO_PCI_MSIX_IRQ_INDEX)
		return reply(vu, msg, 0, NULL, 0);
	if (set.start > NIC_MAX_VECTORS || set.count > NIC_MAX_VECTORS - set.start)
		return reply(vu, msg, EINVAL, NULL, 0);

	if (set.flags & VFIO_IRQ_SET_DATA_EVENTFD) {
		drop_irqs(vu, set.start, set.count);
		for (i = 0; i < set.count && i < msg->nr_fds; i++) {
			vu->irq[set.start + i] = msg->fd[i];
			msg->fd[i] = -1;	/* it is ours now */
		}
	} else if (!set.count) {
		drop_irqs(vu, 0, NIC_MAX_VECTORS);
	}
	return reply(vu, msg, 0, NULL, 0);
}

static int do_region_access(struct vfio_user *vu, const struct vu_msg *msg, struct nic *nic)
{
	struct vu_region_access *a = (void *)vu->buf;
	bool write = msg->h.command == VU_REGION_WRITE, known = true;

	if (msg->len < sizeof(*a) || a->count > MAX_XFER ||
	    (write && msg->len < sizeof(*a) + a->count)) {
		nic_err("vfio-user: region access of %u bytes does not fit its message",
			msg->len >= sizeof(*a) ? a->count : 0);
		return reply(vu, msg, EINVAL, NULL, 0);
	}
	if (a->region == VFIO_PCI_CONFIG_REGION_INDEX) {
		known = write ? pci_write(nic->pci, a->offset, a->data, a->count)
			      : pci_read(nic->pci, a->offset, a->data, a->count);
	} else if (a->region <= VFIO_PCI_BAR5_REGION_INDEX &&
		   a->offset < nic->ops->pci.bar_size[a->region] &&
		   a->count <= nic->ops->pci.bar_size[a->region] - a->offset) {
		if (write)
			nic->ops->bar_write(nic, (int)a->region, a->offset, a->data, a->count);
		else
			nic->ops->bar_read(nic, (int)a->region, a->offset, a->data, a->count);
	} else {
		known = false;
	}
	if (!known) {
		nic_err("vfio-user: access outside region %u: offset %#llx, %u bytes", a->region,
			(unsigned long long)a->offset, a->count);
		return reply(vu, msg, EINVAL, NULL, 0);
	}
	return reply(vu, msg, 0, a, sizeof(*a) + (write ? 0 : a->count));
}

static int do_reset(struct vfio_user *vu, const struct vu_msg *msg, struct nic *nic)
{
	pci_reset(nic->pci);
	nic->ops->reset(nic);
	return reply(vu, msg, 0, NULL, 0);
}

static int dispatch(struct vfio_user *vu, struct vu_msg *msg, struct nic *nic)
{
	if ((msg->h.flags & VU_TYPE_MASK) != VU_TYPE_COMMAND) {
		nic_err("vfio-user: an answer to nothing, command %u", msg->h.command);
		return -EPROTO;
	}
	switch (msg->h.command) {
	case VU_VERSION:
		return do_version(vu, msg);
	case VU_DMA_MAP:
		return do_dma_map(vu, msg, nic);
	case VU_DMA_UNMAP:
		return do_dma_unmap(vu, msg, nic);
	case VU_GET_INFO:
		return do_get_info(vu, msg);
	case VU_GET_REGION_INFO:
		return do_region_info(vu, msg, nic);
	case VU_GET_IRQ_INFO:
		return do_irq_info(vu, msg, nic);
	case VU_SET_IRQS:
		return do_set_irqs(vu, msg);
	case VU_REGION_READ:
	case VU_REGION_WRITE:
		return do_region_access(vu, msg, nic);
	case VU_RESET:
		return do_reset(vu, msg, nic);
	default:
		nic_info("vfio-user: command %u is not supported", msg->h.command);
		return reply(vu, msg, ENOTSUP, NULL, 0);
	}
}

int vfio_user_serve(struct vfio_user *vu, struct nic *nic)
{
	struct vu_msg msg;
	unsigned int i, n;
	int err = 0;

	for (n = 0; n < MAX_BATCH && !err; n++) {
		err = recv_msg(vu, &msg);
		if (!err) {
			vu->messages++;
			err = dispatch(vu, &msg, nic);
		}
		for (i = 0; i < msg.nr_fds; i++)
			if (msg.fd[i] >= 0)
				close(msg.fd[i]);
	}
	return err == -EAGAIN ? 0 : err;
}
