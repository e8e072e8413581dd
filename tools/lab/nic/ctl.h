/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctl.h - the control socket: one line of text in, lines of text out, then
 * closed. `stats` answers "name value" lines; `fault ...` goes to the model,
 * in the same words as the option --fault, and answers `ok` or `error: ...`.
 */
#ifndef NIC_CTL_H
#define NIC_CTL_H

#include "device.h"

struct ctl {
	int listen_fd;
	int fd;			/* the client being served, or -1 */
	char line[256];
	size_t len;
};

int ctl_listen(struct ctl *ctl, const char *path);
void ctl_close(struct ctl *ctl);

/* Something happened on listen_fd, or on fd. */
void ctl_accept(struct ctl *ctl);
void ctl_serve(struct ctl *ctl, struct nic *nic);

/* Gives one fault specification (without the word "fault") to the model. 0 or -errno. */
int ctl_fault(struct nic *nic, const char *spec, FILE *out);

/* The harness's and the model's counters as "name value" lines. */
void ctl_stats(struct nic *nic, FILE *out);

#endif /* NIC_CTL_H */
