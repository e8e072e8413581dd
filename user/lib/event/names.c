// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Netdev names are asked of the system once a second at most for each ifindex: they change,
 * but not between two events. Addresses are kept in hash tables (open addressing): a trace of
 * buffers sees a hundred thousand.
 */
#include "lib/event/names.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define NAME_KEEP_NS	1000000000ULL
#define NAME_SLOTS	16

struct number {
	uint64_t address;	/* 0: an empty slot */
	uint64_t instance;	/* of a ring: which it registered last; 0: none */
	uint32_t instance_number;
	uint32_t number;
	uint32_t pid;		/* of a ring: who came with it last */
	bool ended;		/* of an instance: the next at this address gets a new number */
};

struct numbers {
	struct number *v;
	size_t n, room;		/* room: slots, a power of two, at most half of them used */
	uint32_t last;		/* number given */
};

struct name_slot {
	uint32_t ifindex;
	uint64_t asked_ns;
	char name[IF_NAMESIZE];
};

struct zcq_names {
	uint64_t offset_ns;
	uint32_t netns;
	struct name_slot slots[NAME_SLOTS];
	struct numbers numbers[ZCQ_NUMBER_KINDS];
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

struct zcq_names *zcq_names_new_fixed(uint64_t realtime_offset_ns, uint32_t own_netns)
{
	struct zcq_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->offset_ns = realtime_offset_ns;
	names->netns = own_netns;
	return names;
}

struct zcq_names *zcq_names_new(void)
{
	uint64_t offset = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	struct stat st;

	if (stat("/proc/self/ns/net", &st))
		return NULL;
	return zcq_names_new_fixed(offset, st.st_ino);
}

void zcq_names_free(struct zcq_names *names)
{
	if (!names)
		return;
	for (int i = 0; i < ZCQ_NUMBER_KINDS; i++)
		free(names->numbers[i].v);
	free(names);
}

uint64_t zcq_names_realtime(const struct zcq_names *names, uint64_t monotonic_ns)
{
	return monotonic_ns + names->offset_ns;
}

uint32_t zcq_names_netns(const struct zcq_names *names)
{
	return names->netns;
}

/* The name of one of our own netdevs, "" when there is none of that index. */
static const char *own_name(struct zcq_names *names, uint32_t ifindex)
{
	struct name_slot *slot = &names->slots[ifindex % NAME_SLOTS];
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (slot->ifindex == ifindex && now - slot->asked_ns < NAME_KEEP_NS)
		return slot->name;
	slot->ifindex = ifindex;
	slot->asked_ns = now;
	if (!if_indextoname(ifindex, slot->name))
		slot->name[0] = '\0';
	return slot->name;
}

const char *zcq_names_netdev(struct zcq_names *names, const struct zcq_queue_id *q,
			     const char *known, char text[ZCQ_NETDEV_TEXT])
{
	bool ours = !q->netns || q->netns == names->netns;

	if (!q->ifindex)
		return NULL;
	if ((!known || !known[0]) && ours)
		known = own_name(names, q->ifindex);
	if (known && known[0] && ours)
		snprintf(text, ZCQ_NETDEV_TEXT, "%.15s", known);
	else if (known && known[0])
		snprintf(text, ZCQ_NETDEV_TEXT, "%.15s@net:%u", known, q->netns);
	else if (ours)
		snprintf(text, ZCQ_NETDEV_TEXT, "if%u", q->ifindex);
	else
		snprintf(text, ZCQ_NETDEV_TEXT, "if%u@net:%u", q->ifindex, q->netns);
	return text;
}

/* Kernel addresses differ in their middle bits: multiplied, they do in the highest. */
static struct number *slot_of(const struct numbers *nr, uint64_t address)
{
	size_t i = (address * 0x9e3779b97f4a7c15ULL) >> 32;

	for (;; i++) {
		struct number *slot = &nr->v[i & (nr->room - 1)];

		if (!slot->address || slot->address == address)
			return slot;
	}
}

static int numbers_grow(struct numbers *nr)
{
	struct numbers more = { .n = nr->n, .last = nr->last, .room = nr->room ? nr->room * 2 : 64 };

	more.v = calloc(more.room, sizeof(*more.v));
	if (!more.v)
		return -ENOMEM;
	for (size_t i = 0; i < nr->room; i++)
		if (nr->v[i].address)
			*slot_of(&more, nr->v[i].address) = nr->v[i];
	free(nr->v);
	*nr = more;
	return 0;
}

/* The address's entry, made with a number of its own when there is none; NULL: no memory, or no address. */
static struct number *number_of(struct zcq_names *names, enum zcq_number_of kind, uint64_t address)
{
	struct numbers *nr = &names->numbers[kind];
	struct number *slot;

	if (!address)
		return NULL;
	if (nr->room) {
		slot = slot_of(nr, address);
		if (slot->address)
			return slot;
	}
	if (2 * (nr->n + 1) > nr->room && numbers_grow(nr))
		return NULL;
	slot = slot_of(nr, address);
	*slot = (struct number){ .address = address, .number = ++nr->last };
	nr->n++;
	return slot;
}

uint64_t zcq_names_number(struct zcq_names *names, enum zcq_number_of kind, uint64_t address)
{
	const struct number *slot = number_of(names, kind, address);

	return slot ? slot->number : 0;
}

void zcq_names_ended(struct zcq_names *names, uint64_t instance)
{
	struct numbers *nr = &names->numbers[ZCQ_NUMBER_INSTANCE];
	struct number *slot = nr->room ? slot_of(nr, instance) : NULL;

	if (slot && slot->address)
		slot->ended = true;
}

void zcq_names_began(struct zcq_names *names, uint64_t instance)
{
	struct number *slot = number_of(names, ZCQ_NUMBER_INSTANCE, instance);

	if (!slot || !slot->ended)
		return;
	slot->number = ++names->numbers[ZCQ_NUMBER_INSTANCE].last;
	slot->ended = false;
}

static bool ring_lives(struct zcq_names *names, const struct number *ring, uint32_t pid)
{
	const struct number *instance = number_of(names, ZCQ_NUMBER_INSTANCE, ring->instance);

	if (!instance)
		return ring->pid == pid;
	return instance->number == ring->instance_number && !instance->ended;
}

uint64_t zcq_names_ring(struct zcq_names *names, uint64_t ring, uint32_t pid, uint64_t instance)
{
	struct numbers *nr = &names->numbers[ZCQ_NUMBER_RING];
	struct number *slot = number_of(names, ZCQ_NUMBER_RING, ring);

	if (!slot)
		return 0;
	if (slot->pid && !ring_lives(names, slot, pid))
		*slot = (struct number){ .address = ring, .number = ++nr->last };
	slot->pid = pid;
	if (instance) {
		slot->instance = instance;
		slot->instance_number = zcq_names_number(names, ZCQ_NUMBER_INSTANCE, instance);
	}
	return slot->number;
}
