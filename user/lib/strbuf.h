/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string. After a failed allocation it stays as it was and err holds -ENOMEM
 * until the next reset: check once at the end. Used by out.c and whoever builds text.
 */
#ifndef ZCQ_STRBUF_H
#define ZCQ_STRBUF_H

#include <stddef.h>

struct zcq_strbuf {
	char *s;		/* NUL-terminated once anything was added; else NULL */
	size_t len, size;
	int err;
};

void zcq_strbuf_add(struct zcq_strbuf *sb, const char *text, size_t len);
void zcq_strbuf_puts(struct zcq_strbuf *sb, const char *text);
void zcq_strbuf_printf(struct zcq_strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void zcq_strbuf_reset(struct zcq_strbuf *sb);
void zcq_strbuf_free(struct zcq_strbuf *sb);

/* The text, never NULL. */
const char *zcq_strbuf_str(const struct zcq_strbuf *sb);

#endif
