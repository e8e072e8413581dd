// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See json.h.
 */
#include "lib/steer/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- writers ----------------------------------------------------------------------------------- */

static int put(struct json_object *obj, const char *key, struct json_object *value)
{
	if (!value)
		return -ENOMEM;
	if (!json_object_object_add(obj, key, value))
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int zcq_json_put_u64(struct json_object *obj, const char *key, uint64_t value)
{
	return put(obj, key, json_object_new_uint64(value));
}

int zcq_json_put_bool(struct json_object *obj, const char *key, bool value)
{
	return put(obj, key, json_object_new_boolean(value));
}

int zcq_json_put_str(struct json_object *obj, const char *key, const char *value)
{
	return put(obj, key, json_object_new_string(value));
}

int zcq_json_put_num(struct json_object *obj, const char *key, struct zcq_num num)
{
	if (num.known)
		return zcq_json_put_u64(obj, key, num.v);
	return json_object_object_add(obj, key, NULL) ? -ENOMEM : 0;
}

int zcq_json_put_u32s(struct json_object *obj, const char *key, const uint32_t *v, size_t n)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < n; i++) {
		struct json_object *value = json_object_new_uint64(v[i]);

		if (value && !json_object_array_add(list, value))
			continue;
		json_object_put(value);
		json_object_put(list);
		return -ENOMEM;
	}
	return put(obj, key, list);
}

int zcq_json_put_hex(struct json_object *obj, const char *key, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;
	char *text = malloc(2 * n + 1);
	int err;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[b[i] >> 4];
		text[2 * i + 1] = digits[b[i] & 15];
	}
	text[2 * n] = '\0';
	err = zcq_json_put_str(obj, key, text);
	free(text);
	return err;
}

/* --- readers ------------------------------------------------------------------------------------ */

static struct json_object *get(struct json_object *obj, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(obj, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* json-c clamps what does not fit; a number that is not itself as text was clamped or negative. */
static int as_u64(struct json_object *value, uint64_t max, uint64_t *v)
{
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return -EINVAL;
	*v = json_object_get_uint64(value);
	return *v > max ? -EINVAL : 0;
}

int zcq_json_get_u64(struct json_object *obj, const char *key, uint64_t max, uint64_t *value)
{
	struct json_object *v = get(obj, key, json_type_int);

	return v ? as_u64(v, max, value) : -EINVAL;
}

int zcq_json_get_u32(struct json_object *obj, const char *key, uint32_t *value)
{
	uint64_t v;
	int err = zcq_json_get_u64(obj, key, UINT32_MAX, &v);

	if (!err)
		*value = (uint32_t)v;
	return err;
}

int zcq_json_get_bool(struct json_object *obj, const char *key, bool *value)
{
	struct json_object *v = get(obj, key, json_type_boolean);

	if (!v)
		return -EINVAL;
	*value = json_object_get_boolean(v);
	return 0;
}

int zcq_json_get_str(struct json_object *obj, const char *key, char *buf, size_t size)
{
	struct json_object *v = get(obj, key, json_type_string);
	size_t len = v ? (size_t)json_object_get_string_len(v) : size;

	if (len >= size || strlen(json_object_get_string(v)) != len)
		return -EINVAL;
	memcpy(buf, json_object_get_string(v), len + 1);
	return 0;
}

int zcq_json_get_num(struct json_object *obj, const char *key, struct zcq_num *num)
{
	struct json_object *v;
	uint64_t value;

	if (!json_object_object_get_ex(obj, key, &v))
		return -EINVAL;
	*num = (struct zcq_num){ 0 };
	if (!v)
		return 0;
	if (as_u64(v, UINT64_MAX, &value))
		return -EINVAL;
	*num = zcq_num(value);
	return 0;
}

int zcq_json_get_u32s(struct json_object *obj, const char *key, uint32_t **v, size_t *n)
{
	struct json_object *list = get(obj, key, json_type_array);
	uint64_t value;

	*v = NULL;
	*n = 0;
	if (!list)
		return -EINVAL;
	if (!json_object_array_length(list))
		return 0;
	*v = calloc(json_object_array_length(list), sizeof(**v));
	if (!*v)
		return -ENOMEM;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (as_u64(json_object_array_get_idx(list, i), UINT32_MAX, &value)) {
			free(*v);
			*v = NULL;
			*n = 0;
			return -EINVAL;
		}
		(*v)[(*n)++] = (uint32_t)value;
	}
	return 0;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int zcq_json_get_hex(struct json_object *obj, const char *key, void *bytes, size_t n)
{
	struct json_object *v = get(obj, key, json_type_string);
	const char *text = v ? json_object_get_string(v) : "";
	uint8_t *b = bytes;

	if (!v || strlen(text) != 2 * n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		b[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}
