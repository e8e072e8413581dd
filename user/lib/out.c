// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk of a record into JSON, a table or a line; see out.h. JSON is written as
 * it comes; for text a field is complete when its outermost container closes.
 */
#include "lib/out.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/opt.h"
#include "lib/out_text.h"
#include "lib/strbuf.h"
#include "version.h"

#define MAX_DEPTH	8

struct zcq_out {
	FILE *f;
	enum zcq_out_style style;	/* ZCQ_OUT_TERSE is kept as ZCQ_OUT_LINE and terse */
	bool terse;
	bool colour;
	int width;			/* zcq_out_width() */
	int err;			/* first failure, -errno */

	int depth;			/* 0: not in a record */
	bool in_array[MAX_DEPTH];
	bool empty[MAX_DEPTH];		/* nothing written in this container yet */

	struct zcq_strbuf json;		/* the record so far */
	char type[32];
	struct zcq_strbuf nested;	/* text of the field whose container is open */
	char nested_key[48];
	struct zcq_table table;
	struct zcq_line line;
};

int zcq_out_width(FILE *f)
{
	const char *text = getenv("COLUMNS");
	struct winsize ws;
	uint64_t n = 0;

	if (fileno(f) < 0)
		return 0;
	if (isatty(fileno(f)) && !ioctl(fileno(f), TIOCGWINSZ, &ws) && ws.ws_col)
		n = ws.ws_col;
	else if (text && zcq_parse_u64(text, &n))
		n = 0;
	return n >= 40 && n <= 10000 ? (int)n : 0;
}

struct zcq_out *zcq_out_new(FILE *f, enum zcq_out_style style, const struct zcq_out_col *cols,
			    bool colour)
{
	struct zcq_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->f = f;
	out->terse = style == ZCQ_OUT_TERSE;
	out->style = out->terse ? ZCQ_OUT_LINE : style;
	out->colour = colour;
	out->width = zcq_out_width(f);
	zcq_table_init(&out->table, cols);
	return out;
}

bool zcq_out_colour_ok(FILE *f)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb");
}

enum zcq_out_style zcq_out_style(const struct zcq_out *out)
{
	return out->style;
}

static void note_err(struct zcq_out *out, int err)
{
	if (err && !out->err)
		out->err = err;
}

int zcq_out_flush(struct zcq_out *out)
{
	if (out->style == ZCQ_OUT_TABLE)
		zcq_table_print(&out->table, out->f, out->colour);
	if (fflush(out->f))
		note_err(out, -errno);
	if (ferror(out->f))
		note_err(out, -EIO);
	return out->err;
}

void zcq_out_free(struct zcq_out *out)
{
	if (!out)
		return;
	zcq_strbuf_free(&out->json);
	zcq_strbuf_free(&out->nested);
	zcq_table_free(&out->table);
	zcq_line_free(&out->line);
	free(out);
}

void zcq_out_header(struct zcq_out *out, const char *cmd)
{
	if (out->style != ZCQ_OUT_JSON)
		return;
	zcq_out_begin(out, "header");
	zcq_out_u64(out, "schema", ZCQ_SCHEMA);
	zcq_out_str(out, "command", cmd);
	zcq_out_str(out, "version", ZCQ_VERSION);
	zcq_out_end(out);
}

/*
 * Length of the valid UTF-8 sequence at s, 0 if there is none. Overlong forms and surrogates don't
 * count as valid: a JSON reader would refuse the whole line.
 */
static size_t utf8_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		   (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void json_string(struct zcq_strbuf *sb, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	zcq_strbuf_puts(sb, "\"");
	while (*s) {
		size_t n = utf8_len(s);

		if (!n) {
			zcq_strbuf_puts(sb, "\\ufffd");
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			zcq_strbuf_printf(sb, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			zcq_strbuf_printf(sb, "\\u%04x", *s);
		} else {
			zcq_strbuf_add(sb, (const char *)s, n);
		}
		s += n;
	}
	zcq_strbuf_puts(sb, "\"");
}

/* A process may call itself anything; nothing of it may reach the terminal but text. */
static void text_string(struct zcq_strbuf *sb, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t n = utf8_len(s);
		bool c1 = n == 2 && s[0] == 0xc2 && s[1] < 0xa0;

		if (!n || *s < 0x20 || *s == 0x7f || c1)
			zcq_strbuf_puts(sb, "?");
		else
			zcq_strbuf_add(sb, (const char *)s, n);
		s += n ? n : 1;
	}
}

static void json_lead(struct zcq_out *out, const char *key)
{
	int d = out->depth - 1;

	if (!out->empty[d])
		zcq_strbuf_puts(&out->json, ",");
	out->empty[d] = false;
	if (key && !out->in_array[d]) {
		json_string(&out->json, key);
		zcq_strbuf_puts(&out->json, ":");
	}
}

/* A field of the record itself is complete, as text; NULL: it has no value. */
static void text_field(struct zcq_out *out, const char *key, const char *text)
{
	if (out->style == ZCQ_OUT_TABLE)
		note_err(out, text ? zcq_table_cell(&out->table, key, text) : 0);
	else if (text || !out->terse)
		zcq_line_field(&out->line, key, text);
}

/* One value, in both languages; text NULL: none. */
static void emit(struct zcq_out *out, const char *key, const char *json, const char *text)
{
	int d = out->depth - 1;

	assert(d >= 0);
	if (out->style == ZCQ_OUT_JSON) {
		json_lead(out, key);
		zcq_strbuf_puts(&out->json, json);
	} else if (!d) {
		text_field(out, key, text);
	} else {
		if (!out->empty[d])
			zcq_strbuf_puts(&out->nested, out->in_array[d] ? "," : "/");
		out->empty[d] = false;
		zcq_strbuf_puts(&out->nested, text ? text : ZCQ_OUT_NOTHING);
	}
}

void zcq_out_begin(struct zcq_out *out, const char *type)
{
	assert(!out->depth);
	out->depth = 1;
	out->in_array[0] = false;
	out->empty[0] = true;
	snprintf(out->type, sizeof(out->type), "%s", type);
	if (out->style == ZCQ_OUT_JSON) {
		zcq_strbuf_reset(&out->json);
		zcq_strbuf_puts(&out->json, "{");
		zcq_out_str(out, "type", type);
	} else if (out->style == ZCQ_OUT_TABLE) {
		note_err(out, zcq_table_row(&out->table));
	}
}

void zcq_out_end(struct zcq_out *out)
{
	assert(out->depth == 1);
	out->depth = 0;
	if (out->style == ZCQ_OUT_JSON) {
		zcq_strbuf_puts(&out->json, "}\n");
		note_err(out, out->json.err);
		fputs(zcq_strbuf_str(&out->json), out->f);
	} else if (out->style == ZCQ_OUT_LINE) {
		zcq_line_print(&out->line, out->type, out->f, out->colour, out->width);
	}
}

static void container_begin(struct zcq_out *out, const char *key, bool array)
{
	int d = out->depth - 1;

	assert(d >= 0 && out->depth < MAX_DEPTH);
	if (out->style == ZCQ_OUT_JSON) {
		json_lead(out, key);
		zcq_strbuf_puts(&out->json, array ? "[" : "{");
	} else if (!d) {
		zcq_strbuf_reset(&out->nested);
		snprintf(out->nested_key, sizeof(out->nested_key), "%s", key);
	} else {
		if (!out->empty[d])
			zcq_strbuf_puts(&out->nested, out->in_array[d] ? "," : "/");
		out->empty[d] = false;
	}
	out->in_array[out->depth] = array;
	out->empty[out->depth] = true;
	out->depth++;
}

static void container_end(struct zcq_out *out, bool array)
{
	assert(out->depth > 1 && out->in_array[out->depth - 1] == array);
	out->depth--;
	if (out->style == ZCQ_OUT_JSON) {
		zcq_strbuf_puts(&out->json, array ? "]" : "}");
	} else if (out->depth == 1) {
		note_err(out, out->nested.err);
		text_field(out, out->nested_key, out->nested.len ? out->nested.s : NULL);
	}
}

void zcq_out_obj_begin(struct zcq_out *out, const char *key)
{
	container_begin(out, key, false);
}

void zcq_out_obj_end(struct zcq_out *out)
{
	container_end(out, false);
}

void zcq_out_arr_begin(struct zcq_out *out, const char *key)
{
	container_begin(out, key, true);
}

void zcq_out_arr_end(struct zcq_out *out)
{
	container_end(out, true);
}

void zcq_out_u64(struct zcq_out *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	emit(out, key, text, text);
}

void zcq_out_i64(struct zcq_out *out, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	emit(out, key, text, text);
}

void zcq_out_f64(struct zcq_out *out, const char *key, double value, int decimals)
{
	char text[64];

	if (!isfinite(value)) {
		zcq_out_null(out, key);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	emit(out, key, text, text);
}

void zcq_out_bool(struct zcq_out *out, const char *key, bool value)
{
	emit(out, key, value ? "true" : "false", value ? "yes" : "no");
}

void zcq_out_str(struct zcq_out *out, const char *key, const char *value)
{
	struct zcq_strbuf sb = { 0 };

	if (!value) {
		zcq_out_null(out, key);
		return;
	}
	if (out->style == ZCQ_OUT_JSON)
		json_string(&sb, value);
	else
		text_string(&sb, value);
	note_err(out, sb.err);
	emit(out, key, zcq_strbuf_str(&sb), zcq_strbuf_str(&sb));
	zcq_strbuf_free(&sb);
}

void zcq_out_null(struct zcq_out *out, const char *key)
{
	emit(out, key, "null", NULL);
}

/* Up to three digits and a unit: 0, 4095, 4.0K, 15K, 1.5M. Whole multiples lose their ".0". */
static void human(char *text, size_t size, uint64_t value, unsigned int step,
		  const char *const *units)
{
	double v = (double)value;
	int u = 0;

	while (v >= step && units[u + 1]) {
		v /= step;
		u++;
	}
	if (!u || v >= 99.95 || v == (double)(uint64_t)v)
		snprintf(text, size, "%.0f%s", v, units[u]);
	else
		snprintf(text, size, "%.1f%s", v, units[u]);
}

void zcq_out_bytes(struct zcq_out *out, const char *key, uint64_t bytes)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", NULL };
	char json[24], text[32];

	snprintf(json, sizeof(json), "%" PRIu64, bytes);
	human(text, sizeof(text), bytes, 1024, units);
	emit(out, key, json, text);
}

void zcq_out_ns(struct zcq_out *out, const char *key, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	char json[24], text[32];

	snprintf(json, sizeof(json), "%" PRIu64, ns);
	human(text, sizeof(text), ns, 1000, units);
	emit(out, key, json, text);
}

void zcq_out_time(struct zcq_out *out, const char *key, uint64_t realtime_ns)
{
	time_t sec = (time_t)(realtime_ns / 1000000000);
	unsigned int ns = (unsigned int)(realtime_ns % 1000000000);
	char json[40], text[40];
	struct tm tm;

	snprintf(json, sizeof(json), "%" PRIu64 ".%09u", realtime_ns / 1000000000, ns);
	localtime_r(&sec, &tm);
	snprintf(text, sizeof(text), "%02d:%02d:%02d.%06u", tm.tm_hour, tm.tm_min, tm.tm_sec,
		 ns / 1000);
	if (out->style == ZCQ_OUT_LINE && out->depth == 1) {
		zcq_strbuf_reset(&out->line.time);
		zcq_strbuf_puts(&out->line.time, text);
		return;
	}
	emit(out, key, json, text);
}

void zcq_out_tag(struct zcq_out *out, const char *key, const char *value)
{
	if (out->style != ZCQ_OUT_LINE || out->depth != 1) {
		zcq_out_str(out, key, value);
		return;
	}
	if (out->line.tags.len)
		zcq_strbuf_puts(&out->line.tags, " ");
	text_string(&out->line.tags, value ? value : ZCQ_OUT_NOTHING);
}

void zcq_out_severity(struct zcq_out *out, enum zcq_out_severity severity)
{
	static const char *const words[] = {
		[ZCQ_OUT_NOTE] = "note", [ZCQ_OUT_WARN] = "warning", [ZCQ_OUT_BAD] = "bad",
	};

	if (out->style == ZCQ_OUT_JSON)
		zcq_out_str(out, "severity", words[severity]);
	else
		out->line.severity = severity;
}
