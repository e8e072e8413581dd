/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File descriptors: each program, link and map takes one, so a session needs some two hundred.
 * Asked for before they are used, as libbpf takes a refused one for a feature that the kernel
 * lacks. Called by probe.c and session_load.c.
 */
#ifndef ZCQ_BPF_FDS_H
#define ZCQ_BPF_FDS_H

#include <stddef.h>

/* Raises the soft limit to the hard one. */
void zcq_fds_raise(void);

/* 0 when so many more can be opened; else -EMFILE, or another -errno when the system has no more. */
int zcq_fds_spare(size_t n);

/* In words, after one of these. */
void zcq_fds_why(int err, char *why, size_t size);

#endif
