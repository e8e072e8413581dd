/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers of the values only a policy has, for the tables in policy.c: see yaml.h.
 */
#ifndef ZCQ_STEER_POLICY_VALUE_H
#define ZCQ_STEER_POLICY_VALUE_H

#include "lib/steer/yaml.h"

/* struct zcq_prefix: "192.0.2.0/24", "2001:db8::1". */
int zcq_policy_prefix(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest);

/* struct zcq_ports: "9000", "9000-9007". */
int zcq_policy_ports(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		     void *dest);

/* struct zcq_array of uint32_t: 7, [6, 7]; rising afterwards, none twice, not empty. */
int zcq_policy_queues(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest);

/* char[32]: printable, without spaces. */
int zcq_policy_name(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		    void *dest);

#endif
