// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tolerant reading of netlink attributes. libnl's own nla_parse() refuses a whole
 * message when one attribute is longer than a policy allows; kernels add fields, so
 * here only the attribute in question is lost.
 */
#include "lib/nic/attr.h"

#include <string.h>

static bool attr_ok(const struct nlattr *a, size_t left)
{
	return left >= sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= left;
}

const struct nlattr *zcq_attr_first(const struct nlattr *head, size_t *left)
{
	return head && attr_ok(head, *left) ? head : NULL;
}

const struct nlattr *zcq_attr_next(const struct nlattr *cur, size_t *left)
{
	size_t step = NLA_ALIGN(cur->nla_len);

	if (step >= *left)
		return NULL;
	*left -= step;
	return zcq_attr_first((const struct nlattr *)((const char *)cur + step), left);
}

void zcq_attr_index(const struct nlattr *head, size_t len, const struct nlattr **tb, size_t max)
{
	const struct nlattr *a;
	size_t left = len;

	memset(tb, 0, sizeof(*tb) * (max + 1));
	for (a = zcq_attr_first(head, &left); a; a = zcq_attr_next(a, &left)) {
		size_t type = (size_t)nla_type(a);

		if (type <= max)
			tb[type] = a;
	}
}

void zcq_attr_index_nest(const struct nlattr *nest, const struct nlattr **tb, size_t max)
{
	if (nest)
		zcq_attr_index(nla_data(nest), (size_t)nla_len(nest), tb, max);
	else
		memset(tb, 0, sizeof(*tb) * (max + 1));
}

struct zcq_num zcq_attr_num(const struct nlattr *a)
{
	size_t len = a ? (size_t)nla_len(a) : 0;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	if (len >= sizeof(v64)) {
		memcpy(&v64, nla_data(a), sizeof(v64));
		return zcq_num(v64);
	}
	if (len >= sizeof(v32)) {
		memcpy(&v32, nla_data(a), sizeof(v32));
		return zcq_num(v32);
	}
	if (len >= sizeof(v16)) {
		memcpy(&v16, nla_data(a), sizeof(v16));
		return zcq_num(v16);
	}
	if (len == 1)
		return zcq_num(*(const uint8_t *)nla_data(a));
	return (struct zcq_num){ 0 };
}

bool zcq_attr_str(const struct nlattr *a, char *buf, size_t size)
{
	size_t len;

	buf[0] = '\0';
	if (!a)
		return false;
	len = strnlen(nla_data(a), (size_t)nla_len(a));
	if (len >= size)
		len = size - 1;
	memcpy(buf, nla_data(a), len);
	buf[len] = '\0';
	return true;
}

bool zcq_attr_str_is(const struct nlattr *a, const char *text)
{
	size_t want = strlen(text);

	return a && strnlen(nla_data(a), (size_t)nla_len(a)) == want &&
	       !memcmp(nla_data(a), text, want);
}
