// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctl.c - serves the control socket, one client at a time; the others wait in
 * the backlog. Answers are short, so they are written at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctl.h"
#include "log.h"
#include "wire.h"

#define MAX_WORDS 8

int ctl_listen(struct ctl *ctl, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	*ctl = (struct ctl){ .listen_fd = -1, .fd = -1 };
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	ctl->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ctl->listen_fd < 0)
		return -errno;
	unlink(path);
	if (bind(ctl->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(ctl->listen_fd, 8) < 0)
		return -errno;
	return 0;
}

static void drop_client(struct ctl *ctl)
{
	if (ctl->fd >= 0)
		close(ctl->fd);
	ctl->fd = -1;
	ctl->len = 0;
}

void ctl_close(struct ctl *ctl)
{
	drop_client(ctl);
	if (ctl->listen_fd >= 0)
		close(ctl->listen_fd);
	ctl->listen_fd = -1;
}

void ctl_accept(struct ctl *ctl)
{
	if (ctl->fd < 0)
		ctl->fd = accept4(ctl->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int ctl_fault(struct nic *nic, const char *spec, FILE *out)
{
	char *copy = strdup(spec), *save = NULL, *word;
	char *argv[MAX_WORDS];
	int argc = 0, err;

	if (!copy)
		return -ENOMEM;
	for (word = strtok_r(copy, " \t", &save); word && argc < MAX_WORDS;
	     word = strtok_r(NULL, " \t", &save))
		argv[argc++] = word;
	if (word || !argc) {
		fprintf(out, "a fault has 1 to %d words\n", MAX_WORDS);
		err = -EINVAL;
	} else {
		err = nic->ops->fault(nic, argc, argv, out);
	}
	free(copy);
	return err;
}

void ctl_stats(struct nic *nic, FILE *out)
{
	const struct wire *w = nic->wire;

	fprintf(out, "errors %lu\n", nic_log_errors());
	fprintf(out, "irqs_sent %llu\n", (unsigned long long)nic->irqs_sent);
	fprintf(out, "irqs_lost %llu\n", (unsigned long long)nic->irqs_lost);
	fprintf(out, "dma_misses %llu\n", (unsigned long long)nic->dma.misses);
	fprintf(out, "wire_rx_frames %llu\n", (unsigned long long)w->rx_frames);
	fprintf(out, "wire_rx_bytes %llu\n", (unsigned long long)w->rx_bytes);
	fprintf(out, "wire_tx_frames %llu\n", (unsigned long long)w->tx_frames);
	fprintf(out, "wire_tx_bytes %llu\n", (unsigned long long)w->tx_bytes);
	fprintf(out, "wire_tx_dropped %llu\n", (unsigned long long)w->tx_dropped);
	nic->ops->stats(nic, out);
}

static void answer(struct nic *nic, const char *line, FILE *out)
{
	if (!strcmp(line, "stats")) {
		ctl_stats(nic, out);
	} else if (!strncmp(line, "fault ", 6)) {
		char *why = NULL;
		size_t len = 0;
		FILE *f = open_memstream(&why, &len);
		int err = f ? ctl_fault(nic, line + 6, f) : -ENOMEM;

		if (f)
			fclose(f);
		if (err)
			fprintf(out, "error: %s", len ? why : "out of memory\n");
		else
			fprintf(out, "ok\n");
		free(why);
	} else {
		fprintf(out, "error: \"%s\": expected stats or fault ...\n", line);
	}
}

static void answer_client(struct ctl *ctl, struct nic *nic)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	nic_info("control: %s", ctl->line);
	answer(nic, ctl->line, out);
	fclose(out);
	if (send(ctl->fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		nic_info("control: the client did not take the whole answer");
	free(text);
}

void ctl_serve(struct ctl *ctl, struct nic *nic)
{
	ssize_t n = recv(ctl->fd, ctl->line + ctl->len, sizeof(ctl->line) - 1 - ctl->len, 0);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		ctl->len += (size_t)n;
	ctl->line[ctl->len] = '\0';
	end = strchr(ctl->line, '\n');
	if (!end && n > 0 && ctl->len < sizeof(ctl->line) - 1)
		return;
	if (end)
		*end = '\0';
	if (ctl->len)
		answer_client(ctl, nic);
	drop_client(ctl);
}
