// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the iterators' seq files. A read gives whole or cut records as the kernel's buffer
 * falls, and EAGAIN after a million tasks without one: both just go on.
 */
#include "lib/bpf/instances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bpf/session.h"

#define ROOM 64 /* records made room for at a time */

int zcq_instances_read_fd(int fd, struct zcq_instance **instances, size_t *n)
{
	size_t used = *n * sizeof(**instances), room = used;
	char *buf = (char *)*instances, *more;
	ssize_t got = 0;
	int err = 0;

	do {
		if (room - used < sizeof(**instances)) {
			more = realloc(buf, room + ROOM * sizeof(**instances));
			if (!more) {
				err = -ENOMEM;
				break;
			}
			buf = more;
			room += ROOM * sizeof(**instances);
		}
		got = read(fd, buf + used, room - used);
		if (got > 0)
			used += got;
		else if (got < 0 && errno != EINTR && errno != EAGAIN)
			err = -errno;
	} while (got && !err);
	if (!err && used % sizeof(**instances))
		err = -EPROTO;
	*instances = (struct zcq_instance *)buf;
	*n = used / sizeof(**instances);
	return err;
}

/* Which of two records of one ring and owner to keep: the one with an fd, the lowest fd. */
static int compare(const void *a, const void *b)
{
	const struct zcq_instance *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->zcrx_id != y->zcrx_id)
		return x->zcrx_id < y->zcrx_id ? -1 : 1;
	if (x->owner.pid != y->owner.pid)
		return x->owner.pid < y->owner.pid ? -1 : 1;
	if (x->found_by != y->found_by)
		return x->found_by < y->found_by ? -1 : 1;
	if (x->owner.tid != y->owner.tid)
		return x->owner.tid < y->owner.tid ? -1 : 1;
	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

static int same(const struct zcq_instance *x, const struct zcq_instance *y)
{
	return x->instance == y->instance && x->ring == y->ring && x->zcrx_id == y->zcrx_id &&
	       x->owner.pid == y->owner.pid;
}

size_t zcq_instances_unique(struct zcq_instance *instances, size_t n)
{
	size_t kept = 0, i;

	if (n)
		qsort(instances, n, sizeof(*instances), compare);
	for (i = 0; i < n; i++)
		if (!kept || !same(&instances[kept - 1], &instances[i]))
			instances[kept++] = instances[i];
	return kept;
}

static int read_probe(const struct zcq_session *s, enum zcq_probe_id probe, struct zcq_instance **v,
		      size_t *n)
{
	int fd = zcq_session_iter(s, probe), err;

	if (fd < 0)
		return fd;
	err = zcq_instances_read_fd(fd, v, n);
	close(fd);
	return err;
}

int zcq_instances_read(const struct zcq_session *s, struct zcq_instance **instances, size_t *n)
{
	struct zcq_instance *v = NULL;
	size_t count = 0;
	int files, tasks;

	files = read_probe(s, ZCQ_PROBE_ITER_FILES, &v, &count);
	tasks = read_probe(s, ZCQ_PROBE_ITER_TASKS, &v, &count);
	/* One of the two is better than none; both missing is for the caller to say. */
	if (files && (files != -ENOENT || tasks)) {
		free(v);
		return files;
	}
	if (tasks && tasks != -ENOENT) {
		free(v);
		return tasks;
	}
	*n = zcq_instances_unique(v, count);
	*instances = v;
	return 0;
}
