// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guest.c - the agent in the guest: runs the script (on pipes or on a
 * terminal), and carries its output, the kernel's log and the requests of
 * lab-peer and lab-nic over the virtio-serial port to the host's agent. Started
 * by guest/start; ends when the script does, with its status at the host.
 *
 * Writes to the port may wait: the host's agent always reads. What goes to a
 * client is queued, and bounded by the window that the client's ACKs open.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "frame.h"

#define CLIENTS_MAX 64

struct client {
	uint32_t chan;
	int fd; /* -1: free */
	struct lab_buf in, out;
	bool ending; /* its status is in out: close when that is flushed */
};

static struct {
	int port, listener, kmsg, signals;
	int out, err; /* of the script; a terminal has only out */
	bool tty;
	pid_t script;
	int status; /* of the script; -1 while it runs */
	bool bye;
	uint32_t next_chan;
	struct lab_buf in;
	struct client clients[CLIENTS_MAX];
} guest;

static void to_host(enum lab_frame_type type, uint32_t chan, const void *data, size_t len)
{
	int err = lab_send(guest.port, type, chan, data, len);

	if (err)
		lab_die("the host went away: %s", strerror(-err));
}

static void client_close(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	lab_buf_free(&c->in);
	lab_buf_free(&c->out);
}

static struct client *client_of(uint32_t chan)
{
	int i;

	for (i = 0; i < CLIENTS_MAX; i++)
		if (guest.clients[i].fd >= 0 && guest.clients[i].chan == chan)
			return &guest.clients[i];
	return NULL;
}

static void client_accept(void)
{
	int fd = accept4(guest.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int i;

	if (fd < 0)
		return;
	for (i = 0; i < CLIENTS_MAX; i++) {
		if (guest.clients[i].fd >= 0)
			continue;
		guest.clients[i] = (struct client){ .fd = fd, .chan = guest.next_chan++ };
		return;
	}
	lab_send(fd, LAB_ERR, 0, "lab: error: too many requests at once\n", 38);
	lab_send(fd, LAB_STATUS, 0, "1", 1);
	close(fd);
}

static void client_read(struct client *c)
{
	ssize_t n = lab_buf_fill(&c->in, c->fd);
	struct lab_frame f;

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		to_host(LAB_CLOSE, c->chan, NULL, 0);
		client_close(c);
		return;
	}
	while (lab_buf_next(&c->in, &f) == 1)
		if (f.type == LAB_REQUEST)
			to_host(f.type, c->chan, f.data, f.len);
}

static void client_flush(struct client *c)
{
	ssize_t n = lab_buf_flush(&c->out, c->fd);
	uint32_t taken;

	if (n < 0) {
		if (!c->ending)
			to_host(LAB_CLOSE, c->chan, NULL, 0);
		client_close(c);
		return;
	}
	if (c->ending) {
		if (!lab_buf_pending(&c->out))
			client_close(c);
		return;
	}
	/* Head and payload alike: the host counts the same bytes. */
	taken = n;
	if (taken)
		to_host(LAB_ACK, c->chan, &taken, sizeof(taken));
}

static void from_host(const struct lab_frame *f)
{
	struct client *c;
	uint16_t size[2];

	switch (f->type) {
	case LAB_INPUT:
		if (guest.tty && guest.out >= 0)
			lab_write_all(guest.out, f->data, f->len);
		return;
	case LAB_WINSIZE:
		if (guest.tty && guest.out >= 0 && f->len == sizeof(size)) {
			memcpy(size, f->data, sizeof(size));
			ioctl(guest.out, TIOCSWINSZ,
			      &(struct winsize){ .ws_row = size[0], .ws_col = size[1] });
		}
		return;
	case LAB_BYE:
		guest.bye = true;
		return;
	default:
		c = client_of(f->chan);
		if (!c)
			return;
		lab_buf_frame(&c->out, f->type, 0, f->data, f->len);
		c->ending = f->type == LAB_STATUS;
		client_flush(c);
	}
}

static void port_read(void)
{
	ssize_t n = lab_buf_fill(&guest.in, guest.port);
	struct lab_frame f;
	int err;

	if (n == -EAGAIN)
		return;
	if (n <= 0)
		lab_die("the host went away");
	while ((err = lab_buf_next(&guest.in, &f)) == 1)
		from_host(&f);
	if (err < 0)
		lab_die("the host sends nonsense");
}

/* One record of /dev/kmsg: "prio,seq,usec,flags;text\n KEY=value\n...". */
static void kmsg_record(const char *rec, ssize_t len)
{
	const char *text = memchr(rec, ';', len), *end;
	unsigned long long usec;
	char line[8192 + 32];
	int n;

	if (!text || sscanf(rec, "%*u,%*u,%llu", &usec) != 1)
		return;
	text++;
	end = memchr(text, '\n', rec + len - text);
	n = snprintf(line, sizeof(line), "[%5llu.%06llu] %.*s\n", usec / 1000000, usec % 1000000,
		     (int)((end ? end : rec + len) - text), text);
	if (n > 0)
		to_host(LAB_KMSG, 0, line, n);
}

static void kmsg_drain(void)
{
	static const char lost[] = "lab: kernel messages were lost here\n";
	char rec[8192];
	ssize_t n;

	while (guest.kmsg >= 0) {
		n = read(guest.kmsg, rec, sizeof(rec) - 1);
		if (n < 0 && errno == EPIPE) {
			to_host(LAB_KMSG, 0, lost, sizeof(lost) - 1);
			continue;
		}
		if (n <= 0)
			break;
		rec[n] = 0;
		kmsg_record(rec, n);
	}
}

/* Passes on what the script wrote; closes at its end. */
static void script_read(int *fd, enum lab_frame_type type)
{
	char data[16384];
	ssize_t n;

	for (;;) {
		n = read(*fd, data, sizeof(data));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			break;
		to_host(type, 0, data, n);
		if (guest.status < 0)
			return;
	}
	close(*fd);
	*fd = -1;
}

static void reap(void)
{
	struct signalfd_siginfo si;
	int status;
	pid_t pid;

	while (read(guest.signals, &si, sizeof(si)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == guest.script)
			guest.status = WIFEXITED(status) ? WEXITSTATUS(status)
							 : 128 + WTERMSIG(status);
}

static void script_exec(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(argv[0], argv);
	fprintf(stderr, "lab: error: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void script_start(char **argv)
{
	int out[2], err[2], null;

	if (guest.tty) {
		guest.script = forkpty(&guest.out, NULL, NULL, NULL);
		if (guest.script < 0)
			lab_die("no terminal: %s", strerror(errno));
		if (!guest.script)
			script_exec(argv);
		guest.err = -1;
		lab_set_nonblock(guest.out);
		return;
	}
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		lab_die("no pipes: %s", strerror(errno));
	guest.script = fork();
	if (guest.script < 0)
		lab_die("fork: %s", strerror(errno));
	if (!guest.script) {
		setsid();
		dup2(null, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		script_exec(argv);
	}
	close(null);
	close(out[1]);
	close(err[1]);
	guest.out = out[0];
	guest.err = err[0];
	lab_set_nonblock(guest.out);
	lab_set_nonblock(guest.err);
}

static void guest_setup(const char *port)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = LAB_CLIENT_SOCKET };
	sigset_t set;
	int i;

	for (i = 0; i < CLIENTS_MAX; i++)
		guest.clients[i].fd = -1;
	guest.status = -1;
	guest.next_chan = 1;
	guest.port = open(port, O_RDWR | O_CLOEXEC);
	if (guest.port < 0)
		lab_die("%s: %s", port, strerror(errno));
	guest.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	guest.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (guest.listener < 0 || bind(guest.listener, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(guest.listener, CLIENTS_MAX))
		lab_die("%s: %s", addr.sun_path, strerror(errno));
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	guest.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (guest.signals < 0)
		lab_die("signalfd: %s", strerror(errno));
}

/* One turn of the loop; -1 waits without end. */
static void guest_turn(int timeout_ms)
{
	struct pollfd p[6 + CLIENTS_MAX] = {
		{ .fd = guest.port, .events = POLLIN }, { .fd = guest.listener, .events = POLLIN },
		{ .fd = guest.kmsg, .events = POLLIN }, { .fd = guest.signals, .events = POLLIN },
		{ .fd = guest.out, .events = POLLIN },	{ .fd = guest.err, .events = POLLIN },
	};
	struct client *c;
	int i;

	for (i = 0; i < CLIENTS_MAX; i++) {
		c = &guest.clients[i];
		p[6 + i].fd = c->fd;
		p[6 + i].events = POLLIN;
		if (c->fd >= 0 && lab_buf_pending(&c->out))
			p[6 + i].events |= POLLOUT;
	}
	if (poll(p, 6 + CLIENTS_MAX, timeout_ms) < 0)
		return;
	if (p[0].revents)
		port_read();
	if (p[2].revents)
		kmsg_drain();
	if (p[4].revents)
		script_read(&guest.out, LAB_OUT);
	if (p[5].revents)
		script_read(&guest.err, LAB_ERR);
	for (i = 0; i < CLIENTS_MAX; i++) {
		c = &guest.clients[i];
		/* The slot may have been freed by a frame read above. */
		if (c->fd < 0 || c->fd != p[6 + i].fd)
			continue;
		if (p[6 + i].revents & POLLOUT)
			client_flush(c);
		if (c->fd >= 0 && p[6 + i].revents & (POLLIN | POLLHUP))
			client_read(c);
	}
	if (p[1].revents)
		client_accept();
	if (p[3].revents)
		reap();
}

/* agent guest PORT pipe|tty PROGRAM ARG... */
int lab_guest_main(int argc, char **argv)
{
	char text[16];
	int i;

	if (argc < 4)
		return 2;
	guest.tty = !strcmp(argv[2], "tty");
	guest_setup(argv[1]);
	to_host(LAB_HELLO, 0, NULL, 0);
	script_start(argv + 3);
	while (guest.status < 0)
		guest_turn(-1);

	/* What it left in the pipes; others may still hold their ends. */
	if (guest.out >= 0)
		script_read(&guest.out, LAB_OUT);
	if (guest.err >= 0)
		script_read(&guest.err, LAB_ERR);
	kmsg_drain();
	snprintf(text, sizeof(text), "%d", guest.status);
	to_host(LAB_STATUS, 0, text, strlen(text));
	for (i = 0; i < 50 && !guest.bye; i++)
		guest_turn(100);
	return 0;
}
