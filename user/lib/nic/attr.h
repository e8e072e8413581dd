/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading netlink attributes without trusting them: unknown attributes are passed
 * over, longer ones are read as far as understood, shorter ones count as absent,
 * nests may be garbage. Used by the parsers in this folder only.
 */
#ifndef ZCQ_NIC_ATTR_H
#define ZCQ_NIC_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netlink/attr.h>
#include "lib/nic/num.h"

/* tb[0..max] points at the last attribute of each type, NULL where there is none. */
void zcq_attr_index(const struct nlattr *head, size_t len, const struct nlattr **tb, size_t max);
void zcq_attr_index_nest(const struct nlattr *nest, const struct nlattr **tb, size_t max);

/* First attribute of head, and the one after cur; NULL at the end. *left is kept by them. */
const struct nlattr *zcq_attr_first(const struct nlattr *head, size_t *left);
const struct nlattr *zcq_attr_next(const struct nlattr *cur, size_t *left);

/* A number of 1, 2, 4 or 8 bytes (netlink's "uint" comes in 4 or 8); a may be NULL. */
struct zcq_num zcq_attr_num(const struct nlattr *a);

/* Copies a string, always terminated; false (and "") if a is NULL. */
bool zcq_attr_str(const struct nlattr *a, char *buf, size_t size);
bool zcq_attr_str_is(const struct nlattr *a, const char *text);

#endif
