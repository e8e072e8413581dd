/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types as far as these programs read them: names and members only, the
 * offsets come from the running kernel's BTF (CO-RE). Shared by all programs; what differs
 * between kernels is in compat.bpf.h, never here. Written from the members used, not a dump.
 */
#ifndef ZCQ_KERNEL_BPF_H
#define ZCQ_KERNEL_BPF_H

#include <linux/types.h>
#include <linux/bpf.h>

#ifndef __VMLINUX_H__
#define __VMLINUX_H__	/* bpf_tracing.h: our struct pt_regs below is the kernel's own */
#endif

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_endian.h>

typedef _Bool bool;
typedef __SIZE_TYPE__ size_t;
#define true	1
#define false	0
#ifndef NULL
#define NULL	((void *)0)
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs,
		flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};

struct pt_regs {
	struct user_pt_regs user_regs;
};
#endif

/* bare bones */
typedef struct {
	int counter;
} atomic_t;

typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;

struct list_head {
	struct list_head *next, *prev;
};

struct xarray {
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

/* tasks, files, namespaces */
struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct nsproxy {
	struct net *net_ns;
};

struct file_operations;

struct inode {
	unsigned long i_ino;
};

struct file {
	const struct file_operations *f_op;
	void *private_data;
	struct inode *f_inode;
};

struct io_uring_task {
	struct file *registered_rings[16];
};

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	struct nsproxy *nsproxy;
	struct task_struct *group_leader;
	struct io_uring_task *io_uring;
};

/* netdevs and queues */
struct device {
	struct device *parent;
};

struct memory_provider_ops {
	void *alloc_netmems;
};

struct netdev_rx_queue;
struct netdev_queue_config;
struct netdev_queue_mgmt_ops;
struct netlink_ext_ack;

struct pp_memory_provider_params {
	void *mp_priv;
	const struct memory_provider_ops *mp_ops;
};

struct netdev_rx_queue {
	struct net_device *dev;
	struct pp_memory_provider_params mp_params;
};

struct net_device {
	char name[16];
	int ifindex;
	possible_net_t nd_net;
	struct device dev;
	struct netdev_rx_queue *_rx;
	unsigned int num_rx_queues;
	unsigned int real_num_rx_queues;
	unsigned long state;
};

struct napi_struct {
	unsigned int napi_id;
	struct net_device *dev;
};

/* page pools */
typedef unsigned long netmem_ref;

struct page;

struct page_pool_params {
	unsigned int order;
	unsigned int pool_size;
	int nid;
	struct device *dev;
	struct napi_struct *napi;
};

struct pp_alloc_cache {
	__u32 count;
};

struct page_pool {
	struct page_pool_params p;
	__u32 pages_state_hold_cnt;
	struct pp_alloc_cache alloc;
	void *mp_priv;
	const struct memory_provider_ops *mp_ops;
	atomic_t pages_state_release_cnt;
	__u64 destroy_cnt;
	unsigned long defer_start;
};

struct net_iov;

/* sockets and packets */
struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	int skc_bound_dev_if;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	unsigned short skc_rx_queue_mapping;
};

struct sock {
	struct sock_common __sk_common;
	int sk_rx_dst_ifindex;
};

struct socket {
	struct sock *sk;
};

struct skb_shared_info {
	__u8 nr_frags;
	unsigned short gso_size;
	unsigned short gso_segs;
};

struct sk_buff {
	unsigned int len, data_len;
	struct net_device *dev;
	__u16 queue_mapping;
	unsigned char *head, *data;
	unsigned int end;
};

typedef struct {
	size_t written;
	size_t count;
	union {
		char *buf;
		void *data;
	} arg;
	int error;
} read_descriptor_t;

/* io_uring */
struct io_ring_ctx {
	unsigned int flags;
	struct xarray zcrx_ctxs;
	struct task_struct *submitter_task;
};

struct io_kiocb {
	struct file *file;
	struct io_ring_ctx *ctx;
	unsigned int flags;
};

struct net_iov_area {
	struct net_iov *niovs;
	size_t num_niovs;
};

struct io_zcrx_mem {
	unsigned long size;
	bool is_dmabuf;
};

struct io_zcrx_area {
	struct net_iov_area nia;
	struct io_zcrx_ifq *ifq;
	atomic_t *user_refs;
	__u32 free_count;
	struct io_zcrx_mem mem;
};

struct io_zcrx_ifq {
	__u32 if_rxq;
	struct net_device *netdev;
	refcount_t refs;
};

/* iterators */
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

#pragma clang attribute pop

#endif
