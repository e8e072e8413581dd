/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a YAML document into structs by tables of keys, on top of libyaml. Every error has
 * the place and the offending text; the first one ends the walk. Called by policy*.c.
 */
#ifndef ZCQ_STEER_YAML_H
#define ZCQ_STEER_YAML_H

#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "lib/steer/policy.h"

struct zcq_yaml {
	yaml_document_t *doc;
	struct zcq_policy_error *error;
};

struct zcq_yaml_key;

/* Reads node into dest as key says. 0, -EINVAL with the error set, or -ENOMEM. */
typedef int (*zcq_yaml_fn)(struct zcq_yaml *y, const struct zcq_yaml_key *key,
			   const yaml_node_t *node, void *dest);

/* A key of a mapping; name NULL ends the table. */
struct zcq_yaml_key {
	const char *name;
	zcq_yaml_fn read;
	size_t offset;			/* of what it fills in the mapping's struct */
	uint64_t min, max;		/* of a number */
	const char *const *words;	/* of a word, in the order of its enum; NULL ends them */
};

/* Sets the error at node and returns -EINVAL. */
int zcq_yaml_fail(struct zcq_yaml *y, const yaml_node_t *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct zcq_policy_pos zcq_yaml_pos(const yaml_node_t *node);

/* A scalar's text, or NULL with the error set: a list or mapping, empty, or with a zero byte inside. */
const char *zcq_yaml_text(struct zcq_yaml *y, const struct zcq_yaml_key *key,
			  const yaml_node_t *node);

/*
 * A mapping by its table: an unknown key (with the nearest known one), a key given twice,
 * and anything that is no mapping are errors. what: "a flow", for messages.
 */
int zcq_yaml_map(struct zcq_yaml *y, const char *what, const struct zcq_yaml_key *keys,
		 const yaml_node_t *node, void *dest);

/* Calls fn for each element of a list. */
int zcq_yaml_list(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  int (*fn)(struct zcq_yaml *y, const yaml_node_t *item, void *dest), void *dest);

/* --- readers for tables -------------------------------------------------------------------- */

int zcq_yaml_u32(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		 void *dest);	/* uint32_t */
int zcq_yaml_num(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		 void *dest);	/* struct zcq_num */
int zcq_yaml_size(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  void *dest);	/* struct zcq_num, bytes: 4096, 16K */
int zcq_yaml_duration(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest);	/* uint64_t ns: 200ms */
int zcq_yaml_word(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  void *dest);	/* int: the word's place in key->words */

#endif
