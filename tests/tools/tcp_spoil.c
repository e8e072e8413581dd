// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Relays one TCP connection and spoils it on the way, so that tests can show that zcq bench recv
 * notices: tcp_spoil PORT ADDRESS PORT WHAT OFFSET. Says "ready" when it listens; ends after the
 * connection. WHAT happens to the bytes from the sender, at OFFSET: flip (a bit), drop (a byte),
 * double (a byte), cut (the rest), add (a byte after the end; OFFSET is not used), none.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "tcp_spoil: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A listening socket (address NULL) or a connected one. */
static int open_socket(const char *address, const char *port)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *ai;
	int one = 1, fd;

	if (getaddrinfo(address ? address : "::", port, &hints, &ai))
		die("address");
	fd = socket(ai->ai_family, SOCK_STREAM, 0);
	if (fd < 0)
		die("socket");
	if (address) {
		if (connect(fd, ai->ai_addr, ai->ai_addrlen))
			die("connect");
	} else if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
		   bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 1)) {
		die("listen");
	}
	freeaddrinfo(ai);
	return fd;
}

static void send_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0)
			die("send");
		p += n;
		len -= n;
	}
}

/* Sends a piece that begins at byte at of the stream. Returns 0 when nothing may follow. */
static int relay(int to, char *buf, size_t len, unsigned long long at, const char *what,
		 unsigned long long offset)
{
	size_t i = offset - at;

	if (offset < at || i >= len || !strcmp(what, "none") || !strcmp(what, "add")) {
		send_all(to, buf, len);
		return 1;
	}
	if (!strcmp(what, "flip")) {
		buf[i] ^= 1;
		send_all(to, buf, len);
		return 1;
	}
	send_all(to, buf, i);
	if (!strcmp(what, "cut"))
		return 0;
	if (!strcmp(what, "double"))
		send_all(to, buf + i, 1);
	else
		i++;	/* drop */
	send_all(to, buf + i, len - i);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long long at = 0, offset;
	static char buf[65536];
	int listener, from, to;
	const char *what;
	ssize_t n;

	if (argc != 6) {
		fputs("usage: tcp_spoil PORT ADDRESS PORT none|flip|drop|double|cut|add OFFSET\n", stderr);
		return 2;
	}
	what = argv[4];
	offset = strtoull(argv[5], NULL, 10);
	listener = open_socket(NULL, argv[1]);
	puts("ready");
	fflush(stdout);
	from = accept(listener, NULL, NULL);
	if (from < 0)
		die("accept");
	to = open_socket(argv[2], argv[3]);
	while ((n = recv(from, buf, sizeof(buf), 0)) > 0) {
		if (!relay(to, buf, n, at, what, offset))
			break;
		at += n;
	}
	if (!strcmp(what, "add"))
		send_all(to, "+", 1);
	shutdown(to, SHUT_WR);
	while (recv(to, buf, sizeof(buf), 0) > 0)
		;
	return 0;
}
