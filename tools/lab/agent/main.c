// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the one program behind the lab's control channel:
 *   agent host ...    on the host, in the run's network namespace
 *   agent guest ...   in the guest: runs the script
 *   agent poweroff    in the guest: ends it
 *   lab-peer, lab-nic, lab-expect   in the guest, by the name it is called
 */
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>

#include "agent.h"
#include "frame.h"

int main(int argc, char **argv)
{
	const char *name = basename(argv[0]);

	if (!strncmp(name, "lab-", 4))
		return lab_client_main(name + 4, argc, argv);
	if (argc >= 2 && !strcmp(argv[1], "host"))
		return lab_host_main(argc - 1, argv + 1);
	if (argc >= 2 && !strcmp(argv[1], "guest"))
		return lab_guest_main(argc - 1, argv + 1);
	if (argc == 2 && !strcmp(argv[1], "poweroff"))
		return reboot(RB_POWER_OFF) ? 1 : 0;
	fputs("usage: agent host|guest|poweroff ...\n", stderr);
	return 2;
}
