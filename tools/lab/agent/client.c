// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client.c - the commands of a scenario that reach the host: lab-peer,
 * lab-nic and lab-expect. Each sends its words to the guest's agent, prints
 * what comes back and ends with the status it is told.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent.h"
#include "frame.h"

static const char peer_usage[] =
	"usage: lab-peer run CMD [ARG...]        run it beside the guest, as its peer\n"
	"       lab-peer start NAME CMD [ARG...] the same in the background\n"
	"       lab-peer wait NAME               its output and its status\n"
	"       lab-peer kill NAME [SIGNAL]      end it (TERM; KILL after 3 s)\n"
	"       lab-peer log NAME                its output so far\n";

static int connect_agent(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = LAB_CLIENT_SOCKET };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		lab_die("%s: %s: this works only in a guest of the lab", LAB_CLIENT_SOCKET,
			strerror(errno));
	return fd;
}

/* The request is the words after the program's name, led by a verb. */
static void send_request(int fd, const char *verb, int argc, char **argv)
{
	struct lab_buf words = { 0 };
	int i;

	if (verb)
		lab_buf_add(&words, verb, strlen(verb) + 1);
	for (i = 1; i < argc; i++)
		lab_buf_add(&words, argv[i], strlen(argv[i]) + 1);
	if (words.len > LAB_FRAME_MAX)
		lab_die("the command is longer than %d bytes", LAB_FRAME_MAX);
	if (lab_send(fd, LAB_REQUEST, 0, words.data, words.len))
		lab_die("the guest's agent does not answer");
	lab_buf_free(&words);
}

int lab_client_main(const char *name, int argc, char **argv)
{
	struct lab_buf in = { 0 };
	struct lab_frame frame;
	const char *verb = NULL;
	int fd, err;

	if (!strcmp(name, "nic") || !strcmp(name, "expect"))
		verb = name;
	if (argc < 2 || (!verb && argc < 3)) {
		if (verb)
			fprintf(stderr, "usage: lab-%s %s\n", name,
				*name == 'n' ? "WORD..." : "REGEX");
		else
			fputs(peer_usage, stderr);
		return 2;
	}
	fd = connect_agent();
	send_request(fd, verb, argc, argv);
	for (;;) {
		ssize_t n = lab_buf_fill(&in, fd);

		if (n == -EAGAIN)
			continue;
		if (n <= 0)
			lab_die("the guest's agent went away");
		while ((err = lab_buf_next(&in, &frame)) == 1) {
			if (frame.type == LAB_OUT)
				err = lab_write_all(1, frame.data, frame.len);
			else if (frame.type == LAB_ERR)
				err = lab_write_all(2, frame.data, frame.len);
			else if (frame.type == LAB_STATUS)
				return atoi(strndupa(frame.data, frame.len));
			if (err < 0)
				lab_die("write: %s", strerror(-err));
		}
		if (err < 0)
			lab_die("the guest's agent sends nonsense");
	}
}
