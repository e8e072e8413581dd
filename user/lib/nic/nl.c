// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The netlink socket: requests out, messages in, and the kernel's verdict kept with
 * its words. Parsing of what the messages hold is in *_parse.c.
 */
#include "lib/nic/nl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "lib/nic/attr.h"

/* Linux answers from memory; a driver that holds rtnl for a firmware command may take seconds. */
#define RECV_TIMEOUT_S	10
#define RECV_SIZE	65536
#define FAMILIES	4

/* From <linux/netlink.h> of newer systems. */
#define EXT_ATTR_MSG	1
#define EXT_ATTR_MAX	1
#define FLAG_CAPPED	0x100
#define FLAG_ACK_TLVS	0x200

struct zcq_nl {
	struct nl_sock *sk;
	int protocol;
	char *buf;
	size_t size;
	char reason[192];
	struct {
		char name[GENL_NAMSIZ];
		int id;		/* or -errno */
	} families[FAMILIES];
	size_t n_families;
	void (*tap)(const void *buf, size_t len, void *arg);
	void *tap_arg;
};

struct zcq_nl *zcq_nl_open(int protocol)
{
	struct timeval tv = { .tv_sec = RECV_TIMEOUT_S };
	struct zcq_nl *nl;
	int one = 1, fd, err;

	nl = calloc(1, sizeof(*nl));
	if (!nl)
		return NULL;
	nl->protocol = protocol;
	nl->size = RECV_SIZE;
	nl->buf = malloc(nl->size);
	nl->sk = nl_socket_alloc();
	if (!nl->buf || !nl->sk) {
		err = ENOMEM;
		goto out;
	}
	/* libnl keeps errno of socket() and bind() unless it is out of memory itself */
	errno = 0;
	if (nl_connect(nl->sk, protocol) < 0) {
		err = errno ? errno : ENOMEM;
		goto out;
	}
	fd = nl_socket_get_fd(nl->sk);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0) {
		err = errno;
		goto out;
	}
	/* Old kernels lack these two: no texts then, and requests checked less strictly. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	if (protocol == NETLINK_ROUTE)
		setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	return nl;
out:
	zcq_nl_close(nl);
	errno = err;
	return NULL;
}

void zcq_nl_close(struct zcq_nl *nl)
{
	if (!nl)
		return;
	if (nl->sk)
		nl_socket_free(nl->sk);
	free(nl->buf);
	free(nl);
}

const char *zcq_nl_reason(const struct zcq_nl *nl)
{
	return nl->reason;
}

void zcq_nl_tap(struct zcq_nl *nl, void (*fn)(const void *buf, size_t len, void *arg), void *arg)
{
	nl->tap = fn;
	nl->tap_arg = arg;
}

struct family_answer {
	int id;
};

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_FAMILY_ID + 1];
	struct family_answer *answer = arg;
	const struct nlattr *head;
	size_t len;

	head = zcq_nl_genl_attrs(nlh, &len);
	zcq_attr_index(head, len, tb, CTRL_ATTR_FAMILY_ID);
	if (tb[CTRL_ATTR_FAMILY_ID])
		answer->id = (int)zcq_attr_num(tb[CTRL_ATTR_FAMILY_ID]).v;
	return 0;
}

int zcq_nl_family(struct zcq_nl *nl, const char *name)
{
	struct family_answer answer = { .id = -ENOENT };
	struct nl_msg *msg;
	size_t i;
	int err;

	for (i = 0; i < nl->n_families; i++)
		if (!strcmp(nl->families[i].name, name))
			return nl->families[i].id;
	if (strlen(name) >= GENL_NAMSIZ || nl->n_families == FAMILIES)
		return -EINVAL;
	msg = nlmsg_alloc();
	if (!msg)
		return -ENOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0, CTRL_CMD_GETFAMILY, 1) ||
	    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name) < 0) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	err = zcq_nl_call(nl, msg, false, take_family, &answer);
	if (err && err != -ENOENT)
		return err;
	strcpy(nl->families[nl->n_families].name, name);
	nl->families[nl->n_families++].id = answer.id;
	return answer.id;
}

struct nl_msg *zcq_nl_genl_msg(struct zcq_nl *nl, const char *family, uint8_t version, uint8_t cmd)
{
	struct nl_msg *msg;
	int id;

	nl->reason[0] = '\0';
	id = zcq_nl_family(nl, family);
	if (id < 0) {
		errno = -id;
		return NULL;
	}
	msg = nlmsg_alloc();
	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, id, 0, 0, cmd, version)) {
		nlmsg_free(msg);
		errno = ENOMEM;
		return NULL;
	}
	return msg;
}

const struct nlattr *zcq_nl_genl_attrs(const struct nlmsghdr *nlh, size_t *len)
{
	if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN) {
		*len = 0;
		return NULL;
	}
	*len = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return (const struct nlattr *)((const char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN);
}

/* The extack attributes of an NLMSG_ERROR or NLMSG_DONE, off bytes into the message. */
static void take_reason(const struct nlmsghdr *nlh, size_t off, struct zcq_nl_end *end)
{
	const struct nlattr *tb[EXT_ATTR_MAX + 1];

	if (off >= nlh->nlmsg_len)
		return;
	zcq_attr_index((const struct nlattr *)((const char *)nlh + off), nlh->nlmsg_len - off,
		       tb, EXT_ATTR_MAX);
	zcq_attr_str(tb[EXT_ATTR_MSG], end->reason, sizeof(end->reason));
}

/* NLMSG_ERROR (error 0: an acknowledgement) and NLMSG_DONE both start with an int. */
static void take_verdict(const struct nlmsghdr *nlh, struct zcq_nl_end *end)
{
	size_t off = NLMSG_HDRLEN + sizeof(int);
	struct nlmsghdr echo;
	int verdict;

	end->done = true;
	if (nlh->nlmsg_len < off) {
		/* a DONE without payload is a plain end */
		if (nlh->nlmsg_type == NLMSG_ERROR)
			end->err = -EBADMSG;
		return;
	}
	memcpy(&verdict, (const char *)nlh + NLMSG_HDRLEN, sizeof(verdict));
	if (verdict < 0 && verdict > -4096)
		end->err = verdict;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		/* the request follows, whole or only its header, and then the texts */
		if (nlh->nlmsg_len < off + sizeof(echo))
			return;
		memcpy(&echo, (const char *)nlh + off, sizeof(echo));
		off += nlh->nlmsg_flags & FLAG_CAPPED ? sizeof(echo) : NLMSG_ALIGN(echo.nlmsg_len);
	}
	if (nlh->nlmsg_flags & FLAG_ACK_TLVS)
		take_reason(nlh, off, end);
}

void zcq_nl_walk(const void *buf, size_t len, uint32_t seq, zcq_nl_msg_fn fn, void *arg,
		 struct zcq_nl_end *end)
{
	const char *p = buf;

	while (!end->done && len >= NLMSG_HDRLEN) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)p;
		size_t step;

		if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > len) {
			end->err = -EBADMSG;
			end->done = true;
			return;
		}
		step = NLMSG_ALIGN(nlh->nlmsg_len);
		if (!seq || nlh->nlmsg_seq == seq) {
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				end->interrupted = true;
			if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
				take_verdict(nlh, end);
			else if (nlh->nlmsg_type >= NLMSG_MIN_TYPE && fn && !end->err)
				end->err = fn(nlh, arg);
		}
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
}

/* One datagram into nl->buf, which grows to hold it. Its length or -errno. */
static ssize_t receive(struct zcq_nl *nl)
{
	int fd = nl_socket_get_fd(nl->sk);
	ssize_t n;
	char *buf;

	do
		n = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
	if ((size_t)n > nl->size) {
		buf = realloc(nl->buf, (size_t)n);
		if (!buf)
			return -ENOMEM;
		nl->buf = buf;
		nl->size = (size_t)n;
	}
	n = recv(fd, nl->buf, nl->size, 0);
	return n < 0 ? -errno : n;
}

int zcq_nl_call(struct zcq_nl *nl, struct nl_msg *msg, bool dump, zcq_nl_msg_fn fn, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct zcq_nl_end end = { 0 };
	uint32_t seq;
	ssize_t n;
	int err;

	nl->reason[0] = '\0';
	nlh->nlmsg_flags |= NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	errno = 0;
	err = nl_send_auto(nl->sk, msg);
	seq = nlh->nlmsg_seq;
	nlmsg_free(msg);
	if (err < 0)
		return errno ? -errno : -EIO;
	while (!end.done) {
		n = receive(nl);
		if (n < 0)
			return (int)n;
		if (nl->tap)
			nl->tap(nl->buf, (size_t)n, nl->tap_arg);
		zcq_nl_walk(nl->buf, (size_t)n, seq, fn, arg, &end);
	}
	memcpy(nl->reason, end.reason, sizeof(nl->reason));
	if (!end.err && end.interrupted)
		return -EAGAIN;
	return end.err;
}
