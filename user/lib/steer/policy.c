// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The policy's grammar as tables, and what has to fit together in it. See policy.h.
 */
#include "lib/steer/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/steer/policy_value.h"
#include "lib/steer/yaml.h"

/* --- a flow ------------------------------------------------------------------------------------ */

static const char *const proto_words[] = { "tcp", "tcp4", "tcp6", NULL };
static const unsigned int protos_of[] = {
	ZCQ_PROTO_TCP4 | ZCQ_PROTO_TCP6, ZCQ_PROTO_TCP4, ZCQ_PROTO_TCP6,
};
static const char *const feed_words[] = { "", "instance", "workers", NULL };

/* What a flow says before it is known to fit together. */
struct flow_text {
	struct zcq_policy_flow f;
	int proto;			/* index into proto_words */
	const yaml_node_t *queue, *spread;
};

static int read_feed(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		     void *dest)
{
	struct zcq_yaml_key shown = *key;
	int err;

	shown.words++;	/* "" is what leaving it out means */
	err = zcq_yaml_word(y, &shown, node, dest);
	if (!err)
		++*(int *)dest;
	return err;
}

static int read_node(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		     void *dest)
{
	(void)y;
	(void)key;
	*(const yaml_node_t **)dest = node;
	return 0;
}

#define FLOW(field) offsetof(struct flow_text, field)

static const struct zcq_yaml_key flow_keys[] = {
	{ "name", zcq_policy_name, FLOW(f.name) },
	{ "proto", zcq_yaml_word, FLOW(proto), .words = proto_words },
	{ "src", zcq_policy_prefix, FLOW(f.src) },
	{ "dst", zcq_policy_prefix, FLOW(f.dst) },
	{ "src-port", zcq_policy_ports, FLOW(f.src_port) },
	{ "dst-port", zcq_policy_ports, FLOW(f.dst_port) },
	{ "vlan", zcq_yaml_num, FLOW(f.vlan), .min = 1, .max = 4094 },
	{ "queue", read_node, FLOW(queue) },
	{ "spread", read_node, FLOW(spread) },
	{ "fed-by", read_feed, FLOW(f.feed), .words = feed_words },
	{ NULL },
};

static const struct zcq_yaml_key queue_key = { .name = "queue", .max = 65535 };
static const struct zcq_yaml_key spread_key = { .name = "spread" };

/* A flow's addresses narrow "tcp" to one IP version. */
static int flow_protos(struct zcq_yaml *y, const yaml_node_t *node, struct flow_text *t)
{
	struct zcq_policy_flow *f = &t->f;
	int family = f->src.family ? f->src.family : f->dst.family;
	unsigned int of = family == AF_INET ? ZCQ_PROTO_TCP4 : ZCQ_PROTO_TCP6;

	f->protos = protos_of[t->proto];
	if (!family)
		return 0;
	if (f->src.family && f->dst.family && f->src.family != f->dst.family)
		return zcq_yaml_fail(y, node, "a flow's src and dst are of one IP version");
	f->protos &= of;
	if (!f->protos)
		return zcq_yaml_fail(y, node, "proto %s with an %s address", proto_words[t->proto],
				     family == AF_INET ? "IPv4" : "IPv6");
	return 0;
}

static int flow_queues(struct zcq_yaml *y, const yaml_node_t *node, struct flow_text *t)
{
	struct zcq_policy_flow *f = &t->f;
	uint32_t queue, *v;
	int err;

	f->queues.size = sizeof(uint32_t);
	if (t->queue && t->spread)
		return zcq_yaml_fail(y, t->spread, "a flow has a queue or a spread, not both");
	if (t->queue) {
		err = zcq_yaml_u32(y, &queue_key, t->queue, &queue);
		v = err ? NULL : zcq_array_push(&f->queues);
		if (v)
			*v = queue;
		return err ? err : v ? 0 : -ENOMEM;
	}
	if (!t->spread)
		return 0;
	if (t->spread->type == YAML_SCALAR_NODE &&
	    !strcmp((const char *)t->spread->data.scalar.value, "all"))
		err = 0;
	else
		err = zcq_policy_queues(y, &spread_key, t->spread, &f->queues);
	if (err)
		return err;
	if (f->queues.n == 1)
		return zcq_yaml_fail(y, t->spread, "spread over one queue; say \"queue\"");
	if (f->feed == ZCQ_FEED_UNSAID)
		return zcq_yaml_fail(y, node, "a spread says \"fed-by: instance\" (one instance takes "
				     "from all its queues) or \"fed-by: workers\" (each connection is "
				     "accepted by its queue's worker); otherwise a buffer of another "
				     "instance ends the receive with EFAULT");
	return 0;
}

static int read_flow(struct zcq_yaml *y, const yaml_node_t *node, void *dest)
{
	static const struct zcq_ports any = { 0, UINT16_MAX };
	struct flow_text t = { .f = { .pos = zcq_yaml_pos(node), .src_port = any, .dst_port = any } };
	struct zcq_policy_flow *f;
	int err;

	err = zcq_yaml_map(y, "a flow", flow_keys, node, &t);
	if (!err)
		err = flow_protos(y, node, &t);
	if (!err && !t.f.src.family && !t.f.dst.family && !t.f.vlan.known &&
	    !t.f.src_port.first && !t.f.dst_port.first)
		err = zcq_yaml_fail(y, node, "this flow matches every connection: give it an address, "
				    "a port or a VLAN");
	if (!err)
		err = flow_queues(y, node, &t);
	f = err ? NULL : zcq_array_push(dest);
	if (!f) {
		zcq_array_clear(&t.f.queues, NULL);
		return err ? err : -ENOMEM;
	}
	*f = t.f;
	return 0;
}

static int read_flows(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		      void *dest)
{
	return zcq_yaml_list(y, key, node, read_flow, dest);
}

/* --- auto --------------------------------------------------------------------------------------- */

#define AUTO(field) offsetof(struct zcq_policy_auto, field)

static const char *const auto_words[] = { "off", "dry", "on", NULL };

static const struct zcq_yaml_key auto_keys[] = {
	{ "mode", zcq_yaml_word, AUTO(mode), .words = auto_words },
	{ "max-rules", zcq_yaml_u32, AUTO(max_rules), .min = 1, .max = 1 << 20 },
	{ "rules-per-second", zcq_yaml_u32, AUTO(rules_per_s), .min = 1, .max = 1000000 },
	{ "back-off", zcq_yaml_duration, AUTO(back_off_ns), .min = 1000000, .max = 86400000000000 },
	{ NULL },
};

/* "auto: on", or a mapping, which is on unless it says otherwise. */
static int read_auto(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		     void *dest)
{
	static const struct zcq_yaml_key word = { .name = "auto", .words = auto_words };
	struct zcq_policy_auto *a = dest;

	(void)key;
	if (node->type == YAML_SCALAR_NODE)
		return zcq_yaml_word(y, &word, node, &a->mode);
	a->mode = ZCQ_AUTO_ON;
	return zcq_yaml_map(y, "auto", auto_keys, node, a);
}

/* --- a netdev ------------------------------------------------------------------------------------ */

#define NETDEV(field) offsetof(struct zcq_policy_netdev, field)

static const char *const split_words[] = { "keep", "on", "off", NULL };
static const char *const rss_words[] = { "keep", "carve-out", NULL };
static const char *const unbind_words[] = { "keep", "remove", NULL };
static const struct zcq_yaml_key top_keys[] = {
	{ "top", zcq_yaml_u32, 0, .min = 1, .max = 65536 },
	{ NULL },
};

/* A list of queues, or how many from the top. */
static int read_queues(struct zcq_yaml *y, const struct zcq_yaml_key *key, const yaml_node_t *node,
		       void *dest)
{
	struct zcq_policy_netdev *n = dest;
	int err;

	if (node->type != YAML_MAPPING_NODE)
		return zcq_policy_queues(y, key, node, &n->queues);
	err = zcq_yaml_map(y, "queues", top_keys, node, &n->top);
	if (!err && !n->top)
		err = zcq_yaml_fail(y, node, "queues: a list, or \"top: N\"");
	return err;
}

static const struct zcq_yaml_key netdev_keys[] = {
	{ "queues", read_queues, 0 },
	{ "header-split", zcq_yaml_word, NETDEV(split), .words = split_words },
	{ "hds-thresh", zcq_yaml_size, NETDEV(hds_thresh), .max = 65535 },
	{ "ring-entries", zcq_yaml_num, NETDEV(ring_entries), .min = 1, .max = 1 << 20 },
	{ "rx-buf-len", zcq_yaml_size, NETDEV(rx_buf_len), .min = 256, .max = 1 << 30 },
	{ "rss", zcq_yaml_word, NETDEV(rss), .words = rss_words },
	{ "on-unbind", zcq_yaml_word, NETDEV(on_unbind), .words = unbind_words },
	{ "flows", read_flows, NETDEV(flows) },
	{ "auto", read_auto, NETDEV(automatic) },
	{ NULL },
};

static bool listed(const struct zcq_array *queues, uint32_t q)
{
	const uint32_t *v = queues->v;

	for (size_t i = 0; i < queues->n; i++)
		if (v[i] == q)
			return true;
	return false;
}

static int fail_at(struct zcq_yaml *y, struct zcq_policy_pos pos, const char *text, uint32_t queue)
{
	y->error->pos = pos;
	snprintf(y->error->text, sizeof(y->error->text), text, queue);
	return -EINVAL;
}

/* Flows of a netdev whose queues are known by number go to those, and say to which. */
static int check_flows(struct zcq_yaml *y, const struct zcq_policy_netdev *n)
{
	size_t n_queues = n->top ? n->top : n->queues.n;
	const struct zcq_policy_flow *f = n->flows.v;

	for (size_t i = 0; i < n->flows.n; i++, f++) {
		const uint32_t *v = f->queues.v;

		if (!f->queues.n && n_queues > 1 && f->feed == ZCQ_FEED_UNSAID)
			return fail_at(y, f->pos, "this flow says neither \"queue\" nor \"spread\", "
				       "and there are %u queues", (uint32_t)n_queues);
		for (size_t j = 0; j < f->queues.n && !n->top; j++)
			if (!listed(&n->queues, v[j]))
				return fail_at(y, f->pos, "queue %u is not among this netdev's \"queues\"",
					       v[j]);
	}
	return 0;
}

static void drop_flow(void *flow)
{
	zcq_array_clear(&((struct zcq_policy_flow *)flow)->queues, NULL);
}

static void drop_netdev(void *netdev)
{
	struct zcq_policy_netdev *n = netdev;

	zcq_array_clear(&n->queues, NULL);
	zcq_array_clear(&n->flows, drop_flow);
}

static int netdev_name(struct zcq_yaml *y, const yaml_node_t *node, const struct zcq_policy *policy,
		       char *name)
{
	static const struct zcq_yaml_key key = { .name = "netdev" };
	const struct zcq_policy_netdev *other = policy->netdevs.v;
	const char *text = zcq_yaml_text(y, &key, node);

	if (!text)
		return -EINVAL;
	if (strlen(text) >= IF_NAMESIZE || strpbrk(text, "/: \t\n") || !strcmp(text, ".") ||
	    !strcmp(text, ".."))
		return zcq_yaml_fail(y, node, "\"%.40s\": not a netdev's name", text);
	for (size_t i = 0; i < policy->netdevs.n; i++)
		if (!strcmp(other[i].name, text))
			return zcq_yaml_fail(y, node, "netdev %s is given twice", text);
	strcpy(name, text);
	return 0;
}

static int read_netdev(struct zcq_yaml *y, const yaml_node_t *name, const yaml_node_t *value,
		       struct zcq_policy *policy)
{
	struct zcq_policy_netdev fresh = {
		.pos = zcq_yaml_pos(name),
		.split = ZCQ_POLICY_SPLIT_ON, .rss = ZCQ_POLICY_RSS_CARVE_OUT,
		.on_unbind = ZCQ_UNBIND_KEEP, .flows.size = sizeof(struct zcq_policy_flow),
		.automatic = { .max_rules = 256, .rules_per_s = 100, .back_off_ns = 10000000000 },
	}, *n;
	int err;

	err = netdev_name(y, name, policy, fresh.name);
	if (err)
		return err;
	n = zcq_array_push(&policy->netdevs);	/* freed with the policy whatever comes */
	if (!n)
		return -ENOMEM;
	*n = fresh;
	err = zcq_yaml_map(y, "a netdev", netdev_keys, value, n);
	if (err)
		return err;
	if (!n->queues.n && !n->top)
		return zcq_yaml_fail(y, name, "netdev %s has no \"queues\"", n->name);
	return check_flows(y, n);
}

/* --- the file ------------------------------------------------------------------------------------- */

static int read_netdevs(struct zcq_yaml *y, const struct zcq_yaml_key *key,
			const yaml_node_t *node, void *dest)
{
	if (node->type != YAML_MAPPING_NODE)
		return zcq_yaml_fail(y, node, "%s: a mapping from a netdev's name to its policy",
				     key->name);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		int err = read_netdev(y, yaml_document_get_node(y->doc, pair->key),
				      yaml_document_get_node(y->doc, pair->value), dest);

		if (err)
			return err;
	}
	return 0;
}

static const struct zcq_yaml_key file_keys[] = {
	{ "netdevs", read_netdevs, 0 },
	{ NULL },
};

static int read_document(struct zcq_yaml *y, struct zcq_policy *policy)
{
	const yaml_node_t *root = yaml_document_get_root_node(y->doc);
	int err;

	if (!root) {
		snprintf(y->error->text, sizeof(y->error->text), "the policy is empty");
		return -EINVAL;
	}
	err = zcq_yaml_map(y, "a policy", file_keys, root, policy);
	if (!err && !policy->netdevs.n)
		err = zcq_yaml_fail(y, root, "the policy names no netdev");
	return err;
}

/* What libyaml found wrong, with its own words. */
static int syntax_error(const yaml_parser_t *parser, struct zcq_policy_error *error)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	error->pos.line = (uint32_t)parser->problem_mark.line + 1;
	error->pos.column = (uint32_t)parser->problem_mark.column + 1;
	snprintf(error->text, sizeof(error->text), "not YAML: %s",
		 parser->problem ? parser->problem : "unreadable");
	return -EINVAL;
}

/* Behind the policy nothing may come. */
static int only_document(yaml_parser_t *parser, struct zcq_policy_error *error)
{
	yaml_document_t more;
	const yaml_node_t *root;

	if (!yaml_parser_load(parser, &more))
		return syntax_error(parser, error);
	root = yaml_document_get_root_node(&more);
	if (root) {
		error->pos = zcq_yaml_pos(root);
		snprintf(error->text, sizeof(error->text), "a second document; a policy is one");
	}
	yaml_document_delete(&more);
	return root ? -EINVAL : 0;
}

int zcq_policy_parse(const char *text, size_t len, struct zcq_policy *policy,
		     struct zcq_policy_error *error)
{
	yaml_document_t doc;
	struct zcq_yaml y = { .doc = &doc, .error = error };
	yaml_parser_t parser;
	int err;

	*error = (struct zcq_policy_error){ 0 };
	*policy = (struct zcq_policy){ .netdevs.size = sizeof(struct zcq_policy_netdev) };
	if (len > ZCQ_POLICY_MAX_BYTES)
		return -E2BIG;
	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &doc)) {
		err = syntax_error(&parser, error);
	} else {
		err = read_document(&y, policy);
		if (!err)
			err = only_document(&parser, error);
		yaml_document_delete(&doc);
	}
	yaml_parser_delete(&parser);
	if (err)
		zcq_policy_free(policy);
	return err;
}

int zcq_policy_load(const char *path, struct zcq_policy *policy, struct zcq_policy_error *error)
{
	size_t room = ZCQ_POLICY_MAX_BYTES + 1, len = 0;
	int fd, err = 0;
	ssize_t got;
	char *text;

	*error = (struct zcq_policy_error){ 0 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = malloc(room);
	if (!text)
		err = -ENOMEM;
	while (!err && len < room) {
		got = read(fd, text + len, room - len);
		if (got < 0 && errno != EINTR)
			err = -errno;
		if (got == 0)
			break;
		if (got > 0)
			len += (size_t)got;
	}
	close(fd);
	if (!err)
		err = zcq_policy_parse(text, len, policy, error);
	free(text);
	return err;
}

void zcq_policy_free(struct zcq_policy *policy)
{
	zcq_array_clear(&policy->netdevs, drop_netdev);
}
