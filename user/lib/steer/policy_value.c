// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See policy_value.h.
 */
#include "lib/steer/policy_value.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/opt.h"

/* --- addresses ------------------------------------------------------------------------------- */

/* The first bit behind the prefix that is set, or -1. */
static int host_bit(const struct zcq_prefix *p, unsigned int bits)
{
	for (unsigned int i = p->len; i < bits; i++)
		if (p->addr[i / 8] & 0x80 >> i % 8)
			return (int)i;
	return -1;
}

int zcq_policy_prefix(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest)
{
	const char *text = zcq_yaml_text(y, key, node), *slash;
	struct zcq_prefix *p = dest;
	char address[INET6_ADDRSTRLEN];
	unsigned int bits;
	uint64_t len;

	if (!text)
		return -EINVAL;
	slash = strchrnul(text, '/');
	if ((size_t)(slash - text) >= sizeof(address))
		return zcq_yaml_fail(y, node, "%s \"%.60s\": not an address", key->name, text);
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	p->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(p->family, address, p->addr) != 1)
		return zcq_yaml_fail(y, node, "%s \"%.60s\": not an address or prefix "
				     "(192.0.2.0/24, 2001:db8::1)", key->name, text);
	bits = p->family == AF_INET ? 32 : 128;
	len = bits;
	if (*slash && (zcq_parse_u64(slash + 1, &len) || len > bits))
		return zcq_yaml_fail(y, node, "%s \"%.60s\": the prefix length is 0 to %u",
				     key->name, text, bits);
	p->len = (uint8_t)len;
	if (host_bit(p, bits) >= 0)
		return zcq_yaml_fail(y, node, "%s \"%.60s\": bits are set behind the first %u",
				     key->name, text, p->len);
	return 0;
}

/* --- ports ------------------------------------------------------------------------------------- */

static int port(const char *text, size_t len, uint16_t *value)
{
	char digits[8];
	uint64_t v;

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (zcq_parse_u64(digits, &v) || v > UINT16_MAX)
		return -EINVAL;
	*value = (uint16_t)v;
	return 0;
}

int zcq_policy_ports(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		     void *dest)
{
	const char *text = zcq_yaml_text(y, key, node), *dash;
	struct zcq_ports *p = dest;

	if (!text)
		return -EINVAL;
	dash = strchrnul(text, '-');
	if (port(text, (size_t)(dash - text), &p->first) ||
	    port(*dash ? dash + 1 : text, *dash ? strlen(dash + 1) : (size_t)(dash - text), &p->last))
		return zcq_yaml_fail(y, node, "%s \"%.40s\": not a port or range (9000, 9000-9007)",
				     key->name, text);
	if (!p->first || p->last < p->first)
		return zcq_yaml_fail(y, node, "%s \"%.40s\": ports are 1 to 65535, the lower first",
				     key->name, text);
	return 0;
}

/* --- queues -------------------------------------------------------------------------------------- */

/* No netdev has more (the kernel's limit for ethtool channels is far below). */
#define MAX_QUEUE 65535

static const struct zcq_yaml_key queue_key = { .name = "queue", .max = MAX_QUEUE };

static int add_queue(struct zcq_yaml *y, const yaml_node_t *node, void *dest)
{
	struct zcq_array *queues = dest;
	uint32_t q, *v;
	int err;

	err = zcq_yaml_u32(y, &queue_key, node, &q);
	if (err)
		return err;
	v = queues->v;
	for (size_t i = 0; i < queues->n; i++)
		if (v[i] == q)
			return zcq_yaml_fail(y, node, "queue %u is given twice", q);
	v = zcq_array_push(queues);
	if (!v)
		return -ENOMEM;
	*v = q;
	return 0;
}

static int rising(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int zcq_policy_queues(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest)
{
	struct zcq_array *queues = dest;
	int err;

	queues->size = sizeof(uint32_t);
	if (node->type == YAML_SCALAR_NODE)
		return add_queue(y, node, queues);
	err = zcq_yaml_list(y, key, node, add_queue, queues);
	if (err)
		return err;
	if (!queues->n)
		return zcq_yaml_fail(y, node, "%s: the list is empty", key->name);
	qsort(queues->v, queues->n, sizeof(uint32_t), rising);
	return 0;
}

/* --- names ---------------------------------------------------------------------------------------- */

int zcq_policy_name(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		    void *dest)
{
	const char *text = zcq_yaml_text(y, key, node);
	size_t len = sizeof(((struct zcq_policy_flow *)0)->name);

	if (!text)
		return -EINVAL;
	if (strlen(text) >= len)
		return zcq_yaml_fail(y, node, "%s \"%.40s\": longer than %zu characters", key->name,
				     text, len - 1);
	for (const char *c = text; *c; c++)
		if (!isgraph((unsigned char)*c))
			return zcq_yaml_fail(y, node, "%s \"%.40s\": only letters, digits and signs",
					     key->name, text);
	strcpy(dest, text);
	return 0;
}
