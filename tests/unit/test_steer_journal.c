// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal: what is written is read back whatever happens in between, a torn last line
 * costs that line only, and a damaged journal is refused with the place.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/steer/journal.h"

static const struct zcq_journal_key key = {
	.boot = "01234567-89ab-cdef-0123-456789abcdef", .netns = 4026531840ULL, .netdev = "eth0",
	.ifindex = 4, .bus_addr = "0000:01:00.0",
};

#define KEY "{\"zcq_journal\":1,\"boot\":\"b\",\"netns\":1,\"netdev\":\"eth0\",\"ifindex\":4,\"bus_addr\":\"\"}\n"
#define STEP(seq, on) "{\"seq\":" #seq ",\"kind\":\"feature\",\"resets\":true,\"name\":\"rx-gro-hw\",\"was\":false,\"on\":" on "}"
#define INTENT(seq) "{\"intent\":" STEP(seq, "true") "}\n"
#define DONE(seq) "{\"done\":" STEP(seq, "true") "}\n"

static int parse(const char *text, struct zcq_journal *j, struct zcq_journal_error *e)
{
	return zcq_journal_parse(text, strlen(text), j, e);
}

static enum zcq_journal_state state_of(const struct zcq_journal *j, size_t i)
{
	return ((struct zcq_journal_entry *)j->entries.v)[i].state;
}

static void test_states(void **state)
{
	struct zcq_journal_error e;
	struct zcq_journal j;

	(void)state;
	assert_int_equal(parse(KEY INTENT(1) DONE(1) INTENT(2) "{\"failed\":{\"seq\":2,\"errno\":28}}\n"
			       INTENT(3) INTENT(4) DONE(4) "{\"undone\":{\"seq\":4}}\n", &j, &e), 0);
	assert_string_equal(j.key.netdev, "eth0");
	assert_int_equal(j.entries.n, 4);
	assert_int_equal(state_of(&j, 0), ZCQ_JOURNAL_DONE);
	assert_int_equal(state_of(&j, 1), ZCQ_JOURNAL_FAILED);
	assert_int_equal(state_of(&j, 2), ZCQ_JOURNAL_INTENT);
	assert_int_equal(state_of(&j, 3), ZCQ_JOURNAL_UNDONE);
	assert_false(j.torn);
	zcq_journal_free(&j);
}

/* Cut anywhere, a journal says what its whole lines say. */
static void test_cut_anywhere(void **state)
{
	static const char text[] = KEY INTENT(1) DONE(1) INTENT(2) DONE(2);
	struct zcq_journal_error e;
	struct zcq_journal j;

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		size_t lines = 0;
		int err = zcq_journal_parse(text, len, &j, &e);

		for (size_t i = 0; i < len; i++)
			lines += text[i] == '\n';
		assert_int_equal(err, lines ? 0 : -ENODATA);
		if (err)
			continue;
		assert_int_equal(j.entries.n, lines / 2);
		assert_int_equal(j.torn, text[len - 1] != '\n');
		if (lines > 1)
			assert_int_equal(state_of(&j, lines / 2 - 1),
					 lines % 2 ? ZCQ_JOURNAL_DONE : ZCQ_JOURNAL_INTENT);
		zcq_journal_free(&j);
	}
}

static void test_damaged(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint32_t line;
		const char *says;
	} bad[] = {
		{ "\n", -EBADMSG, 1, "not a JSON object" },
		{ INTENT(1), -EBADMSG, 1, "not the first line of a journal" },
		{ "{\"zcq_journal\":2}\n", -EPROTONOSUPPORT, 1, "version 2, this one reads 1" },
		{ "{\"zcq_journal\":1,\"boot\":\"b\"}\n", -EBADMSG, 1, "does not say whose" },
		{ KEY "[]\n", -EBADMSG, 2, "not a JSON object" },
		{ KEY "{} {}\n", -EBADMSG, 2, "not a JSON object" },
		{ KEY "{}\n", -EBADMSG, 2, "none of intent" },
		{ KEY INTENT(2), -EBADMSG, 2, "step 2 comes after step 0" },
		{ KEY INTENT(1) INTENT(1), -EBADMSG, 3, "step 1 comes after step 1" },
		{ KEY DONE(1), -EBADMSG, 2, "step 1 is done without" },
		{ KEY INTENT(1) DONE(1) DONE(1), -EBADMSG, 4, "step 1 is done without" },
		{ KEY "{\"failed\":{\"seq\":1,\"errno\":1}}\n", -EBADMSG, 2, "step 1 failed without" },
		{ KEY "{\"failed\":{\"seq\":1}}\n", -EBADMSG, 2, "without number or errno" },
		{ KEY "{\"undone\":{\"seq\":0}}\n", -EBADMSG, 2, "step 0 is undone without" },
		{ KEY "{\"intent\":" STEP(1, "1") "}\n", -EBADMSG, 2, "not a step" },
	};
	struct zcq_journal_error e;
	struct zcq_journal j;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err = parse(bad[i].text, &j, &e);

		if (err != bad[i].err || e.line != bad[i].line || !strstr(e.text, bad[i].says))
			fail_msg("%s: %d, line %u: %s", bad[i].text, err, e.line, e.text);
	}
}

/* --- files ---------------------------------------------------------------------------------------- */

static struct zcq_step a_step(uint32_t seq)
{
	struct zcq_step s = { .seq = seq, .kind = ZCQ_STEP_FEATURE, .feature = { .on = true } };

	strcpy(s.feature.name, "rx-gro-hw");
	return s;
}

static void test_file(void **state)
{
	char base[] = "/tmp/zcq-journal-XXXXXX", folder[64], path[160];
	struct zcq_journal_file *f, *second;
	struct zcq_step one = a_step(1), two = a_step(2);
	struct zcq_journal_error e;
	struct zcq_journal j;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/steer", base);
	snprintf(path, sizeof(path), "%s/4026531840-4.journal", folder);
	f = zcq_journal_open(folder, &key, &j, &e);
	assert_non_null(f);
	assert_int_equal(j.entries.n, 0);
	assert_int_equal(zcq_journal_intent(f, &one), 0);
	assert_int_equal(zcq_journal_done(f, &one), 0);
	assert_int_equal(zcq_journal_intent(f, &two), 0);
	/* Another zcq has to wait its turn. */
	errno = 0;
	second = zcq_journal_open(folder, &key, &j, &e);
	assert_null(second);
	assert_int_equal(errno, EWOULDBLOCK);
	zcq_journal_close(f);
	/* The writer dies within a line. */
	fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "{\"done\":{", 9), 9);
	close(fd);
	f = zcq_journal_open(folder, &key, &j, &e);
	assert_non_null(f);
	assert_true(j.torn);
	assert_string_equal(j.key.boot, key.boot);
	assert_int_equal(j.entries.n, 2);
	assert_int_equal(state_of(&j, 0), ZCQ_JOURNAL_DONE);
	assert_int_equal(state_of(&j, 1), ZCQ_JOURNAL_INTENT);
	zcq_journal_free(&j);
	assert_int_equal(zcq_journal_failed(f, 2, -ENOSPC), 0);
	assert_int_equal(zcq_journal_undone(f, 1), 0);
	zcq_journal_close(f);
	f = zcq_journal_open(folder, &key, &j, &e);
	assert_non_null(f);
	assert_false(j.torn);
	assert_int_equal(state_of(&j, 0), ZCQ_JOURNAL_UNDONE);
	assert_int_equal(state_of(&j, 1), ZCQ_JOURNAL_FAILED);
	zcq_journal_free(&j);
	assert_int_equal(zcq_journal_remove(f), 0);
	zcq_journal_close(f);
	assert_int_not_equal(access(path, F_OK), 0);
	/* A folder that others can write to is not trusted. */
	assert_int_equal(chmod(folder, 0777), 0);
	assert_null(zcq_journal_open(folder, &key, &j, &e));
	assert_int_equal(errno, EACCES);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(base), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests_name("steer journal", tests, NULL, NULL);
}
