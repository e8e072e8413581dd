// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a journal; see journal.h. A pure function of its text.
 */
#include "lib/steer/journal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/steer/json.h"

struct reader {
	struct zcq_journal *j;
	struct zcq_journal_error *error;
};

static int damaged(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int damaged(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->error->text, sizeof(r->error->text), fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

static int read_key(struct reader *r, struct json_object *obj)
{
	struct zcq_journal_key *k = &r->j->key;
	uint64_t version;

	if (zcq_json_get_u64(obj, "zcq_journal", UINT32_MAX, &version))
		return damaged(r, "not the first line of a journal");
	if (version != ZCQ_JOURNAL_VERSION) {
		damaged(r, "written by another zcq: version %llu, this one reads %u",
			(unsigned long long)version, ZCQ_JOURNAL_VERSION);
		return -EPROTONOSUPPORT;
	}
	if (zcq_json_get_str(obj, "boot", k->boot, sizeof(k->boot)) ||
	    zcq_json_get_u64(obj, "netns", UINT64_MAX, &k->netns) ||
	    zcq_json_get_str(obj, "netdev", k->netdev, sizeof(k->netdev)) ||
	    zcq_json_get_u32(obj, "ifindex", &k->ifindex) ||
	    zcq_json_get_str(obj, "bus_addr", k->bus_addr, sizeof(k->bus_addr)))
		return damaged(r, "the journal does not say whose it is");
	return 0;
}

/* --- what a line says ----------------------------------------------------------------------------- */

static struct zcq_journal_entry *entry_of(struct reader *r, uint32_t seq)
{
	struct zcq_journal_entry *e = r->j->entries.v;

	return seq && seq <= r->j->entries.n ? &e[seq - 1] : NULL;
}

static int read_intent(struct reader *r, struct json_object *obj)
{
	struct zcq_journal_entry *e;
	struct zcq_step step;
	int err = zcq_step_from_json(&step, obj);

	if (err == -ENOMEM)
		return err;
	if (err)
		return damaged(r, "not a step that this zcq knows");
	e = step.seq == r->j->entries.n + 1 ? zcq_array_push(&r->j->entries) : NULL;
	if (!e) {
		err = step.seq == r->j->entries.n + 1 ? -ENOMEM :
		      damaged(r, "step %u comes after step %zu", step.seq, r->j->entries.n);
		zcq_step_drop(&step);
		return err;
	}
	e->step = step;
	e->state = ZCQ_JOURNAL_INTENT;
	return 0;
}

static int read_done(struct reader *r, struct json_object *obj)
{
	struct zcq_journal_entry *e;
	struct zcq_step step;
	int err = zcq_step_from_json(&step, obj);

	if (err == -ENOMEM)
		return err;
	if (err)
		return damaged(r, "not a step that this zcq knows");
	e = entry_of(r, step.seq);
	if (!e || e->state != ZCQ_JOURNAL_INTENT || e->step.kind != step.kind) {
		zcq_step_drop(&step);
		return damaged(r, "step %u is done without having been begun", step.seq);
	}
	zcq_step_drop(&e->step);
	e->step = step;
	e->state = ZCQ_JOURNAL_DONE;
	return 0;
}

static int read_failed(struct reader *r, struct json_object *obj)
{
	struct zcq_journal_entry *e;
	uint32_t seq, err;

	if (zcq_json_get_u32(obj, "seq", &seq) || zcq_json_get_u32(obj, "errno", &err))
		return damaged(r, "a failure without number or errno");
	e = entry_of(r, seq);
	if (!e || e->state != ZCQ_JOURNAL_INTENT)
		return damaged(r, "step %u failed without having been begun", seq);
	e->state = ZCQ_JOURNAL_FAILED;
	return 0;
}

static int read_undone(struct reader *r, struct json_object *obj)
{
	struct zcq_journal_entry *e;
	uint32_t seq;

	if (zcq_json_get_u32(obj, "seq", &seq))
		return damaged(r, "an undoing without number");
	e = entry_of(r, seq);
	if (!e || e->state == ZCQ_JOURNAL_UNDONE || e->state == ZCQ_JOURNAL_FAILED)
		return damaged(r, "step %u is undone without having been done", seq);
	e->state = ZCQ_JOURNAL_UNDONE;
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct reader *r, struct json_object *obj);
} words[] = {
	{ "intent", read_intent }, { "done", read_done }, { "failed", read_failed },
	{ "undone", read_undone },
};

static int read_entry(struct reader *r, struct json_object *obj)
{
	struct json_object *value;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (json_object_object_get_ex(obj, words[i].word, &value) &&
		    json_object_is_type(value, json_type_object))
			return words[i].read(r, value);
	return damaged(r, "none of intent, done, failed, undone");
}

static int read_line(struct reader *r, const char *line, size_t len)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *obj;
	int err;

	if (!tok)
		return -ENOMEM;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	obj = json_tokener_parse_ex(tok, line, (int)len);
	if (!obj || json_tokener_get_parse_end(tok) != len || !json_object_is_type(obj, json_type_object))
		err = damaged(r, "not a JSON object");
	else
		err = r->error->line == 1 ? read_key(r, obj) : read_entry(r, obj);
	json_object_put(obj);
	json_tokener_free(tok);
	return err;
}

static void drop_entry(void *entry)
{
	zcq_step_drop(&((struct zcq_journal_entry *)entry)->step);
}

void zcq_journal_free(struct zcq_journal *journal)
{
	zcq_array_clear(&journal->entries, drop_entry);
}

int zcq_journal_parse(const char *text, size_t len, struct zcq_journal *journal,
		      struct zcq_journal_error *error)
{
	struct reader r = { .j = journal, .error = error };
	const char *end;
	int err = 0;

	*journal = (struct zcq_journal){ .entries.size = sizeof(struct zcq_journal_entry) };
	*error = (struct zcq_journal_error){ 0 };
	for (; len && !err; text = end + 1) {
		end = memchr(text, '\n', len);
		if (!end) {
			journal->torn = true;
			break;
		}
		error->line++;
		err = read_line(&r, text, (size_t)(end - text));
		len -= (size_t)(end + 1 - text);
	}
	if (!err && !error->line)
		err = -ENODATA;
	if (err)
		zcq_journal_free(journal);
	return err;
}
