/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - what the two halves of the host's agent share: host.c (the port, the
 * terminal, the run's status) and peer.c (the requests of the guest).
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include <poll.h>

#include "frame.h"

#define PEER_POLLS 128

struct lab_host {
	const char *dir; /* the run's scratch folder */
	const char *ctl; /* the NIC's control socket; NULL: no NIC */
	int port;
	struct lab_buf in, out; /* of the port */
};

extern struct lab_host lab_host;

/* path: DIR/NAME, in a static buffer of its own per call site's need. */
int lab_host_file(char *path, size_t size, const char *name);

/* Appends a line to DIR/NAME; 0 or -errno. */
int lab_host_note(const char *name, const char *text, size_t len);

/* Frames of the channels other than 0. */
void peer_frame(const struct lab_frame *frame);

/* Fills up to PEER_POLLS entries; returns how many. */
int peer_polls(struct pollfd *polls);

/* After poll: reads what is there, ends what is over. */
void peer_turn(void);

/* Milliseconds until peer_turn must be called again; -1: never. */
int peer_timeout(void);

/* A child was reaped. */
void peer_exited(pid_t pid, int status);

/* Ends all processes. */
void peer_kill_all(void);

#endif
