// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * docs/events.md from the table, so that it can't say anything else. A test compares the
 * file with this; the same test writes it (see docs/testing.md).
 */
#include "lib/event/table.h"

static const struct zcq_event_field common[] = {
	{ "type", "text", "the event's name" },
	{ "time", "s", "when, as seconds since 1970 (text output: local time of day)" },
	{ NULL, NULL, NULL },
};

static void doc_fields(FILE *f, const struct zcq_event_field *fields)
{
	fputs("| field | unit | meaning |\n|---|---|---|\n", f);
	for (; fields->key; fields++)
		fprintf(f, "| `%s` | %s | %s |\n", fields->key, fields->unit, fields->meaning);
	fputs("\n", f);
}

static void doc_event(FILE *f, const struct zcq_event_desc *d)
{
	fprintf(f, "## `%s`\n\n%c%s.", d->name, d->summary[0] - 'a' + 'A', d->summary + 1);
	if (d->notes)
		fprintf(f, " %s", d->notes);
	if (d->interval)
		fputs(" Made at each `--interval` from counters, for queues where something changed.",
		      f);
	if (d->optional)
		fputs(" Only when named by `--event`, or with `--heavy`: its probe fires for "
		      "each packet or buffer.", f);
	fputs("\n\n", f);
	doc_fields(f, d->fields);
}

void zcq_event_doc(FILE *f)
{
	const struct zcq_event_desc *d;

	fputs("<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
	      "<!-- Generated from user/lib/event/table.c; do not edit. -->\n"
	      "# Events of `zcq trace`\n\n"
	      "One event is one line of text or one JSON object (`--json`). Both come from the same "
	      "walk, so a field that the text leaves out is `null` in JSON: it was not measured, or does not "
	      "apply. Every event has:\n\n", f);
	doc_fields(f, common);
	fputs("Bad news also carry `severity` (`warning` or `bad`; colour in text). The last record is "
	      "`summary`: events shown, held back by filters or sampling, and lost, by subject.\n\n"
	      "Instances, rings and buffers are numbered as this zcq meets them. Once an instance has "
	      "ended (`unregistered`, `unbound`, `dmabuf-unbound`), the next one has a new number, also "
	      "where the kernel puts it at the same address; if `--event` or a filter leaves these events "
	      "out, one number may stand for several instances in turn. The end of a ring is not seen: a "
	      "ring is taken for another one once its last instance has ended or, without an instance, "
	      "when another process comes with it.\n\n",
	      f);
	for (size_t i = 0; (d = zcq_event_nth(i)); i++)
		doc_event(f, d);
}
