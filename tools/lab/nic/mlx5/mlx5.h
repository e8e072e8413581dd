/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mlx5.h - the heart of the mlx5 (ConnectX-7) model: the object table, the
 * command dispatch, and the structures that the subject files share. Each
 * subject file (eq.c, rq.c, steer.c, ...) exports one table of the commands
 * it implements and the few functions declared here.
 *
 * Numbers handed to and from the driver are in host order here; ifc.h and
 * hw.h convert.
 */
#ifndef MLX5_H
#define MLX5_H

#include "../device.h"
#include "../log.h"
#include "../types.h"
#include "hw.h"

struct mlx5_nic;
struct mlx5_cmd;
struct packet;		/* ../packet.h */

/* ------------------------------------------------------------------ */
/* Objects                                                             */

/*
 * The order is the order of dependence: a kind is used only by kinds after
 * it (or its own), so all objects can be released from the last to the first.
 */
enum mlx5_kind {
	MLX5_OBJ_PD,
	MLX5_OBJ_TD,		/* transport domain */
	MLX5_OBJ_UAR,
	MLX5_OBJ_QCNT,		/* Q counter set */
	MLX5_OBJ_MKEY,
	MLX5_OBJ_EQ,
	MLX5_OBJ_CQ,
	MLX5_OBJ_TIS,
	MLX5_OBJ_SQ,
	MLX5_OBJ_RQ,
	MLX5_OBJ_RQT,
	MLX5_OBJ_TIR,
	MLX5_OBJ_FLOW_COUNTER,
	MLX5_OBJ_FT,		/* flow table */
	MLX5_OBJ_FG,		/* flow group */
	MLX5_OBJ_KINDS,
};

/*
 * First member of every object. The structure that contains it is allocated
 * by mlx5_obj_new() and freed by the table; release(), if set, gives back
 * what it owns and drops its references (mlx5_obj_put()) just before.
 */
struct mlx5_obj {
	enum mlx5_kind kind;
	u32 id;
	u32 users;		/* other objects that refer to this one */
	void (*release)(struct mlx5_nic *nic, struct mlx5_obj *obj);
};

/* The ids of one kind: obj[i] has id base + i. */
struct mlx5_obj_table {
	struct mlx5_obj **obj;
	u32 base, nr, max;	/* first id, slots allocated, slots allowed */
	u32 next;		/* where the search for a free slot starts */
	u32 live;
};

int mlx5_obj_init(struct mlx5_nic *nic);
void mlx5_obj_destroy_all(struct mlx5_nic *nic);	/* reset: whatever refers to it */
void mlx5_obj_exit(struct mlx5_nic *nic);

const char *mlx5_kind_name(enum mlx5_kind kind);

/*
 * A zeroed object of size bytes (struct mlx5_obj first) with a new id, or
 * NULL with cmd's syndrome set if the kind's limit is reached (the handler
 * returns MLX5_CMD_STAT_LIM_ERR).
 */
void *mlx5_obj_new(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, size_t size);

/* By id and kind; NULL if there is none. Never logs: for the data path. */
static inline void *mlx5_obj_find(struct mlx5_nic *nic, enum mlx5_kind kind, u32 id);

/* The same for a command: a wrong id is logged and becomes the syndrome (return BAD_RES_ERR). */
void *mlx5_obj_need(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, u32 id);

void mlx5_obj_get(struct mlx5_obj *obj);	/* one more user; NULL is fine */
void mlx5_obj_put(struct mlx5_obj *obj);	/* one less; NULL is fine */

/* Removes it from the table, releases and frees it, used or not. */
void mlx5_obj_del(struct mlx5_nic *nic, struct mlx5_obj *obj);

/*
 * What every DESTROY command is: unknown id is BAD_RES_ERR, one in use is
 * RES_BUSY, both logged as errors; else gone. Returns the command's status.
 */
int mlx5_obj_destroy(struct mlx5_nic *nic, struct mlx5_cmd *cmd, enum mlx5_kind kind, u32 id);

/* ------------------------------------------------------------------ */
/* Commands                                                            */

struct mlx5_cmd {
	const struct mlx5_cmd_op *op;
	u16 opcode;
	u16 op_mod;
	const u8 *in;		/* whole input, header first; readable to at least op->min_in */
	u32 in_len;
	u8 *out;		/* zeroed; the dispatcher fills in status and syndrome */
	u32 out_len;		/* what the driver gave; at least op->min_out */
	u32 syndrome;		/* set by mlx5_cmd_fail() and friends */
};

/*
 * One implemented command. The dispatcher has checked min_in (input at least
 * that long) and min_out before it calls fn. fn returns MLX5_CMD_STAT_*, and
 * for anything but OK has said why through mlx5_cmd_fail() or a helper that
 * does. Create commands write the new id themselves.
 *
 *	const struct mlx5_cmd_op mlx5_rss_ops[] = {
 *		MLX5_OP(CREATE_RQT, create_rqt, create_rqt),
 *		{ 0 }
 *	};
 */
struct mlx5_cmd_op {
	u16 opcode;
	const char *name;	/* as in the kernel: CREATE_RQT */
	u32 min_in, min_out;	/* bytes */
	int (*fn)(struct mlx5_nic *nic, struct mlx5_cmd *cmd);
};

/* type: the layouts are mlx5_ifc_<type>_in_bits and _out_bits. Needs ifc.h. */
#define MLX5_OP(op, type, handler) \
	{ MLX5_CMD_OP_##op, #op, IFC_SIZE(type##_in), IFC_SIZE(type##_out), handler }

/*
 * Logs "nic: error: CREATE_RQT: <text>" and sets a syndrome derived from
 * where; returns status, so a handler can `return mlx5_cmd_fail(...)`.
 */
int mlx5_cmd_fail(struct mlx5_cmd *cmd, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One table per subject file, ended by a zero entry; cmd.c gathers them. */
extern const struct mlx5_cmd_op mlx5_caps_ops[];
extern const struct mlx5_cmd_op mlx5_object_ops[];
extern const struct mlx5_cmd_op mlx5_eq_ops[];
extern const struct mlx5_cmd_op mlx5_cq_ops[];
extern const struct mlx5_cmd_op mlx5_sq_ops[];
extern const struct mlx5_cmd_op mlx5_rq_ops[];
extern const struct mlx5_cmd_op mlx5_mkey_ops[];
extern const struct mlx5_cmd_op mlx5_vport_ops[];
extern const struct mlx5_cmd_op mlx5_counter_ops[];
extern const struct mlx5_cmd_op mlx5_reg_ops[];
extern const struct mlx5_cmd_op mlx5_rss_ops[];		/* rss.c: RQT, TIR */
extern const struct mlx5_cmd_op mlx5_steer_ops[];	/* steer.c: flow tables, groups, entries, root, flow counters */

/* Runs one command that was written to memory (cmd.c); also what the fuzzer calls. */
void mlx5_cmd_run(struct mlx5_nic *nic, struct mlx5_cmd *cmd);

/* ------------------------------------------------------------------ */
/* Pages of a queue (PAS)                                              */

/* A queue's memory: a list of pages of 1 << page_log bytes. */
struct mlx5_ring {
	u64 *page;
	u32 nr_pages;
	u8 page_log;
	u8 entry_log;		/* bytes of an entry, log2 */
	u8 size_log;		/* entries, log2 */
	u32 page_offset;	/* where entry 0 starts in page 0, bytes */
};

/*
 * Reads nr 64-bit page addresses that follow a context at pas; checks that
 * they cover the ring. Status as a handler's.
 */
int mlx5_ring_init(struct mlx5_ring *ring, struct mlx5_cmd *cmd, const u8 *pas,
		   unsigned int page_log, unsigned int size_log, unsigned int entry_log,
		   unsigned int page_offset);
void mlx5_ring_free(struct mlx5_ring *ring);

/* Entry i (wraps), or NULL (logged) if its page isn't guest memory. */
void *mlx5_ring_entry(struct mlx5_nic *nic, const struct mlx5_ring *ring, u32 i);

/* ------------------------------------------------------------------ */
/* Event and completion queues                                         */

struct mlx5_eq {
	struct mlx5_obj obj;
	struct mlx5_ring ring;
	u64 events;		/* bit n: event type n wanted */
	u32 vector;
	u32 ci, pi;		/* 32-bit, free running; the driver shows 24 bits of ci */
	bool armed;
};

struct mlx5_cq {
	struct mlx5_obj obj;
	struct mlx5_ring ring;
	struct mlx5_eq *eq;
	u64 dbr;		/* doorbell record: consumer index, arm state */
	u32 ci, pi;
	u16 period, max_count;	/* moderation: stored, not applied */
	bool armed;
	bool ignore_overrun;
	bool dirty;		/* on nic->cq_dirty */
	bool overrun;		/* an error was logged; the CQ is dead */
	struct mlx5_cq *next_dirty;
};

void mlx5_eq_event(struct mlx5_nic *nic, struct mlx5_eq *eq, u8 type, u8 sub_type,
		   const void *data, u32 len);
/* The same to every EQ that asked for the type. */
void mlx5_async_event(struct mlx5_nic *nic, u8 type, u8 sub_type, const void *data, u32 len);
void mlx5_eq_doorbell(struct mlx5_nic *nic, u32 value, bool arm);

/*
 * Appends a completion (owner bit and opcode are set here). The event, if the
 * CQ is armed, is sent by mlx5_cq_flush(), once per batch.
 */
void mlx5_cq_post(struct mlx5_nic *nic, struct mlx5_cq *cq, struct mlx5_cqe *cqe, u8 opcode);
void mlx5_cq_flush(struct mlx5_nic *nic);

/* The device's clock, in ns; caps.c says that it runs at 1 GHz. */
u64 mlx5_clock_ns(void);
void mlx5_cqe_timestamp(struct mlx5_cqe *cqe);
void mlx5_cq_arm(struct mlx5_nic *nic, u32 cqn, u32 ci);

/* ------------------------------------------------------------------ */
/* Memory keys                                                         */

struct mlx5_mkey {
	struct mlx5_obj obj;
	u8 mode;		/* MLX5_MKC_ACCESS_MODE_* */
	u8 variant;		/* low byte of the key */
	bool umr_en;
	bool free;		/* not usable until a UMR clears it */
	bool local_write;
	u64 start, len;
	bool len64;		/* all of memory */
	u8 page_log;		/* bytes that one entry covers, log2 */
	u32 nr;			/* translation entries */
	u64 *mtt;		/* address of each, low bits permissions; 0: none */
};

/*
 * Where [va, va + *len) of a key is: a pointer good for *len bytes, *len cut
 * at the end of the page. NULL (logged) if key or range is bad or the page
 * isn't mapped.
 */
void *mlx5_mkey_ptr(struct mlx5_nic *nic, u32 key, u64 va, u32 *len, bool write);

/* Scatter to and gather from a key. 0 or -EFAULT (logged). */
int mlx5_mkey_write(struct mlx5_nic *nic, u32 key, u64 va, const void *buf, u32 len);
int mlx5_mkey_read(struct mlx5_nic *nic, u32 key, u64 va, void *buf, u32 len);

/*
 * A UMR WQE: replaces nr entries from first on and the fields of the context
 * that mkey_mask names. false (logged) if not allowed.
 */
bool mlx5_mkey_umr(struct mlx5_nic *nic, u32 key, u32 first, const u8 *entries, u32 nr,
		   u64 mkey_mask);

/* ------------------------------------------------------------------ */
/* Work queues                                                         */

enum mlx5_q_state {		/* MLX5_RQC_STATE_*, MLX5_SQC_STATE_* */
	MLX5_Q_RST = 0,
	MLX5_Q_RDY = 1,
	MLX5_Q_ERR = 3,
};

/*
 * May a work queue in state `is`, which the driver believes to be in `from`,
 * go to `to`? Status as a handler's.
 */
int mlx5_check_transition(struct mlx5_cmd *cmd, enum mlx5_q_state is, u32 from, u32 to);

struct mlx5_sq {
	struct mlx5_obj obj;
	struct mlx5_ring ring;	/* 64-byte basic blocks */
	struct mlx5_cq *cq;
	struct mlx5_obj *tis;
	enum mlx5_q_state state;
	bool reg_umr;		/* UMR allowed */
	bool flush_in_error;
	u64 dbr;
	u16 ci;			/* next basic block to run */
};

struct mlx5_shampo;

struct mlx5_rq {
	struct mlx5_obj obj;
	struct mlx5_ring ring;
	struct mlx5_cq *cq;
	struct mlx5_qcnt *qcnt;
	enum mlx5_q_state state;
	bool striding;
	bool vsd;		/* VLAN stripping disabled */
	bool flush_in_error;
	u64 dbr;
	u32 wqes;		/* WQEs consumed so far; compared with the record's 16 bits */

	/* striding: the WQE being filled */
	u8 strides_log;		/* strides of a WQE, log2 */
	u8 stride_log;		/* bytes of a stride, log2 */
	u16 wqe;		/* its index in the ring */
	u16 wqe_next;		/* the one after, read when this one was begun */
	bool wqe_open;		/* it is being filled */
	u32 wqe_lkey;		/* where its strides are */
	u64 wqe_addr;
	u32 stride;		/* strides of it consumed so far */

	/* header split; shampo is NULL when it is off */
	struct mlx5_shampo *shampo;
	u32 headers_mkey;

};

/* The driver rang the SQ's doorbell. */
void mlx5_sq_doorbell(struct mlx5_nic *nic, u32 sqn);

/* What the receive path knows about a packet when it reaches an RQ. */
struct mlx5_rx_meta {
	u32 hash;
	u8 hash_type;		/* MLX5_CQE_HASH_* or 0 */
	u32 flow_tag;
	bool vlan;		/* a tag was stripped */
	u16 vlan_tci;
};

void mlx5_rq_reset(struct mlx5_rq *rq);		/* to RST: begin anew */
void mlx5_rq_flush(struct mlx5_nic *nic, struct mlx5_rq *rq);	/* to ERR */

/* Writes the packet to the RQ and completes it, or drops and counts. */
void mlx5_rq_deliver(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
		     const struct mlx5_rx_meta *meta);

/* ------------------------------------------------------------------ */
/* Steering (steer.c) and spreading (rss.c)                            */

struct mlx5_tir;		/* private to rss.c */
struct mlx5_steer;		/* private to steer.c: the receive root and what else it keeps */

/* State that isn't in objects. create: 0 or -errno; destroy accepts NULL state. */
int mlx5_steer_create(struct mlx5_nic *nic);
void mlx5_steer_destroy(struct mlx5_nic *nic);
void mlx5_steer_reset(struct mlx5_nic *nic);	/* called after all objects are gone */

/*
 * Walks the receive flow tables from the root. NULL: the packet matched
 * nothing, or a drop entry (no error: the caller counts it as steered to
 * nowhere). *flow_tag is 0 if no entry sets one.
 */
struct mlx5_tir *mlx5_steer_lookup(struct mlx5_nic *nic, const struct packet *pkt, u32 *flow_tag);

/*
 * The RQ of a TIR for this packet: direct, or by the Toeplitz hash through the
 * indirection table. Fills meta->hash and hash_type (0 where nothing was
 * hashed). NULL only if the table is empty.
 */
struct mlx5_rq *mlx5_rss_pick(struct mlx5_nic *nic, struct mlx5_tir *tir,
			      const struct packet *pkt, struct mlx5_rx_meta *meta);

/* ------------------------------------------------------------------ */
/* Header split and SHAMPO (shampo.c)                                  */

/* Where shampo.c wants a packet to go. */
struct mlx5_shampo_place {
	bool split;		/* header to the header buffer, rest to the WQE */
	bool match;		/* continues the session: bit of the CQE */
	bool flush;		/* the session ends with this packet: bit of the CQE */
	u8 header_len;		/* bytes, 0 if not split */
	u16 header_index;	/* entry of the header buffer; valid if split */
	u32 data_off;		/* in the WQE, bytes: where the payload (unsplit: the packet) goes */
};

/*
 * Parses the SHAMPO part of an RQ's wq context (mlx5_ifc_wq_bits) when
 * shampo_enable is set; checks it (entry sizes, reservation, header mkey's
 * length). Sets rq->shampo and rq->headers_mkey. Handler status.
 */
int mlx5_shampo_create(struct mlx5_nic *nic, struct mlx5_cmd *cmd, struct mlx5_rq *rq,
		       const u8 *wqc);
void mlx5_shampo_destroy(struct mlx5_rq *rq);

/*
 * Decides for one packet, changing nothing. `used` bytes of the current WQE
 * are consumed (whole strides), it has `size` bytes. Returns false if the
 * packet does not fit in what is left: rq.c then closes the WQE with a filler
 * completion, calls mlx5_shampo_next_wqe() and asks again (a packet that does
 * not fit in an empty WQE is an error that rq.c counts).
 * With nic->fault_unsplit > 0 a packet that would be split is left whole;
 * commit counts it down.
 */
bool mlx5_shampo_decide(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			u32 used, u32 size, struct mlx5_shampo_place *at);

/* The packet was written as decided. */
void mlx5_shampo_commit(struct mlx5_nic *nic, struct mlx5_rq *rq, const struct packet *pkt,
			const struct mlx5_shampo_place *at);

/* The RQ goes on with a new WQE (offset 0): a session can't continue in it. */
void mlx5_shampo_next_wqe(struct mlx5_rq *rq);

/* Size of a header buffer entry, log2: entry i is at (i << log) of headers_mkey. */
unsigned int mlx5_shampo_entry_log(const struct mlx5_rq *rq);

/* ------------------------------------------------------------------ */
/* Counters, vport, the device                                         */

struct mlx5_qcnt {
	struct mlx5_obj obj;
	u32 out_of_buffer;
};

/* What went over the wire or was dropped at it; read by several commands. */
struct mlx5_traffic {
	u64 packets, bytes;	/* all, without FCS */
	u64 unicast, unicast_bytes;
	u64 multicast, multicast_bytes;
	u64 broadcast, broadcast_bytes;
	u64 errors, discards;
	u64 size_bucket[10];	/* RFC 2819: 64, 65-127, ..., 8192-10239 */
};

#define MLX5_VPORT_LIST_MAX 128

struct mlx5_vport {
	u8 mac[6];
	u16 mtu;
	u8 admin_state;		/* 0 down, 1 up, 2 follow */
	bool promisc_uc, promisc_mc, promisc_all;
	u8 inline_mode;
	bool disable_uc_lb, disable_mc_lb;
	/* allowed unicast, multicast, VLANs: 8 bytes each, as the driver gave them */
	u64 list[3][MLX5_VPORT_LIST_MAX];
	u32 nr_list[3];
	struct mlx5_traffic rx, tx;
	u64 rx_steer_missed;	/* packets that no flow entry took */
};

/* Port speeds of PTYS: bit of 100GBASE-CR4, the only one offered. */
#define MLX5_PORT_PROTO (1U << 20)
#define MLX5_PORT_MAX_MTU 9978	/* of a whole frame: header, VLAN tag and FCS included */

struct mlx5_port {
	u16 admin_mtu;
	bool admin_up;
	bool rx_pause, tx_pause;
	u32 down_events;
};

#define MLX5_MAX_FAULTS 16

/* Fail the countdown-th command of an opcode from now. */
struct mlx5_cmd_fault {
	u16 opcode;
	u32 countdown;		/* 0: free slot */
	u8 status;
};

struct mlx5_nic {
	struct nic *nic;
	struct dma *dma;	/* &nic->dma */
	struct mlx5_obj_table obj[MLX5_OBJ_KINDS];
	struct mlx5_vport vport;
	struct mlx5_port port;
	struct mlx5_steer *steer;
	struct mlx5_cq *cq_dirty;
	struct mlx5_cmdif *cmdif;	/* cmd.c: command queue, buffers */
	bool hca_enabled, hca_inited;
	u16 issi;
	u32 health_counter;

	struct mlx5_cmd_fault fault[MLX5_MAX_FAULTS];
	u32 fault_unsplit;	/* packets still to be left unsplit */

	/* totals */
	u64 nr_cmds, nr_doorbells, nr_umr, nr_filler, nr_no_buffer;
	u64 nr_split, nr_unsplit, nr_match, nr_flush;	/* counted by shampo.c's commit */
};

static inline void *mlx5_obj_find(struct mlx5_nic *nic, enum mlx5_kind kind, u32 id)
{
	const struct mlx5_obj_table *t = &nic->obj[kind];

	if (id - t->base >= t->nr)
		return NULL;
	return t->obj[id - t->base];
}

void mlx5_vport_init(struct mlx5_nic *nic);
bool mlx5_link_up(const struct mlx5_nic *nic);

/* Is the frame to be looped back: to an address of this vport, and allowed? */
bool mlx5_vport_loops(const struct mlx5_nic *nic, const u8 *frame);

/* After anything that mlx5_link_up() depends on: tells the driver if it changed. */
void mlx5_link_update(struct mlx5_nic *nic, bool was_up);

void mlx5_count_frame(struct mlx5_traffic *t, const u8 *frame, u32 len);

/* The PPCNT register's counter groups (counter.c). Status as a handler's. */
int mlx5_ppcnt_read(struct mlx5_nic *nic, struct mlx5_cmd *cmd, u8 *reg);

/* rx.c: one frame from the wire; one that has passed the port. May change it. */
void mlx5_rx(struct mlx5_nic *nic, u8 *frame, u32 len);
void mlx5_rx_vport(struct mlx5_nic *nic, u8 *frame, u32 len);

#endif /* MLX5_H */
