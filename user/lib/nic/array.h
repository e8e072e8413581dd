/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing array of equal elements, for answers whose number is not known before.
 * Used by user/lib/nic and user/lib/model.
 */
#ifndef ZCQ_NIC_ARRAY_H
#define ZCQ_NIC_ARRAY_H

#include <stddef.h>

struct zcq_array {
	void *v;
	size_t n;
	size_t room;
	size_t size;	/* of one element, set before the first push */
};

/* A zeroed new last element, NULL and ENOMEM. Pointers to older ones become invalid. */
void *zcq_array_push(struct zcq_array *a);

/* Calls drop (may be NULL) for each element and empties the array. */
void zcq_array_clear(struct zcq_array *a, void (*drop)(void *elem));

#endif
