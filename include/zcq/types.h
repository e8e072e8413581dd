/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixed-size integers the contract headers are written in, in BPF and in C alike,
 * and the checks that keep both sides at one layout. Included by every file in
 * include/zcq/; uses no libc and no libbpf.
 */
#ifndef ZCQ_TYPES_H
#define ZCQ_TYPES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define ZCQ_COMM_LEN	16	/* task name, NUL-terminated */
#define ZCQ_NAME_LEN	16	/* netdev name, NUL-terminated */
#define ZCQ_TEXT_LEN	96	/* the kernel's reason text, NUL-terminated, cut when longer */

/* An rx queue index that means "no queue known" in a key, "the whole netdev" in a reconfigure. */
#define ZCQ_NO_QUEUE	0xffffffffU

/* Every record's size and the offset of its last field are fixed: a change is a new version. */
#define ZCQ_ASSERT_SIZE(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), #type " has another size than the contract says")
#define ZCQ_ASSERT_OFFSET(type, field, bytes) \
	_Static_assert(__builtin_offsetof(type, field) == (bytes), \
		       #type "." #field " is not where the contract says")

/*
 * One rx queue of one netdev, and the key of the counters. All zero but rxq = ZCQ_NO_QUEUE:
 * an instance without a netdev (ZCRX_REG_NODEV).
 */
struct zcq_queue_id {
	__u32 netns;		/* inode of the netdev's network namespace; 0: unknown */
	__u32 ifindex;		/* in that namespace; 0: no netdev */
	__u32 rxq;		/* index, or ZCQ_NO_QUEUE */
	__u32 pad;		/* 0 */
};
ZCQ_ASSERT_SIZE(struct zcq_queue_id, 16);

/* Who did it: the task that was running. pid is the process (tgid), tid the thread. */
struct zcq_task {
	__u32 pid;		/* 0: unknown, or the kernel itself */
	__u32 tid;
	char comm[ZCQ_COMM_LEN];	/* the thread's name */
};
ZCQ_ASSERT_SIZE(struct zcq_task, 24);

/* What feeds a queue's page pool. */
enum zcq_provider {
	ZCQ_PROVIDER_NONE = 0,		/* ordinary pages */
	ZCQ_PROVIDER_IO_URING = 1,	/* a zcrx instance */
	ZCQ_PROVIDER_DMABUF = 2,	/* a devmem binding */
	ZCQ_PROVIDER_OTHER = 3,		/* one this version does not know */
};

/* Where a program belongs: the unit of loading, of lost counts and of `zcq probes`. */
enum zcq_subject {
	ZCQ_SUBJECT_QUEUE = 0,
	ZCQ_SUBJECT_REGISTER,
	ZCQ_SUBJECT_ZCRX,
	ZCQ_SUBJECT_DEVMEM,
	ZCQ_SUBJECT_POOL,
	ZCQ_SUBJECT_HWGRO,
	ZCQ_SUBJECT_FLOW,
	ZCQ_SUBJECT_INSTANCE,
	ZCQ_SUBJECTS,
};

#endif
