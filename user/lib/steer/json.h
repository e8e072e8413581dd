/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of a JSON object, read strictly: a field that is missing, of another type or out
 * of range is an error, as a journal that is not whole must not be acted on. On top of
 * json-c. Called by step_*.c and journal.c.
 */
#ifndef ZCQ_STEER_JSON_H
#define ZCQ_STEER_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/nic/num.h"

/* Writers. 0 or -ENOMEM. */
int zcq_json_put_u64(struct json_object *obj, const char *key, uint64_t value);
int zcq_json_put_bool(struct json_object *obj, const char *key, bool value);
int zcq_json_put_str(struct json_object *obj, const char *key, const char *value);
int zcq_json_put_num(struct json_object *obj, const char *key, struct zcq_num num);	/* null: unknown */
int zcq_json_put_u32s(struct json_object *obj, const char *key, const uint32_t *v, size_t n);
int zcq_json_put_hex(struct json_object *obj, const char *key, const void *bytes, size_t n);

/* Readers. 0, -EINVAL or -ENOMEM. */
int zcq_json_get_u64(struct json_object *obj, const char *key, uint64_t max, uint64_t *value);
int zcq_json_get_u32(struct json_object *obj, const char *key, uint32_t *value);
int zcq_json_get_bool(struct json_object *obj, const char *key, bool *value);
int zcq_json_get_str(struct json_object *obj, const char *key, char *buf, size_t size);
int zcq_json_get_num(struct json_object *obj, const char *key, struct zcq_num *num);
/* To be freed; NULL with *n 0 for an empty list. */
int zcq_json_get_u32s(struct json_object *obj, const char *key, uint32_t **v, size_t *n);
int zcq_json_get_hex(struct json_object *obj, const char *key, void *bytes, size_t n);

#endif
