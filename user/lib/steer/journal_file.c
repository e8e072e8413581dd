// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a journal; see journal.h. A line is one write(), and on disk before the caller
 * goes on. The name is made of the key's parts that outlive a rename of the netdev; the
 * lock is the file itself.
 */
#include "lib/steer/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/steer/json.h"

/* Far beyond any table of rules: keeps a wrong file from being read into memory. */
#define MAX_BYTES	(256U << 20)

struct zcq_journal_file {
	int dir, fd;
	char name[64];
};

/* --- lines ---------------------------------------------------------------------------------------- */

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Frees obj. A line that could not be written whole is cut off again. */
static int write_line(struct zcq_journal_file *f, struct json_object *obj)
{
	off_t before = lseek(f->fd, 0, SEEK_END);
	const char *text;
	char *line = NULL;
	int len, err;

	if (!obj || before < 0) {
		json_object_put(obj);
		return before < 0 ? -errno : -ENOMEM;
	}
	text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN);
	len = text ? asprintf(&line, "%s\n", text) : -1;
	json_object_put(obj);
	if (len < 0)
		return -ENOMEM;
	err = write_all(f->fd, line, (size_t)len);
	if (!err && fsync(f->fd))
		err = -errno;
	if (err && ftruncate(f->fd, before))
		err = -errno;
	free(line);
	return err;
}

/* {"word":value}; frees value. */
static struct json_object *wrap(const char *word, struct json_object *value)
{
	struct json_object *obj = value ? json_object_new_object() : NULL;

	if (obj && !json_object_object_add(obj, word, value))
		return obj;
	json_object_put(value);
	json_object_put(obj);
	return NULL;
}

int zcq_journal_intent(struct zcq_journal_file *f, const struct zcq_step *step)
{
	return write_line(f, wrap("intent", zcq_step_to_json(step)));
}

int zcq_journal_done(struct zcq_journal_file *f, const struct zcq_step *step)
{
	return write_line(f, wrap("done", zcq_step_to_json(step)));
}

int zcq_journal_failed(struct zcq_journal_file *f, uint32_t seq, int err)
{
	struct json_object *obj = json_object_new_object();

	if (obj && !zcq_json_put_u64(obj, "seq", seq) && !zcq_json_put_u64(obj, "errno", (uint64_t)-err))
		return write_line(f, wrap("failed", obj));
	json_object_put(obj);
	return -ENOMEM;
}

int zcq_journal_undone(struct zcq_journal_file *f, uint32_t seq)
{
	struct json_object *obj = json_object_new_object();

	if (obj && !zcq_json_put_u64(obj, "seq", seq))
		return write_line(f, wrap("undone", obj));
	json_object_put(obj);
	return -ENOMEM;
}

static int write_key(struct zcq_journal_file *f, const struct zcq_journal_key *k)
{
	struct json_object *obj = json_object_new_object();
	int err = obj ? 0 : -ENOMEM;

	if (!err)
		err = zcq_json_put_u64(obj, "zcq_journal", ZCQ_JOURNAL_VERSION);
	if (!err)
		err = zcq_json_put_str(obj, "boot", k->boot);
	if (!err)
		err = zcq_json_put_u64(obj, "netns", k->netns);
	if (!err)
		err = zcq_json_put_str(obj, "netdev", k->netdev);
	if (!err)
		err = zcq_json_put_u64(obj, "ifindex", k->ifindex);
	if (!err)
		err = zcq_json_put_str(obj, "bus_addr", k->bus_addr);
	if (!err)
		return write_line(f, obj);
	json_object_put(obj);
	return err;
}

/* --- the file -------------------------------------------------------------------------------------- */

static int open_folder(const char *folder)
{
	struct stat st;
	int fd;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return -errno;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Who can write there could make us undo what they like. */
	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

/* A file that was removed between opening and locking is not the journal any more. */
static int open_locked(struct zcq_journal_file *f)
{
	struct stat ours, named;

	for (;;) {
		f->fd = openat(f->dir, f->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (f->fd < 0)
			return -errno;
		if (flock(f->fd, LOCK_EX | LOCK_NB) || fstat(f->fd, &ours))
			return -errno;
		if (!fstatat(f->dir, f->name, &named, AT_SYMLINK_NOFOLLOW) && named.st_ino == ours.st_ino)
			return 0;
		close(f->fd);
	}
}

static int read_all(int fd, char **text, size_t *len)
{
	struct stat st;
	ssize_t n = 0;

	*len = 0;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > MAX_BYTES)
		return -EFBIG;
	*text = malloc((size_t)st.st_size + 1);
	if (!*text)
		return -ENOMEM;
	while (*len < (size_t)st.st_size) {
		n = pread(fd, *text + *len, (size_t)st.st_size - *len, (off_t)*len);
		if (n <= 0)
			break;
		*len += (size_t)n;
	}
	return n < 0 ? -errno : 0;
}

/* What stands in the file; a torn last line is cut off. */
static int take_over(struct zcq_journal_file *f, const struct zcq_journal_key *key,
		     struct zcq_journal *journal, struct zcq_journal_error *error)
{
	char *text = NULL, *end;
	size_t len;
	int err = read_all(f->fd, &text, &len);

	if (!err)
		err = zcq_journal_parse(text, len, journal, error);
	if (err == -ENODATA) {
		*journal = (struct zcq_journal){ .key = *key };
		journal->entries.size = sizeof(struct zcq_journal_entry);
		err = ftruncate(f->fd, 0) ? -errno : write_key(f, key);
		if (!err && fsync(f->dir))
			err = -errno;
	} else if (!err && journal->torn) {
		end = memrchr(text, '\n', len);
		if (ftruncate(f->fd, end + 1 - text) || fsync(f->fd))
			err = -errno;
		if (err)
			zcq_journal_free(journal);
	}
	free(text);
	return err;
}

struct zcq_journal_file *zcq_journal_open(const char *folder, const struct zcq_journal_key *key,
					  struct zcq_journal *journal, struct zcq_journal_error *error)
{
	struct zcq_journal_file *f = calloc(1, sizeof(*f));
	int err = -ENOMEM;

	*error = (struct zcq_journal_error){ 0 };
	if (!f)
		goto fail;
	f->fd = -1;
	snprintf(f->name, sizeof(f->name), "%" PRIu64 "-%u.journal", key->netns, key->ifindex);
	f->dir = open_folder(folder);
	err = f->dir < 0 ? f->dir : open_locked(f);
	if (!err)
		err = take_over(f, key, journal, error);
	if (!err)
		return f;
fail:
	zcq_journal_close(f);
	errno = -err;
	return NULL;
}

int zcq_journal_remove(struct zcq_journal_file *f)
{
	if (unlinkat(f->dir, f->name, 0) || fsync(f->dir))
		return -errno;
	return 0;
}

void zcq_journal_close(struct zcq_journal_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f);
}
