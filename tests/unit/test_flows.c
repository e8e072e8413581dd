// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading the flow table: a map of the same shape, filled here. Without the right to make
 * one these tests are skipped; sums of a flow need no map.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "lib/bpf/flows.h"

static int make_map(uint32_t room)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "test_flows", sizeof(struct zcq_flow_key),
				sizeof(struct zcq_flow_entry), room, &opts);

	if (fd < 0 && errno == EPERM)
		skip();
	assert_true(fd >= 0);
	return fd;
}

static void put(int fd, uint64_t sock, uint64_t recvs)
{
	struct zcq_flow_key key = { .sock = sock };
	struct zcq_flow_entry e;

	memset(&e, 0, sizeof(e));
	e.flow.recvs = recvs;
	e.flow.zc_bytes = sock * 3;
	strcpy(e.ifname, "eth0");
	assert_int_equal(bpf_map_update_elem(fd, &key, &e, BPF_ANY), 0);
}

static void empty(void **state)
{
	struct zcq_flow_row *rows = NULL;
	int fd = make_map(16);
	size_t n = 1;

	(void)state;
	assert_int_equal(zcq_flows_read_fd(fd, &rows, &n), 0);
	assert_int_equal(n, 0);
	free(rows);
	close(fd);
}

/* More than a batch; those that never received are no flows. */
static void many(void **state)
{
	struct zcq_flow_row *rows = NULL;
	int fd = make_map(4096);
	uint64_t sum = 0, i;
	size_t n = 0;

	(void)state;
	for (i = 1; i <= 1009; i++)
		put(fd, i, i % 5 ? i : 0);
	assert_int_equal(zcq_flows_read_fd(fd, &rows, &n), 0);
	assert_int_equal(n, 1009 - 1009 / 5);
	for (i = 0; i < n; i++) {
		assert_int_equal(rows[i].flow.recvs, rows[i].sock);
		assert_int_equal(rows[i].flow.zc_bytes, rows[i].sock * 3);
		assert_string_equal(rows[i].ifname, "eth0");
		sum += rows[i].sock;
	}
	/* each exactly once: all numbers less the multiples of five */
	assert_int_equal(sum, 1009 * 1010 / 2 - 5 * (201 * 202 / 2));
	free(rows);
	close(fd);
}

static void a_bad_fd(void **state)
{
	struct zcq_flow_row *rows = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(zcq_flows_read_fd(-1, &rows, &n), -EBADF);
	assert_null(rows);
}

static void copied_sum(void **state)
{
	struct zcq_flow f;
	int i;

	(void)state;
	memset(&f, 0, sizeof(f));
	assert_int_equal(zcq_flow_copied(&f), 0);
	for (i = 0; i < ZCQ_COPY_REASONS; i++)
		f.copied_bytes[i] = 1ULL << (8 * i);
	assert_int_equal(zcq_flow_copied(&f), 0x010101010101ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(many),
		cmocka_unit_test(a_bad_fd),
		cmocka_unit_test(copied_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
