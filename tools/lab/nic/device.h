/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - the seam between the harness (transport, PCI, wire, faults,
 * main loop) and one model of a NIC. The harness fills struct nic and calls
 * the model through struct nic_device_ops; the model uses the nic_*()
 * functions below. A second driver's model implements the same table.
 *
 * Everything runs in one thread; nothing here needs a lock.
 */
#ifndef NIC_DEVICE_H
#define NIC_DEVICE_H

#include <stdio.h>
#include <sys/uio.h>

#include "dma.h"
#include "types.h"

struct nic;
struct pci;
struct wire;
struct vfio_user;

#define NIC_MAX_VECTORS 64
#define NIC_MAX_FRAME 16384	/* longest Ethernet frame carried */

/* Options of the command line that concern a model. */
struct nic_options {
	bool striding;		/* mlx5: offer the striding RQ */
};

/* What the PCI configuration space says about the device. */
struct nic_pci_info {
	u16 vendor, device;
	u16 subsys_vendor, subsys;
	u8 revision;
	u32 class_code;		/* 24 bits */
	u64 bar_size[6];	/* 0: not there; all BARs are 64-bit: only 0, 2, 4 */
	u8 msix_bar;
	u16 msix_vectors;
	u32 msix_table, msix_pba;	/* offsets within msix_bar */
};

struct nic_device_ops {
	const char *name;
	struct nic_pci_info pci;

	/* Sets nic->priv; 0 or -errno. */
	int (*create)(struct nic *nic);
	void (*destroy)(struct nic *nic);

	/* Function level reset, or the client went: forget all that the driver set. */
	void (*reset)(struct nic *nic);

	/* len is 1, 2, 4 or 8 except for bulk reads of a register file. */
	void (*bar_read)(struct nic *nic, int bar, u64 off, void *buf, u32 len);
	void (*bar_write)(struct nic *nic, int bar, u64 off, const void *buf, u32 len);

	/* One frame from the wire, without FCS, 60 bytes or more; the model may change it. */
	void (*rx)(struct nic *nic, u8 *frame, u32 len);

	/* A batch of frames ended: tell the driver about them. */
	void (*rx_done)(struct nic *nic);

	/*
	 * A fault asked for by --fault or the control socket, already split
	 * into words. Writes a line of explanation to out if it refuses; 0 or
	 * -errno.
	 */
	int (*fault)(struct nic *nic, int argc, char **argv, FILE *out);

	/* "name value" lines for the control socket and the final totals. */
	void (*stats)(struct nic *nic, FILE *out);
};

struct nic {
	const struct nic_device_ops *ops;
	void *priv;			/* the model's own state */
	struct nic_options opt;
	struct dma dma;
	struct pci *pci;
	struct wire *wire;
	struct vfio_user *vu;
	u64 irqs_sent, irqs_lost;	/* lost: the vector had no eventfd */
};

extern const struct nic_device_ops mlx5_device_ops;

/* Raises MSI-X vector. */
void nic_irq(struct nic *nic, unsigned int vector);

/* Sends one frame, gathered from iov, to the wire. 0 or -errno (dropped, counted). */
int nic_xmit(struct nic *nic, const struct iovec *iov, int iovcnt);

#endif /* NIC_DEVICE_H */
