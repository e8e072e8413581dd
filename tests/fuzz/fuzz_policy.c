// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the policy parser: whatever the file holds, it is either a policy that keeps its
 * promises or one error with a text. libFuzzer; built by the Makefile.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/steer/policy.h"

static void check_netdev(const struct zcq_policy_netdev *n)
{
	const struct zcq_policy_flow *f = n->flows.v;
	const uint32_t *q = n->queues.v;

	if (!n->name[0] || !n->queues.n == !n->top)
		abort();
	for (size_t i = 1; i < n->queues.n; i++)
		if (q[i] <= q[i - 1])
			abort();
	for (size_t i = 0; i < n->flows.n; i++, f++)
		if (!f->protos || f->src_port.last < f->src_port.first ||
		    (f->queues.n > 1 && f->feed == ZCQ_FEED_UNSAID))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zcq_policy_error error;
	struct zcq_policy policy;
	int err = zcq_policy_parse((const char *)data, size, &policy, &error);

	if (err == -EINVAL && !error.text[0])
		abort();
	if (err)
		return 0;
	if (!policy.netdevs.n)
		abort();
	for (size_t i = 0; i < policy.netdevs.n; i++)
		check_netdev((struct zcq_policy_netdev *)policy.netdevs.v + i);
	zcq_policy_free(&policy);
	return 0;
}
