/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent.h - the parts of the agent program; main.c chooses one. */
#ifndef LAB_AGENT_H
#define LAB_AGENT_H

/* Where the guest's agent listens for lab-peer, lab-nic and lab-expect. */
#define LAB_CLIENT_SOCKET "/run/lab/agent.sock"

int lab_host_main(int argc, char **argv);
int lab_guest_main(int argc, char **argv);
int lab_client_main(const char *name, int argc, char **argv);

#endif
