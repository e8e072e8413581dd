// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A growing string; see strbuf.h.
 */
#include "lib/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for len more bytes and the NUL. */
static int grow(struct zcq_strbuf *sb, size_t len)
{
	size_t size = sb->size ? sb->size : 128;
	char *s;

	while (size < sb->len + len + 1)
		size *= 2;
	if (size == sb->size)
		return 0;
	s = realloc(sb->s, size);
	if (!s) {
		sb->err = -ENOMEM;
		return sb->err;
	}
	sb->s = s;
	sb->size = size;
	return 0;
}

void zcq_strbuf_add(struct zcq_strbuf *sb, const char *text, size_t len)
{
	if (grow(sb, len))
		return;
	memcpy(sb->s + sb->len, text, len);
	sb->len += len;
	sb->s[sb->len] = '\0';
}

void zcq_strbuf_puts(struct zcq_strbuf *sb, const char *text)
{
	zcq_strbuf_add(sb, text, strlen(text));
}

void zcq_strbuf_printf(struct zcq_strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || grow(sb, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	sb->len += (size_t)n;
}

void zcq_strbuf_reset(struct zcq_strbuf *sb)
{
	sb->len = 0;
	sb->err = 0;
	if (sb->s)
		sb->s[0] = '\0';
}

void zcq_strbuf_free(struct zcq_strbuf *sb)
{
	free(sb->s);
	*sb = (struct zcq_strbuf) { 0 };
}

const char *zcq_strbuf_str(const struct zcq_strbuf *sb)
{
	return sb->s ? sb->s : "";
}
