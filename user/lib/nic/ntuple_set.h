/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing flow rules and RSS tables, by SIOCETHTOOL: the only way for rules, and one that
 * every kernel has for RSS. Each call makes one change; the caller reads the old value
 * first, journals, and decides about undoing. fd is any socket of the network namespace.
 * Called by steering, never by an observing command.
 */
#ifndef ZCQ_NIC_NTUPLE_SET_H
#define ZCQ_NIC_NTUPLE_SET_H

#include <stddef.h>
#include <stdint.h>
#include <linux/ethtool.h>

/*
 * Inserts a rule: spec with queue (ring_cookie) and location set; RX_CLS_LOC_ANY lets the
 * driver choose where it can. context: of an RSS context, with FLOW_RSS in the flow_type; else
 * 0. *location is where it came to be; with an explicit one, a driver may replace what is
 * there. 0, -ENOSPC: the table is full, or another -errno of the driver.
 */
int zcq_nic_rule_insert(int fd, const char *ifname, const struct ethtool_rx_flow_spec *spec,
			uint32_t context, uint32_t *location);

/* 0, -ENOENT: no rule is there (some drivers say -EINVAL), or another -errno. */
int zcq_nic_rule_delete(int fd, const char *ifname, uint32_t location);

/*
 * The queue of each entry of a table, context 0 being the default. n is the number that
 * zcq_nic_rss_ioctl() gave. Key and hash stay. 0 or -errno.
 */
int zcq_nic_rss_set(int fd, const char *ifname, uint32_t context, const uint32_t *indir, size_t n);

/* The default table as the driver sets it up: spread evenly, and followed by changes of channels. */
int zcq_nic_rss_reset(int fd, const char *ifname);

/* A new context with this table; *context is its number. 0, -EOPNOTSUPP or another -errno. */
int zcq_nic_rss_context_new(int fd, const char *ifname, const uint32_t *indir, size_t n,
			    uint32_t *context);

/* 0, -ENOENT, -EBUSY: a rule uses it, or another -errno. */
int zcq_nic_rss_context_delete(int fd, const char *ifname, uint32_t context);

#endif
