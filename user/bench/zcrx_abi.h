/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The io_uring zero-copy receive (zcrx) ABI, written down by ourselves: the headers of the
 * distributions we build on are older than it. Layouts and numbers are the kernel's
 * (6.15 to 7.3), names are ours, so newer system headers don't clash. All fields are in host
 * order; reserved ones must be 0. Used by user/bench/ and tests/tools/.
 */
#ifndef ZCQ_ZCRX_ABI_H
#define ZCQ_ZCRX_ABI_H

#include <linux/types.h>

/* io_uring_register(2) opcodes and the flag for a ring given by its registered index */
#define ZCQ_IORING_REGISTER_RING_FDS	20
#define ZCQ_IORING_REGISTER_ZCRX_IFQ	32	/* 6.15 */
#define ZCQ_IORING_REGISTER_QUERY	35	/* 6.18; needs no ring */
#define ZCQ_IORING_REGISTER_ZCRX_CTRL	36	/* 6.19 */
#define ZCQ_IORING_USE_REGISTERED_RING	(1U << 31)

#define ZCQ_IORING_OP_RECV_ZC		58
#define ZCQ_IORING_RECV_MULTISHOT	(1U << 1)	/* in sqe->ioprio */
#define ZCQ_IORING_SETUP_CQE_MIXED	(1U << 18)	/* 6.18 */

/* An offset in an area carries the area's number from this bit on. */
#define ZCQ_ZCRX_AREA_SHIFT		48
#define ZCQ_ZCRX_AREA_OFF_MASK		((1ULL << ZCQ_ZCRX_AREA_SHIFT) - 1)
#define ZCQ_ZCRX_RQ_MAX_ENTRIES		32768U

/* A refill ring entry: what user space gives back. */
struct zcq_zcrx_rqe {
	__u64 off;		/* area number and byte offset */
	__u32 len;
	__u32 pad;
};

/* The second half of a data CQE. */
struct zcq_zcrx_cqe {
	__u64 off;		/* area number and byte offset of the data */
	__u64 pad;
};

/* Where in the region head, tail and entries are; filled by the kernel. */
struct zcq_zcrx_offsets {
	__u32 head;
	__u32 tail;
	__u32 rqes;
	__u32 resv2;
	__u64 resv[2];
};

#define ZCQ_ZCRX_AREA_DMABUF		1U

struct zcq_zcrx_area_reg {
	__u64 addr;
	__u64 len;		/* bytes */
	__u64 rq_area_token;	/* out: goes into the upper bits of rqe.off */
	__u32 flags;
	__u32 dmabuf_fd;
	__u64 resv2[2];
};

#define ZCQ_ZCRX_MEM_REGION_USER	1U

/* The memory of the refill ring (struct io_uring_region_desc). */
struct zcq_zcrx_region {
	__u64 user_addr;
	__u64 size;		/* bytes */
	__u32 flags;
	__u32 id;
	__u64 mmap_offset;
	__u64 resv[4];
};

#define ZCQ_ZCRX_REG_IMPORT		1U	/* if_idx is the fd of an exported instance */
#define ZCQ_ZCRX_REG_NODEV		2U	/* no netdev: everything is copied (7.x) */

struct zcq_zcrx_reg {
	__u32 if_idx;
	__u32 if_rxq;
	__u32 rq_entries;
	__u32 flags;
	__u64 area_ptr;		/* struct zcq_zcrx_area_reg * */
	__u64 region_ptr;	/* struct zcq_zcrx_region * */
	struct zcq_zcrx_offsets offsets;	/* out */
	__u32 zcrx_id;		/* out: this instance's number in its ring */
	__u32 rx_buf_len;	/* bytes, 0: a page; out: what it is */
	__u64 event_desc;	/* struct zcq_zcrx_event_desc *, 0: none */
	__u64 resv[2];
};

enum zcq_zcrx_event {
	ZCQ_ZCRX_EVENT_ALLOC_FAIL,
	ZCQ_ZCRX_EVENT_COPY,
};

#define ZCQ_ZCRX_EVENT_DESC_STATS	1U	/* stats_offset is valid */

struct zcq_zcrx_event_desc {
	__u64 user_data;	/* of the CQEs that announce events; res is the event */
	__u32 type_mask;	/* 1 << enum zcq_zcrx_event */
	__u32 flags;
	__u64 stats_offset;	/* bytes from the start of the region */
	__u64 resv2[9];
};

/* Written by the kernel into the region. */
struct zcq_zcrx_stats {
	__u64 copy_count;
	__u64 copy_bytes;
};

enum zcq_zcrx_ctrl_op {
	ZCQ_ZCRX_CTRL_FLUSH_RQ,
	ZCQ_ZCRX_CTRL_EXPORT,
	ZCQ_ZCRX_CTRL_ARM_EVENT,
	ZCQ_ZCRX_CTRL_ADD_AREA,
};

struct zcq_zcrx_ctrl {
	__u32 zcrx_id;
	__u32 op;
	__u64 resv[2];
	union {
		__u32 export_fd;	/* out */
		__u32 event_type;
		__u64 area_ptr;
		__u64 arg[6];
	};
};

/* IORING_REGISTER_QUERY: a list of questions, here always of one. */
enum zcq_query_op {
	ZCQ_QUERY_OPCODES,
	ZCQ_QUERY_ZCRX,
	ZCQ_QUERY_SCQ,
	ZCQ_QUERY_ZCRX_EVENT,
};

struct zcq_query_hdr {
	__u64 next_entry;
	__u64 query_data;
	__u32 query_op;
	__u32 size;		/* in: of the answer's buffer; out: of what was written */
	__s32 result;		/* out: 0 or -errno */
	__u32 resv[3];
};

#define ZCQ_ZCRX_FEATURE_RX_PAGE_SIZE	1U
#define ZCQ_ZCRX_FEATURE_EVENT		2U

struct zcq_query_zcrx {
	__u64 register_flags;	/* ZCQ_ZCRX_REG_* known */
	__u64 area_flags;
	__u32 nr_ctrl_opcodes;
	__u32 features;		/* ZCQ_ZCRX_FEATURE_* */
	__u32 rq_hdr_size;	/* bytes */
	__u32 rq_hdr_alignment;
	__u64 resv2;
};

struct zcq_query_zcrx_event {
	__u32 event_flags;
	__u32 stats_size;
	__u32 stats_off_alignment;
	__u32 resv1;
	__u64 resv2[4];
};

_Static_assert(sizeof(struct zcq_zcrx_rqe) == 16, "refill ring entry");
_Static_assert(sizeof(struct zcq_zcrx_area_reg) == 48, "area");
_Static_assert(sizeof(struct zcq_zcrx_region) == 64, "region");
_Static_assert(sizeof(struct zcq_zcrx_reg) == 96, "registration");
_Static_assert(sizeof(struct zcq_zcrx_event_desc) == 96, "event descriptor");
_Static_assert(sizeof(struct zcq_zcrx_ctrl) == 72, "control");
_Static_assert(sizeof(struct zcq_query_hdr) == 40, "query header");
_Static_assert(sizeof(struct zcq_query_zcrx) == 40, "query answer");

#endif
