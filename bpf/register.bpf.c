// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations of zcrx instances, made or refused, with their arguments and the kernel's own
 * reason text; control calls; and the end of an instance. Context: process, inside
 * io_uring_register(2); rare. Kernels: 6.15 on; the control call from 7.x on.
 * The text of tracepoint netlink_extack counts only between the entry of the call and its
 * result, in the same task: an older text is never blamed. Lost when the ring is full: the
 * event, counted in zcq_lost[register].
 */
#include "hook.bpf.h"
#include "register.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define REGISTER_ZCRX_IFQ	32
#define REGISTER_ZCRX_CTRL	36
#define REGISTER_RING_FD	(1U << 31)	/* or'ed into the opcode by the caller */
#define SYS_IO_URING_REGISTER	427
#define REG_FLAG_IMPORT		1
#define REG_FLAG_NODEV		2

/* The user's structures, as this ABI defines them. */
struct user_ifq_reg {
	__u32 if_idx;
	__u32 if_rxq;
	__u32 rq_entries;
	__u32 flags;
	__u64 area_ptr;
	__u64 region_ptr;
	__u32 offsets[8];
	__u32 zcrx_id;
	__u32 rx_buf_len;
};

struct user_area_reg {
	__u64 addr;
	__u64 len;
	__u64 token;
	__u32 flags;
	__u32 dmabuf_fd;
};

struct user_ctrl {
	__u32 zcrx_id;
	__u32 op;
	__u64 resv[2];
	__u64 area_ptr;		/* add-area */
};

/* --- the call begins ---------------------------------------------------------------------- */

static __always_inline int on_call(__u32 opcode, const void *arg)
{
	__u64 key = bpf_get_current_pid_tgid();
	struct reg_call call = {
		.start = bpf_ktime_get_ns(),
		.arg = (__u64)arg,
		.opcode = opcode,
	};

	MAP_STORE(ZCQ_SUBJECT_REGISTER, reg_calls, &key, &call);
	return 0;
}

ON_ENTRY(register_call, "io_register_zcrx", on_call(REGISTER_ZCRX_IFQ, arg),
	 struct io_ring_ctx *ring, void *arg)
ON_ENTRY(control, "io_zcrx_ctrl", on_call(REGISTER_ZCRX_CTRL, arg), struct io_ring_ctx *ring,
	 void *arg)

static __always_inline int on_syscall(__u64 opcode, __u64 arg)
{
	__u32 op = (__u32)opcode & ~REGISTER_RING_FD;

	if (op != REGISTER_ZCRX_IFQ && op != REGISTER_ZCRX_CTRL)
		return 0;
	return on_call(op, (const void *)arg);
}

struct tp_sys_enter {
	__u64 common;
	__s32 nr;
	__u32 pad;
	__u64 args[6];
};

SEC("tp/syscalls/sys_enter_io_uring_register")
int register_call__tp(struct tp_sys_enter *ctx)
{
	return on_syscall(ctx->args[1], ctx->args[2]);
}

/* The last resort: sees every system call of the machine, and lets go at once. */
SEC("tp_btf/sys_enter")
int BPF_PROG(register_call__tp_btf, struct pt_regs *regs, long nr)
{
	if (nr != SYS_IO_URING_REGISTER)
		return 0;
	return on_syscall(PT_REGS_PARM2_CORE_SYSCALL(regs), PT_REGS_PARM3_CORE_SYSCALL(regs));
}

/* --- what happens inside --------------------------------------------------------------------- */

static __always_inline int on_reason(const char *text)
{
	struct reg_call *call = reg_find();

	if (!call)
		return 0;
	call->reasons++;
	if (bpf_probe_read_kernel_str(call->reason, sizeof(call->reason), text) < 0)
		LOST_ADD(ZCQ_SUBJECT_REGISTER, read_fail);
	return 0;
}

SEC("tp_btf/netlink_extack")
int BPF_PROG(register_reason__tp_btf, const char *msg)
{
	return on_reason(msg);
}

struct tp_netlink_extack {
	__u64 common;
	__u32 msg_loc;		/* low half: offset from the record's start */
};

SEC("tp/netlink/netlink_extack")
int register_reason__tp(struct tp_netlink_extack *ctx)
{
	return on_reason((const char *)ctx + (ctx->msg_loc & 0xffff));
}

/* Every registration makes its first area: that is where the instance shows itself. */
static __always_inline int on_area(const struct io_zcrx_ifq *ifq)
{
	struct reg_call *call = reg_find();

	__u64 key = (__u64)ifq;

	if (!call || call->opcode != REGISTER_ZCRX_IFQ)
		return 0;
	call->instance = key;
	bpf_map_delete_elem(&zcq_ifqs, &key);	/* an old one at this address */
	return 0;
}

ON_ENTRY(register_area, "__zcrx_create_area", on_area(ifq), struct io_zcrx_ifq *ifq)

/* --- the result -------------------------------------------------------------------------------- */

/* What the user asked for and was given; read is how much of it could be read: ZCQ_REG_*. */
struct reg_args {
	struct user_ifq_reg reg;
	struct zcq_queue_id queue;
	__u64 area_bytes;
	__u32 area_flags;
	__u32 read;
};

/* The kernel writes its answers back into the arguments, so they are read only now. */
static __always_inline void args_read(struct reg_args *a, const struct reg_call *call)
{
	struct user_area_reg area;

	a->queue.rxq = ZCQ_NO_QUEUE;
	if (!call || call->opcode != REGISTER_ZCRX_IFQ)
		return;
	if (bpf_probe_read_user(&a->reg, sizeof(a->reg), (const void *)call->arg)) {
		LOST_ADD(ZCQ_SUBJECT_REGISTER, read_fail);
		return;
	}
	a->read = ZCQ_REG_ARGS;
	if (a->reg.flags & REG_FLAG_IMPORT)
		return;
	if (!(a->reg.flags & REG_FLAG_NODEV)) {
		a->queue.netns = current_netns();
		a->queue.ifindex = a->reg.if_idx;
		a->queue.rxq = a->reg.if_rxq;
	}
	if (bpf_probe_read_user(&area, sizeof(area), (const void *)a->reg.area_ptr))
		return;
	a->read |= ZCQ_REG_AREA;
	a->area_bytes = area.len;
	a->area_flags = area.flags;
}

static __always_inline void args_fill(struct zcq_ev_register *e, const struct reg_args *a)
{
	e->queue = a->queue;
	e->flags |= a->read;
	e->area_bytes = a->area_bytes;
	e->area_flags = a->area_flags;
	e->reg_flags = a->reg.flags;
	e->rq_entries = a->reg.rq_entries;
	e->rx_buf_len = a->reg.rx_buf_len;
	e->zcrx_id = a->reg.zcrx_id;
	if (a->reg.flags & REG_FLAG_IMPORT)
		e->import_fd = a->reg.if_idx;
}

/* An instance without a netdev has no bind: its owner is remembered here. */
static __always_inline void owner_remember(__u64 instance, const struct reg_args *a)
{
	struct zcq_ifq ifq = {};

	if (!instance || bpf_map_lookup_elem(&zcq_ifqs, &instance))
		return;
	ifq.queue = a->queue;
	task_fill(&ifq.owner);
	ifq.bound_ns = bpf_ktime_get_ns();
	ifq.provider = ZCQ_PROVIDER_IO_URING;
	ifq.buf_bytes = a->reg.rx_buf_len;
	MAP_STORE(ZCQ_SUBJECT_REGISTER, zcq_ifqs, &instance, &ifq);
}

static __always_inline void register_done(const void *ring, const struct reg_call *call, int result)
{
	enum zcq_event_type type = result ? ZCQ_EVENT_REJECTED : ZCQ_EVENT_REGISTERED;
	bool seen = call && call->opcode == REGISTER_ZCRX_IFQ;
	struct zcq_ev_register *e;
	struct reg_args args = {};

	args_read(&args, call);
	if (seen && !result)
		owner_remember(call->instance, &args);
	if (!event_pass(ZCQ_SUBJECT_REGISTER, type, &args.queue, current_pid(), 0))
		return;
	e = EVENT_NEW(ZCQ_SUBJECT_REGISTER, type, zcq_ev_register);
	if (!e)
		return;
	task_fill(&e->task);
	e->ring = (__u64)ring;
	e->result = result;
	args_fill(e, &args);
	if (seen) {
		e->duration_ns = e->hdr.time_ns - call->start;
		__builtin_memcpy(e->ifname, call->ifname, sizeof(e->ifname));
		__builtin_memcpy(e->reason, call->reason, sizeof(e->reason));
		if (call->reasons > 1)
			e->flags |= ZCQ_REG_NEST;
		if (!result)
			e->instance = call->instance;
	}
	bpf_ringbuf_submit(e, 0);
}

static __always_inline void control_done(const void *ring, const struct reg_call *call, int result)
{
	struct user_area_reg area;
	struct user_ctrl ctrl = {};
	struct zcq_ev_control *e;
	bool read;

	read = call && call->opcode == REGISTER_ZCRX_CTRL &&
	       !bpf_probe_read_user(&ctrl, sizeof(ctrl), (const void *)call->arg);
	if (!result && read && (ctrl.op == ZCQ_CTRL_FLUSH || ctrl.op == ZCQ_CTRL_ARM_EVENT))
		return;
	if (!event_pass(ZCQ_SUBJECT_REGISTER, ZCQ_EVENT_CONTROL, NULL, current_pid(), 0))
		return;
	e = EVENT_NEW(ZCQ_SUBJECT_REGISTER, ZCQ_EVENT_CONTROL, zcq_ev_control);
	if (!e)
		return;
	task_fill(&e->task);
	e->ring = (__u64)ring;
	e->result = result;
	e->op = read ? ctrl.op : ZCQ_CTRL_UNREAD;
	e->zcrx_id = ctrl.zcrx_id;
	if (read && ctrl.op == ZCQ_CTRL_ADD_AREA &&
	    !bpf_probe_read_user(&area, sizeof(area), (const void *)ctrl.area_ptr))
		e->area_bytes = area.len;
	bpf_ringbuf_submit(e, 0);
}

static __always_inline int on_result(const void *ring, __u32 opcode, long result)
{
	__u64 key = bpf_get_current_pid_tgid();
	struct reg_call *call;

	if (opcode != REGISTER_ZCRX_IFQ && opcode != REGISTER_ZCRX_CTRL)
		return 0;
	call = reg_find();
	if (opcode == REGISTER_ZCRX_IFQ)
		register_done(ring, call, result);
	else
		control_done(ring, call, result);
	if (call)
		bpf_map_delete_elem(&reg_calls, &key);
	return 0;
}

SEC("tp_btf/io_uring_register")
int BPF_PROG(register_result__tp_btf, void *ring, unsigned int opcode, unsigned int nr_files,
	     unsigned int nr_bufs, long ret)
{
	return on_result(ring, opcode, ret);
}

struct tp_io_uring_register {
	__u64 common;
	__u64 ring;
	__u32 opcode;
	__u32 nr_files;
	__u32 nr_bufs;
	__u32 pad;
	__s64 ret;
};

SEC("tp/io_uring/io_uring_register")
int register_result__tp(struct tp_io_uring_register *ctx)
{
	return on_result((const void *)ctx->ring, ctx->opcode, ctx->ret);
}

/* --- the end of an instance ----------------------------------------------------------------------- */

/* A refused registration undoes itself by the same way: that is no end of anything. */
static __always_inline int on_unregister(const struct io_zcrx_ifq *ifq)
{
	__u64 key = (__u64)ifq;
	struct zcq_ev_unregister *e;
	struct zcq_ifq *known;
	struct zcq_queue_id q;

	if (reg_find())
		return 0;
	known = bpf_map_lookup_elem(&zcq_ifqs, &key);
	ifq_queue(ifq, &q);
	if (known)
		q = known->queue;
	if (event_pass(ZCQ_SUBJECT_REGISTER, ZCQ_EVENT_UNREGISTERED, &q, current_pid(),
		       known ? known->owner.pid : 0)) {
		e = EVENT_NEW(ZCQ_SUBJECT_REGISTER, ZCQ_EVENT_UNREGISTERED, zcq_ev_unregister);
		if (e) {
			e->queue = q;
			e->instance = key;
			task_fill(&e->task);
			if (known) {
				__builtin_memcpy(e->ifname, known->ifname, sizeof(e->ifname));
				e->owner = known->owner;
				if (known->bound_ns)
					e->age_ns = e->hdr.time_ns - known->bound_ns;
			}
			bpf_ringbuf_submit(e, 0);
		}
	}
	/* one with a netdev is forgotten at its unbind, which comes later */
	if (known && !known->queue.ifindex)
		bpf_map_delete_elem(&zcq_ifqs, &key);
	return 0;
}

/*
 * The kernel closes the queue when the last user let go. 6.x: one user; closed at shutdown and
 * again, without a queue, when freed.
 */
static __always_inline int on_close_queue(const struct io_zcrx_ifq *ifq)
{
	if (ifq_counts_users())
		return ifq_users(ifq) ? 0 : on_unregister(ifq);
	return BPF_CORE_READ(ifq, if_rxq) == ZCQ_NO_QUEUE ? 0 : on_unregister(ifq);
}

ON_ENTRY(close_queue, "io_close_queue", on_close_queue(ifq), struct io_zcrx_ifq *ifq)

/* Where the compiler made that part of this one. Before the count goes down: two may see 2. */
ON_ENTRY(unregister, "zcrx_unregister_user", ifq_users(ifq) > 1 ? 0 : on_unregister(ifq),
	 struct io_zcrx_ifq *ifq)
