// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See yaml.h. Depth is bounded by the tables, not by the file, so an alias that contains
 * itself does no harm.
 */
#include "lib/steer/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/opt.h"

struct zcq_policy_pos zcq_yaml_pos(const yaml_node_t *node)
{
	return (struct zcq_policy_pos){
		.line = (uint32_t)node->start_mark.line + 1,
		.column = (uint32_t)node->start_mark.column + 1,
	};
}

int zcq_yaml_fail(struct zcq_yaml *y, const yaml_node_t *node, const char *fmt, ...)
{
	va_list ap;

	y->error->pos = zcq_yaml_pos(node);
	va_start(ap, fmt);
	vsnprintf(y->error->text, sizeof(y->error->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

const char *zcq_yaml_text(struct zcq_yaml *y, const struct zcq_yaml_key *key,
			  const yaml_node_t *node)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE) {
		zcq_yaml_fail(y, node, "%s: one value is wanted here, not a %s", key->name,
			      node->type == YAML_SEQUENCE_NODE ? "list" : "mapping");
		return NULL;
	}
	text = (const char *)node->data.scalar.value;
	if (!*text || strlen(text) != node->data.scalar.length) {
		zcq_yaml_fail(y, node, *text ? "%s \"%.40s\": a zero byte follows" :
			      "%s%.0s: a value is missing", key->name, text);
		return NULL;
	}
	return text;
}

/* --- mappings -------------------------------------------------------------------------------- */

/* Levenshtein distance of short words; longer ones are far. */
static unsigned int distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	unsigned int row[33];

	if (strlen(a) > 32 || n > 32)
		return 99;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned int change = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < change)
				change = row[j] + 1;
			if (row[j + 1] + 1 < change)
				change = row[j + 1] + 1;
			row[j + 1] = change;
		}
	}
	return row[n];
}

static int unknown_key(struct zcq_yaml *y, const char *what, const struct zcq_yaml_key *keys,
		       const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value, *nearest = NULL;
	unsigned int best = 4;	/* farther than that is no help */
	char all[160] = "";
	size_t len = 0;

	for (; keys->name; keys++) {
		unsigned int d = distance(text, keys->name);

		if (d < best) {
			best = d;
			nearest = keys->name;
		}
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
						len ? ", " : "", keys->name);
	}
	if (nearest)
		return zcq_yaml_fail(y, node, "\"%.40s\": no key of %s; did you mean \"%s\"?",
				     text, what, nearest);
	return zcq_yaml_fail(y, node, "\"%.40s\": no key of %s; there are %s", text, what, all);
}

static const struct zcq_yaml_key *find_key(const struct zcq_yaml_key *keys, const char *text)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, text))
			return keys;
	return NULL;
}

int zcq_yaml_map(struct zcq_yaml *y, const char *what, const struct zcq_yaml_key *keys,
		 const yaml_node_t *node, void *dest)
{
	uint64_t seen = 0;	/* a bit for each row: tables are shorter than 64 */

	if (node->type != YAML_MAPPING_NODE)
		return zcq_yaml_fail(y, node, "%s is \"key: value\" lines", what);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *name = yaml_document_get_node(y->doc, pair->key);
		const yaml_node_t *value = yaml_document_get_node(y->doc, pair->value);
		const struct zcq_yaml_key *key;
		int err;

		if (name->type != YAML_SCALAR_NODE)
			return zcq_yaml_fail(y, name, "a key of %s is a word", what);
		key = find_key(keys, (const char *)name->data.scalar.value);
		if (!key)
			return unknown_key(y, what, keys, name);
		if (seen & 1ULL << (key - keys))
			return zcq_yaml_fail(y, name, "\"%s\" is given twice", key->name);
		seen |= 1ULL << (key - keys);
		err = key->read(y, key, value, (char *)dest + key->offset);
		if (err)
			return err;
	}
	return 0;
}

int zcq_yaml_list(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  int (*fn)(struct zcq_yaml *y, const yaml_node_t *item, void *dest), void *dest)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return zcq_yaml_fail(y, node, "%s: a list is wanted here", key->name);
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		int err = fn(y, yaml_document_get_node(y->doc, *item), dest);

		if (err)
			return err;
	}
	return 0;
}

/* --- readers ---------------------------------------------------------------------------------- */

static int number(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  int (*parse)(const char *, uint64_t *), const char *what, uint64_t *value)
{
	const char *text = zcq_yaml_text(y, key, node);
	int err;

	if (!text)
		return -EINVAL;
	err = parse(text, value);
	if (err == -EINVAL)
		return zcq_yaml_fail(y, node, "%s \"%.40s\": not %s", key->name, text, what);
	if (err || *value < key->min || *value > key->max)
		return zcq_yaml_fail(y, node, "%s \"%.40s\": not in %" PRIu64 " to %" PRIu64,
				     key->name, text, key->min, key->max);
	return 0;
}

int zcq_yaml_u32(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		 void *dest)
{
	uint64_t v;
	int err = number(y, key, node, zcq_parse_u64, "a number", &v);

	if (!err)
		*(uint32_t *)dest = (uint32_t)v;
	return err;
}

int zcq_yaml_num(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		 void *dest)
{
	uint64_t v;
	int err = number(y, key, node, zcq_parse_u64, "a number", &v);

	if (!err)
		*(struct zcq_num *)dest = zcq_num(v);
	return err;
}

int zcq_yaml_size(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  void *dest)
{
	uint64_t v;
	int err = number(y, key, node, zcq_parse_size, "a size (4096, 16K)", &v);

	if (!err)
		*(struct zcq_num *)dest = zcq_num(v);
	return err;
}

int zcq_yaml_duration(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest)
{
	return number(y, key, node, zcq_parse_duration, "a duration (5s, 200ms)", dest);
}

int zcq_yaml_word(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		  void *dest)
{
	const char *text = zcq_yaml_text(y, key, node);
	char all[128] = "";
	size_t len = 0;

	if (!text)
		return -EINVAL;
	for (int i = 0; key->words[i]; i++) {
		if (!strcmp(key->words[i], text)) {
			*(int *)dest = i;
			return 0;
		}
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
						i ? ", " : "", key->words[i]);
	}
	return zcq_yaml_fail(y, node, "%s \"%.40s\": not one of %s", key->name, text, all);
}
