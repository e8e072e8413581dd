/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instances as the iterators of instance.bpf.c find them: one record for each instance and
 * owner. Who joins owners to one instance is lib/model. Called by lib/model and by
 * `zcq trace`, for the owners of instances that are older than the session.
 */
#ifndef ZCQ_BPF_INSTANCES_H
#define ZCQ_BPF_INSTANCES_H

#include <stddef.h>

#include <zcq/instance.h>

struct zcq_session;

/*
 * All records, sorted by instance, ring and owner, without repetitions: a ring that a process
 * has by an fd and registered, or by several fds, is there once. The caller frees
 * *instances. 0; -ENOENT when no iterator is attached; another -errno.
 */
int zcq_instances_read(const struct zcq_session *s, struct zcq_instance **instances, size_t *n);

/*
 * One iterator's records from fd, to the end, added to *instances (which may be NULL with
 * *n 0). 0, -EPROTO when the last record is cut, or another -errno; what was read stays.
 */
int zcq_instances_read_fd(int fd, struct zcq_instance **instances, size_t *n);

/* Sorts and removes repetitions; returns how many are left. */
size_t zcq_instances_unique(struct zcq_instance *instances, size_t n);

#endif
