// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The iterators' stream: records as the kernel's buffer cuts them, and repetitions.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/bpf/instances.h"

/* A child writes len bytes of data in pieces of step; the read end is returned. */
static int feed(const void *data, size_t len, size_t step)
{
	const char *p = data;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		while (len) {
			size_t n = len < step ? len : step;

			if (write(fds[1], p, n) != (ssize_t)n)
				_exit(1);
			p += n;
			len -= n;
		}
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

static void make(struct zcq_instance *v, size_t n)
{
	memset(v, 0, n * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		v[i].instance = 1000 + i;
		v[i].bufs = i;
	}
}

static void check_read(size_t n, size_t step)
{
	struct zcq_instance sent[131], *got = NULL;
	size_t count = 0;
	int fd;

	make(sent, n);
	fd = feed(sent, n * sizeof(*sent), step);
	assert_int_equal(zcq_instances_read_fd(fd, &got, &count), 0);
	assert_int_equal(count, n);
	if (n)
		assert_memory_equal(got, sent, n * sizeof(*sent));
	free(got);
	close(fd);
	assert_true(wait(NULL) > 0);
}

static void whole_and_cut_reads(void **state)
{
	(void)state;
	check_read(0, 1);
	check_read(1, sizeof(struct zcq_instance));
	check_read(131, 4096);
	check_read(131, 61); /* no record comes whole */
	check_read(7, 1);
}

static void two_streams_add_up(void **state)
{
	struct zcq_instance sent[5], *got = NULL;
	size_t count = 0;
	int fd;

	(void)state;
	make(sent, 5);
	fd = feed(sent, 2 * sizeof(*sent), 100);
	assert_int_equal(zcq_instances_read_fd(fd, &got, &count), 0);
	close(fd);
	fd = feed(sent + 2, 3 * sizeof(*sent), 100);
	assert_int_equal(zcq_instances_read_fd(fd, &got, &count), 0);
	close(fd);
	assert_int_equal(count, 5);
	assert_memory_equal(got, sent, sizeof(sent));
	free(got);
	assert_true(wait(NULL) > 0);
	assert_true(wait(NULL) > 0);
}

static void a_cut_record(void **state)
{
	struct zcq_instance sent[3], *got = NULL;
	size_t count = 0;
	int fd;

	(void)state;
	make(sent, 3);
	fd = feed(sent, sizeof(sent) - 1, 4096);
	assert_int_equal(zcq_instances_read_fd(fd, &got, &count), -EPROTO);
	assert_int_equal(count, 2); /* what was whole is kept */
	free(got);
	close(fd);
	assert_true(wait(NULL) > 0);
}

static void a_bad_fd(void **state)
{
	struct zcq_instance *got = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(zcq_instances_read_fd(-1, &got, &count), -EBADF);
	assert_int_equal(count, 0);
	free(got);
}

static struct zcq_instance rec(uint64_t instance, uint64_t ring, uint32_t pid, uint32_t found,
			       int fd)
{
	struct zcq_instance r = { .instance = instance, .ring = ring, .fd = fd, .found_by = found };

	r.owner.pid = pid;
	r.owner.tid = pid;
	return r;
}

static void repetitions(void **state)
{
	struct zcq_instance v[] = {
		rec(7, 1, 10, ZCQ_FOUND_REGISTERED_RING, -1), /* the ring below, registered too */
		rec(7, 1, 10, ZCQ_FOUND_RING_FD, 9), /* dup()ed */
		rec(7, 1, 10, ZCQ_FOUND_RING_FD, 4),
		rec(7, 0, 10, ZCQ_FOUND_EXPORTED_FD, 5), /* the exported file is another user */
		rec(7, 2, 11, ZCQ_FOUND_RING_FD, 4), /* another ring, another process */
		rec(7, 1, 11, ZCQ_FOUND_RING_FD, 4), /* the first ring, inherited by fork */
		rec(3, 1, 10, ZCQ_FOUND_RING_FD, 4), /* a second instance of the first ring */
	};
	size_t n = zcq_instances_unique(v, sizeof(v) / sizeof(v[0]));

	(void)state;
	assert_int_equal(n, 5);
	assert_int_equal(v[0].instance, 3);
	assert_int_equal(v[1].found_by, ZCQ_FOUND_EXPORTED_FD);
	assert_int_equal(v[2].ring, 1);
	assert_int_equal(v[2].found_by, ZCQ_FOUND_RING_FD);
	assert_int_equal(v[2].fd, 4);
	assert_int_equal(v[3].owner.pid, 11);
	assert_int_equal(v[4].ring, 2);
	assert_int_equal(zcq_instances_unique(NULL, 0), 0);
}

/* Of one ring whose registrations are under way: no instance yet, told apart by their ids. */
static void starting(void **state)
{
	struct zcq_instance v[] = {
		rec(0, 1, 10, ZCQ_FOUND_RING_FD, 4),
		rec(0, 1, 10, ZCQ_FOUND_RING_FD, 4),
	};

	(void)state;
	v[1].zcrx_id = 1;
	assert_int_equal(zcq_instances_unique(v, 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_cut_reads), cmocka_unit_test(two_streams_add_up),
		cmocka_unit_test(a_cut_record),	       cmocka_unit_test(a_bad_fd),
		cmocka_unit_test(repetitions),	       cmocka_unit_test(starting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
