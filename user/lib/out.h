/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data for stdout. One function walks a record by the calls below; JSON, table and
 * line are back ends of the same walk, so they can't differ. Nothing is kept of a
 * record but its text; no tree. Called by user/cmd/ and by what describes an event.
 *
 * JSON: one object a line, {"type":"queue",...}; what was not measured is null.
 * Table: fields whose key is a column, aligned; other fields are left out.
 * Line: "14:03:07.123456 type tag ... key=value ..." for events.
 * Terse: a line without the fields that have no value.
 * In table and line an object's values are joined by '/', an array's by ','; not measured is '-'.
 */
#ifndef ZCQ_OUT_H
#define ZCQ_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum zcq_out_style {
	ZCQ_OUT_JSON,
	ZCQ_OUT_TABLE,
	ZCQ_OUT_LINE,
	ZCQ_OUT_TERSE,
};

/* A column of a table; key NULL ends the list. */
struct zcq_out_col {
	const char *key;
	const char *title;
	bool left;		/* text is set left, numbers right */
	uint8_t max;		/* longest text shown, 0: no limit; a longer one ends in '+' */
};

struct zcq_out;

/*
 * cols is used by ZCQ_OUT_TABLE only. colour: whether escape sequences may be
 * used (the caller knows about tty and NO_COLOR: zcq_out_colour_ok()).
 * NULL and errno on failure.
 */
struct zcq_out *zcq_out_new(FILE *f, enum zcq_out_style style, const struct zcq_out_col *cols, bool colour);
bool zcq_out_colour_ok(FILE *f);

/*
 * The columns that lines for f are broken to: of the terminal, or as $COLUMNS says for a pipe that
 * ends at one. 0: not broken; so is what goes to memory.
 */
int zcq_out_width(FILE *f);

/* Writes out what is left (a table's rows). Returns 0 or the first write error as -errno. */
int zcq_out_flush(struct zcq_out *out);
void zcq_out_free(struct zcq_out *out);
enum zcq_out_style zcq_out_style(const struct zcq_out *out);

/* JSON only: the first line, with schema version, command and zcq's version. */
void zcq_out_header(struct zcq_out *out, const char *cmd);

/* A record: begin, fields, end (written whole at the end). */
void zcq_out_begin(struct zcq_out *out, const char *type);
void zcq_out_end(struct zcq_out *out);

/* Fields. key is NULL inside an array. */
void zcq_out_u64(struct zcq_out *out, const char *key, uint64_t value);
void zcq_out_i64(struct zcq_out *out, const char *key, int64_t value);
void zcq_out_f64(struct zcq_out *out, const char *key, double value, int decimals);
void zcq_out_bool(struct zcq_out *out, const char *key, bool value);
void zcq_out_str(struct zcq_out *out, const char *key, const char *value);	/* NULL: null */
void zcq_out_null(struct zcq_out *out, const char *key);
/* JSON as plain numbers in the named unit; text with K/M/G (1024) or us/ms/s. */
void zcq_out_bytes(struct zcq_out *out, const char *key, uint64_t bytes);
void zcq_out_ns(struct zcq_out *out, const char *key, uint64_t ns);
/* Time of day (CLOCK_REALTIME ns). JSON: seconds with 9 decimals; line: set first, as HH:MM:SS.us. */
void zcq_out_time(struct zcq_out *out, const char *key, uint64_t realtime_ns);
/* As a string, but in text without its key and always in front of the keyed fields: "eth0:1". */
void zcq_out_tag(struct zcq_out *out, const char *key, const char *value);

void zcq_out_obj_begin(struct zcq_out *out, const char *key);
void zcq_out_obj_end(struct zcq_out *out);
void zcq_out_arr_begin(struct zcq_out *out, const char *key);
void zcq_out_arr_end(struct zcq_out *out);

/* Marks the record as bad news (line: red when colour is on; JSON: "severity"). */
enum zcq_out_severity { ZCQ_OUT_NOTE, ZCQ_OUT_WARN, ZCQ_OUT_BAD };
void zcq_out_severity(struct zcq_out *out, enum zcq_out_severity severity);

#endif
