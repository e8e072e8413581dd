/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was done to a netdev, so that it can be undone by who knows nothing but this file:
 * one JSON object a line, each on disk before the next thing happens. First the key, then
 * for every step its intent, and after the change its result.
 *
 *	{"zcq_journal":1,"boot":"...","netns":4026531840,"netdev":"eth0","ifindex":4,"bus_addr":"..."}
 *	{"intent":{"seq":1,"kind":"rule",...}}
 *	{"done":{"seq":1,"kind":"rule",...}}	with what the kernel chose; or
 *	{"failed":{"seq":1,"errno":28}}
 *	{"undone":{"seq":1}}
 *
 * A last line without its end was being written when the writer died: what it would have
 * said is not known, everything before is. Anything else that can't be read makes the
 * journal damaged: nothing of it is acted on. Called by apply, restore and run.
 */
#ifndef ZCQ_STEER_JOURNAL_H
#define ZCQ_STEER_JOURNAL_H

#include "lib/steer/step.h"

#define ZCQ_JOURNAL_VERSION	1

/* Which netdev, of which boot. */
struct zcq_journal_key {
	char boot[37];			/* /proc/sys/kernel/random/boot_id */
	uint64_t netns;			/* inode */
	char netdev[IF_NAMESIZE];
	uint32_t ifindex;
	char bus_addr[32];		/* "" if it has no parent device */
};

enum zcq_journal_state {
	ZCQ_JOURNAL_INTENT,		/* it may have happened */
	ZCQ_JOURNAL_DONE,
	ZCQ_JOURNAL_FAILED,		/* the kernel refused */
	ZCQ_JOURNAL_UNDONE,
};

struct zcq_journal_entry {
	struct zcq_step step;		/* of a done one with what the kernel chose */
	enum zcq_journal_state state;
};

struct zcq_journal {
	struct zcq_journal_key key;
	struct zcq_array entries;	/* struct zcq_journal_entry, seq is index + 1 */
	bool torn;			/* the last line was cut off */
};

struct zcq_journal_error {
	uint32_t line;			/* from 1 */
	char text[160];
};

/*
 * Reads a journal's text. 0; -EBADMSG: damaged, *error says where; -EPROTONOSUPPORT: of
 * a later version; -ENOMEM. An empty text, or nothing but a torn first line, is -ENODATA:
 * nothing was begun.
 */
int zcq_journal_parse(const char *text, size_t len, struct zcq_journal *journal,
		      struct zcq_journal_error *error);
void zcq_journal_free(struct zcq_journal *journal);

/* --- writing ----------------------------------------------------------------------------------- */

struct zcq_journal_file;

/*
 * Opens, or begins, the journal of a netdev in folder (made root-owned 0700 if it is not
 * there) and locks it. NULL and errno: EWOULDBLOCK: another zcq has it; EBADMSG and
 * others as above with *error. A torn last line is cut off. journal holds what it says.
 */
struct zcq_journal_file *zcq_journal_open(const char *folder, const struct zcq_journal_key *key,
					  struct zcq_journal *journal, struct zcq_journal_error *error);

/* Each is on disk when it returns. 0 or -errno: then the change must not be made. */
int zcq_journal_intent(struct zcq_journal_file *f, const struct zcq_step *step);
int zcq_journal_done(struct zcq_journal_file *f, const struct zcq_step *step);
int zcq_journal_failed(struct zcq_journal_file *f, uint32_t seq, int err);
int zcq_journal_undone(struct zcq_journal_file *f, uint32_t seq);

/* Everything is undone: removes it. 0 or -errno. */
int zcq_journal_remove(struct zcq_journal_file *f);
void zcq_journal_close(struct zcq_journal_file *f);

#endif
