// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pci.c - builds the configuration space and applies writes to it.
 */
#include <linux/pci_regs.h>

#include "pci.h"

#define MSIX_CAP 0x40	/* where the only capability is */

static void set_bar(struct pci *pci, int bar, u64 size)
{
	u32 at = PCI_BASE_ADDRESS_0 + 4 * (u32)bar;
	u64 mask = ~(size - 1);

	put_le32(pci->config + at,
		 PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put_le32(pci->writable + at, (u32)mask & (u32)PCI_BASE_ADDRESS_MEM_MASK);
	put_le32(pci->writable + at + 4, (u32)(mask >> 32));
}

static void set_msix(struct pci *pci, const struct nic_pci_info *info)
{
	u8 *cap = pci->config + MSIX_CAP;

	put_le16(pci->config + PCI_STATUS, PCI_STATUS_CAP_LIST);
	pci->config[PCI_CAPABILITY_LIST] = MSIX_CAP;
	cap[PCI_CAP_LIST_ID] = PCI_CAP_ID_MSIX;
	put_le16(cap + PCI_MSIX_FLAGS, (u16)(info->msix_vectors - 1));
	put_le32(cap + PCI_MSIX_TABLE, info->msix_table | info->msix_bar);
	put_le32(cap + PCI_MSIX_PBA, info->msix_pba | info->msix_bar);
	put_le16(pci->writable + MSIX_CAP + PCI_MSIX_FLAGS,
		 PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
}

void pci_reset(struct pci *pci)
{
	const struct nic_pci_info *info = &pci->info;
	u8 *c = pci->config;
	int bar;

	memset(pci->config, 0, sizeof(pci->config));
	memset(pci->writable, 0, sizeof(pci->writable));

	put_le16(c + PCI_VENDOR_ID, info->vendor);
	put_le16(c + PCI_DEVICE_ID, info->device);
	put_le16(c + PCI_SUBSYSTEM_VENDOR_ID, info->subsys_vendor);
	put_le16(c + PCI_SUBSYSTEM_ID, info->subsys);
	put_le32(c + PCI_CLASS_REVISION, info->class_code << 8 | info->revision);

	put_le16(pci->writable + PCI_COMMAND,
		 PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
	pci->writable[PCI_CACHE_LINE_SIZE] = 0xff;
	pci->writable[PCI_INTERRUPT_LINE] = 0xff;

	for (bar = 0; bar < 6; bar += 2)
		if (info->bar_size[bar])
			set_bar(pci, bar, info->bar_size[bar]);
	set_msix(pci, info);
}

void pci_init(struct pci *pci, const struct nic_pci_info *info)
{
	pci->info = *info;
	pci_reset(pci);
}

bool pci_read(const struct pci *pci, u64 off, void *buf, u32 len)
{
	if (off > PCI_CONFIG_SIZE || len > PCI_CONFIG_SIZE - off)
		return false;
	memcpy(buf, pci->config + off, len);
	return true;
}

bool pci_write(struct pci *pci, u64 off, const void *buf, u32 len)
{
	const u8 *v = buf;
	u32 i;

	if (off > PCI_CONFIG_SIZE || len > PCI_CONFIG_SIZE - off)
		return false;
	for (i = 0; i < len; i++) {
		u8 mask = pci->writable[off + i];

		pci->config[off + i] = (u8)((pci->config[off + i] & ~mask) | (v[i] & mask));
	}
	return true;
}
