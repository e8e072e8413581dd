// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting and printing of bench results. What a run could not measure is null in
 * JSON and '-' in text, never 0.
 */
#include "bench/result.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/log.h"
#include "lib/out.h"

uint64_t zcq_bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void zcq_bench_started(struct zcq_bench_result *r)
{
	if (r->start_ns)
		return;
	r->start_ns = r->end_ns = zcq_bench_now();
	getrusage(RUSAGE_SELF, &r->start_usage);
	r->end_usage = r->start_usage;
}

void zcq_bench_progress(struct zcq_bench_result *r)
{
	if (r->start_ns)
		r->end_ns = zcq_bench_now();
}

void zcq_bench_stopped(struct zcq_bench_result *r)
{
	if (r->start_ns)
		getrusage(RUSAGE_SELF, &r->end_usage);
}

void zcq_bench_count_size(struct zcq_bench_result *r, uint32_t len)
{
	r->reads++;
	r->sizes[len > 1 ? 32 - __builtin_clz(len - 1) : 0]++;
}

void zcq_bench_count_errno(uint64_t counts[ZCQ_BENCH_ERRNOS], int err)
{
	unsigned int e = err < 0 ? -err : err;

	counts[e < ZCQ_BENCH_ERRNOS ? e : 0]++;
}

void zcq_bench_add_fault(struct zcq_bench_result *r, const char *peer, const struct zcq_stream *s)
{
	struct zcq_bench_fault *f;

	if (r->faults++ >= ZCQ_BENCH_FAULTS)
		return;
	f = &r->first_faults[r->faults - 1];
	snprintf(f->peer, sizeof(f->peer), "%s", peer);
	f->fault = s->fault;
	f->offset = s->fault_offset;
	f->got = s->fault_got;
	f->want = s->fault_want;
}

bool zcq_bench_ok(const struct zcq_bench_result *r)
{
	return !r->faults && !r->failed && r->reached;
}

static void walk_errnos(struct zcq_out *out, const char *key, const uint64_t *counts)
{
	unsigned int i;

	zcq_out_arr_begin(out, key);
	for (i = 0; i < ZCQ_BENCH_ERRNOS; i++) {
		if (!counts[i])
			continue;
		zcq_out_obj_begin(out, NULL);
		zcq_out_str(out, "errno", i && strerrorname_np(i) ? strerrorname_np(i) : "unknown");
		zcq_out_u64(out, "count", counts[i]);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}

static void walk_size(struct zcq_out *out, const struct zcq_bench_result *r, unsigned int i)
{
	zcq_out_u64(out, "up_to_bytes", 1ULL << i);
	zcq_out_u64(out, "count", r->sizes[i]);
}

static void walk_sizes(struct zcq_out *out, const struct zcq_bench_result *r)
{
	unsigned int i;

	zcq_out_arr_begin(out, "sizes");
	for (i = 0; i < ZCQ_BENCH_SIZES; i++) {
		if (!r->sizes[i])
			continue;
		zcq_out_obj_begin(out, NULL);
		walk_size(out, r, i);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}

static void walk_faults(struct zcq_out *out, const struct zcq_bench_result *r)
{
	uint64_t i;

	zcq_out_u64(out, "faults", r->faults);
	zcq_out_arr_begin(out, "first_faults");
	for (i = 0; i < r->faults && i < ZCQ_BENCH_FAULTS; i++) {
		const struct zcq_bench_fault *f = &r->first_faults[i];

		zcq_out_obj_begin(out, NULL);
		zcq_out_str(out, "peer", f->peer);
		zcq_out_str(out, "fault", zcq_stream_fault_name(f->fault));
		zcq_out_u64(out, "offset_bytes", f->offset);
		if (f->fault == ZCQ_STREAM_BAD_BYTE) {
			zcq_out_u64(out, "got", f->got);
			zcq_out_u64(out, "want", f->want);
		} else {
			zcq_out_null(out, "got");
			zcq_out_null(out, "want");
		}
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}

static uint64_t tv_ns(const struct timeval *from, const struct timeval *to)
{
	return (to->tv_sec - from->tv_sec) * 1000000000LL + (to->tv_usec - from->tv_usec) * 1000LL;
}

static void walk_time(struct zcq_out *out, const struct zcq_bench_result *r)
{
	uint64_t elapsed = r->end_ns - r->start_ns;

	if (!r->start_ns) {
		zcq_out_null(out, "elapsed_ns");
		zcq_out_null(out, "bytes_per_s");
		zcq_out_null(out, "user_ns");
		zcq_out_null(out, "sys_ns");
		return;
	}
	zcq_out_ns(out, "elapsed_ns", elapsed);
	if (elapsed)
		zcq_out_bytes(out, "bytes_per_s", (uint64_t)(r->bytes * 1e9 / elapsed));
	else
		zcq_out_null(out, "bytes_per_s");
	zcq_out_ns(out, "user_ns", tv_ns(&r->start_usage.ru_utime, &r->end_usage.ru_utime));
	zcq_out_ns(out, "sys_ns", tv_ns(&r->start_usage.ru_stime, &r->end_usage.ru_stime));
}

static void walk_zcrx(struct zcq_out *out, const struct zcq_bench_result *r)
{
	bool zcrx = !strcmp(r->engine, "zcrx");

	if (!zcrx) {
		zcq_out_null(out, "zerocopy_bytes");
		zcq_out_null(out, "copied_bytes");
		return;
	}
	if (r->split_known) {
		zcq_out_bytes(out, "zerocopy_bytes", r->bytes - r->copied_bytes);
		zcq_out_bytes(out, "copied_bytes", r->copied_bytes);
	} else {
		zcq_out_null(out, "zerocopy_bytes");
		zcq_out_null(out, "copied_bytes");
	}
	if (r->stats_known) {
		zcq_out_u64(out, "kernel_copy_count", r->kernel_copy_count);
		zcq_out_bytes(out, "kernel_copy_bytes", r->kernel_copy_bytes);
	} else {
		zcq_out_null(out, "kernel_copy_count");
		zcq_out_null(out, "kernel_copy_bytes");
	}
	zcq_out_bytes(out, "area_bytes", r->area_bytes);
	zcq_out_u64(out, "rx_buf_len", r->rx_buf_len);
	zcq_out_u64(out, "buffers", r->nr_bufs);
	zcq_out_u64(out, "refill_entries", r->refill_entries);
	zcq_out_u64(out, "refill_full", r->refill_full);
	zcq_out_u64(out, "flushes", r->flushes);
	zcq_out_u64(out, "kicks", r->kicks);
	zcq_out_u64(out, "held", r->held);
	zcq_out_u64(out, "held_max", r->held_max);
	walk_errnos(out, "rearmed", r->rearmed);
}

static void walk_recv(struct zcq_out *out, const struct zcq_bench_result *r)
{
	zcq_out_begin(out, "bench_recv");
	zcq_out_str(out, "engine", r->engine);
	zcq_out_str(out, "netdev", r->ifname);
	if (r->ifname)
		zcq_out_u64(out, "queue", r->queue);
	else
		zcq_out_null(out, "queue");
	zcq_out_u64(out, "port", r->port);
	zcq_out_str(out, "ended", r->ended);
	zcq_out_u64(out, "accepted", r->accepted);
	zcq_out_u64(out, "finished", r->finished);
	zcq_out_u64(out, "failed", r->failed);
	zcq_out_u64(out, "unfinished", r->unfinished);
	zcq_out_bytes(out, "bytes", r->bytes);
	walk_zcrx(out, r);
	zcq_out_u64(out, "reads", r->reads);
	walk_sizes(out, r);
	walk_time(out, r);
	walk_errnos(out, "errors", r->errors);
	walk_faults(out, r);
	zcq_out_bool(out, "ok", zcq_bench_ok(r));
	zcq_out_end(out);
}

static void walk_send(struct zcq_out *out, const struct zcq_bench_result *r)
{
	zcq_out_begin(out, "bench_send");
	zcq_out_u64(out, "port", r->port);
	zcq_out_str(out, "ended", r->ended);
	zcq_out_u64(out, "connected", r->accepted);
	zcq_out_u64(out, "finished", r->finished);
	zcq_out_u64(out, "failed", r->failed);
	zcq_out_u64(out, "unfinished", r->unfinished);
	zcq_out_u64(out, "connect_retries", r->connect_retries);
	zcq_out_bytes(out, "bytes", r->bytes);
	zcq_out_u64(out, "sends", r->reads);
	if (r->zerocopy) {
		zcq_out_u64(out, "zerocopy_sends", r->zc_sends);
		zcq_out_u64(out, "zerocopy_sends_copied", r->zc_copied_sends);
	} else {
		zcq_out_null(out, "zerocopy_sends");
		zcq_out_null(out, "zerocopy_sends_copied");
	}
	walk_time(out, r);
	walk_errnos(out, "errors", r->errors);
	zcq_out_bool(out, "ok", zcq_bench_ok(r));
	zcq_out_end(out);
}

static void walk_conn(struct zcq_out *out, const struct zcq_bench_conn *c)
{
	zcq_out_begin(out, "bench_conn");
	zcq_out_str(out, "peer", c->peer);
	zcq_out_str(out, "local", c->local);
	if (c->napi_id)
		zcq_out_u64(out, "napi_id", c->napi_id);
	else
		zcq_out_null(out, "napi_id");
	zcq_out_bytes(out, "bytes", c->bytes);
	zcq_out_str(out, "errno", c->err ? strerrorname_np(-c->err) : NULL);
	zcq_out_str(out, "fault", c->open ? "open" : zcq_stream_fault_name(c->fault));
	zcq_out_end(out);
}

static const struct zcq_out_col recv_cols[] = {
	{ "engine", "ENGINE", true, 0 },
	{ "finished", "CONNS", false, 0 },
	{ "bytes", "BYTES", false, 0 },
	{ "zerocopy_bytes", "ZEROCOPY", false, 0 },
	{ "copied_bytes", "COPIED", false, 0 },
	{ "bytes_per_s", "BYTES/S", false, 0 },
	{ "elapsed_ns", "TIME", false, 0 },
	{ "user_ns", "USER", false, 0 },
	{ "sys_ns", "SYS", false, 0 },
	{ "ok", "OK", true, 0 },
	{ NULL },
};

static const struct zcq_out_col send_cols[] = {
	{ "finished", "CONNS", false, 0 },
	{ "bytes", "BYTES", false, 0 },
	{ "sends", "SENDS", false, 0 },
	{ "bytes_per_s", "BYTES/S", false, 0 },
	{ "elapsed_ns", "TIME", false, 0 },
	{ "user_ns", "USER", false, 0 },
	{ "sys_ns", "SYS", false, 0 },
	{ "ok", "OK", true, 0 },
	{ NULL },
};

static const struct zcq_out_col size_cols[] = {
	{ "up_to_bytes", "READ-UP-TO", false, 0 },
	{ "count", "COUNT", false, 0 },
	{ NULL },
};

static const struct zcq_out_col conn_cols[] = {
	{ "peer", "PEER", true, 0 },
	{ "local", "LOCAL", true, 0 },
	{ "bytes", "BYTES", false, 0 },
	{ "napi_id", "NAPI", false, 0 },
	{ "errno", "ERRNO", true, 0 },
	{ "fault", "STREAM", true, 0 },
	{ NULL },
};

/* A table of its own for each kind of record in text; one stream of records in JSON. */
static struct zcq_out *section(FILE *f, struct zcq_out *json, const struct zcq_out_col *cols)
{
	return json ? json : zcq_out_new(f, ZCQ_OUT_TABLE, cols, false);
}

static int section_end(struct zcq_out *out, struct zcq_out *json)
{
	int err = zcq_out_flush(out);

	if (!json)
		zcq_out_free(out);
	return err;
}

static int print_conns(FILE *f, struct zcq_out *json, const struct zcq_bench_conn *conns, size_t n)
{
	struct zcq_out *out = section(f, json, conn_cols);
	size_t i;

	if (!out)
		return -errno;
	for (i = 0; i < n; i++)
		walk_conn(out, &conns[i]);
	return section_end(out, json);
}

static int print_sizes(FILE *f, const struct zcq_bench_result *r)
{
	struct zcq_out *out = section(f, NULL, size_cols);
	unsigned int i;

	if (!out)
		return -errno;
	for (i = 0; i < ZCQ_BENCH_SIZES; i++) {
		if (!r->sizes[i])
			continue;
		zcq_out_begin(out, "size");
		walk_size(out, r, i);
		zcq_out_end(out);
	}
	return section_end(out, NULL);
}

static void tell_faults(const struct zcq_bench_result *r)
{
	uint64_t i;

	for (i = 0; i < r->faults && i < ZCQ_BENCH_FAULTS; i++) {
		const struct zcq_bench_fault *f = &r->first_faults[i];

		if (f->fault == ZCQ_STREAM_BAD_BYTE)
			zcq_err("%s: byte %llu of the stream is 0x%02x, should be 0x%02x", f->peer,
				(unsigned long long)f->offset, f->got, f->want);
		else
			zcq_err("%s: stream is wrong at byte %llu: %s", f->peer,
				(unsigned long long)f->offset, zcq_stream_fault_name(f->fault));
	}
	if (r->faults > ZCQ_BENCH_FAULTS)
		zcq_err("%llu more streams are wrong", (unsigned long long)r->faults - ZCQ_BENCH_FAULTS);
	if (!r->reached && !strcmp(r->ended, "wait"))
		zcq_err("no connection came within --wait");
	else if (!r->reached)
		zcq_err("ended by %s before the --connections or --bytes asked for", r->ended);
}

int zcq_bench_print(FILE *f, bool json, const struct zcq_bench_result *r,
		    const struct zcq_bench_conn *conns, size_t nr_conns)
{
	struct zcq_out *j = NULL, *out;
	int err = 0, end;

	if (json) {
		j = zcq_out_new(f, ZCQ_OUT_JSON, NULL, false);
		if (!j)
			return -errno;
		zcq_out_header(j, "bench");
	}
	if (nr_conns)
		err = print_conns(f, j, conns, nr_conns);
	out = section(f, j, r->engine ? recv_cols : send_cols);
	if (!out) {
		err = -errno;
		goto out;
	}
	if (r->engine)
		walk_recv(out, r);
	else
		walk_send(out, r);
	/* The first error is the reason, later ones follow from it. */
	end = section_end(out, j);
	err = err ?: end;
	if (!err && !json && r->engine)
		err = print_sizes(f, r);
	tell_faults(r);
out:
	zcq_out_free(j);
	return err;
}
