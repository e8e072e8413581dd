// SPDX-License-Identifier: GPL-2.0-only
/*
 * How zcrx receive requests end: end of stream, the length asked for, or an errno (ENOSPC: the
 * completion queue was full and the owner has to re-arm; EFAULT: a buffer of another instance).
 *
 * Hooks: fexit io_recvzc, in the receiving task, once for each try of a request; a cancelled
 * request is not seen. Else tp_btf io_uring_complete, for each completed request of every
 * io_uring user, and so only on kernels that have zcrx (whose data completions do not pass it);
 * cancelled ones are seen as ECANCELED, and bytes of the flow are 0 where the byte hooks could
 * not attach. Kernels 6.15 and on.
 *
 * Cost (kernel.bpf_stats on the emulated lab machine, where the least program of this family
 * takes 400 ns a run and one look at the clock 20 us; no hardware was at hand): 1 us,
 * more when the request has ended. Lost: events when the ring is full (zcq_lost).
 */
#include "compat.bpf.h"
#include "flow.bpf.h"
#include "ifq.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define ENOMEM 12
#define EFAULT 14
#define ENOSPC 28
#define EPIPE 32
#define ECONNRESET 104
#define ENOTCONN 107
#define ETIMEDOUT 110
#define ECANCELED 125
#define OP_RECV_ZC 58 /* IORING_OP_RECV_ZC */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_recvzc {
	struct io_zcrx_ifq *ifq;
};

struct io_cqe {
	__s32 res;
};

struct io_kiocb___zc {
	__u8 opcode;
	struct io_cqe cqe;
};

#pragma clang attribute pop

static __always_inline enum zcq_recv_end end_class(__s32 res, const struct zcq_flow_entry *e)
{
	switch (res) {
	case 0:
		/* Only a call that gave bytes can have reached the length. */
		return e && e->last_ret > 0 ? ZCQ_END_LENGTH : ZCQ_END_EOF;
	case -ENOSPC:
		return ZCQ_END_ENOSPC;
	case -ENOMEM:
		return ZCQ_END_ENOMEM;
	case -EFAULT:
		return ZCQ_END_EFAULT;
	case -ECONNRESET:
	case -EPIPE:
	case -ETIMEDOUT:
	case -ENOTCONN:
		return ZCQ_END_RESET;
	}
	return ZCQ_END_OTHER;
}

static __always_inline int ended(struct io_kiocb *req, __s32 res)
{
	const struct io_zcrx_ifq *ifq = BPF_CORE_READ((struct io_recvzc *)req, ifq);
	struct socket *sock = BPF_CORE_READ(req, file, private_data);
	struct sock *sk = BPF_CORE_READ(sock, sk);
	struct zcq_flow_entry *e = flow_find(sk);
	struct zcq_ev_recv_ended *ev;
	struct zcq_queue_counters *c;
	const struct net_device *dev;
	struct zcq_queue_id q;
	enum zcq_recv_end end;

	end = end_class(res, e);
	dev = ifq_phys_queue(ifq, &q);
	if (!dev && e && e->flow.instance == (__u64)ifq)
		q = e->flow.wanted; /* closed meanwhile */
	if (e)
		e->flow.err = res;
	c = counters_of(ZCQ_SUBJECT_ZCRX, &q);
	if (c)
		c->recv_ended[end]++;
	if (!event_pass(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_RECV_ENDED, &q, current_pid(), 0))
		return 0;
	ev = EVENT_NEW(ZCQ_SUBJECT_ZCRX, ZCQ_EVENT_RECV_ENDED, zcq_ev_recv_ended);
	if (!ev)
		return 0;
	ev->queue = q;
	if (dev)
		dev_name_read(dev, ev->ifname);
	task_fill(&ev->task);
	ev->instance = (__u64)ifq;
	ev->result = res;
	ev->end = end;
	if (e) {
		ev->tuple = e->flow.tuple;
		ev->zc_bytes = e->flow.zc_bytes;
		ev->copied_bytes = flow_copied(&e->flow);
	} else {
		tuple_of(sk, &ev->tuple);
	}
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

/*
 * 0 (IOU_COMPLETE) means that the request is done and its result is in cqe.res; early 6.15
 * kernels give ECANCELED (IOU_STOP_MULTISHOT) instead. All else means that it goes on.
 */
SEC("fexit/io_recvzc")
int BPF_PROG(zcrx_end__fexit, struct io_kiocb *req, unsigned int issue_flags, int ret)
{
	if (ret != 0 && ret != -ECANCELED)
		return 0;
	return ended(req, BPF_CORE_READ((struct io_kiocb___zc *)req, cqe.res));
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(zcrx_end__tp_btf, struct io_ring_ctx *ring, void *req)
{
	struct io_kiocb___zc *r = req;

	if (!req || BPF_CORE_READ(r, opcode) != OP_RECV_ZC)
		return 0;
	return ended(req, BPF_CORE_READ(r, cqe.res));
}
