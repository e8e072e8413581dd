/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the kernel knows to what people read: realtime from the monotonic clock, netdev
 * names from ifindex, small numbers for kernel addresses. One per trace or test. Called by
 * describe*.c.
 */
#ifndef ZCQ_EVENT_NAMES_H
#define ZCQ_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zcq/types.h>

struct zcq_names;

/* Takes the clocks' distance and our own network namespace now. NULL and errno. */
struct zcq_names *zcq_names_new(void);
/* For tests: fixed values instead. */
struct zcq_names *zcq_names_new_fixed(uint64_t realtime_offset_ns, uint32_t own_netns);
void zcq_names_free(struct zcq_names *names);

uint64_t zcq_names_realtime(const struct zcq_names *names, uint64_t monotonic_ns);
uint32_t zcq_names_netns(const struct zcq_names *names);

/* Room for "if4294967295@net:4294967295" and for a name with its namespace. */
#define ZCQ_NETDEV_TEXT 48

/*
 * "eth0", "eth0@net:4026532000" or, when nothing better is known, "if7@net:4026532000" or
 * "if7". known is the name the kernel gave ("" if none). NULL without a netdev.
 */
const char *zcq_names_netdev(struct zcq_names *names, const struct zcq_queue_id *q,
			     const char *known, char text[ZCQ_NETDEV_TEXT]);

/* What kernel addresses stand for; each kind is numbered by itself. */
enum zcq_number_of {
	ZCQ_NUMBER_INSTANCE,	/* or a dmabuf binding */
	ZCQ_NUMBER_RING,
	ZCQ_NUMBER_BUFFER,
	ZCQ_NUMBER_KINDS,
};

/*
 * A small number for a kernel address: 1 for the first seen, and so on; the same for the same
 * address. 0 for address 0, or when memory is short.
 */
uint64_t zcq_names_number(struct zcq_names *names, enum zcq_number_of kind, uint64_t address);

/*
 * The kernel uses addresses again. What still comes about an instance that has ended has its
 * number; when one begins at that address, it gets a new one.
 */
void zcq_names_ended(struct zcq_names *names, uint64_t instance);
void zcq_names_began(struct zcq_names *names, uint64_t instance);

/*
 * A ring's number. Nobody tells when a ring ends, so one with an instance is taken for gone
 * when the last instance it registered is, any other when another process comes with it.
 * instance: the one it registers now; 0: none.
 */
uint64_t zcq_names_ring(struct zcq_names *names, uint64_t ring, uint32_t pid, uint64_t instance);

#endif
