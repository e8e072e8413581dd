/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy's flow as what a NIC's rule table takes: exact values under masks. A range of
 * ports becomes the fewest masked values that cover it and nothing else; both IP versions
 * become a rule each. Pure functions. Called by the plan.
 */
#ifndef ZCQ_STEER_MATCH_H
#define ZCQ_STEER_MATCH_H

#include <linux/ethtool.h>

#include "lib/steer/policy.h"

/* A port under a mask, host order: the ports p with (p & mask) == value. */
struct zcq_port_mask {
	uint16_t value, mask;
};

/* No range of ports needs more: 1 to 65534. */
#define ZCQ_PORT_MASKS 30

/* Fills masks, rising; their number. Any port: one mask of 0. */
size_t zcq_ports_to_masks(struct zcq_ports ports, struct zcq_port_mask masks[ZCQ_PORT_MASKS]);

/*
 * Adds (struct ethtool_rx_flow_spec) every rule the flow needs, without queue and location:
 * flow_type, h_u, m_u and, for a VLAN, h_ext and m_ext are set, all else is 0. A set mask
 * bit is compared. 0 or -ENOMEM.
 */
int zcq_flow_to_specs(const struct zcq_policy_flow *flow, struct zcq_array *specs);

#endif
