// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether descriptors can be had is found by having them, for a moment.
 */
#include "lib/bpf/fds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

void zcq_fds_raise(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);	/* if not: what is missing is told when it is missed */
}

int zcq_fds_spare(size_t n)
{
	int err = 0, *fds = calloc(n, sizeof(*fds));
	size_t had;

	if (!fds)
		return -ENOMEM;
	for (had = 0; had < n; had++) {
		fds[had] = eventfd(0, EFD_CLOEXEC);
		if (fds[had] < 0) {
			err = -errno;
			break;
		}
	}
	while (had--)
		close(fds[had]);
	free(fds);
	return err;
}

void zcq_fds_why(int err, char *why, size_t size)
{
	struct rlimit lim = { 0 };

	if (err != -EMFILE) {
		snprintf(why, size, "no file descriptors: %s", strerror(-err));
		return;
	}
	getrlimit(RLIMIT_NOFILE, &lim);
	snprintf(why, size, "too few file descriptors: the limit is %llu, raise it (ulimit -n 1024)",
		 (unsigned long long)lim.rlim_cur);
}
