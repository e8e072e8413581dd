// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq bench recv and zcq bench send: options, then user/bench/ does the work, then the result.
 * They are the load and the yardstick of zcq's own tests, and for users a receiver known to be
 * right.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "bench/recv.h"
#include "bench/send.h"
#include "bench/zcrx_abi.h"
#include "cmd.h"
#include "lib/log.h"
#include "lib/opt.h"

#define NO_CPU		UINT32_MAX
#define MAX_BUF_LEN	(1ULL << 30)

static const char *const engines[] = { "zcrx", "epoll", NULL };
static const char *const area_types[] = { "anon", "thp", "huge", NULL };

/* Signals that the engines read by signalfd. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int finish(const struct zcq_bench_result *res, struct zcq_bench_conn *conns, size_t n)
{
	int err = zcq_bench_print(stdout, zcq_opt_common.json, res, conns, n);

	free(conns);
	if (zcq_exit_written("the result", err))
		return ZCQ_EXIT_FAILED;
	return zcq_bench_ok(res) ? ZCQ_EXIT_OK : ZCQ_EXIT_FAILED;
}

static struct zcq_recv_cfg rx = {
	.queue = 0, .port = 7777, .area_bytes = 64ULL << 20, .cq_entries = 8192,
	.ready_fd = STDERR_FILENO, .cpu = NO_CPU,
};

static const struct zcq_opt recv_opts[] = {
	{ "engine", 'e', ZCQ_OPT_CHOICE, &rx.engine, "NAME",
	  "zcrx: io_uring zero-copy receive; epoll: recv()", 0, 0, engines },
	{ "netdev", 'i', ZCQ_OPT_STR, &rx.ifname, "IF", "netdev whose queue gets the instance" },
	{ "queue", 'Q', ZCQ_OPT_U32, &rx.queue, "N", "its rx queue (0)", 0, UINT32_MAX - 1 },
	{ "nodev", 0, ZCQ_OPT_FLAG, &rx.nodev, NULL,
	  "an instance without netdev: the kernel copies all" },
	{ "bind", 'b', ZCQ_OPT_LIST, &rx.binds, "ADDR",
	  "listen on this address only (default: all,\nIPv4 and IPv6); repeatable" },
	{ "port", 'p', ZCQ_OPT_U32, &rx.port, "N", "TCP port (7777), 0: any free one", 0, 65535 },
	{ "area", 'a', ZCQ_OPT_SIZE, &rx.area_bytes, "SIZE", "memory for buffers (64M)",
	  4096, 1ULL << 40 },
	{ "area-type", 0, ZCQ_OPT_CHOICE, &rx.area_type, "TYPE",
	  "anon, thp or huge (2 MiB hugetlb pages)", 0, 0, area_types },
	{ "rx-buf-len", 'l', ZCQ_OPT_SIZE, &rx.rx_buf_len, "SIZE",
	  "buffer size, a power of two (a page); larger ones\nwant --area-type huge" },
	{ "refill", 'r', ZCQ_OPT_U32, &rx.refill, "N",
	  "refill ring entries (as many as buffers)", 1, ZCQ_ZCRX_RQ_MAX_ENTRIES },
	{ "cq-entries", 0, ZCQ_OPT_U32, &rx.cq_entries, "N", "completion queue entries (8192)",
	  1, 1U << 20 },
	{ "hold", 0, ZCQ_OPT_U32, &rx.hold, "N",
	  "keep the first N buffers: until the end, SIGUSR1\nor --hold-for; SIGUSR2 starts anew",
	  1, UINT32_MAX },
	{ "hold-for", 0, ZCQ_OPT_DURATION, &rx.hold_for_ns, "TIME", "give them back after TIME",
	  1, 86400000000000ULL },
	{ "no-kick", 0, ZCQ_OPT_FLAG, &rx.no_kick, NULL,
	  "leave a queue that went quiet to its driver" },
	{ "connections", 'n', ZCQ_OPT_U64, &rx.connections, "N", "end after N connections ended" },
	{ "bytes", 'B', ZCQ_OPT_SIZE, &rx.bytes, "SIZE", "end after SIZE bytes of all together" },
	{ "duration", 'd', ZCQ_OPT_DURATION, &rx.duration_ns, "TIME",
	  "end TIME after the first connection", 0, ZCQ_OPT_YEAR },
	{ "wait", 'w', ZCQ_OPT_DURATION, &rx.wait_ns, "TIME",
	  "give up if no connection comes in TIME", 0, ZCQ_OPT_YEAR },
	{ "cpu", 0, ZCQ_OPT_U32, &rx.cpu, "N", "run on this CPU", 0, 1023 },
	{ "ready-fd", 0, ZCQ_OPT_FD, &rx.ready_fd, "FD",
	  "where the line \"ready: port=...\" goes (2)", 2, 1U << 20 },
	{ "per-connection", 0, ZCQ_OPT_FLAG, &rx.per_connection, NULL,
	  "also a record for each connection" },
	{ NULL },
};

static const struct zcq_opt_spec recv_spec = {
	.cmd = "bench recv",
	.summary = "Receives what zcq bench send sends, zero-copy, and checks every byte.",
	.notes = "One of --netdev, --nodev and --engine epoll is needed.\n"
		 "Exit status: 0 every byte was right and the asked-for end was reached,\n"
		 "1 not so, 2 usage, 3 no zcrx here.",
	.min_args = 0, .max_args = 0,
	.opts = recv_opts,
};

static int check_binds(void)
{
	struct sockaddr_storage sa;

	for (size_t i = 0; i < rx.binds.n; i++) {
		if (!zcq_addr_parse(rx.binds.v[i], 0, &sa))
			continue;
		zcq_err("bench recv: --bind \"%s\": no IPv4 or IPv6 address", rx.binds.v[i]);
		return -EINVAL;
	}
	return 0;
}

/* An option that would be ignored is refused. */
static int check_ignored(void)
{
	static const struct {
		const void *dest;
		const char *name;
		bool nodev;		/* taken with --nodev; none of them is with --engine epoll */
	} only_zcrx[] = {
		{ &rx.ifname, "netdev", false }, { &rx.queue, "queue", false },
		{ &rx.no_kick, "no-kick", false }, { &rx.nodev, "nodev", true },
		{ &rx.area_bytes, "area", true }, { &rx.area_type, "area-type", true },
		{ &rx.rx_buf_len, "rx-buf-len", true }, { &rx.refill, "refill", true },
		{ &rx.cq_entries, "cq-entries", true }, { &rx.hold, "hold", true },
		{ &rx.hold_for_ns, "hold-for", true },
	};
	bool epoll = rx.engine == ZCQ_RECV_EPOLL;

	if (!epoll && !rx.nodev)
		return 0;
	for (size_t i = 0; i < sizeof(only_zcrx) / sizeof(only_zcrx[0]); i++) {
		if (!zcq_opt_given(only_zcrx[i].dest) || (!epoll && only_zcrx[i].nodev))
			continue;
		zcq_err("bench recv: %s excludes --%s", epoll ? "--engine epoll" : "--nodev",
			only_zcrx[i].name);
		return -EINVAL;
	}
	return 0;
}

/* The kernel takes powers of two from a page on. */
static int check_buf_len(void)
{
	unsigned long long len = rx.rx_buf_len, page = (unsigned long long)sysconf(_SC_PAGESIZE);

	if (!zcq_opt_given(&rx.rx_buf_len) ||
	    (len >= page && len <= MAX_BUF_LEN && !(len & (len - 1))))
		return 0;
	zcq_err("bench recv: --rx-buf-len %llu: not a power of two from %llu (a page) to %lluG", len,
		page, MAX_BUF_LEN >> 30);
	return -EINVAL;
}

static int check_recv(void)
{
	if (check_binds() || check_ignored() || check_buf_len())
		return -EINVAL;
	if (rx.engine == ZCQ_RECV_ZCRX && !rx.nodev && !rx.ifname) {
		zcq_err("bench recv: one of --netdev IF (with --queue N), --nodev or --engine epoll is needed");
		return -EINVAL;
	}
	if (rx.hold_for_ns && !rx.hold) {
		zcq_err("bench recv: --hold-for without --hold");
		return -EINVAL;
	}
	return 0;
}

static int cmd_recv(int argc, char **argv)
{
	struct zcq_bench_result res;
	struct zcq_bench_conn *conns;
	size_t nr_conns;
	int first, ret = zcq_opt_parse(&recv_spec, argc, argv, &first);

	if (ret)
		return zcq_opt_exit(ret);
	if (check_recv())
		return ZCQ_EXIT_USAGE;
	rx.pin = rx.cpu != NO_CPU;
	block_signals();
	ret = zcq_recv_run(&rx, &res, &conns, &nr_conns);
	zcq_strv_free(&rx.binds);
	if (ret) {
		free(conns);
		return ret;
	}
	return finish(&res, conns, nr_conns);
}

static struct zcq_send_cfg tx = {
	.connections = 1, .chunk = 64 << 10, .timeout_ns = 5000000000ULL, .idle_ns = 60000000000ULL,
	.cpu = NO_CPU,
};
static uint32_t tx_port = 7777;
static const char *tx_source;

static const struct zcq_opt send_opts[] = {
	{ "port", 'p', ZCQ_OPT_U32, &tx_port, "N", "TCP port of the receiver (7777)", 1, 65535 },
	{ "connections", 'n', ZCQ_OPT_U32, &tx.connections, "N", "at the same time (1)", 1, 65535 },
	{ "bytes", 'B', ZCQ_OPT_SIZE, &tx.bytes, "SIZE",
	  "in each connection (16M, or until --duration)", ZCQ_STREAM_HEADER, UINT64_MAX },
	{ "duration", 'd', ZCQ_OPT_DURATION, &tx.duration_ns, "TIME", "stop after TIME",
	  0, ZCQ_OPT_YEAR },
	{ "chunk", 'c', ZCQ_OPT_SIZE, &tx.chunk, "SIZE", "in each send() (64K)",
	  ZCQ_STREAM_HEADER, 1U << 26 },
	{ "rate", 'r', ZCQ_OPT_SIZE, &tx.rate, "SIZE", "bytes a second of all together", 1, 1ULL << 40 },
	{ "mss", 0, ZCQ_OPT_U32, &tx.mss, "BYTES", "largest TCP segment", 88, 32767 },
	{ "zerocopy", 'z', ZCQ_OPT_FLAG, &tx.zerocopy, NULL, "send with MSG_ZEROCOPY" },
	{ "source", 's', ZCQ_OPT_STR, &tx_source, "ADDR", "from this address" },
	{ "source-port", 0, ZCQ_OPT_U32, &tx.source_port, "N",
	  "from this port; the next connection from the next", 1, 65535 },
	{ "hold-open", 0, ZCQ_OPT_FLAG, &tx.hold_open, NULL,
	  "keep connections open after the last byte, until\nSIGINT or SIGTERM" },
	{ "timeout", 't', ZCQ_OPT_DURATION, &tx.timeout_ns, "TIME", "try to connect for TIME (5s)",
	  0, ZCQ_OPT_YEAR },
	{ "idle", 0, ZCQ_OPT_DURATION, &tx.idle_ns, "TIME",
	  "give up a connection that makes no progress for\nTIME (60s), 0: never", 0, ZCQ_OPT_YEAR },
	{ "seed", 0, ZCQ_OPT_U64, &tx.seed, "N", "of the pattern (random)" },
	{ "cpu", 0, ZCQ_OPT_U32, &tx.cpu, "N", "run on this CPU", 0, 1023 },
	{ "per-connection", 0, ZCQ_OPT_FLAG, &tx.per_connection, NULL,
	  "also a record for each connection" },
	{ NULL },
};

static const struct zcq_opt_spec send_spec = {
	.cmd = "bench send",
	.args = "ADDRESS",
	.summary = "Sends streams that zcq bench recv can check, over IPv4 or IPv6.",
	.notes = "Exit status: 0 all was sent and read to its end, 1 not so, 2 usage.",
	.min_args = 1, .max_args = 1,
	.opts = send_opts,
};

static int check_send(const char *address)
{
	if (zcq_addr_parse(address, tx_port, &tx.dst)) {
		zcq_err("bench send: \"%s\" is no IPv4 or IPv6 address", address);
		return -EINVAL;
	}
	if (zcq_addr_needs_scope(&tx.dst)) {
		zcq_err("bench send: \"%s\" is link-local: name its netdev, %s%%IF", address, address);
		return -EINVAL;
	}
	if (tx_source && zcq_addr_parse(tx_source, 0, &tx.src)) {
		zcq_err("bench send: \"%s\" is no IPv4 or IPv6 address", tx_source);
		return -EINVAL;
	}
	if (tx_source && tx.src.ss_family != tx.dst.ss_family) {
		zcq_err("bench send: \"%s\" and \"%s\" are of different families", tx_source, address);
		return -EINVAL;
	}
	if (tx.source_port && tx.source_port + tx.connections - 1 > 65535) {
		zcq_err("bench send: --source-port %u: no ports for %u connections", tx.source_port,
			tx.connections);
		return -EINVAL;
	}
	if (!tx.bytes && !tx.duration_ns)
		tx.bytes = 16 << 20;
	return 0;
}

static int cmd_send(int argc, char **argv)
{
	struct zcq_bench_result res;
	struct zcq_bench_conn *conns;
	size_t nr_conns;
	int first, ret;

	/* Not a secret: only that two runs differ. */
	if (getrandom(&tx.seed, sizeof(tx.seed), GRND_NONBLOCK) != sizeof(tx.seed))
		tx.seed = zcq_bench_now();
	ret = zcq_opt_parse(&send_spec, argc, argv, &first);
	if (ret)
		return zcq_opt_exit(ret);
	if (check_send(argv[first]))
		return ZCQ_EXIT_USAGE;
	tx.pin = tx.cpu != NO_CPU;
	block_signals();
	ret = zcq_send_run(&tx, &res, &conns, &nr_conns);
	if (ret) {
		free(conns);
		return ZCQ_EXIT_FAILED;
	}
	return finish(&res, conns, nr_conns);
}

static const char usage[] =
	"usage: zcq bench recv [OPTION...]\n"
	"       zcq bench send [OPTION...] ADDRESS\n"
	"\n"
	"A receiver, zero-copy or ordinary, and its sender; every byte is checked.\n"
	"zcq bench recv --help and zcq bench send --help tell their options.\n";

int zcq_cmd_bench(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "recv"))
		return cmd_recv(argc - 1, argv + 1);
	if (argc >= 2 && !strcmp(argv[1], "send"))
		return cmd_send(argc - 1, argv + 1);
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return ZCQ_EXIT_OK;
	}
	if (argc >= 2)
		zcq_err("bench: \"%s\" is neither recv nor send; see: zcq bench --help", argv[1]);
	else
		fputs(usage, stderr);
	return ZCQ_EXIT_USAGE;
}
