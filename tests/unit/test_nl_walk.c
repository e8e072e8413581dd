// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a netlink answer: acknowledgements, refusals with the kernel's words,
 * errors inside DONE, interrupted dumps, and bytes that are no messages at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/genetlink.h>

#include "nl_replay.h"
#include "lib/nic/attr.h"

/* A stream of messages under construction. */
struct stream {
	_Alignas(8) char buf[4096];
	size_t len;
};

static struct nlmsghdr *add(struct stream *s, uint16_t type, uint16_t flags, uint32_t seq,
			    const void *payload, size_t len)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)(s->buf + s->len);

	memset(nlh, 0, sizeof(*nlh));
	nlh->nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = seq;
	memcpy((char *)nlh + NLMSG_HDRLEN, payload, len);
	s->len += NLMSG_ALIGN(nlh->nlmsg_len);
	return nlh;
}

/* int error, the request (whole: 24 bytes, or its header), extack text. */
static size_t error_payload(char *p, int err, size_t echo, const char *text)
{
	struct nlmsghdr req = { .nlmsg_len = 24 };
	size_t len = sizeof(err);
	struct nlattr a;

	memset(p, 0, 256);
	memcpy(p, &err, sizeof(err));
	memcpy(p + len, &req, sizeof(req));
	len += echo;
	if (text) {
		a.nla_type = 1;
		a.nla_len = (uint16_t)(sizeof(a) + strlen(text) + 1);
		memcpy(p + len, &a, sizeof(a));
		memcpy(p + len + sizeof(a), text, strlen(text) + 1);
		len += NLA_ALIGN(a.nla_len);
	}
	return len;
}

static int count(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	++*(int *)arg;
	return 0;
}

static int refuse(const struct nlmsghdr *nlh, void *arg)
{
	count(nlh, arg);
	return -ENOSPC;
}

static void test_refusal_with_text(void **state)
{
	const char *text = "tcp-data-split is disabled";
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	char p[256];

	/* the request echoed whole, and capped to its header */
	add(&s, NLMSG_ERROR, 0x200, 7, p, error_payload(p, -EINVAL, 24, text));
	zcq_nl_walk(s.buf, s.len, 7, NULL, NULL, &end);
	assert_true(end.done);
	assert_int_equal(end.err, -EINVAL);
	assert_string_equal(end.reason, text);

	s.len = 0;
	end = (struct zcq_nl_end){ 0 };
	add(&s, NLMSG_ERROR, 0x300, 7, p, error_payload(p, -EBUSY, 16, text));
	zcq_nl_walk(s.buf, s.len, 7, NULL, NULL, &end);
	assert_int_equal(end.err, -EBUSY);
	assert_string_equal(end.reason, text);
}

static void test_ack_ends_without_error(void **state)
{
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	char p[256];
	int n = 0;

	add(&s, 0x20, 0, 7, "abcd", 4);
	add(&s, NLMSG_ERROR, 0, 7, p, error_payload(p, 0, 16, NULL));
	add(&s, 0x20, 0, 7, "abcd", 4);
	zcq_nl_walk(s.buf, s.len, 7, count, &n, &end);
	assert_true(end.done);
	assert_int_equal(end.err, 0);
	assert_int_equal(n, 1);
}

static void test_done_with_error(void **state)
{
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	int err = -EOPNOTSUPP;

	add(&s, NLMSG_DONE, NLM_F_MULTI, 7, &err, sizeof(err));
	zcq_nl_walk(s.buf, s.len, 7, NULL, NULL, &end);
	assert_true(end.done);
	assert_int_equal(end.err, -EOPNOTSUPP);
	assert_string_equal(end.reason, "");
}

static void test_interrupted_and_foreign(void **state)
{
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	int n = 0, zero = 0;

	add(&s, 0x20, NLM_F_MULTI | NLM_F_DUMP_INTR, 7, "abcd", 4);
	add(&s, 0x20, NLM_F_MULTI, 6, "abcd", 4);	/* of an older question */
	add(&s, NLMSG_NOOP, 0, 7, "", 0);
	zcq_nl_walk(s.buf, s.len, 7, count, &n, &end);
	assert_int_equal(n, 1);
	assert_true(end.interrupted);
	assert_false(end.done);

	s.len = 0;
	add(&s, NLMSG_DONE, NLM_F_MULTI, 7, &zero, sizeof(zero));
	zcq_nl_walk(s.buf, s.len, 7, count, &n, &end);
	assert_true(end.done);
	assert_int_equal(end.err, 0);
}

static void test_reader_stops(void **state)
{
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	int n = 0, zero = 0;

	add(&s, 0x20, NLM_F_MULTI, 7, "abcd", 4);
	add(&s, 0x20, NLM_F_MULTI, 7, "abcd", 4);
	add(&s, NLMSG_DONE, NLM_F_MULTI, 7, &zero, sizeof(zero));
	zcq_nl_walk(s.buf, s.len, 7, refuse, &n, &end);
	/* read to the end, so that nothing is left in the socket, but given to nobody */
	assert_true(end.done);
	assert_int_equal(end.err, -ENOSPC);
	assert_int_equal(n, 1);
}

static void test_truncated(void **state)
{
	struct zcq_nl_end end = { 0 };
	struct stream s = { .len = 0 };
	struct nlmsghdr *nlh;
	int n = 0;

	nlh = add(&s, 0x20, 0, 7, "abcdefgh", 8);
	zcq_nl_walk(s.buf, s.len - 4, 7, count, &n, &end);
	assert_int_equal(end.err, -EBADMSG);
	assert_int_equal(n, 0);

	end = (struct zcq_nl_end){ 0 };
	nlh->nlmsg_len = 3;
	zcq_nl_walk(s.buf, s.len, 7, count, &n, &end);
	assert_int_equal(end.err, -EBADMSG);
	assert_int_equal(n, 0);
}

static void test_short_generic_header(void **state)
{
	struct nlmsghdr nlh = { .nlmsg_len = NLMSG_HDRLEN + 2 };
	size_t len = 99;

	assert_null(zcq_nl_genl_attrs(&nlh, &len));
	assert_int_equal(len, 0);
}

static void test_numbers_of_any_width(void **state)
{
	static const struct { int len; uint64_t want; bool known; } cases[] = {
		{ 0, 0, false }, { 1, 0x11, true }, { 2, 0x2211, true }, { 3, 0x2211, true },
		{ 4, 0x44332211, true }, { 8, 0x8877665544332211, true },
		{ 12, 0x8877665544332211, true },
	};
	_Alignas(4) char buf[20] = { 0 };
	struct nlattr *a = (struct nlattr *)buf;
	size_t i;

	for (i = 0; i < 12; i++)
		buf[4 + i] = (char)(0x11 * (i + 1));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		a->nla_len = (uint16_t)(4 + cases[i].len);
		assert_int_equal(zcq_attr_num(a).known, cases[i].known);
		assert_int_equal(zcq_attr_num(a).v, cases[i].want);
	}
	assert_false(zcq_attr_num(NULL).known);
}

static void test_string_without_end(void **state)
{
	_Alignas(4) char buf[8] = { 8, 0, 1, 0, 'a', 'b', 'c', 'd' };
	const struct nlattr *a = (const struct nlattr *)buf;
	char text[8];

	assert_true(zcq_attr_str(a, text, sizeof(text)));
	assert_string_equal(text, "abcd");
	assert_true(zcq_attr_str(a, text, 3));
	assert_string_equal(text, "ab");
	assert_true(zcq_attr_str_is(a, "abcd"));
	assert_false(zcq_attr_str_is(a, "abc"));
	assert_false(zcq_attr_str(NULL, text, sizeof(text)));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusal_with_text),
		cmocka_unit_test(test_ack_ends_without_error),
		cmocka_unit_test(test_done_with_error),
		cmocka_unit_test(test_interrupted_and_foreign),
		cmocka_unit_test(test_reader_stops),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_short_generic_header),
		cmocka_unit_test(test_numbers_of_any_width),
		cmocka_unit_test(test_string_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
