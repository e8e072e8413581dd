/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of events: name, meaning, fields. What `zcq trace --event help`, the filters,
 * the manual page and docs/events.md say comes from here. Called by trace.c and the tests.
 */
#ifndef ZCQ_EVENT_TABLE_H
#define ZCQ_EVENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <zcq/events.h>
#include <zcq/probes.h>

/* A key of the record; NULL ends the list. */
struct zcq_event_field {
	const char *key;
	const char *unit;	/* "bytes", "ns", "text", "number", "flag", "list", "object" */
	const char *meaning;
};

struct zcq_event_desc {
	enum zcq_event_type type;
	const char *name;
	enum zcq_subject subject;
	size_t size;		/* of its struct: a shorter record is refused */
	/* Sets of probes, bit n: probe n. The event is seen when every one of `all` is attached... */
	uint64_t all;
	uint64_t any;		/* ... and, unless this is empty, one of these: each sees some of them */
	uint64_t with;		/* and what else is to be attached, for its fields or for the tables */
	bool interval;		/* made at each --interval, from counters */
	bool optional;		/* its probe is of the heavy profile: on request only */
	const char *summary;	/* one line */
	const char *notes;	/* more, for the documentation; or NULL */
	const struct zcq_event_field *fields;	/* after those every record has */
};

/* The type's description, or NULL. */
const struct zcq_event_desc *zcq_event_desc(unsigned int type);
/* By name; NULL when there is no such event. */
const struct zcq_event_desc *zcq_event_find(const char *name);
/* In the order of their numbers: i from 0 until NULL. */
const struct zcq_event_desc *zcq_event_nth(size_t i);

/*
 * Names of types (bit n: type n), as many as fit in the line, from number *i on, which moves on.
 * False when there was none left.
 */
bool zcq_event_list(uint64_t types, size_t *i, char *line, size_t size);

/* Can it be seen with these probes attached? */
bool zcq_event_seen(const struct zcq_event_desc *desc, uint64_t attached);

/*
 * May this record be walked? 0, or -EINVAL (shorter than it says or than its type),
 * -EPROTO (another version), -ENOENT (a type this version does not know).
 */
int zcq_event_check(const void *record, size_t size);

/* docs/events.md, whole. */
void zcq_event_doc(FILE *f);

#endif
