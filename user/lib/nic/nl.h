/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One netlink socket and how a request on it ends. libnl builds the messages; the
 * receiving loop is our own, because libnl loses what matters here: the kernel's
 * extack text, errors inside NLMSG_DONE, and that a dump was interrupted. Not
 * thread-safe. Used by user/lib/nic; the recorder and tests use the tap and walk.
 */
#ifndef ZCQ_NIC_NL_H
#define ZCQ_NIC_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>
#include <netlink/msg.h>

struct zcq_nl;

/* protocol: NETLINK_GENERIC or NETLINK_ROUTE. NULL and errno. */
struct zcq_nl *zcq_nl_open(int protocol);
void zcq_nl_close(struct zcq_nl *nl);

/*
 * The number of a generic netlink family (remembered), or -ENOENT if this kernel
 * has no such family.
 */
int zcq_nl_family(struct zcq_nl *nl, const char *name);

/* What the kernel said about the last failed request, or "" . */
const char *zcq_nl_reason(const struct zcq_nl *nl);

/* One reply message; 0, or -errno to stop. */
typedef int (*zcq_nl_msg_fn)(const struct nlmsghdr *nlh, void *arg);

/*
 * A request message for a generic netlink family (-ENOENT in errno where the kernel
 * lacks it), to which the caller adds attributes. Freed by zcq_nl_call(). NULL and errno.
 */
struct nl_msg *zcq_nl_genl_msg(struct zcq_nl *nl, const char *family, uint8_t version, uint8_t cmd);

/*
 * Sends msg (and frees it), gives each reply to fn, waits for the end. dump: the
 * request is a dump. 0, -EAGAIN if the dump was interrupted and has to be taken
 * again, -ETIMEDOUT, or the kernel's -errno with zcq_nl_reason() set.
 */
int zcq_nl_call(struct zcq_nl *nl, struct nl_msg *msg, bool dump, zcq_nl_msg_fn fn, void *arg);

/* The attributes behind a generic netlink header; *len is 0 if the message is too short. */
const struct nlattr *zcq_nl_genl_attrs(const struct nlmsghdr *nlh, size_t *len);

/* How a walk over received bytes went. */
struct zcq_nl_end {
	bool done;		/* the last message of the answer was seen */
	bool interrupted;	/* the kernel's tables changed while it dumped */
	int err;		/* 0, or -errno from kernel or fn */
	char reason[192];	/* extack text, "" if none */
};

/*
 * Walks the messages in buf (one or more datagrams). seq 0: take any. Never reads outside
 * buf, whatever it holds; a truncated message ends the walk with -EBADMSG.
 */
void zcq_nl_walk(const void *buf, size_t len, uint32_t seq, zcq_nl_msg_fn fn, void *arg,
		 struct zcq_nl_end *end);

/* Every datagram received is shown to fn first: for recording answers as test data. */
void zcq_nl_tap(struct zcq_nl *nl, void (*fn)(const void *buf, size_t len, void *arg), void *arg);

#endif
