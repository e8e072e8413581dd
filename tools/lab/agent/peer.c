// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peer.c - serves the guest's requests on the host: commands of the peer (run,
 * start, wait, kill, log), lines for the NIC model, and declared log lines. A
 * channel sends no more than its window holds until the client has taken it, so
 * a client that does not read holds up only itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

#define CHANS_MAX (PEER_POLLS / 2)
#define PROCS_MAX 64
#define WORDS_MAX 1024
#define KILL_MS 3000 /* from the signal asked for to SIGKILL */
#define NIC_MS 10000 /* the model must answer within */

enum chan_kind { CHAN_FREE, CHAN_RUN, CHAN_WAIT, CHAN_KILL, CHAN_NIC };

/* A command started by "start"; the slot stays until its name is used again. */
struct proc {
	char name[64];
	pid_t pid;
	int status; /* -1: it runs */
};

struct chan {
	enum chan_kind kind;
	uint32_t id;
	int fd[2]; /* becomes LAB_OUT, LAB_ERR; -1: at its end */
	pid_t pid; /* CHAN_RUN */
	struct proc *proc; /* CHAN_WAIT, CHAN_KILL */
	int status; /* -1: not over */
	size_t unacked; /* bytes sent that the client has not taken */
	long deadline_ms; /* 0: none */
	bool first_line; /* CHAN_NIC: nothing came yet */
	bool line_start; /* CHAN_NIC: the next byte starts a line */
};

static struct chan chans[CHANS_MAX];
static struct proc procs[PROCS_MAX];

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000L + ts.tv_nsec / 1000000;
}

static void chan_send(struct chan *c, enum lab_frame_type type, const char *data, size_t len)
{
	lab_buf_frame(&lab_host.out, type, c->id, data, len);
	c->unacked += len + sizeof(struct lab_frame_head);
}

static void chan_free(struct chan *c)
{
	int i;

	for (i = 0; i < 2; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	c->kind = CHAN_FREE;
}

static void chan_end(struct chan *c, int status)
{
	lab_buf_status(&lab_host.out, c->id, status);
	chan_free(c);
}

static void __attribute__((format(printf, 3, 4)))
chan_fail(struct chan *c, int status, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "lab: error: ");
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n - 1, fmt, ap);
	va_end(ap);
	strcat(text, "\n");
	chan_send(c, LAB_ERR, text, strlen(text));
	chan_end(c, status);
}

static struct chan *chan_new(uint32_t id, enum chan_kind kind)
{
	int i;

	for (i = 0; i < CHANS_MAX; i++) {
		if (chans[i].kind != CHAN_FREE)
			continue;
		chans[i] = (struct chan){ .kind = kind, .id = id, .fd = { -1, -1 }, .status = -1 };
		return &chans[i];
	}
	return NULL;
}

static struct proc *proc_of(const char *name)
{
	int i;

	for (i = 0; i < PROCS_MAX; i++)
		if (procs[i].pid && !strcmp(procs[i].name, name))
			return &procs[i];
	return NULL;
}

static struct proc *proc_slot(void)
{
	int i;

	for (i = 0; i < PROCS_MAX; i++)
		if (!procs[i].pid)
			return &procs[i];
	return NULL;
}

/* In a group of its own, so that it is ended with its children. */
static pid_t spawn(char **words, int out, int err)
{
	pid_t pid = fork();
	sigset_t none;
	int null;

	if (pid > 0)
		setpgid(pid, pid);
	if (pid)
		return pid;
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	execvp(words[0], words);
	dprintf(2, "lab: error: the peer's %s: %s\n", words[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void request_run(struct chan *c, char **words)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC)) {
		chan_fail(c, 1, "no pipe: %s", strerror(errno));
		return;
	}
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		chan_fail(c, 1, "no pipe: %s", strerror(errno));
		return;
	}
	c->pid = spawn(words, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	c->fd[0] = out[0];
	c->fd[1] = err[0];
	lab_set_nonblock(c->fd[0]);
	lab_set_nonblock(c->fd[1]);
	if (c->pid < 0)
		chan_fail(c, 1, "fork: %s", strerror(errno));
}

/* The output of a started command: FOLDER/peer-NAME.out and .err. */
static int proc_file(const char *name, const char *what, int flags)
{
	char base[128], path[512];
	int err;

	snprintf(base, sizeof(base), "peer-%s.%s", name, what);
	err = lab_host_file(path, sizeof(path), base);
	if (err) {
		errno = -err;
		return -1;
	}
	return open(path, flags | O_CLOEXEC, 0644);
}

static void request_start(struct chan *c, const char *name, char **words)
{
	struct proc *p = proc_of(name);
	int out, err;

	if (p && p->status < 0) {
		chan_fail(c, 1, "the peer already runs a '%s'", name);
		return;
	}
	if (!p)
		p = proc_slot();
	if (!p || strchr(name, '/') || strlen(name) >= sizeof(p->name)) {
		chan_fail(c, 1, "%s: %s", name,
			  p ? "not a usable name" : "too many commands started");
		return;
	}
	out = proc_file(name, "out", O_WRONLY | O_CREAT | O_TRUNC);
	err = proc_file(name, "err", O_WRONLY | O_CREAT | O_TRUNC);
	if (out < 0 || err < 0) {
		chan_fail(c, 1, "%s: no file for its output: %s", name, strerror(errno));
	} else {
		p->pid = spawn(words, out, err);
		strcpy(p->name, name);
		p->status = -1;
		if (p->pid < 0) {
			p->pid = 0;
			chan_fail(c, 1, "fork: %s", strerror(errno));
		} else {
			chan_end(c, 0);
		}
	}
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
}

static void request_wait(struct chan *c, const char *name, bool to_its_end)
{
	c->proc = proc_of(name);
	if (!c->proc) {
		chan_fail(c, 1, "the peer never started a '%s'", name);
		return;
	}
	c->fd[0] = proc_file(name, "out", O_RDONLY);
	c->fd[1] = proc_file(name, "err", O_RDONLY);
	if (!to_its_end) {
		c->proc = NULL;
		c->status = 0;
	}
}

static int signal_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} table[] = {
		{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT },
		{ "KILL", SIGKILL }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
		{ "TERM", SIGTERM }, { "STOP", SIGSTOP }, { "CONT", SIGCONT },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(name, table[i].name))
			return table[i].number;
	return atoi(name);
}

/* Signals that do not end a process by themselves are only sent. */
static bool signal_ends(int number)
{
	return number == SIGTERM || number == SIGKILL || number == SIGINT || number == SIGQUIT ||
	       number == SIGHUP;
}

static void request_kill(struct chan *c, const char *name, const char *signal_name)
{
	int number = signal_of(signal_name ? signal_name : "TERM");

	c->proc = proc_of(name);
	if (!c->proc || number <= 0) {
		chan_fail(c, 1, c->proc ? "%s: not a signal" : "the peer never started a '%s'",
			  c->proc ? signal_name : name);
		return;
	}
	if (c->proc->status < 0)
		kill(-c->proc->pid, number);
	if (!signal_ends(number))
		chan_end(c, 0);
	c->deadline_ms = now_ms() + KILL_MS;
}

static void request_nic(struct chan *c, char **words)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct lab_buf line = { 0 };
	int i, err;

	if (!lab_host.ctl) {
		chan_fail(c, 1, "this run has no NIC model (lab run --nic mlx5)");
		return;
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", lab_host.ctl);
	c->fd[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd[0] < 0 || connect(c->fd[0], (struct sockaddr *)&addr, sizeof(addr))) {
		chan_fail(c, 1, "the NIC model does not listen: %s", strerror(errno));
		return;
	}
	for (i = 0; words[i]; i++) {
		lab_buf_add(&line, i ? " " : "", i ? 1 : 0);
		lab_buf_add(&line, words[i], strlen(words[i]));
	}
	lab_buf_add(&line, "\n", 1);
	err = lab_write_all(c->fd[0], line.data, line.len);
	lab_buf_free(&line);
	if (err) {
		chan_fail(c, 1, "the NIC model does not read: %s", strerror(-err));
		return;
	}
	lab_set_nonblock(c->fd[0]);
	c->deadline_ms = now_ms() + NIC_MS;
	c->first_line = c->line_start = true;
}

static void verb_start(struct chan *c, char **words)
{
	request_start(c, words[0], words + 1);
}

static void verb_wait(struct chan *c, char **words)
{
	request_wait(c, words[0], true);
}

static void verb_log(struct chan *c, char **words)
{
	request_wait(c, words[0], false);
}

static void verb_kill(struct chan *c, char **words)
{
	request_kill(c, words[0], words[1]);
}

static void verb_expect(struct chan *c, char **words)
{
	chan_end(c, lab_host_note("expect", words[0], strlen(words[0])) ? 1 : 0);
}

static const struct verb {
	const char *name;
	enum chan_kind kind;
	int least, most; /* words after the verb */
	void (*serve)(struct chan *c, char **words);
} verbs[] = {
	{ "run", CHAN_RUN, 1, WORDS_MAX, request_run },
	{ "start", CHAN_RUN, 2, WORDS_MAX, verb_start },
	{ "wait", CHAN_WAIT, 1, 1, verb_wait },
	{ "log", CHAN_WAIT, 1, 1, verb_log },
	{ "kill", CHAN_KILL, 1, 2, verb_kill },
	{ "nic", CHAN_NIC, 1, WORDS_MAX, request_nic },
	{ "expect", CHAN_RUN, 1, 1, verb_expect },
};

static void request(uint32_t id, char **words, int n)
{
	const char *name = n ? words[0] : "";
	const struct verb *v = NULL;
	struct chan *c;
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name))
			v = &verbs[i];
	c = chan_new(id, v ? v->kind : CHAN_RUN);
	if (!c)
		lab_buf_status(&lab_host.out, id, 1);
	else if (v && n - 1 >= v->least && n - 1 <= v->most)
		v->serve(c, words + 1);
	else
		chan_fail(c, 2, "not understood: '%s' with %d words after it", name, n ? n - 1 : 0);
}

static void request_frame(const struct lab_frame *frame)
{
	char *words[WORDS_MAX + 1] = { 0 };
	char *copy = malloc(frame->len + 1);
	uint32_t off;
	int n = 0;

	if (!copy)
		lab_die("no memory");
	memcpy(copy, frame->data, frame->len);
	copy[frame->len] = 0;
	for (off = 0; off < frame->len && n < WORDS_MAX; off += strlen(copy + off) + 1)
		words[n++] = copy + off;
	request(frame->chan, words, n);
	free(copy);
}

/* The command ends with the one who asked for it. */
static void chan_close(struct chan *c)
{
	if (c->kind == CHAN_RUN && c->status < 0 && c->pid > 0)
		kill(-c->pid, SIGKILL);
	chan_free(c);
}

void peer_frame(const struct lab_frame *frame)
{
	uint32_t taken;
	int i;

	if (frame->type == LAB_REQUEST) {
		request_frame(frame);
		return;
	}
	for (i = 0; i < CHANS_MAX; i++) {
		struct chan *c = &chans[i];

		if (c->kind == CHAN_FREE || c->id != frame->chan)
			continue;
		if (frame->type == LAB_ACK && frame->len == sizeof(taken)) {
			memcpy(&taken, frame->data, sizeof(taken));
			c->unacked -= taken < c->unacked ? taken : c->unacked;
		} else if (frame->type == LAB_CLOSE) {
			chan_close(c);
		}
	}
}

void peer_exited(pid_t pid, int status)
{
	int i;

	for (i = 0; i < CHANS_MAX; i++)
		if (chans[i].kind == CHAN_RUN && chans[i].pid == pid)
			chans[i].status = status;
	for (i = 0; i < PROCS_MAX; i++)
		if (procs[i].pid == pid)
			procs[i].status = status;
}

static size_t chan_room(const struct chan *c)
{
	size_t head = sizeof(struct lab_frame_head);

	return c->unacked + head >= LAB_WINDOW ? 0 : LAB_WINDOW - c->unacked - head;
}

/* A command's output matters now; a waited-for one's when it is over. */
static bool chan_reads(const struct chan *c)
{
	return chan_room(c) && (c->kind == CHAN_RUN || c->kind == CHAN_NIC ||
				(c->kind == CHAN_WAIT && c->status >= 0));
}

int peer_polls(struct pollfd *polls)
{
	int i, j, n = 0;

	for (i = 0; i < CHANS_MAX; i++) {
		if (chans[i].kind == CHAN_FREE || !chan_reads(&chans[i]))
			continue;
		for (j = 0; j < 2; j++)
			if (chans[i].fd[j] >= 0)
				polls[n++] =
					(struct pollfd){ .fd = chans[i].fd[j], .events = POLLIN };
	}
	return n;
}

/* Reads once; false when there was nothing more for now, or no room. */
static bool chan_read(struct chan *c, int which)
{
	size_t room = chan_room(c);
	char data[16384];
	ssize_t n;

	if (c->fd[which] < 0 || !room)
		return false;
	n = read(c->fd[which], data, room < sizeof(data) ? room : sizeof(data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close(c->fd[which]);
		c->fd[which] = -1;
		return false;
	}
	chan_send(c, which ? LAB_ERR : LAB_OUT, data, n);
	return true;
}

/* The answer ends with an empty line or with the connection. */
static void nic_turn(struct chan *c)
{
	char data[4096];
	ssize_t i, n;

	if (!chan_room(c))
		return;
	n = read(c->fd[0], data, sizeof(data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		if (c->status < 0)
			chan_fail(c, 1, "the NIC model hung up without an answer");
		else
			chan_end(c, c->status);
		return;
	}
	if (c->first_line) {
		c->status = n >= 5 && !memcmp(data, "error", 5) ? 1 : 0;
		c->first_line = false;
	}
	for (i = 0; i < n; i++) {
		if (data[i] == '\n' && c->line_start)
			break;
		c->line_start = data[i] == '\n';
	}
	if (i)
		chan_send(c, LAB_OUT, data, i);
	if (i < n)
		chan_end(c, c->status);
}

static void kill_turn(struct chan *c)
{
	if (c->proc->status >= 0) {
		chan_end(c, 0);
	} else if (now_ms() >= c->deadline_ms) {
		kill(-c->proc->pid, SIGKILL);
		c->deadline_ms = now_ms() + KILL_MS;
	}
}

static void chan_turn(struct chan *c)
{
	bool more;

	if (c->kind == CHAN_NIC) {
		nic_turn(c);
		if (c->kind == CHAN_NIC && now_ms() >= c->deadline_ms)
			chan_fail(c, 1, "the NIC model does not answer");
		return;
	}
	if (c->kind == CHAN_KILL) {
		kill_turn(c);
		return;
	}
	if (c->kind == CHAN_WAIT && c->proc)
		c->status = c->proc->status;
	if (!chan_reads(c))
		return;
	more = chan_read(c, 0);
	more |= chan_read(c, 1);
	/* Over when nothing is left to read: others may hold the pipes' ends. */
	if (!more && c->status >= 0 && chan_room(c))
		chan_end(c, c->status);
}

void peer_turn(void)
{
	int i;

	for (i = 0; i < CHANS_MAX; i++)
		if (chans[i].kind != CHAN_FREE)
			chan_turn(&chans[i]);
}

int peer_timeout(void)
{
	long now = now_ms(), left, least = -1;
	int i;

	for (i = 0; i < CHANS_MAX; i++) {
		if (chans[i].kind == CHAN_FREE)
			continue;
		/* What is over but not yet read needs no event to go on. */
		if (chans[i].status >= 0 && chans[i].kind != CHAN_NIC && chan_room(&chans[i]))
			return 0;
		if (!chans[i].deadline_ms)
			continue;
		left = chans[i].deadline_ms - now;
		left = left < 0 ? 0 : left;
		if (least < 0 || left < least)
			least = left;
	}
	return least;
}

void peer_kill_all(void)
{
	int i;

	for (i = 0; i < CHANS_MAX; i++)
		if (chans[i].kind != CHAN_FREE)
			chan_close(&chans[i]);
	for (i = 0; i < PROCS_MAX; i++)
		if (procs[i].pid && procs[i].status < 0)
			kill(-procs[i].pid, SIGKILL);
}
