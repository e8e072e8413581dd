// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables and event lines as text; see out_text.h. A table is held until it is
 * printed, since a column is as wide as its widest cell.
 */
#include "lib/out_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BOLD	"\033[1m"
#define DIM	"\033[2m"
#define RED	"\033[31m"
#define YELLOW	"\033[33m"
#define PLAIN	"\033[0m"

#define TYPE_WIDTH	12	/* of an event's name in a line */
#define WRAP_INDENT	16	/* of an event's further lines */

int zcq_table_init(struct zcq_table *t, const struct zcq_out_col *cols)
{
	*t = (struct zcq_table) { .cols = cols };
	while (cols && cols[t->n_cols].key)
		t->n_cols++;
	return 0;
}

int zcq_table_row(struct zcq_table *t)
{
	char **cells = reallocarray(t->cells, (t->n_rows + 1) * t->n_cols, sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	t->cells = cells;
	memset(cells + t->n_rows * t->n_cols, 0, t->n_cols * sizeof(*cells));
	t->n_rows++;
	return 0;
}

/* Columns a UTF-8 text takes, for text without wide characters. */
static size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

int zcq_table_cell(struct zcq_table *t, const char *key, const char *text)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		char **cell = &t->cells[(t->n_rows - 1) * t->n_cols + c];
		size_t max = t->cols[c].max;

		if (strcmp(t->cols[c].key, key))
			continue;
		free(*cell);
		*cell = strdup(text);
		if (!*cell)
			return -ENOMEM;
		if (max && strlen(text) > max) {
			(*cell)[max - 1] = '+';
			(*cell)[max] = '\0';
		}
		return 0;
	}
	return 0;
}

static size_t col_width(const struct zcq_table *t, size_t c)
{
	size_t width = text_width(t->cols[c].title);

	for (size_t r = 0; r < t->n_rows; r++) {
		const char *cell = t->cells[r * t->n_cols + c];
		size_t w = cell ? text_width(cell) : 1;

		if (w > width)
			width = w;
	}
	return width;
}

/* Pads by the text's columns, which printf() would count in bytes; the last column isn't padded. */
static void print_cell(FILE *f, const char *text, size_t width, bool left, bool last)
{
	int pad = (int)(width - text_width(text));

	if (left)
		fprintf(f, "%s%*s", text, last ? 0 : pad, "");
	else
		fprintf(f, "%*s%s", pad, "", text);
}

void zcq_table_print(struct zcq_table *t, FILE *f, bool colour)
{
	size_t *width = calloc(t->n_cols ? t->n_cols : 1, sizeof(*width));

	if (!width || !t->n_rows)
		goto out;
	for (size_t c = 0; c < t->n_cols; c++)
		width[c] = col_width(t, c);

	for (size_t r = 0; r <= t->n_rows; r++) {
		fputs(!r && colour ? BOLD : "", f);
		for (size_t c = 0; c < t->n_cols; c++) {
			const char *cell = r ? t->cells[(r - 1) * t->n_cols + c] : t->cols[c].title;

			fputs(c ? " " : "", f);
			print_cell(f, cell ? cell : ZCQ_OUT_NOTHING, width[c], t->cols[c].left,
				   c + 1 == t->n_cols);
		}
		fputs(!r && colour ? PLAIN "\n" : "\n", f);
	}
out:
	for (size_t i = 0; i < t->n_rows * t->n_cols; i++)
		free(t->cells[i]);
	t->n_rows = 0;
	free(width);
}

void zcq_table_free(struct zcq_table *t)
{
	for (size_t i = 0; i < t->n_rows * t->n_cols; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct zcq_table) { 0 };
}

/*
 * Fields are kept one after the other, each closed by '\n': printing may break lines there. Quoted is
 * what would be read as something else, as is a name of "-".
 */
void zcq_line_field(struct zcq_line *l, const char *key, const char *text)
{
	bool quote = text && (!*text || !strcmp(text, ZCQ_OUT_NOTHING) || strpbrk(text, " \"=\\"));

	if (!quote) {
		zcq_strbuf_printf(&l->fields, "%s=%s\n", key, text ? text : ZCQ_OUT_NOTHING);
		return;
	}
	zcq_strbuf_printf(&l->fields, "%s=\"", key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			zcq_strbuf_puts(&l->fields, "\\");
		zcq_strbuf_add(&l->fields, text, 1);
	}
	zcq_strbuf_puts(&l->fields, "\"\n");
}

void zcq_line_print(struct zcq_line *l, const char *type, FILE *f, bool colour, int width)
{
	static const char *const colours[] = {
		[ZCQ_OUT_NOTE] = BOLD, [ZCQ_OUT_WARN] = YELLOW, [ZCQ_OUT_BAD] = RED,
	};
	const char *field, *end;
	int col = 0;

	if (l->time.len) {
		fprintf(f, "%s%s%s ", colour ? DIM : "", l->time.s, colour ? PLAIN : "");
		col += (int)l->time.len + 1;
	}
	fprintf(f, "%s%-*s%s", colour ? colours[l->severity] : "", TYPE_WIDTH, type,
		colour ? PLAIN : "");
	col += strlen(type) > TYPE_WIDTH ? (int)strlen(type) : TYPE_WIDTH;
	if (l->tags.len) {
		fprintf(f, " %s", l->tags.s);
		col += (int)l->tags.len + 1;
	}
	for (field = zcq_strbuf_str(&l->fields); *field; field = end + 1) {
		int len;

		end = strchr(field, '\n');
		len = (int)(end - field);
		if (width && col + 1 + len > width && col > WRAP_INDENT) {
			fprintf(f, "\n%*s", WRAP_INDENT - 1, "");
			col = WRAP_INDENT - 1;
		}
		fprintf(f, " %.*s", len, field);
		col += len + 1;
	}
	fputc('\n', f);

	zcq_strbuf_reset(&l->time);
	zcq_strbuf_reset(&l->tags);
	zcq_strbuf_reset(&l->fields);
	l->severity = ZCQ_OUT_NOTE;
}

void zcq_line_free(struct zcq_line *l)
{
	zcq_strbuf_free(&l->time);
	zcq_strbuf_free(&l->tags);
	zcq_strbuf_free(&l->fields);
}
