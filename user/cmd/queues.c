// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq queues: every rx queue of this network namespace, what feeds it, who owns that,
 * what points at it, and what came in over an interval. Looks only; changes nothing.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/event/lost.h"
#include "lib/log.h"
#include "lib/model/show.h"
#include "lib/model/snapshot.h"
#include "lib/opt.h"
#include "lib/out.h"

#define DETAIL_INDENT	6
#define MORE_INDENT	19	/* further lines of a detail: under its first field */
#define NETDEV_INDENT	13
#define WIDTH		80	/* where none is known */
#define MAX_INTERVAL	3600000000000ULL

static struct zcq_strv netdevs;
static uint64_t interval_ns = 1000000000;
static uint32_t only_queue = ZCQ_NO_QUEUE, ready_fd = ~0U;
static bool only_zc, with_pools;

static const struct zcq_opt opts[] = {
	{ "netdev", 'i', ZCQ_OPT_LIST, &netdevs, "IF",
	  "only this netdev; repeatable, as are the\narguments" },
	{ "queue", 'Q', ZCQ_OPT_U32, &only_queue, "N", "only the queue with this index",
	  0, ZCQ_NO_QUEUE - 1 },
	{ "zc", 'z', ZCQ_OPT_FLAG, &only_zc, NULL, "only queues with a memory provider" },
	{ "pools", 'p', ZCQ_OPT_FLAG, &with_pools, NULL, "page pools too" },
	{ "interval", 'I', ZCQ_OPT_DURATION, &interval_ns, "TIME",
	  "measure for so long (1s), or until SIGINT;\n0: don't measure", 0, MAX_INTERVAL },
	{ "ready-fd", 0, ZCQ_OPT_FD, &ready_fd, "FD",
	  "write a line to this file descriptor when the\ninterval begins", 3, 1U << 20 },
	{ NULL },
};

static const struct zcq_opt_spec spec = {
	.cmd = "queues",
	.args = "[IF...]",
	.summary = "Show the rx queues of the NICs: what feeds them, who owns it, what arrives.",
	.notes = "What could not be measured is '-' (null in JSON), never 0.",
	.max_args = -1,
	.opts = opts,
};

struct show {
	struct zcq_snapshot *snap;
	struct zcq_out *out;		/* JSON, or the table of rows */
	struct zcq_out *line;		/* JSON: the same; text: records beside the rows */
	FILE *rows_f, *line_f;
	char *rows, *lines;		/* what has been written to them */
	size_t rows_len, lines_len;
	int width;
	size_t shown;			/* queues */
	bool colour;
};

/* What stands before and after a row of the table; bare: there is no row. */
struct block {
	char *before, *after;
	bool bare;
};

struct blocks {
	struct block *v;
	size_t n;
	char *tail;			/* after everything */
};

static bool wanted_netdev(const struct zcq_netdev *nd)
{
	return !netdevs.n || zcq_strv_has(&netdevs, nd->name);
}

static bool wanted_queue(const struct zcq_queue *q)
{
	if (only_queue != ZCQ_NO_QUEUE && q->id != only_queue)
		return false;
	return !only_zc || q->provider;
}

static bool wanted_pool(const struct zcq_netdev *nd, const struct zcq_pool *pool)
{
	if (!with_pools || (only_zc && !pool->provider))
		return false;
	if (nd && only_queue != ZCQ_NO_QUEUE)
		return pool->queue.known && pool->queue.v == only_queue;
	return nd || !netdevs.n;
}

/* A queue's pools are shown with it, the others behind the netdev's queues. */
static bool has_row(const struct zcq_netdev *nd, const struct zcq_pool *pool)
{
	return pool->queue.known && pool->queue.v < nd->n_queues &&
	       wanted_queue(&nd->queues[pool->queue.v]);
}

/* Instances without a netdev have no queue to be shown with. */
static bool wanted_loose(const struct zcq_inst *inst)
{
	return !inst->info.queue.ifindex && !netdevs.n && only_queue == ZCQ_NO_QUEUE;
}

static size_t count_wanted(const struct zcq_netdev *nd)
{
	size_t i, n = 0;

	for (i = 0; i < nd->n_queues; i++)
		n += wanted_queue(&nd->queues[i]);
	return n;
}

/* --- text: wrapping ------------------------------------------------------------------- */

/* The columns of one word, which escape sequences do not count for. */
static int word_cols(const char *s, const char *end)
{
	bool escape = false;
	int n = 0;

	for (; s < end; s++) {
		if (*s == '\033')
			escape = true;
		else if (escape)
			escape = *s != 'm';
		else
			n += (*s & 0xc0) != 0x80;
	}
	return n;
}

/* The end of the field at s: a space outside quotes. */
static const char *field_end(const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != ' '); s++)
		quoted ^= *s == '"';
	return s;
}

static void print_wrapped(FILE *f, const char *line, int indent, int more, int width)
{
	const char *start, *end;
	int col = indent, n;

	fprintf(f, "%*s", indent, "");
	for (; *line; line = end) {
		/* spaces that line columns up are kept, but not where a line is broken */
		start = line + strspn(line, " ");
		end = field_end(start);
		n = word_cols(line, end);
		if (col + n > width && col > more) {
			fprintf(f, "\n%*s", more, "");
			col = more;
			line = start;
			n = word_cols(line, end);
		}
		fwrite(line, 1, (size_t)(end - line), f);
		col += n;
	}
	fputc('\n', f);
}

/*
 * The records written to s->line since the last call, wrapped to the width. NULL if there
 * were none, on failure, and for JSON, which is out already.
 */
static char *take_lines(struct show *s, int indent, int more)
{
	char *text = NULL, *line, *save = NULL;
	size_t len;
	FILE *f;

	if (!s->line_f)
		return NULL;
	zcq_out_flush(s->line);
	if (!s->lines_len || !s->lines)
		return NULL;
	/* behind it stands what was written before the last rewind */
	s->lines[s->lines_len] = '\0';
	f = open_memstream(&text, &len);
	if (!f)
		return NULL;
	for (line = strtok_r(s->lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		print_wrapped(f, line, indent, more, s->width);
	fclose(f);
	rewind(s->line_f);
	fflush(s->line_f);
	return text;
}

/* --- the walk, for text and JSON ------------------------------------------------------- */

static void add_pools(struct show *s, const struct zcq_netdev *nd, const struct zcq_queue *q)
{
	size_t i;

	for (i = 0; i < nd->n_pools; i++) {
		const struct zcq_pool *pool = &nd->pools[i];

		if (!wanted_pool(nd, pool) || has_row(nd, pool) != (q != NULL))
			continue;
		if (!q || pool->queue.v == q->id)
			zcq_show_pool(s->line, nd, pool);
	}
}

static void add_netdev(struct show *s, struct blocks *b, const struct zcq_netdev *nd)
{
	struct block *block = &b->v[b->n];
	size_t i, left = count_wanted(nd);

	if (!left && (only_zc || only_queue != ZCQ_NO_QUEUE))
		return;
	zcq_show_netdev(s->line, nd);
	block->before = take_lines(s, 0, NETDEV_INDENT);
	if (!left) {
		add_pools(s, nd, NULL);
		block->after = take_lines(s, DETAIL_INDENT, MORE_INDENT);
		block->bare = true;
		b->n++;
		return;
	}
	for (i = 0; i < nd->n_queues; i++) {
		const struct zcq_queue *q = &nd->queues[i];

		if (!wanted_queue(q))
			continue;
		zcq_show_queue(s->out, s->snap, nd, q);
		s->shown++;
		zcq_show_queue_details(s->line, s->snap, q);
		add_pools(s, nd, q);
		if (!--left)
			add_pools(s, nd, NULL);
		b->v[b->n++].after = take_lines(s, DETAIL_INDENT, MORE_INDENT);
	}
}

static void add_tail(struct show *s, struct blocks *b)
{
	const struct zcq_snapshot *snap = s->snap;
	size_t i;

	for (i = 0; i < snap->n_orphans; i++)
		if (wanted_pool(NULL, &snap->orphans[i]))
			zcq_show_pool(s->line, NULL, &snap->orphans[i]);
	for (i = 0; i < snap->n_insts; i++)
		if (wanted_loose(&snap->insts[i]))
			zcq_show_instance(s->line, &snap->insts[i]);
	zcq_show_summary(s->line, snap);
	b->tail = take_lines(s, 0, NETDEV_INDENT);
}

static void print_blocks(struct show *s, const struct blocks *b)
{
	char *row, *save = NULL;
	size_t i = 0;

	zcq_out_flush(s->out);
	row = s->rows_len ? strtok_r(s->rows, "\n", &save) : NULL;
	if (row)
		printf("%s\n", row);
	for (i = 0; i < b->n; i++) {
		fputs(b->v[i].before ? b->v[i].before : "", stdout);
		row = b->v[i].bare ? NULL : strtok_r(NULL, "\n", &save);
		if (row)
			printf("%s\n", row);
		fputs(b->v[i].after ? b->v[i].after : "", stdout);
	}
	fputs(b->tail ? b->tail : "", stdout);
}

static int walk(struct show *s)
{
	struct blocks b = { 0 };
	size_t i, n = 1;

	for (i = 0; i < s->snap->n_netdevs; i++)
		n += s->snap->netdevs[i].n_queues + 1;
	b.v = calloc(n, sizeof(*b.v));
	if (!b.v)
		return -ENOMEM;
	for (i = 0; i < s->snap->n_netdevs; i++)
		if (wanted_netdev(&s->snap->netdevs[i]))
			add_netdev(s, &b, &s->snap->netdevs[i]);
	add_tail(s, &b);
	if (s->line_f)
		print_blocks(s, &b);
	for (i = 0; i < b.n; i++) {
		free(b.v[i].before);
		free(b.v[i].after);
	}
	free(b.v);
	free(b.tail);
	return 0;
}

static int open_outputs(struct show *s)
{
	if (zcq_opt_common.json) {
		s->out = s->line = zcq_out_new(stdout, ZCQ_OUT_JSON, NULL, false);
		return s->out ? 0 : -errno;
	}
	s->colour = zcq_out_colour_ok(stdout);
	s->width = zcq_out_width(stdout) ?: WIDTH;
	s->rows_f = open_memstream(&s->rows, &s->rows_len);
	s->line_f = open_memstream(&s->lines, &s->lines_len);
	if (!s->rows_f || !s->line_f)
		return -errno;
	s->out = zcq_out_new(s->rows_f, ZCQ_OUT_TABLE, zcq_show_queue_cols, s->colour);
	s->line = zcq_out_new(s->line_f, ZCQ_OUT_LINE, NULL, s->colour);
	return s->out && s->line ? 0 : -errno;
}

static void close_outputs(struct show *s)
{
	if (s->line != s->out)
		zcq_out_free(s->line);
	zcq_out_free(s->out);
	if (s->rows_f)
		fclose(s->rows_f);
	if (s->line_f)
		fclose(s->line_f);
	free(s->rows);
	free(s->lines);
}

static void warn_lost(const struct zcq_snapshot *snap)
{
	uint64_t lost = zcq_lost_total(snap->lost), gaps = zcq_lost_unreadable(snap->lost);

	if (lost)
		zcq_warn("BPF lost %llu records: what was counted may be too low (--json says of what)",
			 (unsigned long long)lost);
	if (gaps)
		zcq_warn("BPF could not read kernel memory %llu times: some figures may be missing",
			 (unsigned long long)gaps);
}

static int print_snapshot(struct zcq_snapshot *snap, size_t *shown)
{
	struct show s = { .snap = snap };
	int err;

	err = open_outputs(&s);
	if (err)
		goto out;
	zcq_out_header(s.out, "queues");
	err = walk(&s);
	if (!err)
		err = zcq_out_flush(s.out);
	if (!err && fflush(stdout))
		err = -errno;
	warn_lost(snap);
	if (!err && !s.shown && only_zc)
		zcq_warn("no rx queue asked for has a memory provider");
	*shown = s.shown;
out:
	close_outputs(&s);
	return zcq_exit_written("the queues", err);
}

/* Every netdev asked for must be there; asked before anything is measured. */
static int check_netdevs(void)
{
	int err = 0;
	size_t i;

	for (i = 0; i < netdevs.n; i++) {
		if (if_nametoindex(netdevs.v[i]))
			continue;
		err = -errno;
		zcq_err("\"%s\": %s in %s%s", netdevs.v[i],
			err == -ENODEV ? "there is no such netdev" : strerror(-err),
			zcq_opt_common.netns ? "network namespace " : "this network namespace",
			zcq_opt_common.netns ? zcq_opt_common.netns : "");
	}
	return err;
}

/* Netdevs that went away while they were measured, and a queue that none has. */
static int check_there(const struct zcq_snapshot *snap, size_t shown)
{
	int status = ZCQ_EXIT_OK;

	for (size_t i = 0; i < netdevs.n; i++) {
		if (zcq_snapshot_netdev(snap, netdevs.v[i]))
			continue;
		zcq_err("\"%s\" went away, or got another name, while it was measured", netdevs.v[i]);
		status = ZCQ_EXIT_FAILED;
	}
	if (status == ZCQ_EXIT_OK && only_queue != ZCQ_NO_QUEUE && !only_zc && !shown) {
		zcq_err("there is no rx queue %u", only_queue);
		status = ZCQ_EXIT_FAILED;
	}
	return status;
}

static void say_measuring(void *arg)
{
	(void)arg;
	zcq_info("measuring");
	if (ready_fd == ~0U)
		return;
	if (write(ready_fd, "measuring\n", 10) != 10)
		zcq_warn("--ready-fd %u: %s", ready_fd, strerror(errno));
	close(ready_fd);
}

int zcq_cmd_queues(int argc, char **argv)
{
	struct zcq_snapshot_opts so = { 0 };
	struct zcq_snapshot *snap = NULL;
	int ret, first = 0, i;
	size_t shown = 0;

	ret = zcq_opt_parse(&spec, argc, argv, &first);
	if (ret) {
		ret = zcq_opt_exit(ret);
		goto out;
	}
	for (i = first; i < argc; i++) {
		if (zcq_strv_add(&netdevs, argv[i], strlen(argv[i]))) {
			ret = ZCQ_EXIT_FAILED;
			goto out;
		}
	}
	if (check_netdevs()) {
		ret = ZCQ_EXIT_FAILED;
		goto out;
	}
	so.interval_ns = interval_ns;
	so.begun = say_measuring;
	so.no_driver_probes = zcq_opt_common.no_driver_probes;
	ret = zcq_snapshot_take(&so, &snap);
	if (ret) {
		ret = ret == -EOPNOTSUPP ? ZCQ_EXIT_UNSUPPORTED : ZCQ_EXIT_FAILED;
		goto out;
	}
	ret = print_snapshot(snap, &shown);
	if (ret == ZCQ_EXIT_OK)
		ret = check_there(snap, shown);
out:
	zcq_snapshot_free(snap);
	zcq_strv_free(&netdevs);
	return ret;
}
