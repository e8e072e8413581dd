/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number that may be unknown. What was not reported or not measured stays
 * unknown and is printed as '-' or null, never as 0. Used by user/lib/nic and
 * user/lib/model for every figure that a kernel, driver or permission can withhold.
 */
#ifndef ZCQ_NUM_H
#define ZCQ_NUM_H

#include <stdbool.h>
#include <stdint.h>

struct zcq_num {
	bool known;
	uint64_t v;	/* 0 unless known */
};

static inline struct zcq_num zcq_num(uint64_t v)
{
	return (struct zcq_num){ .known = true, .v = v };
}

/* Adds b to *a: the sum is known as soon as one of the two is. */
static inline void zcq_num_add(struct zcq_num *a, struct zcq_num b)
{
	if (!b.known)
		return;
	a->known = true;
	a->v += b.v;
}

/*
 * after - before of a counter. Unknown unless both are known; a counter that went
 * back (queue reconfigured, driver reloaded) counts from zero.
 */
static inline struct zcq_num zcq_num_delta(struct zcq_num before, struct zcq_num after)
{
	if (!before.known || !after.known)
		return (struct zcq_num){ 0 };
	return zcq_num(after.v >= before.v ? after.v - before.v : after.v);
}

#endif
