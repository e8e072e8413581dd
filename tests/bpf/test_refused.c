// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a session needs and does not get is named: a capability, file descriptors. Each case
 * in a child that gives up what it tests. With root or without.
 */
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/bpf/caps.h"
#include "lib/bpf/fds.h"
#include "lib/bpf/session.h"

#define SAYS	192

/* Runs fn in a child; what it says in words. Returns its exit status. */
static int in_child(int (*fn)(char *why), char why[SAYS])
{
	int pipes[2], status;
	pid_t pid;

	memset(why, 0, SAYS);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		char text[SAYS] = "";
		int err = fn(text);

		_exit(write(pipes[1], text, SAYS) == SAYS ? -err : 255);
	}
	assert_true(pid > 0);
	assert_int_equal(read(pipes[0], why, SAYS), SAYS);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(pipes[0]);
	close(pipes[1]);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int decide(char *why)
{
	struct zcq_probe_opts opts = { 0 };
	struct zcq_probe_set set;
	int err = zcq_probes_decide(&set, &opts);

	snprintf(why, SAYS, "%s", set.caps.why);
	if (!err)
		zcq_probes_free(&set);
	return err;
}

static int without(int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -errno;
	data[cap / 32].effective &= ~(1U << (cap % 32));
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

static int no_sys_admin(char *why)
{
	int err = without(CAP_SYS_ADMIN);

	return err ? err : decide(why);
}

/* The reason of a probe that needs the address of a function. */
static int no_syslog(char *why)
{
	struct zcq_probe_opts opts = { 0 };
	struct zcq_probe_set set;
	int err = without(CAP_SYSLOG);

	if (err)
		return err;
	err = zcq_probes_decide(&set, &opts);
	if (err)
		return err;
	snprintf(why, SAYS, "%d %s", set.sym_err, set.state[ZCQ_PROBE_ITER_FILES].why);
	zcq_probes_free(&set);
	return 0;
}

/* Nothing but probes that need one. */
static int no_syslog_session(char *why)
{
	struct zcq_session_opts so;
	struct zcq_session *s;
	int err = without(CAP_SYSLOG);

	zcq_session_defaults(&so);
	so.probes.subjects = 1U << ZCQ_SUBJECT_INSTANCE;
	s = err ? NULL : zcq_session_open(&so);
	if (s)
		zcq_session_close(s);
	return s ? 0 : -errno;
}

static int limit_fds(unsigned int n)
{
	struct rlimit lim = { n, n };

	return setrlimit(RLIMIT_NOFILE, &lim) ? -errno : 0;
}

static int no_fds(char *why)
{
	int err = limit_fds(7);

	return err ? err : decide(why);
}

static int few_fds(char *why)
{
	struct zcq_session_opts so;
	struct zcq_session *s;

	zcq_session_defaults(&so);
	if (limit_fds(24))
		return -errno;
	s = zcq_session_open(&so);
	if (s)
		return 0;
	zcq_fds_why(-errno, why, SAYS);
	return -errno;
}

/* A low soft limit is raised, not complained about. */
static int soft_fds(char *why)
{
	struct rlimit lim = { 7, 1024 };

	if (setrlimit(RLIMIT_NOFILE, &lim))
		return -errno;
	zcq_fds_raise();
	return zcq_fds_spare(500);
}

/* Where nothing could be attached anyway, no single thing can be shown to be missing. */
static bool skipped(const char *what)
{
	char why[SAYS] = "no /sys/kernel/btf/vmlinux";

	if (!access("/sys/kernel/btf/vmlinux", R_OK) && !zcq_bpf_permitted(why, sizeof(why)))
		return false;
	printf("# skipped - %s: %s\n", what, why);
	return true;
}

static void test_sys_admin(void **state)
{
	char why[SAYS];

	(void)state;
	assert_int_equal(in_child(no_sys_admin, why), EPERM);
	assert_string_equal(why, "CAP_SYS_ADMIN is missing, nothing can be attached: run as root");
}

static void test_syslog(void **state)
{
	char why[SAYS], expected[SAYS];

	(void)state;
	if (skipped("CAP_SYSLOG is named"))
		skip();
	assert_int_equal(in_child(no_syslog, why), 0);
	if (!strncmp(why, "0 ", 2)) {
		printf("# skipped - CAP_SYSLOG is named: this system shows kernel addresses without it\n");
		skip();
	}
	snprintf(expected, sizeof(expected), "%d CAP_SYSLOG is missing, which shows kernel addresses",
		 -EACCES);
	assert_string_equal(why, expected);
	assert_int_equal(in_child(no_syslog_session, why), EPERM);
}

static void test_fds(void **state)
{
	char why[SAYS];

	(void)state;
	assert_int_equal(in_child(soft_fds, why), 0);
	if (skipped("too few descriptors"))
		skip();
	assert_int_equal(in_child(no_fds, why), EMFILE);
	assert_string_equal(why, "too few file descriptors: the limit is 7, raise it (ulimit -n 1024)");
	assert_int_equal(in_child(few_fds, why), EMFILE);
	assert_string_equal(why, "too few file descriptors: the limit is 24, raise it (ulimit -n 1024)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sys_admin),
		cmocka_unit_test(test_syslog),
		cmocka_unit_test(test_fds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
