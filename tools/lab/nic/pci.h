/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci.h - the device's PCI configuration space: a type 0 header, 64-bit
 * memory BARs and an MSI-X capability, built from struct nic_pci_info, with a
 * mask of the bits that software can write. QEMU keeps the MSI-X table
 * itself; only the capability is here.
 */
#ifndef NIC_PCI_H
#define NIC_PCI_H

#include "device.h"

#define PCI_CONFIG_SIZE 256

struct pci {
	u8 config[PCI_CONFIG_SIZE];
	u8 writable[PCI_CONFIG_SIZE];	/* mask of bits */
	struct nic_pci_info info;
};

void pci_init(struct pci *pci, const struct nic_pci_info *info);

/* Back to power-on values (function level reset). */
void pci_reset(struct pci *pci);

/* false: outside the configuration space. */
bool pci_read(const struct pci *pci, u64 off, void *buf, u32 len);
bool pci_write(struct pci *pci, u64 off, const void *buf, u32 len);

#endif /* NIC_PCI_H */
