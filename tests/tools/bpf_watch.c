// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF session under a scenario's control: what the programs counted and told, raw, before
 * any command joins it with anything. Reads lines from stdin: "sums" prints counters, flows,
 * events so far and lost counts, then "end"; "instances" prints what the iterators find, then
 * "end"; end of input ends it. Prints "ready" once attached. Lines are "what: key=value ...".
 * Called by scenarios in tests/lab/ and tests/netns/.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bpf/flows.h"
#include "lib/bpf/instances.h"
#include "lib/bpf/session.h"
#include "lib/log.h"

static const char *const event_names[ZCQ_EVENT_MAX] = {
#define ZCQ_X(nr, sym, name, st, subject) [nr] = name,
	ZCQ_EVENT_TABLE(ZCQ_X)
#undef ZCQ_X
};

static const char *const reason_names[ZCQ_COPY_REASONS] = {
	"queue", "netdev", "nodev", "linear", "page", "unknown",
};

static const char *const end_names[ZCQ_END_CLASSES] = {
	"eof", "enospc", "enomem", "efault", "reset", "other", "length",
};

/* What the events said, by type. */
static struct {
	uint64_t count, bytes, zc_bytes, copied_bytes;
} seen[ZCQ_EVENT_MAX];

static bool verbose;

static void one_event(const struct zcq_hdr *h)
{
	const struct zcq_ev_recv_ended *end = (const void *)h;
	const struct zcq_ev_copied *copied = (const void *)h;
	const struct zcq_ev_alloc *alloc = (const void *)h;
	const struct zcq_ev_unsplit *unsplit = (const void *)h;
	const struct zcq_ev_dmabuf *dmabuf = (const void *)h;
	const struct zcq_ev_flow *flow = (const void *)h;
	const struct zcq_ev_buffer *buffer = (const void *)h;

	printf("event: name=%s", event_names[h->type] ? event_names[h->type] : "?");
	switch (h->type) {
	case ZCQ_EVENT_COPIED:
		printf(" bytes=%llu total=%llu reason=%s seen=%u/%d wanted=%u/%d ifname=%s pid=%u",
		       copied->bytes, copied->total_bytes, reason_names[copied->reason],
		       copied->seen_ifindex, (int)copied->seen_rxq, copied->wanted.ifindex,
		       (int)copied->wanted.rxq, copied->ifname, copied->task.pid);
		break;
	case ZCQ_EVENT_RECV_ENDED:
		printf(" result=%d end=%s zc=%llu copied=%llu pid=%u", end->result,
		       end_names[end->end], end->zc_bytes, end->copied_bytes, end->task.pid);
		break;
	case ZCQ_EVENT_ALLOC_FAILED:
	case ZCQ_EVENT_STARVED:
	case ZCQ_EVENT_ALLOC_RECOVERED:
		printf(" fails=%llu run_ns=%llu bufs=%u free=%u refill=%u pending=%u pid=%u rxq=%d",
		       alloc->run_fails, alloc->run_ns, alloc->bufs, alloc->free_bufs,
		       alloc->refill_entries, alloc->refill_pending, alloc->owner.pid,
		       (int)alloc->queue.rxq);
		break;
	case ZCQ_EVENT_UNSPLIT:
		printf(" pkts=%llu bytes=%llu rxq=%d", unsplit->pkts, unsplit->bytes,
		       (int)unsplit->queue.rxq);
		break;
	case ZCQ_EVENT_FLOW_STARTED:
	case ZCQ_EVENT_FLOW_ENDED:
		printf(" zc=%llu copied=%llu lport=%u rport=%u family=%u seen=%u/%d wanted=%u/%d",
		       flow->flow.zc_bytes, (unsigned long long)zcq_flow_copied(&flow->flow),
		       flow->flow.tuple.local_port, flow->flow.tuple.remote_port,
		       flow->flow.tuple.family, flow->flow.seen_ifindex, (int)flow->flow.seen_rxq,
		       flow->flow.wanted.ifindex, (int)flow->flow.wanted.rxq);
		break;
	case ZCQ_EVENT_DMABUF_BOUND:
	case ZCQ_EVENT_DMABUF_UNBOUND:
		printf(" id=%u bytes=%llu chunk=%u tx=%u result=%d pid=%u owner=%u ifname=%s",
		       dmabuf->id, dmabuf->bytes, dmabuf->chunk_bytes, dmabuf->tx, dmabuf->result,
		       dmabuf->task.pid, dmabuf->owner.pid, dmabuf->ifname);
		break;
	case ZCQ_EVENT_BUFFER:
		printf(" what=%u bytes=%u", buffer->what, buffer->bytes);
		break;
	}
	printf("\n");
}

static int on_event(void *arg, const struct zcq_hdr *h, size_t size)
{
	const struct zcq_ev_copied *copied = (const void *)h;
	const struct zcq_ev_flow *flow = (const void *)h;
	const struct zcq_ev_buffer *buffer = (const void *)h;

	(void)arg;
	if (h->type >= ZCQ_EVENT_MAX || h->size != size)
		return -EPROTO;
	seen[h->type].count++;
	if (h->type == ZCQ_EVENT_COPIED)
		seen[h->type].bytes += copied->bytes;
	if (h->type == ZCQ_EVENT_BUFFER && !buffer->what)
		seen[h->type].bytes += buffer->bytes;
	if (h->type == ZCQ_EVENT_FLOW_ENDED) {
		seen[h->type].zc_bytes += flow->flow.zc_bytes;
		seen[h->type].copied_bytes += zcq_flow_copied(&flow->flow);
	}
	if (verbose)
		one_event(h);
	return 0;
}

static int print_counters(const struct zcq_session *s)
{
	struct zcq_queue_count *v;
	size_t n, i;
	int err, k;

	err = zcq_session_counters(s, &v, &n);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		const struct zcq_queue_counters *c = &v[i].c;

		printf("queue: ifindex=%u rxq=%d zc_bytes=%llu zc_recvs=%llu", v[i].queue.ifindex,
		       (int)v[i].queue.rxq, c->zc_bytes, c->zc_recvs);
		for (k = 0; k < ZCQ_COPY_REASONS; k++)
			printf(" %s_bytes=%llu %s_calls=%llu", reason_names[k], c->copied_bytes[k],
			       reason_names[k], c->copies[k]);
		for (k = 0; k < ZCQ_END_CLASSES; k++)
			printf(" end_%s=%llu", end_names[k], c->recv_ended[k]);
		printf(" alloc_calls=%llu alloc_bufs=%llu alloc_fails=%llu returned=%llu coalesced=%llu segs=%llu"
		       " coalesced_bytes=%llu unsplit=%llu unsplit_bytes=%llu hist=",
		       c->alloc_calls, c->alloc_bufs, c->alloc_fails, c->returned_bufs,
		       c->coalesced_pkts, c->coalesced_segs, c->coalesced_bytes, c->unsplit_pkts,
		       c->unsplit_bytes);
		for (k = 0; k < ZCQ_SEG_BUCKETS; k++)
			printf("%s%llu", k ? "," : "", c->coalesced_hist[k]);
		printf("\n");
	}
	free(v);
	return 0;
}

static int print_flows(const struct zcq_session *s)
{
	struct zcq_flow_row *v;
	size_t n, i;
	int err;

	err = zcq_flows_read(s, &v, &n);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		printf("flow: lport=%u rport=%u family=%u zc=%llu copied=%llu recvs=%llu copies=%llu seen=%u/%d wanted=%u/%d"
		       " ifname=%s pid=%u err=%d devmem=%d\n",
		       v[i].flow.tuple.local_port, v[i].flow.tuple.remote_port,
		       v[i].flow.tuple.family, v[i].flow.zc_bytes,
		       (unsigned long long)zcq_flow_copied(&v[i].flow), v[i].flow.recvs,
		       v[i].flow.copies, v[i].flow.seen_ifindex, (int)v[i].flow.seen_rxq,
		       v[i].flow.wanted.ifindex, (int)v[i].flow.wanted.rxq, v[i].ifname,
		       v[i].flow.task.pid, v[i].flow.err, !!(v[i].flow.flags & ZCQ_FLOW_DEVMEM));
	printf("flows: count=%zu\n", n);
	free(v);
	return 0;
}

static int print_lost(const struct zcq_session *s)
{
	struct zcq_lost lost[ZCQ_SUBJECTS];
	uint64_t ring = 0, map = 0, read_fail = 0, missed = 0, filtered = 0;
	int err, i;

	err = zcq_session_lost(s, lost);
	if (err)
		return err;
	for (i = 0; i < ZCQ_SUBJECTS; i++) {
		ring += lost[i].ring_full;
		map += lost[i].map_full;
		read_fail += lost[i].read_fail;
		missed += lost[i].missed;
		filtered += lost[i].filtered;
	}
	printf("lost: ring_full=%llu map_full=%llu read_fail=%llu missed=%llu filtered=%llu\n",
	       (unsigned long long)ring, (unsigned long long)map, (unsigned long long)read_fail,
	       (unsigned long long)missed, (unsigned long long)filtered);
	return 0;
}

static int print_sums(struct zcq_session *s)
{
	int err = zcq_session_drain(s, on_event, NULL), i;

	if (err < 0)
		return err;
	err = print_counters(s);
	if (!err)
		err = print_flows(s);
	for (i = 0; i < ZCQ_EVENT_MAX && !err; i++)
		if (seen[i].count)
			printf("events: name=%s count=%llu bytes=%llu zc=%llu copied=%llu\n",
			       event_names[i], (unsigned long long)seen[i].count,
			       (unsigned long long)seen[i].bytes,
			       (unsigned long long)seen[i].zc_bytes,
			       (unsigned long long)seen[i].copied_bytes);
	return err ? err : print_lost(s);
}

static int print_instances(const struct zcq_session *s)
{
	struct zcq_instance *v;
	size_t n, i;
	int err;

	err = zcq_instances_read(s, &v, &n);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		printf("instance: id=%llx ring=%llx ifindex=%u rxq=%d ifname=%s pid=%u comm=%s fd=%d found=%u zcrx_id=%u"
		       " flags=%u areas=%u area_bytes=%llu buf=%u bufs=%u free=%u held=%u refill=%u pending=%u users=%u\n",
		       v[i].instance, v[i].ring, v[i].queue.ifindex, (int)v[i].queue.rxq,
		       v[i].ifname, v[i].owner.pid, v[i].owner.comm, v[i].fd, v[i].found_by,
		       v[i].zcrx_id, v[i].flags, v[i].areas, v[i].area_bytes, v[i].buf_bytes,
		       v[i].bufs, v[i].free_bufs, v[i].held_bufs, v[i].refill_entries,
		       v[i].refill_pending, v[i].users);
	printf("instances: count=%zu\n", n);
	free(v);
	return 0;
}

static int serve(struct zcq_session *s)
{
	struct pollfd fds[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = zcq_session_fd(s), .events = POLLIN },
	};
	char line[64];
	int err;

	printf("ready\n");
	for (;;) {
		fflush(stdout);
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents) {
			err = zcq_session_drain(s, on_event, NULL);
			if (err < 0)
				return err;
		}
		if (!fds[0].revents)
			continue;
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		if (!strcmp(line, "sums\n"))
			err = print_sums(s);
		else if (!strcmp(line, "instances\n"))
			err = print_instances(s);
		else
			err = -EINVAL;
		if (err)
			return err;
		printf("end\n");
	}
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "heavy", no_argument, NULL, 'h' },
		{ "subjects", required_argument, NULL, 's' },
		{ "copy-report-ns", required_argument, NULL, 'c' },
		{ "ring-bytes", required_argument, NULL, 'r' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "debug", no_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	struct zcq_session_opts opts;
	struct zcq_session *s;
	int c, err;

	zcq_session_defaults(&opts);
	while ((c = getopt_long(argc, argv, "", longs, NULL)) >= 0) {
		switch (c) {
		case 'h':
			opts.probes.heavy = true;
			break;
		case 's':
			err = zcq_subject_parse(optarg);
			if (err < 0)
				return 2;
			opts.probes.subjects |= 1U << err;
			break;
		case 'c':
			opts.cfg.copy_report_ns = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			opts.ring_bytes = strtoul(optarg, NULL, 0);
			break;
		case 'v':
			verbose = true;
			break;
		case 'd':
			zcq_log_set_level(ZCQ_LOG_DEBUG);
			break;
		default:
			return 2;
		}
	}
	setvbuf(stdin, NULL, _IONBF, 0); /* or poll() would not see a second line */
	s = zcq_session_open(&opts);
	if (!s)
		return errno == EOPNOTSUPP ? 3 : 1;
	err = serve(s);
	zcq_session_close(s);
	if (err)
		fprintf(stderr, "bpf_watch: %s\n", strerror(-err));
	return err ? 1 : 0;
}
