// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the lab's NIC: options, and the loop that moves messages between
 * QEMU (vfio-user), the TAP and the control socket. One process is one device.
 * It ends with status 0 when QEMU disconnects or on SIGTERM.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ctl.h"
#include "device.h"
#include "log.h"
#include "pci.h"
#include "vfio_user.h"
#include "wire.h"

#define RX_BATCH 64

static const struct nic_device_ops *const models[] = {
	&mlx5_device_ops,
};

struct options {
	const char *socket, *tap, *ctl, *log;
	char **fault;
	unsigned int nr_faults;
	struct nic_options nic;
};

enum { EXIT_USAGE = 2 };

static void usage(FILE *f)
{
	fprintf(f, "usage: nic mlx5 --socket PATH --tap NAME --ctl PATH [--log FILE]\n"
		   "           [--fault SPEC]... [--striding on|off]\n"
		   "\n"
		   "  --socket PATH      listen here for QEMU's vfio-user-pci\n"
		   "  --tap NAME         the wire: a TAP device, created if missing\n"
		   "  --ctl PATH         control socket: stats, fault SPEC\n"
		   "  --log FILE         log (default: standard error)\n"
		   "  --fault SPEC       cmd OPCODE N status STATUS: fail the Nth command\n"
		   "                     unsplit N: leave N packets' headers unsplit\n"
		   "  --striding on|off  offer the striding receive queue (default: on)\n");
}

static int bad_usage(const char *what, const char *text)
{
	fprintf(stderr, "nic: %s: %s (try nic --help)\n", what, text);
	return EXIT_USAGE;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longopts[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "tap", required_argument, NULL, 't' },
		{ "ctl", required_argument, NULL, 'c' },
		{ "log", required_argument, NULL, 'l' },
		{ "fault", required_argument, NULL, 'f' },
		{ "striding", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct options){ .nic.striding = true };
	o->fault = calloc((size_t)argc, sizeof(*o->fault));
	if (!o->fault)
		return EXIT_FAILURE;
	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		switch (c) {
		case 's':
			o->socket = optarg;
			break;
		case 't':
			o->tap = optarg;
			break;
		case 'c':
			o->ctl = optarg;
			break;
		case 'l':
			o->log = optarg;
			break;
		case 'f':
			o->fault[o->nr_faults++] = optarg;
			break;
		case 'r':
			if (strcmp(optarg, "on") && strcmp(optarg, "off"))
				return bad_usage(optarg, "--striding takes on or off");
			o->nic.striding = !strcmp(optarg, "on");
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind != argc)
		return bad_usage(argv[optind], "unexpected word");
	if (!o->socket || !o->tap || !o->ctl)
		return bad_usage("--socket, --tap and --ctl", "all three are needed");
	return 0;
}

static const struct nic_device_ops *find_model(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

/* ---- the loop ---- */

enum { FD_CLIENT, FD_TAP, FD_CTL, FD_SIGNAL, NR_FDS };

static void receive(struct nic *nic)
{
	static u8 frame[NIC_MAX_FRAME];
	int i, n;

	for (i = 0; i < RX_BATCH; i++) {
		n = wire_recv(nic->wire, frame, sizeof(frame));
		if (n < 0)
			nic_err("TAP: %s", strerror(-n));
		if (n <= 0)
			break;
		/* A TAP hands over short frames without Ethernet's padding. */
		if (n < 60) {
			memset(frame + n, 0, 60 - (size_t)n);
			n = 60;
		}
		nic->ops->rx(nic, frame, (u32)n);
	}
}

static int loop(struct nic *nic, struct ctl *ctl, int sigfd)
{
	struct vfio_user *vu = nic->vu;
	struct pollfd p[NR_FDS] = {
		[FD_CLIENT] = { .events = POLLIN },
		[FD_TAP] = { .fd = nic->wire->fd, .events = POLLIN },
		[FD_CTL] = { .events = POLLIN },
		[FD_SIGNAL] = { .fd = sigfd, .events = POLLIN },
	};
	int err;

	for (;;) {
		p[FD_CLIENT].fd = vu->fd >= 0 ? vu->fd : vu->listen_fd;
		p[FD_CTL].fd = ctl->fd >= 0 ? ctl->fd : ctl->listen_fd;
		if (poll(p, NR_FDS, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (p[FD_SIGNAL].revents)
			return 0;
		if (p[FD_CLIENT].revents) {
			err = vu->fd >= 0 ? vfio_user_serve(vu, nic) : vfio_user_accept(vu);
			if (err)
				return err == -ECONNRESET ? 0 : err;
		}
		if (p[FD_TAP].revents)
			receive(nic);
		nic->ops->rx_done(nic);
		if (p[FD_CTL].revents && ctl->fd >= 0)
			ctl_serve(ctl, nic);
		else if (p[FD_CTL].revents)
			ctl_accept(ctl);
	}
}

static int open_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void log_totals(struct nic *nic)
{
	char *text = NULL, *line, *save = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	ctl_stats(nic, f);
	fclose(f);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		nic_info("total: %s", line);
	free(text);
}

static int fail(const char *what, const char *name, int err)
{
	fprintf(stderr, "nic: %s %s: %s\n", what, name, strerror(-err));
	return EXIT_FAILURE;
}

static int run(struct nic *nic, const struct options *o, struct ctl *ctl)
{
	int sigfd = open_signals(), err;
	unsigned int i;

	err = wire_open(nic->wire, o->tap);
	if (err)
		return fail("TAP", o->tap, err);
	err = ctl_listen(ctl, o->ctl);
	if (err)
		return fail("control socket", o->ctl, err);
	err = vfio_user_listen(nic->vu, o->socket);
	if (err)
		return fail("socket", o->socket, err);
	err = nic->ops->create(nic);
	if (err)
		return fail("model", nic->ops->name, err);
	for (i = 0; i < o->nr_faults; i++)
		if (ctl_fault(nic, o->fault[i], stderr))
			return bad_usage(o->fault[i], "not a fault");

	printf("ready\n");
	fflush(stdout);
	err = loop(nic, ctl, sigfd);
	log_totals(nic);
	nic->ops->destroy(nic);
	close(sigfd);
	return err ? fail("the loop ended", "", err) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct vfio_user vu = { .listen_fd = -1, .fd = -1 };
	static struct wire wire = { .fd = -1 };
	static struct ctl ctl = { .listen_fd = -1, .fd = -1 };
	static struct pci pci;
	static struct nic nic = { .vu = &vu, .wire = &wire, .pci = &pci };
	struct options o;
	int err;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return EXIT_SUCCESS;
	}
	nic.ops = argc > 1 ? find_model(argv[1]) : NULL;
	if (!nic.ops)
		return bad_usage(argc > 1 ? argv[1] : "no model", "expected mlx5");
	err = parse_options(argc - 1, argv + 1, &o);
	if (!err && o.log) {
		err = nic_log_open(o.log);
		if (err)
			err = fail("log", o.log, err);
	}
	if (!err) {
		nic.opt = o.nic;
		pci_init(&pci, &nic.ops->pci);
		err = run(&nic, &o, &ctl);
	}
	vfio_user_close(&vu);
	ctl_close(&ctl);
	wire_close(&wire);
	dma_unmap_all(&nic.dma);
	nic_log_close();
	free(o.fault);
	return err;
}
