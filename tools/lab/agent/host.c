// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host.c - the agent on the host, one per run, inside the run's namespaces:
 * takes QEMU's connection of the virtio-serial port, prints the script's
 * output, writes the kernel's log and the script's status into the run's
 * folder, passes the terminal on, and hands requests to peer.c.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent.h"

#define ESCAPE_KEY 0x1d /* Ctrl-] ends a run with a terminal */
#define INPUT_QUEUE 65536 /* bytes of input held for a slow guest */

struct lab_host lab_host = { .port = -1 };

static struct {
	int listener, signals, kmsg;
	bool tty; /* the script has a terminal */
	bool raw; /* ours is in raw mode; old has what it was */
	bool stdin_open;
	struct termios old;
} run = { .listener = -1 };

int lab_host_file(char *path, size_t size, const char *name)
{
	int n = snprintf(path, size, "%s/%s", lab_host.dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int lab_host_note(const char *name, const char *text, size_t len)
{
	char path[512];
	int fd, err = lab_host_file(path, sizeof(path), name);

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = lab_write_all(fd, text, len);
	if (!err)
		err = lab_write_all(fd, "\n", 1);
	close(fd);
	return err;
}

static void terminal_restore(void)
{
	if (run.raw)
		tcsetattr(0, TCSANOW, &run.old);
	run.raw = false;
}

static void terminal_setup(void)
{
	struct termios t;

	run.stdin_open = run.tty;
	if (!run.tty || tcgetattr(0, &run.old))
		return;
	t = run.old;
	cfmakeraw(&t);
	atexit(terminal_restore);
	run.raw = !tcsetattr(0, TCSANOW, &t);
}

static void terminal_size(void)
{
	struct winsize ws;
	uint16_t size[2];

	if (!run.tty || ioctl(1, TIOCGWINSZ, &ws) || !ws.ws_row)
		return;
	size[0] = ws.ws_row;
	size[1] = ws.ws_col;
	lab_buf_frame(&lab_host.out, LAB_WINSIZE, 0, size, sizeof(size));
}

static void terminal_read(void)
{
	char data[4096];
	ssize_t n = read(0, data, sizeof(data));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		run.stdin_open = false;
		return;
	}
	if (run.raw && memchr(data, ESCAPE_KEY, n)) {
		fputs("\r\nlab: ended by Ctrl-]\r\n", stderr);
		lab_host_note("status", "130", 3);
		exit(0);
	}
	lab_buf_frame(&lab_host.out, LAB_INPUT, 0, data, n);
}

static void out_write(int fd, const struct lab_frame *f)
{
	int err = lab_write_all(fd, f->data, f->len);

	if (err && fd < 3) {
		terminal_restore();
		lab_die("nobody takes the script's output: %s", strerror(-err));
	}
	if (err)
		lab_die("the kernel's log could not be written: %s", strerror(-err));
}

static void port_frame(const struct lab_frame *f)
{
	if (f->chan) {
		peer_frame(f);
		return;
	}
	switch (f->type) {
	case LAB_HELLO:
		lab_host_note("hello", "", 0);
		terminal_size();
		break;
	case LAB_OUT:
		out_write(1, f);
		break;
	case LAB_ERR:
		out_write(2, f);
		break;
	case LAB_KMSG:
		out_write(run.kmsg, f);
		break;
	case LAB_STATUS:
		lab_host_note("status", f->data, f->len);
		lab_buf_frame(&lab_host.out, LAB_BYE, 0, NULL, 0);
		break;
	default:
		lab_die("the guest sends nonsense (frame type %d)", f->type);
	}
}

/* false: QEMU closed the port. */
static bool port_read(void)
{
	ssize_t n = lab_buf_fill(&lab_host.in, lab_host.port);
	struct lab_frame f;
	int err;

	if (n == -EAGAIN)
		return true;
	if (n <= 0)
		return false;
	while ((err = lab_buf_next(&lab_host.in, &f)) == 1)
		port_frame(&f);
	if (err < 0)
		lab_die("the guest sends nonsense");
	return true;
}

static void listen_on(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(addr.sun_path))
		lab_die("%s: too long for a socket", path);
	strcpy(addr.sun_path, path);
	run.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (run.listener < 0 || bind(run.listener, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(run.listener, 1))
		lab_die("%s: %s", path, strerror(errno));
}

static void signals_setup(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	run.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (run.signals < 0)
		lab_die("signalfd: %s", strerror(errno));
}

static void signals_read(void)
{
	struct signalfd_siginfo si;
	int status;
	pid_t pid;

	while (read(run.signals, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGWINCH)
			terminal_size();
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		peer_exited(pid, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* false: the run is over. */
static bool host_turn(void)
{
	struct pollfd p[3 + PEER_POLLS] = {
		{ .fd = lab_host.port, .events = POLLIN },
		{ .fd = run.signals, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
	};
	int n = 3 + peer_polls(p + 3);
	ssize_t sent;

	if (run.stdin_open && lab_buf_pending(&lab_host.out) < INPUT_QUEUE)
		p[2].fd = 0;
	if (lab_buf_pending(&lab_host.out))
		p[0].events |= POLLOUT;
	if (poll(p, n, peer_timeout()) < 0 && errno != EINTR)
		lab_die("poll: %s", strerror(errno));
	if (p[0].revents & (POLLIN | POLLHUP | POLLERR) && !port_read())
		return false;
	if (p[1].revents)
		signals_read();
	if (p[2].revents)
		terminal_read();
	peer_turn();
	sent = lab_buf_flush(&lab_host.out, lab_host.port);
	return sent >= 0;
}

/* agent host PORT-SOCKET FOLDER pipe|tty [NIC-CONTROL-SOCKET] */
int lab_host_main(int argc, char **argv)
{
	char path[512];

	if (argc < 4)
		return 2;
	lab_host.dir = argv[2];
	run.tty = !strcmp(argv[3], "tty");
	lab_host.ctl = argc > 4 ? argv[4] : NULL;
	if (lab_host_file(path, sizeof(path), "kmsg"))
		lab_die("%s: the name is too long", lab_host.dir);
	run.kmsg = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (run.kmsg < 0)
		lab_die("%s: %s", path, strerror(errno));
	signals_setup();
	listen_on(argv[1]);
	lab_host.port = accept4(run.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (lab_host.port < 0)
		lab_die("QEMU does not connect: %s", strerror(errno));
	terminal_setup();
	while (host_turn())
		;
	peer_kill_all();
	terminal_restore();
	return 0;
}
