// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Provokes, one at a time and on purpose, what zcq has to tell about io_uring zcrx instances:
 * registrations that fail in a chosen way, N binds and unbinds, more areas, an instance shared by
 * two processes, a ring without an fd, events, a receive by the wrong instance. It talks to
 * the kernel directly, so that it also can say what user/bench/ never would. Lines on stdout
 * are "what: key=value ..."; exit status 0 only if everything went as asked (--expect). Called by
 * scenarios in tests/lab/ and tests/netns/.
 */
#include "zcrx_exercise.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/opt.h"

#define UD_EVENT	0x65UL
#define UD_RECV		0x72UL

static int cmd_register(void)
{
	struct inst in = { 0 };
	bool good = true;
	unsigned int i;

	for (i = 0; i < cfg.times; i++) {
		int ret;

		ring_open(&in);
		inst_map(&in);
		if (cfg.bad == BAD_CAPS && setresuid(65534, 65534, 65534))
			die("setresuid: %s", strerror(errno));
		ret = inst_register(&in, cfg.queue, NULL);
		good &= report("register", ret, &in);
		if (!ret)
			good &= add_areas(&in);
		if (!ret && cfg.ringless) {
			if (io_uring_register_ring_fd(&in.ring) != 1)
				die("the ring's fd can't be registered");
			close(in.ring.ring_fd);
			printf("ringless: index=%d\n", in.ring.enter_ring_fd);
		}
		if (!ret && cfg.hold)
			hold();
		if (cfg.ringless)
			break;	/* its end is the end of the task */
		inst_close(&in);
		nap();
	}
	printf("end: times=%u\n", i + (cfg.ringless ? 1 : 0));
	return good ? 0 : 1;
}

static int cmd_twice(void)
{
	struct inst first = { 0 }, second = { 0 };
	bool good;
	int expect = cfg.expect ? cfg.expect : EEXIST;

	ring_open(&first);
	inst_map(&first);
	ring_open(&second);
	inst_map(&second);
	cfg.expect = 0;
	good = report("first", inst_register(&first, cfg.queue, NULL), &first);
	cfg.expect = expect;
	good &= report("second", inst_register(&second, cfg.queue, NULL), &second);
	if (cfg.hold)
		hold();
	inst_close(&second);
	inst_close(&first);
	return good ? 0 : 1;
}

static int import(struct inst *in, int fd)
{
	ring_open(in);
	in->reg = (struct zcq_zcrx_reg){ .if_idx = fd, .flags = ZCQ_ZCRX_REG_IMPORT };
	return sys_register(in->ring.ring_fd, ZCQ_IORING_REGISTER_ZCRX_IFQ, &in->reg, 1);
}

/* The second user of an instance, in a process of its own. */
static int importer(struct inst *exporter, int fd)
{
	struct inst b = { 0 };
	bool good;

	/* Else we would be an owner of the exporter's ring too. */
	close(exporter->ring.ring_fd);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "zcrx_importer");
	good = report("import", import(&b, fd), &b);
	close(fd);
	if (good && cfg.hold)
		hold();
	inst_close(&b);
	return good ? 0 : 1;
}

static int share_with_child(struct inst *a, int fd)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork: %s", strerror(errno));
	if (!child)
		_exit(importer(a, fd));
	if (cfg.owner_exits) {
		inst_close(a);
		close(fd);
		printf("owner: left\n");
		fflush(stdout);
	} else if (cfg.hold) {
		hold();
		kill(child, SIGTERM);
	}
	if (waitpid(child, &status, 0) < 0 || status)
		return 1;
	return 0;
}

/* In this process: the second ring has the instance alone if the first is closed. */
static int share_alone(struct inst *a, int fd)
{
	struct inst b = { 0 };
	bool good = report("import", import(&b, fd), &b);

	if (cfg.owner_exits) {
		inst_close(a);
		close(fd);
		printf("owner: left\n");
	}
	if (good && cfg.hold)
		hold();
	inst_close(&b);
	return good ? 0 : 1;
}

/* One instance, two rings: in this process, or (--fork) one of them in a child. */
static int cmd_share(void)
{
	struct zcq_zcrx_ctrl c = { .op = ZCQ_ZCRX_CTRL_EXPORT };
	struct inst a = { 0 };
	int ret;

	ring_open(&a);
	inst_map(&a);
	ret = inst_register(&a, cfg.queue, NULL);
	if (!report("register", ret, &a) || ret)
		return ret ? 1 : 0;
	ret = ctrl(&a, &c);
	if (ret)
		die("export: %s", strerror(-ret));
	printf("export: fd=%u\n", c.export_fd);
	fflush(stdout);
	a.bound = false;	/* it ends with its last user, not with this ring */
	ret = cfg.fork_import ? share_with_child(&a, c.export_fd) : share_alone(&a, c.export_fd);
	if (!cfg.owner_exits) {
		inst_close(&a);
		close(c.export_fd);
	}
	if (cfg.ifname)
		zcq_wait_unbound(cfg.ifname, cfg.queue, 5000);
	return ret;
}

static int listener(void)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any, .sin6_port = htons(cfg.port) };
	int one = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 8))
		die("listening on port %u: %s", cfg.port, strerror(errno));
	return fd;
}

static void recv_arm(struct inst *in, int fd, unsigned int id)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&in->ring);

	io_uring_prep_rw(ZCQ_IORING_OP_RECV_ZC, sqe, fd, NULL, 0, 0);
	sqe->ioprio = ZCQ_IORING_RECV_MULTISHOT;
	sqe->file_index = id;
	sqe->user_data = UD_RECV;
}

/*
 * Two instances in one ring; the connection is received by the second although its
 * packets come in on the first one's queue.
 */
static int cmd_foreign(void)
{
	struct inst a = { 0 }, b = { 0 };
	struct io_uring_cqe *cqe;
	int lfd, fd, ret;

	ring_open(&a);
	inst_map(&a);
	inst_map(&b);
	b.ring = a.ring;
	ret = inst_register(&a, cfg.queue, NULL);
	if (report("first", ret, &a) && !ret)
		ret = inst_register(&b, cfg.queue2, NULL);
	if (!report("second", ret, &b) || ret)
		return 1;
	lfd = listener();
	printf("ready: pid=%d\n", getpid());
	fflush(stdout);
	fd = accept(lfd, NULL, NULL);
	if (fd < 0)
		die("accept: %s", strerror(errno));
	recv_arm(&a, fd, b.reg.zcrx_id);
	io_uring_submit(&a.ring);
	for (;;) {
		unsigned int flags;
		int res;

		ret = io_uring_wait_cqe(&a.ring, &cqe);
		if (ret)
			die("waiting: %s", strerror(-ret));
		res = cqe->res;
		flags = cqe->flags;
		io_uring_cqe_seen(&a.ring, cqe);
		if (flags & IORING_CQE_F_MORE) {
			printf("data: bytes=%d\n", res);
			continue;
		}
		printf("receive: result=%s errno=%d\n", errname(res < 0 ? -res : 0), res < 0 ? -res : 0);
		return res == -EFAULT ? 0 : 1;
	}
}

/* Loopback connection to ourselves with everything written; returns the reading end. */
static int self_feed(pid_t *child)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	int lfd, fd, out;

	cfg.port = 0;
	lfd = listener();
	if (getsockname(lfd, (struct sockaddr *)&sa, &(socklen_t){ sizeof(sa) }))
		die("getsockname: %s", strerror(errno));
	*child = fork();
	if (*child < 0)
		die("fork: %s", strerror(errno));
	if (!*child) {
		static char block[65536];
		unsigned long left = cfg.bytes;

		sa.sin6_addr = in6addr_loopback;
		out = socket(AF_INET6, SOCK_STREAM, 0);
		if (connect(out, (struct sockaddr *)&sa, sizeof(sa)))
			_exit(1);
		while (left) {
			ssize_t n = send(out, block, left < sizeof(block) ? left : sizeof(block), MSG_NOSIGNAL);

			if (n < 0)
				_exit(1);
			left -= n;
		}
		_exit(0);
	}
	fd = accept(lfd, NULL, NULL);
	if (fd < 0)
		die("accept: %s", strerror(errno));
	close(lfd);
	return fd;
}

/* Gives one buffer back at once and makes the kernel take it. */
static void give_back(struct inst *in, __u64 off, unsigned int len)
{
	char *base = in->region;
	__u32 *ktail = (__u32 *)(base + in->reg.offsets.tail);
	struct zcq_zcrx_rqe *rqes = (struct zcq_zcrx_rqe *)(base + in->reg.offsets.rqes);
	struct zcq_zcrx_ctrl c = { .op = ZCQ_ZCRX_CTRL_FLUSH_RQ };
	__u32 tail = *ktail;

	rqes[tail & (in->reg.rq_entries - 1)] = (struct zcq_zcrx_rqe){
		.off = (off & ZCQ_ZCRX_AREA_OFF_MASK) | in->area_reg.rq_area_token, .len = len,
	};
	__atomic_store_n(ktail, tail + 1, __ATOMIC_RELEASE);
	ctrl(in, &c);
}

/* COPY events, their re-arming, and the kernel's statistics; on an instance without netdev. */
static int cmd_events(void)
{
	struct zcq_zcrx_event_desc ev = {
		.user_data = UD_EVENT, .flags = ZCQ_ZCRX_EVENT_DESC_STATS,
		.type_mask = 1U << ZCQ_ZCRX_EVENT_COPY | 1U << ZCQ_ZCRX_EVENT_ALLOC_FAIL,
	};
	unsigned long long bytes = 0;
	unsigned long events = 0, rearmed = 0, ended = 0, enospc = 0;
	const struct zcq_zcrx_stats *stats;
	struct inst in = { 0 };
	pid_t child;
	int fd, ret, status;

	cfg.nodev = true;
	cfg.ifindex = cfg.queue = 0;
	cfg.flags |= ZCQ_ZCRX_REG_NODEV;
	ring_open(&in);
	inst_map(&in);
	ev.stats_offset = in.region_len - 4096;
	ret = inst_register(&in, 0, &ev);
	if (!report("register", ret, &in) || ret)
		return ret ? 1 : 0;
	stats = (void *)((char *)in.region + ev.stats_offset);
	fd = self_feed(&child);
	recv_arm(&in, fd, in.reg.zcrx_id);
	while (!ended) {
		struct zcq_zcrx_ctrl arm = { .op = ZCQ_ZCRX_CTRL_ARM_EVENT };
		struct io_uring_cqe *cqe;

		io_uring_submit(&in.ring);
		ret = io_uring_wait_cqe(&in.ring, &cqe);
		if (ret)
			die("waiting: %s", strerror(-ret));
		if (cqe->user_data == UD_EVENT) {
			events++;
			arm.event_type = cqe->res;
			rearmed += ctrl(&in, &arm) == 0;
		} else if (cqe->flags & IORING_CQE_F_MORE) {
			const struct zcq_zcrx_cqe *z = (void *)(cqe + 1);

			bytes += cqe->res;
			give_back(&in, z->off, cqe->res);
		} else if (cqe->res == -ENOSPC || cqe->res == -ENOMEM) {
			enospc++;
			recv_arm(&in, fd, in.reg.zcrx_id);
		} else {
			ended = 1;
			ret = cqe->res;
		}
		io_uring_cqe_seen(&in.ring, cqe);
	}
	if (waitpid(child, &status, 0) < 0 || status)
		die("the feeding child failed");
	printf("events: bytes=%llu result=%s copy_events=%lu rearmed=%lu receives_rearmed=%lu copy_count=%llu copy_bytes=%llu\n",
	       bytes, errname(ret < 0 ? -ret : 0), events, rearmed, enospc,
	       (unsigned long long)stats->copy_count, (unsigned long long)stats->copy_bytes);
	inst_close(&in);
	return bytes == cfg.bytes && !ret && events && events == rearmed ? 0 : 1;
}

static int cmd_query(void)
{
	struct zcq_query_zcrx z = { 0 };
	struct zcq_query_zcrx_event e = { 0 };
	struct zcq_query_hdr h = { .query_op = ZCQ_QUERY_ZCRX, .query_data = (uintptr_t)&z, .size = sizeof(z) };
	int ret = sys_register(-1, ZCQ_IORING_REGISTER_QUERY, &h, 0);

	if (!ret)
		ret = h.result;
	printf("query: what=zcrx result=%s register_flags=%#llx ctrl_ops=%u features=%#x rq_hdr_size=%u\n", errname(-ret),
	       (unsigned long long)z.register_flags, z.nr_ctrl_opcodes, z.features, z.rq_hdr_size);
	h = (struct zcq_query_hdr){ .query_op = ZCQ_QUERY_ZCRX_EVENT, .query_data = (uintptr_t)&e, .size = sizeof(e) };
	ret = sys_register(-1, ZCQ_IORING_REGISTER_QUERY, &h, 0);
	if (!ret)
		ret = h.result;
	printf("query: what=event result=%s event_mask=%#x stats_size=%u\n", errname(-ret), e.event_flags, e.stats_size);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(void);
} commands[] = {
	{ "query", cmd_query },
	{ "register", cmd_register },
	{ "twice", cmd_twice },
	{ "share", cmd_share },
	{ "foreign", cmd_foreign },
	{ "events", cmd_events },
};

static const struct zcq_opt options[] = {
	{ "if", 0, ZCQ_OPT_STR, &cfg.ifname, "IF", "netdev" },
	{ "ifindex", 0, ZCQ_OPT_U32, &cfg.ifindex, "N", "netdev by number, also of none" },
	{ "nodev", 0, ZCQ_OPT_FLAG, &cfg.nodev, NULL, "instance without netdev" },
	{ "queue", 0, ZCQ_OPT_U32, &cfg.queue, "N", "rx queue (0)" },
	{ "queue2", 0, ZCQ_OPT_U32, &cfg.queue2, "N", "second rx queue of foreign (2)" },
	{ "rq", 0, ZCQ_OPT_U32, &cfg.rq_entries, "N", "refill ring entries (256)" },
	{ "rx-buf-len", 0, ZCQ_OPT_SIZE, &cfg.rx_buf_len, "SIZE", "buffer size" },
	{ "area", 0, ZCQ_OPT_SIZE, &cfg.area_len, "SIZE", "memory (1M)" },
	{ "huge", 0, ZCQ_OPT_FLAG, &cfg.huge, NULL, "of huge pages" },
	{ "flags", 0, ZCQ_OPT_STR, &cfg.flags_text, "N", "more registration flags, as a number" },
	{ "ring", 0, ZCQ_OPT_CHOICE, &cfg.ring, "KIND", "good, mixed, nodefer or nocqe32", 0, 0,
	  ring_names },
	{ "bad", 0, ZCQ_OPT_CHOICE, &cfg.bad, "WHAT",
	  "none, region-ptr, area-ptr, area-addr, token,\nresv, event-mask, region-small, unaligned\nor caps",
	  0, 0, bad_names },
	{ "expect", 0, ZCQ_OPT_STR, &cfg.expect_text, "ERRNO", "the result wanted: EINVAL, ... (OK)" },
	{ "times", 0, ZCQ_OPT_U32, &cfg.times, "N", "register: so often, each with its end" },
	{ "gap-ms", 0, ZCQ_OPT_U32, &cfg.gap_ms, "N", "pause after each" },
	{ "areas", 0, ZCQ_OPT_U32, &cfg.areas, "N", "register: so many areas more" },
	{ "hold", 0, ZCQ_OPT_FLAG, &cfg.hold, NULL, "say ready, stay until SIGTERM or SIGINT" },
	{ "ringless", 0, ZCQ_OPT_FLAG, &cfg.ringless, NULL, "register: close the ring's fd, keep the ring" },
	{ "fork", 0, ZCQ_OPT_FLAG, &cfg.fork_import, NULL, "share: with a child" },
	{ "owner-exits", 0, ZCQ_OPT_FLAG, &cfg.owner_exits, NULL, "share: the first one leaves" },
	{ "port", 0, ZCQ_OPT_U32, &cfg.port, "N", "of foreign (7799)" },
	{ "bytes", 0, ZCQ_OPT_SIZE, &cfg.bytes, "SIZE", "of events (1000003)" },
	{ "comm", 0, ZCQ_OPT_STR, &cfg.comm, "NAME", "this process' name" },
	{ NULL },
};

static const struct zcq_opt_spec spec = {
	.cmd = "zcrx_exercise",
	.args = "COMMAND",
	.summary = "A test tool: provokes, on purpose, what zcq has to tell.",
	.notes = "query      what this kernel's zcrx can do\n"
		 "register   register, wrongly if asked to\n"
		 "twice      the same queue by two rings; the second must fail (EEXIST)\n"
		 "share      export to a second ring\n"
		 "foreign    receive by --queue2's instance what arrives on --queue; must fail\n"
		 "events     copy events and statistics, without netdev, over loopback",
	.min_args = 1, .max_args = 1,
	.opts = options,
};

static int errno_of(const char *text)
{
	int i;

	if (!strcmp(text, "OK"))
		return 0;
	for (i = 1; i < 256; i++)
		if (strerrorname_np(i) && !strcmp(strerrorname_np(i), text))
			return i;
	die("\"%s\" is no errno's name", text);
}

static void take_options(void)
{
	if (cfg.ifname && !(cfg.ifindex = if_nametoindex(cfg.ifname)))
		die("no netdev \"%s\"", cfg.ifname);
	if (cfg.nodev)
		cfg.flags |= ZCQ_ZCRX_REG_NODEV;
	if (cfg.flags_text)
		cfg.flags |= strtoul(cfg.flags_text, NULL, 0);
	if (cfg.expect_text)
		cfg.expect = errno_of(cfg.expect_text);
	if (cfg.comm)
		prctl(PR_SET_NAME, cfg.comm);
}

int main(int argc, char **argv)
{
	sigset_t set;
	size_t i;
	int first, ret = zcq_opt_parse(&spec, argc, argv, &first);

	if (ret)
		return zcq_opt_exit(ret);
	take_options();
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[first], commands[i].name))
			return commands[i].run();
	zcq_opt_print_help(&spec, stderr);
	return 2;
}
