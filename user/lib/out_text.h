/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two text back ends of out.h: rows of a table, and lines of events. Called by out.c only.
 */
#ifndef ZCQ_OUT_TEXT_H
#define ZCQ_OUT_TEXT_H

#include "lib/out.h"
#include "lib/strbuf.h"

#define ZCQ_OUT_NOTHING	"-"	/* of what was not measured or does not apply */

struct zcq_table {
	const struct zcq_out_col *cols;
	size_t n_cols;
	char **cells;		/* n_rows * n_cols; NULL: this record has no such value */
	size_t n_rows;
};

int zcq_table_init(struct zcq_table *t, const struct zcq_out_col *cols);
int zcq_table_row(struct zcq_table *t);
int zcq_table_cell(struct zcq_table *t, const char *key, const char *text);
/* Prints title and rows, then forgets the rows. */
void zcq_table_print(struct zcq_table *t, FILE *f, bool colour);
void zcq_table_free(struct zcq_table *t);

struct zcq_line {
	struct zcq_strbuf time, tags, fields;
	enum zcq_out_severity severity;
};

/* text NULL: no value. */
void zcq_line_field(struct zcq_line *l, const char *key, const char *text);
/* One event; longer than width columns (0: no limit) it goes on in indented lines. */
void zcq_line_print(struct zcq_line *l, const char *type, FILE *f, bool colour, int width);
void zcq_line_free(struct zcq_line *l);

#endif
