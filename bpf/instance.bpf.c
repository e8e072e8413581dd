// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instances from outside their owners: one record (struct zcq_instance) for each instance and
 * each ring or exported file that uses it, written to the iterator's seq file.
 *
 * Hooks: iter/task_file (rings and exported instances in fd tables of the reader's pid
 * namespace), iter/task (rings registered with a task, which may have no fd). Run only when
 * user space reads them, as a task. Kernels 6.15 and on.
 *
 * Held buffers are counted in the areas' user reference counts, read 64 at a time while
 * traffic changes them: a moment's picture, not one instant's. Buffers in the refill ring that
 * the kernel has not taken yet still count as held. An instance with more than IFQ_MAX_AREAS
 * areas or MAX_REFS buffers gets no held count (ZCQ_INSTANCE_HELD_OK is not set).
 *
 * Cost: 9 ns for each buffer and 5 us for each open file of the host, on the emulated lab
 * machine (no hardware was at hand). Not found: ids of 4096 and more in one ring.
 */
#include "compat.bpf.h"
#include "ifq.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

#define XA_ZERO_ENTRY 0x406UL /* reserved: a registration is under way */
#define XA_SLOTS 64
#define REFS_CHUNK 64
#define MAX_REFS (4U << 20)
#define REGISTERED_MAX 16 /* io_uring_task.registered_rings[] */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct file_operations {
	int (*release)(struct inode *inode, struct file *file);
};

struct io_zcrx_ifq___dev {
	struct device *dev;
};

#pragma clang attribute pop

/* Too much for the stack. The map belongs to this session, whose reads follow each other. */
struct instance_work {
	struct zcq_instance rec;
	struct zcq_ifq fresh;
	__u32 ref[REFS_CHUNK];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct instance_work);
} instance_scratch SEC(".maps");

static __always_inline struct instance_work *scratch(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&instance_scratch, &key);
}

/* --- sums over the areas ------------------------------------------------------------- */

struct refs_walk {
	__u64 refs; /* atomic_t[n] */
	__u32 n;
	__u32 held;
	__u32 failed;
};

static long count_refs(__u32 i, struct refs_walk *w)
{
	__u32 first = i * REFS_CHUNK, n = w->n - first, held = 0;
	struct instance_work *c = scratch();

	if (!c)
		return 1;
	if (n > REFS_CHUNK)
		n = REFS_CHUNK;
	if (bpf_probe_read_kernel(c->ref, n * sizeof(c->ref[0]),
				  (const void *)(w->refs + first * sizeof(c->ref[0])))) {
		w->failed = 1;
		return 1;
	}
	/* No branches, which would cost the verifier: 1 when ref[j] is not 0 and j < n. */
	for (__u32 j = 0; j < REFS_CHUNK; j++)
		held += ((c->ref[j] | -c->ref[j]) & (j - n)) >> 31;
	w->held += held;
	return 0;
}

/*
 * How many of n reference counts are not 0; negative when they could not be read. A global function:
 * the verifier goes through it once, not on every path that leads here.
 */
__noinline int held_of(__u64 refs, __u32 n)
{
	struct refs_walk r = { .refs = refs, .n = n };

	bpf_loop((n + REFS_CHUNK - 1) / REFS_CHUNK, count_refs, &r, 0);
	return r.failed ? -1 : (int)r.held;
}

struct area_walk {
	struct ifq_areas areas;
	__u64 bufs;
	__u64 free_bufs;
	__u64 held;
	__u32 dmabuf;
	__u32 refs_ok;
};

static long add_area(__u32 i, struct area_walk *w)
{
	const struct io_zcrx_area *area = ifq_area(&w->areas, i);
	__u64 n;
	int held;

	if (!area)
		return 1;
	n = BPF_CORE_READ(area, nia.num_niovs);
	w->bufs += n;
	w->free_bufs += BPF_CORE_READ(area, free_count);
	w->dmabuf |= area_is_dmabuf(area);
	if (w->bufs > MAX_REFS || !w->refs_ok) {
		w->refs_ok = 0;
		return 0;
	}
	held = held_of((__u64)BPF_CORE_READ(area, user_refs), n);
	if (held < 0)
		w->refs_ok = 0;
	else
		w->held += held;
	return 0;
}

/* --- one record ---------------------------------------------------------------------- */

struct walk {
	struct seq_file *seq;
	struct task_struct *task;
	__u64 ring; /* io_ring_ctx; 0 for an exported file */
	__u64 node; /* the xarray's top node */
	__s32 fd;
	__u32 found_by;
	__u32 shift; /* of the top node: 0 or 6 */
};

static __always_inline void owner_read(const struct task_struct *task, struct zcq_task *t)
{
	t->pid = BPF_CORE_READ(task, tgid);
	t->tid = BPF_CORE_READ(task, pid);
	bpf_core_read_str(t->comm, sizeof(t->comm), &task->comm);
}

/* Events name the owner from the map: tell it about instances older than the session. */
static __always_inline void remember_owner(struct instance_work *work)
{
	const struct zcq_instance *rec = &work->rec;
	struct zcq_ifq *known;
	__u64 key = rec->instance;

	known = bpf_map_lookup_elem(&zcq_ifqs, &key);
	if (known) {
		if (!known->owner.pid)
			known->owner = rec->owner;
		return;
	}
	__builtin_memset(&work->fresh, 0, sizeof(work->fresh));
	work->fresh.queue = rec->queue;
	__builtin_memcpy(work->fresh.ifname, rec->ifname, sizeof(work->fresh.ifname));
	work->fresh.owner = rec->owner;
	work->fresh.provider = ZCQ_PROVIDER_IO_URING;
	work->fresh.buf_bytes = rec->buf_bytes;
	MAP_STORE(ZCQ_SUBJECT_INSTANCE, zcq_ifqs, &key, &work->fresh);
}

static __always_inline void fill_sizes(const struct io_zcrx_ifq *ifq, struct zcq_instance *rec)
{
	struct area_walk w = { .refs_ok = 1 };

	ifq_areas_read(ifq, &w.areas);
	rec->areas = w.areas.n;
	rec->buf_bytes = 1U << ifq_shift(ifq);
	bpf_loop(rec->areas < IFQ_MAX_AREAS ? rec->areas : IFQ_MAX_AREAS, add_area, &w, 0);
	rec->bufs = w.bufs;
	rec->area_bytes = w.bufs * rec->buf_bytes;
	rec->free_bufs = w.free_bufs;
	if (rec->areas > IFQ_MAX_AREAS)
		rec->flags |= ZCQ_INSTANCE_PARTIAL;
	else if (w.refs_ok)
		rec->flags |= ZCQ_INSTANCE_HELD_OK;
	rec->held_bufs = w.refs_ok ? w.held : 0;
	if (w.dmabuf)
		rec->flags |= ZCQ_INSTANCE_DMABUF;
}

static __noinline int emit(const struct walk *w, const struct io_zcrx_ifq *ifq, __u32 id)
{
	const struct io_zcrx_ifq___dev *d = (const void *)ifq;
	struct instance_work *work = scratch();
	const struct net_device *dev;
	struct zcq_instance *rec;

	if (!w || !work)
		return 0;
	rec = &work->rec;
	__builtin_memset(rec, 0, sizeof(*rec));
	rec->ring = w->ring;
	rec->fd = w->fd;
	rec->found_by = w->found_by;
	rec->zcrx_id = id;
	rec->queue.rxq = ZCQ_NO_QUEUE;
	owner_read(w->task, &rec->owner);
	if (!ifq) {
		rec->flags = ZCQ_INSTANCE_STARTING;
		return bpf_seq_write(w->seq, rec, sizeof(*rec));
	}
	rec->instance = (__u64)ifq;
	dev = ifq_phys_queue(ifq, &rec->queue);
	if (dev)
		dev_name_read(dev, rec->ifname);
	else if (!BPF_CORE_READ(d, dev))
		rec->flags |= ZCQ_INSTANCE_NODEV;
	rec->users = ifq_users(ifq);
	ifq_refill(ifq, &rec->refill_entries, &rec->refill_pending);
	fill_sizes(ifq, rec);
	remember_owner(work);
	return bpf_seq_write(w->seq, rec, sizeof(*rec));
}

/* --- a ring's instances -------------------------------------------------------------- */

static __always_inline unsigned long slot(__u64 node, __u32 i)
{
	const struct xa_node *n = (const void *)node;
	unsigned long e = 0;

	bpf_core_read(&e, sizeof(e), &n->slots[i & (XA_SLOTS - 1)]);
	return e;
}

static long walk_slot(__u32 i, struct walk *w)
{
	__u64 node = w->node;
	unsigned long e;

	if (w->shift) {
		e = slot(node, i / XA_SLOTS);
		if ((e & 3) != 2 || e < 4096)
			return 0;
		node = e - 2;
	}
	e = slot(node, i);
	if (e == XA_ZERO_ENTRY)
		emit(w, NULL, i);
	else if (e && !(e & 3))
		emit(w, (const void *)e, i);
	return 0;
}

static __noinline int walk_ring(struct walk *w, const struct io_ring_ctx *ring)
{
	const struct io_ring_ctx___615 *old = (const void *)ring;
	const struct xa_node *top;
	unsigned long head;
	void *ifq;

	if (!w)
		return 0;
	w->ring = (__u64)ring;
	if (!bpf_core_field_exists(ring->zcrx_ctxs)) {
		if (!bpf_core_field_exists(old->ifq))
			return 0;
		barrier();
		ifq = BPF_CORE_READ(old, ifq);
		if (ifq)
			emit(w, ifq, 0);
		return 0;
	}
	barrier();
	head = (unsigned long)BPF_CORE_READ(ring, zcrx_ctxs.xa_head);
	if (!head)
		return 0;
	if ((head & 3) != 2 || head < 4096) { /* the only entry, at index 0, without a node */
		if (!(head & 3))
			emit(w, (const void *)head, 0);
		return 0;
	}
	top = (const void *)(head - 2);
	w->node = (__u64)top;
	w->shift = BPF_CORE_READ(top, shift);
	bpf_loop(w->shift ? XA_SLOTS * XA_SLOTS : XA_SLOTS, walk_slot, w, 0);
	return 0;
}

/* Files are known by their release functions: text symbols are in every kallsyms. */
static __always_inline bool released_by(const struct file *file, enum zcq_sym sym)
{
	__u64 release = (__u64)BPF_CORE_READ(file, f_op, release);

	return release && release == zcq_cfg.sym[sym];
}

SEC("iter/task_file")
int instance_files__iter(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct walk w = {};

	if (!file || !task)
		return 0;
	w.seq = ctx->meta->seq;
	w.task = task;
	w.fd = ctx->fd;
	if (released_by(file, ZCQ_SYM_URING_RELEASE)) {
		w.found_by = ZCQ_FOUND_RING_FD;
		walk_ring(&w, BPF_CORE_READ(file, private_data));
	} else if (released_by(file, ZCQ_SYM_ZCRX_RELEASE)) {
		w.found_by = ZCQ_FOUND_EXPORTED_FD;
		emit(&w, BPF_CORE_READ(file, private_data), 0);
	}
	return 0;
}

struct rings_walk {
	struct walk w;
	struct io_uring_task *tctx;
};

static long walk_registered(__u32 i, struct rings_walk *r)
{
	struct io_uring_task *tctx = r->tctx;
	struct file *file = NULL;

	if (i >= REGISTERED_MAX)
		return 1;
	bpf_core_read(&file, sizeof(file), &tctx->registered_rings[i]);
	if (file && released_by(file, ZCQ_SYM_URING_RELEASE))
		walk_ring(&r->w, BPF_CORE_READ(file, private_data));
	return 0;
}

SEC("iter/task")
int instance_tasks__iter(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct rings_walk r = {};

	if (!task)
		return 0;
	r.tctx = BPF_CORE_READ(task, io_uring);
	if (!r.tctx)
		return 0;
	r.w.seq = ctx->meta->seq;
	r.w.task = task;
	r.w.fd = -1;
	r.w.found_by = ZCQ_FOUND_REGISTERED_RING;
	bpf_loop(REGISTERED_MAX, walk_registered, &r, 0);
	return 0;
}
