// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of reasons. Texts say the cause, then what to do. What the netdev is set to proves
 * some reasons and rules out others; where several are left, the likeliest comes first.
 */
#include "bench/explain.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/log.h"

enum scope {
	DEV = 1,	/* with a netdev */
	NODEV = 2,	/* without */
	ANY = 3,
	BUF = 4,	/* only where a buffer length was asked for */
};

/* --- what the netdev proves ------------------------------------------------------------------ */

enum verdict { MAYBE, NO, YES };

static enum verdict verdict(bool known, bool holds)
{
	return !known ? MAYBE : holds ? YES : NO;
}

/* Of an errno that says it all. */
static enum verdict always(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	(void)s;
	return YES;
}

static enum verdict no_queue(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	return verdict(s->n_queues, cfg->queue >= s->n_queues);
}

static enum verdict is_down(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	return verdict(true, !s->link.up);
}

/* Where the queues go with that: others never had what is missing. */
static enum verdict mlx5_is_down(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	return strcmp(s->link.driver, "mlx5_core") ? NO : is_down(cfg, s);
}

/* "on" may be the driver's choice, while the kernel wants it to be the user's. */
static enum verdict split_off(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	return s->rings.split.known && s->rings.split.v == ZCQ_SPLIT_OFF ? YES : MAYBE;
}

static enum verdict threshold(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	return verdict(s->rings.hds_thresh.known, s->rings.hds_thresh.v);
}

static enum verdict xdp(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	return verdict(true, s->link.xdp);
}

static enum verdict has_provider(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	const struct zcq_nic_queue *q = zcq_nic_state_queue(s, cfg->queue);

	return verdict(q, q && (q->io_uring || q->dmabuf.known));
}

static enum verdict xsk_or_leased(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	const struct zcq_nic_queue *q = zcq_nic_state_queue(s, cfg->queue);

	return verdict(q, q && (q->xsk || q->leased));
}

static enum verdict is_mlx5(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *s)
{
	(void)cfg;
	return strcmp(s->link.driver, "mlx5_core") ? NO : MAYBE;
}

static const struct reason {
	int err;
	unsigned int scope;	/* enum scope */
	const char *text;
	enum verdict (*holds)(const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *state);
} reasons_of[] = {
	{ EPERM, ANY, "no CAP_NET_ADMIN in the initial user namespace: run as root" },
	{ ENODEV, DEV, "there is no such netdev in this network namespace: ip link", always },
	{ EFAULT, ANY, "memory of the area or of the refill ring can't be read" },
	{ EINVAL, DEV, "header split is off: ethtool -G {if} tcp-data-split on (mlx5: first ethtool -K {if} rx-gro-hw on)",
	  split_off },
	{ EINVAL, DEV, "header-split threshold is not 0: ethtool -G {if} hds-thresh 0", threshold },
	{ EINVAL, DEV | BUF, "the driver refuses this buffer length: without --rx-buf-len" },
	{ EINVAL, DEV, "the driver refused to start the queue: dmesg" },
	{ EINVAL, NODEV, "this kernel has no instances without a netdev (7.x has)" },
	{ EINVAL, ANY | BUF, "buffer length is no power of two or below a page: --rx-buf-len" },
	{ EEXIST, DEV, "the queue already has a memory provider: zcq queues {if} names the owner",
	  has_provider },
	{ EEXIST, DEV, "an XDP program is attached to the netdev: ip link set {if} xdp off", xdp },
	{ EBUSY, DEV, "the queue is used by AF_XDP, or is leased to a virtual netdev", xsk_or_leased },
	{ EOPNOTSUPP, DEV, "there is no such rx queue; {if} has {rx}: ethtool -l {if}", no_queue },
	{ EOPNOTSUPP, DEV, "the netdev is down: ip link set {if} up", mlx5_is_down },
	{ EOPNOTSUPP, DEV, "the driver can't give a queue other memory (no queue management operations)" },
	{ EOPNOTSUPP, DEV | BUF, "the driver can't do this buffer length: without --rx-buf-len" },
	{ EOPNOTSUPP, DEV, "XDP, PTP or HTB is in use (mlx5)", is_mlx5 },
	{ EOPNOTSUPP, NODEV | BUF, "buffers of an instance without netdev have the size of a page: without --rx-buf-len" },
	{ ENETDOWN, DEV, "the netdev is down: ip link set {if} up", is_down },
	{ ERANGE, DEV, "there is no such rx queue; {if} has {rx}: ethtool -l {if}", no_queue },
	{ ERANGE, DEV | BUF, "the driver can't do so large a buffer: a smaller --rx-buf-len" },
	{ ERANGE, DEV | BUF, "the area is not contiguous enough for --rx-buf-len: --area-type huge" },
	{ ENOMEM, ANY, "locked memory limit, or no memory: ulimit -l, a smaller --area" },
	{ ENOMEM, DEV, "the driver got no memory for the queue" },
	{ ENOSYS, ANY, "this kernel has no io_uring" },
};

static bool in_question(const struct reason *r, int err, const struct zcq_zcrx_cfg *cfg)
{
	return r->err == -err && r->scope & (cfg->ifname ? DEV : NODEV) &&
	       (cfg->rx_buf_len || !(r->scope & BUF));
}

void zcq_explain_reasons(int err, const struct zcq_zcrx_cfg *cfg, const struct zcq_nic_state *state,
			 struct zcq_reasons *reasons)
{
	*reasons = (struct zcq_reasons){ 0 };
	for (size_t i = 0; i < sizeof(reasons_of) / sizeof(reasons_of[0]); i++) {
		const struct reason *r = &reasons_of[i];
		enum verdict v = MAYBE;

		if (!in_question(r, err, cfg))
			continue;
		if (r->holds && (state || r->holds == always))
			v = r->holds(cfg, state);
		if (v == YES) {
			*reasons = (struct zcq_reasons){ { r->text }, 1, true };
			return;
		}
		if (v == MAYBE && reasons->n < ZCQ_REASONS)
			reasons->texts[reasons->n++] = r->text;
	}
}

/* --- telling it -------------------------------------------------------------------------------- */

/* Prints a reason with the netdev's name and number of queues in it. */
static void tell(const char *lead, const char *text, const char *ifname, uint32_t n_queues)
{
	char *line = NULL;
	size_t len;
	FILE *f = open_memstream(&line, &len);

	if (!f)
		return;
	while (*text) {
		size_t plain = strcspn(text, "{");

		fwrite(text, 1, plain, f);
		text += plain;
		if (!*text)
			break;
		if (!strncmp(text, "{if}", 4))
			fputs(ifname, f);
		else
			fprintf(f, "%u", n_queues);
		text += 4;
	}
	if (!fclose(f))
		zcq_err("  %s %s", lead, line);
	free(line);
}

static bool look(const struct zcq_zcrx_cfg *cfg, struct zcq_nic_state *state)
{
	struct zcq_nic_ask ask;
	const char *what;
	bool known = cfg->ifname && !zcq_nic_ask_open(&ask);

	if (!known)
		return false;
	known = !zcq_nic_state_read(&ask, cfg->ifname, state, &what);
	zcq_nic_ask_close(&ask);
	return known;
}

static int exit_status(int err, const struct zcq_zcrx_cfg *cfg, bool certain)
{
	/* What the netdev is set to can be changed. */
	if (certain)
		return ZCQ_EXIT_FAILED;
	switch (-err) {
	case EOPNOTSUPP:
	case ENOSYS:
		return ZCQ_EXIT_UNSUPPORTED;
	case EINVAL:
		/* Without a netdev nothing else of ours can be wrong than what the kernel lacks. */
		return cfg->ifname || cfg->rx_buf_len ? ZCQ_EXIT_FAILED : ZCQ_EXIT_UNSUPPORTED;
	default:
		return ZCQ_EXIT_FAILED;
	}
}

int zcq_explain_register(int err, const struct zcq_zcrx_cfg *cfg)
{
	struct zcq_nic_state state = { 0 };
	struct zcq_reasons reasons;
	const char *lead;

	zcq_explain_reasons(err, cfg, look(cfg, &state) ? &state : NULL, &reasons);
	if (cfg->ifname)
		zcq_err("%s queue %u: zcrx registration: %s (%s)", cfg->ifname, cfg->queue,
			strerror(-err), strerrorname_np(-err));
	else
		zcq_err("zcrx registration without netdev: %s (%s)", strerror(-err),
			strerrorname_np(-err));
	for (size_t i = 0; i < reasons.n; i++) {
		lead = reasons.certain ? "because" : i ? "or:" : "perhaps:";
		tell(lead, reasons.texts[i], cfg->ifname ? cfg->ifname : "", state.n_queues);
	}
	if (reasons.n > 1)
		zcq_err("  zcq trace -e rejected shows the kernel's own reason");
	zcq_nic_state_free(&state);
	return exit_status(err, cfg, reasons.certain);
}

const char *zcq_explain_recv(int err)
{
	switch (-err) {
	case EFAULT:
		return "data lies in buffers of another instance or of a dmabuf: this flow arrives on a queue whose provider is not ours (zcq queues shows rules and owners)";
	case EPROTONOSUPPORT:
		return "not plain TCP (kTLS, MPTCP, sockmap): zcrx can't receive it";
	case ECONNRESET:
		return "the peer reset the connection";
	case EINVAL:
		return "the instance is gone, or this kernel wants something else of a zero-copy receive";
	default:
		return NULL;
	}
}
