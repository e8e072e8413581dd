// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records to words: every key of every event is in the table and in its order, text and
 * JSON say the same, damaged records are refused, and exact lines of the main events.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "event_samples.h"
#include "lib/event/describe.h"
#include "lib/event/table.h"

/* What describing a record prints; the caller frees it. */
static char *described(const void *record, size_t size, enum zcq_out_style style)
{
	struct zcq_names *names = zcq_names_new_fixed(0, OWN_NETNS);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct zcq_out *out = zcq_out_new(f, style, NULL, false);

	assert_non_null(names);
	assert_non_null(out);
	assert_int_equal(zcq_event_describe(out, names, record, size), 0);
	assert_int_equal(zcq_out_flush(out), 0);
	zcq_out_free(out);
	zcq_names_free(names);
	fclose(f);
	return text;
}

/* The next key of the outermost object, or NULL; *p moves on. */
static char *next_key(const char **p, char *key, size_t size)
{
	int depth = 0;

	for (const char *s = *p; *s; s++) {
		if (*s == '{' || *s == '[') {
			depth++;
		} else if (*s == '}' || *s == ']') {
			depth--;
		} else if (*s == '"') {
			const char *end = strchr(s + 1, '"');

			if (end[1] == ':' && depth == 0) {
				snprintf(key, size, "%.*s", (int)(end - s - 1), s + 1);
				*p = end + 1;
				return key;
			}
			s = end;
		}
	}
	return NULL;
}

static void test_keys_are_the_tables(void **state)
{
	const struct zcq_event_desc *d;
	union sample s;
	char key[64];

	(void)state;
	for (size_t i = 0; (d = zcq_event_nth(i)); i++) {
		const struct zcq_event_field *f = d->fields;
		const char *p;
		char *json;

		sample(&s, d->type);
		json = described(&s, d->size, ZCQ_OUT_JSON);
		p = json + 1;
		assert_string_equal(next_key(&p, key, sizeof(key)), "type");
		assert_string_equal(next_key(&p, key, sizeof(key)), "time");
		while (next_key(&p, key, sizeof(key))) {
			if (!strcmp(key, "severity"))
				continue;
			assert_non_null(f->key);
			assert_string_equal(key, f->key);
			f++;
		}
		assert_null(f->key);
		free(json);
	}
}

static void test_rejected(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_REJECTED);
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_string_equal(text,
			    "{\"type\":\"rejected\",\"time\":1.000000007,\"severity\":\"bad\","
			    "\"netdev\":\"eth0@net:4026532000\",\"queue\":3,\"pid\":311,\"comm\":\"receiver\","
			    "\"error\":\"EINVAL\",\"reason\":\"tcp-data-split is disabled\",\"area_bytes\":1048576,"
			    "\"buffer_bytes\":null,\"refill_entries\":null,\"flags\":[],\"ring\":null,"
			    "\"instance\":null,\"duration_ns\":null}\n");
	free(text);
	text = described(&s, s.hdr.size, ZCQ_OUT_LINE);
	assert_non_null(strstr(text,
			       " eth0@net:4026532000 queue=3 pid=311 comm=receiver error=EINVAL "
			       "reason=\"tcp-data-split is disabled\""));
	free(text);
}

static void test_bind_failed(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_BIND_FAILED);
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_string_equal(text,
			    "{\"type\":\"bind-failed\",\"time\":1.000000007,\"severity\":\"bad\","
			    "\"netdev\":\"eth0@net:4026532000\",\"queue\":3,\"provider\":\"io-uring\","
			    "\"pid\":311,\"comm\":\"receiver\",\"error\":\"EINVAL\",\"page_bytes\":null,"
			    "\"lease_netdev\":null,\"lease_queue\":null,\"duration_ns\":null}\n");
	free(text);
}

static void test_copied_line(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_COPIED);
	text = described(&s, s.hdr.size, ZCQ_OUT_LINE);
	assert_non_null(strstr(text,
			       " 198.51.100.2:40009>192.0.2.1:5001 netdev=eth0@net:4026532000 "
			       "queue_wanted=3 netdev_seen=if7@net:4026532000 queue_seen=0 "
			       "reason=wrong-queue bytes=4.0K"));
	free(text);
}

static void test_ipv6_flow(void **state)
{
	static const __u8 peer[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 };
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_FLOW_ENDED);
	s.flow.flow.tuple.family = ZCQ_AF_INET6;
	memcpy(s.flow.flow.tuple.remote, peer, sizeof(peer));
	text = described(&s, s.hdr.size, ZCQ_OUT_LINE);
	assert_non_null(strstr(text, "[2001:db8::2]:40009>"));
	free(text);
}

static void test_whole_netdev(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_RECONFIGURED);
	s.reconfig.queue.rxq = ZCQ_NO_QUEUE;
	s.reconfig.cause = ZCQ_CAUSE_REOPEN;
	s.reconfig.flags = ZCQ_RECONFIG_UNHEALTHY;
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_non_null(strstr(
		text,
		"\"queue\":null,\"cause\":\"reopen\",\"error\":null,\"health\":\"unhealthy\""));
	assert_non_null(strstr(text, "\"standstill_ns\":null,\"stages\":null"));
	assert_non_null(strstr(text, "\"severity\":\"bad\""));
	free(text);
}

static void test_unknown_values(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_RECV_ENDED);
	s.ended.end = 999;
	s.ended.result = -529;	/* of the kernel's own, libc has no name for it */
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "\"end\":\"other\",\"error\":\"E529\""));
	free(text);
	sample(&s, ZCQ_EVENT_BOUND);
	s.provider.provider = 999;
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "\"provider\":\"other\""));
	free(text);
}

/* A name that fills its field has no NUL. */
static void test_full_names(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_BOUND);
	memset(s.provider.task.comm, 'x', ZCQ_COMM_LEN);
	memset(s.provider.ifname, 'y', ZCQ_NAME_LEN);
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "\"comm\":\"xxxxxxxxxxxxxxxx\""));
	free(text);
	sample(&s, ZCQ_EVENT_REJECTED);
	memset(s.reg.reason, 'z', ZCQ_TEXT_LEN);
	text = described(&s, s.hdr.size, ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "zzzz\""));
	free(text);
}

static void test_damaged(void **state)
{
	union sample s;

	(void)state;
	sample(&s, ZCQ_EVENT_BOUND);
	assert_int_equal(zcq_event_check(&s, s.hdr.size), 0);
	assert_int_equal(zcq_event_check(&s, sizeof(s)), 0);
	assert_int_equal(zcq_event_check(&s, 0), -EINVAL);
	assert_int_equal(zcq_event_check(&s, sizeof(struct zcq_hdr) - 1), -EINVAL);
	assert_int_equal(zcq_event_check(&s, s.hdr.size - 1), -EINVAL);
	s.hdr.size--;
	assert_int_equal(zcq_event_check(&s, sizeof(s)), -EINVAL);
	s.hdr.size++;
	s.hdr.version++;
	assert_int_equal(zcq_event_check(&s, sizeof(s)), -EPROTO);
	s.hdr.version--;
	s.hdr.type = 47;
	assert_int_equal(zcq_event_check(&s, sizeof(s)), -ENOENT);
	s.hdr.type = 65535;
	assert_int_equal(zcq_event_check(&s, sizeof(s)), -ENOENT);
}

/* A newer writer's record is longer; what we know of it is shown. */
static void test_longer_record(void **state)
{
	char bytes[1024] = { 0 };
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_UNSPLIT);
	s.hdr.size = sizeof(bytes);
	memcpy(bytes, &s, sizeof(s));
	text = described(bytes, sizeof(bytes), ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "\"packets\":23"));
	free(text);
}

static void test_numbers(void **state)
{
	struct zcq_names *names = zcq_names_new_fixed(0, OWN_NETNS);

	(void)state;
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_RING, 0), 0);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_RING, 0xffff888000000300), 1);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_RING, 0xffff888000000100), 2);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0xffff888000000200), 1);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_RING, 0xffff888000000300), 1);
	for (unsigned int i = 0; i < 997; i++)
		assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_BUFFER, 1 + (i * 7919) % 997),
				 i + 1);
	for (unsigned int i = 0; i < 997; i++)
		assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_BUFFER, 1 + (i * 7919) % 997),
				 i + 1);
	zcq_names_free(names);
}

static void test_numbers_of_instances(void **state)
{
	struct zcq_names *names = zcq_names_new_fixed(0, OWN_NETNS);

	(void)state;
	zcq_names_ended(names, 0x1000);	/* never shown: takes no number */
	zcq_names_began(names, 0x1000);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0x1000), 1);
	zcq_names_began(names, 0x1000);	/* it lives: shared, or seen at its bind already */
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0x1000), 1);
	zcq_names_ended(names, 0x1000);
	zcq_names_ended(names, 0x1000);
	/* what is told late is still of the old one */
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0x1000), 1);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0x2000), 2);
	zcq_names_began(names, 0x1000);
	assert_int_equal(zcq_names_number(names, ZCQ_NUMBER_INSTANCE, 0x1000), 3);
	zcq_names_free(names);
}

static void test_numbers_of_rings(void **state)
{
	struct zcq_names *names = zcq_names_new_fixed(0, OWN_NETNS);

	(void)state;
	assert_int_equal(zcq_names_ring(names, 0, 11, 0), 0);
	/* without an instance: as long as it is the same process */
	assert_int_equal(zcq_names_ring(names, 0x100, 11, 0), 1);
	assert_int_equal(zcq_names_ring(names, 0x100, 11, 0), 1);
	assert_int_equal(zcq_names_ring(names, 0x100, 13, 0), 2);
	/* with one: as long as it lives, whoever comes with the ring */
	assert_int_equal(zcq_names_ring(names, 0x100, 13, 0x1000), 2);
	assert_int_equal(zcq_names_ring(names, 0x100, 17, 0), 2);
	assert_int_equal(zcq_names_ring(names, 0x200, 17, 0x1000), 3);
	zcq_names_ended(names, 0x1000);
	assert_int_equal(zcq_names_ring(names, 0x100, 17, 0), 4);
	zcq_names_began(names, 0x1000);
	assert_int_equal(zcq_names_ring(names, 0x200, 17, 0x1000), 5);
	assert_int_equal(zcq_names_ring(names, 0x200, 17, 0), 5);
	zcq_names_free(names);
}

/* Through the records: two instances at one address, the second after a refused bind there. */
static void test_number_is_new(void **state)
{
	static const unsigned int types[] = { ZCQ_EVENT_POOL_CREATED, ZCQ_EVENT_BIND_FAILED,
					      ZCQ_EVENT_POOL_DESTROYED, ZCQ_EVENT_BOUND,
					      ZCQ_EVENT_UNBOUND, ZCQ_EVENT_BOUND };
	struct zcq_names *names = zcq_names_new_fixed(0, OWN_NETNS);
	char *text = NULL, got[64] = "";
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct zcq_out *out = zcq_out_new(f, ZCQ_OUT_JSON, NULL, false);
	union sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		sample(&s, types[i]);
		if (types[i] == ZCQ_EVENT_POOL_CREATED || types[i] == ZCQ_EVENT_POOL_DESTROYED)
			s.pool.instance = 0x1000;
		else
			s.provider.instance = 0x1000;
		assert_int_equal(zcq_event_describe(out, names, &s, s.hdr.size), 0);
	}
	zcq_out_flush(out);
	fflush(f);
	for (const char *p = text; (p = strstr(p, "\"instance\":")); p++)
		strncat(got, p + strlen("\"instance\":"), 1);
	assert_string_equal(got, "11223");
	zcq_out_free(out);
	zcq_names_free(names);
	fclose(f);
	free(text);
}

static void test_histogram(void **state)
{
	union sample s;
	char *text;

	(void)state;
	sample(&s, ZCQ_EVENT_COALESCED);
	s.interval.coalesced_pkts = 26;
	s.interval.coalesced_hist[0] = 3;
	s.interval.coalesced_hist[4] = 19;
	s.interval.coalesced_hist[ZCQ_SEG_BUCKETS - 1] = 4;
	text = described(&s, sizeof(s.interval), ZCQ_OUT_JSON);
	assert_non_null(strstr(text, "\"histogram\":[{\"segments_max\":1,\"packets\":3},"
				     "{\"segments_max\":16,\"packets\":19},"
				     "{\"segments_max\":null,\"packets\":4}],\"unsplit_packets\":null"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_the_tables),
		cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_bind_failed),
		cmocka_unit_test(test_copied_line),
		cmocka_unit_test(test_ipv6_flow),
		cmocka_unit_test(test_whole_netdev),
		cmocka_unit_test(test_unknown_values),
		cmocka_unit_test(test_full_names),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_longer_record),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_numbers_of_instances),
		cmocka_unit_test(test_numbers_of_rings),
		cmocka_unit_test(test_number_is_new),
		cmocka_unit_test(test_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
