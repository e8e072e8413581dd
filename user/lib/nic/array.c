// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A growing array: doubles when full.
 */
#include "lib/nic/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *zcq_array_push(struct zcq_array *a)
{
	size_t room = a->room ? a->room * 2 : 16;
	char *elem;
	void *v;

	if (a->n == a->room) {
		v = reallocarray(a->v, room, a->size);
		if (!v) {
			errno = ENOMEM;
			return NULL;
		}
		a->v = v;
		a->room = room;
	}
	elem = (char *)a->v + a->n++ * a->size;
	memset(elem, 0, a->size);
	return elem;
}

void zcq_array_clear(struct zcq_array *a, void (*drop)(void *elem))
{
	size_t i;

	for (i = 0; drop && i < a->n; i++)
		drop((char *)a->v + i * a->size);
	free(a->v);
	a->v = NULL;
	a->n = 0;
	a->room = 0;
}
