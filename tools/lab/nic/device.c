// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device.c - what device.h promises a model: interrupts and the wire.
 */
#include "device.h"
#include "vfio_user.h"
#include "wire.h"

void nic_irq(struct nic *nic, unsigned int vector)
{
	if (vfio_user_irq(nic->vu, vector))
		nic->irqs_sent++;
	else
		nic->irqs_lost++;
}

int nic_xmit(struct nic *nic, const struct iovec *iov, int iovcnt)
{
	return wire_send(nic->wire, iov, iovcnt);
}
