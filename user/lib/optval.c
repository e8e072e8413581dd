// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of options: numbers with units, words of a set, lists; see opt.h. A number is
 * parsed whole and range-checked; the bad text is quoted.
 */
#include "lib/optval.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 }, { "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 },
	{ "k", 1ULL << 10 }, { NULL },
};

static const struct unit duration_units[] = {
	{ "", 1000000000 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
	{ "s", 1000000000 }, { "m", 60000000000ULL }, { "h", 3600000000000ULL }, { NULL },
};

static const struct unit no_units[] = { { "", 1 }, { NULL } };

static int parse_with_units(const char *text, const struct unit *units, uint64_t *value)
{
	char *end;
	uint64_t v;

	/* strtoull() takes signs and spaces; a count has neither. */
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	if (errno)
		return -ERANGE;
	for (; units->suffix; units++) {
		if (strcmp(end, units->suffix))
			continue;
		if (__builtin_mul_overflow(v, units->factor, value))
			return -ERANGE;
		return 0;
	}
	return -EINVAL;
}

int zcq_parse_u64(const char *text, uint64_t *value)
{
	return parse_with_units(text, no_units, value);
}

int zcq_parse_size(const char *text, uint64_t *bytes)
{
	return parse_with_units(text, size_units, bytes);
}

int zcq_parse_duration(const char *text, uint64_t *ns)
{
	return parse_with_units(text, duration_units, ns);
}

int zcq_strv_add(struct zcq_strv *sv, const char *text, size_t len)
{
	char **v = reallocarray(sv->v, sv->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	sv->v = v;
	v[sv->n] = strndup(text, len);
	if (!v[sv->n])
		return -ENOMEM;
	sv->n++;
	return 0;
}

bool zcq_strv_has(const struct zcq_strv *sv, const char *text)
{
	for (size_t i = 0; i < sv->n; i++)
		if (!strcmp(sv->v[i], text))
			return true;
	return false;
}

void zcq_strv_free(struct zcq_strv *sv)
{
	for (size_t i = 0; i < sv->n; i++)
		free(sv->v[i]);
	free(sv->v);
	*sv = (struct zcq_strv) { 0 };
}

static int set_list(const char *cmd, const struct zcq_opt *opt, const char *text)
{
	const char *end;

	for (;; text = end + 1) {
		end = strchrnul(text, ',');
		if (end == text) {
			zcq_err("%s: --%s: an empty name in the list", cmd, opt->name);
			return -EINVAL;
		}
		if (zcq_strv_add(opt->dest, text, (size_t)(end - text)))
			return -EINVAL;
		if (!*end)
			return 0;
	}
}

static int set_choice(const char *cmd, const struct zcq_opt *opt, const char *text)
{
	char words[256] = "";
	size_t len = 0;

	for (int i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], text)) {
			*(int *)opt->dest = i;
			return 0;
		}
		if (len < sizeof(words))
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
						i ? ", " : "", opt->choices[i]);
	}
	zcq_err("%s: --%s \"%s\": not one of %s", cmd, opt->name, text, words);
	return -EINVAL;
}

/* A limit in the largest unit that it is a whole number of: 4K, 8784h. */
static const char *show_limit(uint64_t v, const struct unit *units, char *buf, size_t size)
{
	const struct unit *best = NULL;

	for (; units->suffix; units++)
		if (*units->suffix && v && v % units->factor == 0 && (!best || units->factor > best->factor))
			best = units;
	if (best)
		snprintf(buf, size, "%" PRIu64 "%s", v / best->factor, best->suffix);
	else
		snprintf(buf, size, "%" PRIu64, v);
	return buf;
}

static int set_number(const char *cmd, const struct zcq_opt *opt, const char *text)
{
	static const char *const what[] = {
		[ZCQ_OPT_U32] = "a number", [ZCQ_OPT_U64] = "a number",
		[ZCQ_OPT_FD] = "a file descriptor",
		[ZCQ_OPT_SIZE] = "a size (4096, 64K, 16M, 1G)",
		[ZCQ_OPT_DURATION] = "a duration (5s, 200ms, 10us)",
	};
	const struct unit *units = opt->type == ZCQ_OPT_SIZE ? size_units :
				   opt->type == ZCQ_OPT_DURATION ? duration_units : no_units;
	uint64_t v, max = opt->max;
	int err;

	err = parse_with_units(text, units, &v);
	if (err == -EINVAL) {
		zcq_err("%s: --%s \"%s\": not %s", cmd, opt->name, text, what[opt->type]);
		return err;
	}
	if (!max)
		max = opt->type == ZCQ_OPT_U32 ? UINT32_MAX : opt->type == ZCQ_OPT_FD ? INT_MAX : UINT64_MAX;
	if (err || v < opt->min || v > max) {
		char low[32], high[32];

		zcq_err("%s: --%s \"%s\": out of range, %s to %s", cmd, opt->name, text,
			show_limit(opt->min, units, low, sizeof(low)),
			show_limit(max, units, high, sizeof(high)));
		return -EINVAL;
	}
	/* One that isn't open now would become one of our own. */
	if (opt->type == ZCQ_OPT_FD && fcntl((int)v, F_GETFD) < 0) {
		zcq_err("%s: --%s %s: that file descriptor is not open", cmd, opt->name, text);
		return -EINVAL;
	}
	if (opt->type == ZCQ_OPT_U32 || opt->type == ZCQ_OPT_FD)
		*(uint32_t *)opt->dest = (uint32_t)v;
	else
		*(uint64_t *)opt->dest = v;
	return 0;
}

int zcq_optval_set(const char *cmd, const struct zcq_opt *opt, const char *text)
{
	switch (opt->type) {
	case ZCQ_OPT_FLAG:
		*(bool *)opt->dest = true;
		return 0;
	case ZCQ_OPT_COUNT:
		++*(int *)opt->dest;
		return 0;
	case ZCQ_OPT_STR:
		if (!*text)
			zcq_err("%s: --%s: an empty %s", cmd, opt->name, opt->arg);
		*(const char **)opt->dest = text;
		return *text ? 0 : -EINVAL;
	case ZCQ_OPT_LIST:
		return set_list(cmd, opt, text);
	case ZCQ_OPT_CHOICE:
		return set_choice(cmd, opt, text);
	default:
		return set_number(cmd, opt, text);
	}
}
