/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfio_user.h - the server side of the vfio-user protocol (version 0.0, as
 * QEMU's vfio-user-pci speaks it): one device, one client, memory shared by
 * file descriptor, MSI-X by eventfd. Knows struct nic, no model.
 */
#ifndef NIC_VFIO_USER_H
#define NIC_VFIO_USER_H

#include "device.h"

struct vfio_user {
	int listen_fd;		/* -1 once a client is there: there is only one */
	int fd;			/* the client, or -1 */
	int irq[NIC_MAX_VECTORS];	/* eventfds, -1: none */
	u8 *buf;		/* body of the message in work */
	u64 messages;
};

/* Listens on a UNIX socket; an old socket file is replaced. 0 or -errno. */
int vfio_user_listen(struct vfio_user *vu, const char *path);
int vfio_user_accept(struct vfio_user *vu);
void vfio_user_close(struct vfio_user *vu);

/*
 * Serves the messages that wait, at most a few dozen. 0, -ECONNRESET when the
 * client has gone, or another -errno for a protocol violation (logged).
 */
int vfio_user_serve(struct vfio_user *vu, struct nic *nic);

/* Signals vector. false: the client gave no eventfd for it. */
bool vfio_user_irq(struct vfio_user *vu, unsigned int vector);

#endif /* NIC_VFIO_USER_H */
