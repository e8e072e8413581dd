// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zcq probes: every logical probe, by what it attaches on this kernel, and what is lost
 * without it. Loads and attaches nothing but the trials of zcq_probes_decide(); with --try it
 * opens a session, so that what the verifier or the kernel refuses is seen as well.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lib/bpf/session.h"
#include "lib/log.h"
#include "lib/opt.h"
#include "lib/out.h"

static struct zcq_strv subjects;
static bool try_all, missing_only;

static const struct zcq_opt opts[] = {
	{ "subject", 's', ZCQ_OPT_LIST, &subjects, "SUBJECT",
	  "only these: queue, register, zcrx, devmem, pool,\nhwgro, flow, instance" },
	{ "missing", 'm', ZCQ_OPT_FLAG, &missing_only, NULL, "only what is not available here" },
	{ "try", 't', ZCQ_OPT_FLAG, &try_all, NULL, "load and attach everything, for a moment" },
	{ NULL },
};

static const struct zcq_opt_spec spec = {
	.cmd = "probes",
	.summary = "Show what can be watched on this kernel, by what, and what is lost.",
	.notes = "Exit status 3 when nothing at all can be attached.",
	.opts = opts,
};

static const struct zcq_out_col cols[] = {
	{ "probe", "PROBE", true, 22 },
	{ "state", "STATE", true, 0 },
	{ "by", "BY", true, 10 },
	{ "target", "TARGET", true, 33 },
	{ NULL },
};

static const char *state_word(const struct zcq_probe_state *s)
{
	if (!s->cand)
		return "missing";
	if (s->probe->profile == ZCQ_PROFILE_HEAVY)
		return "heavy";
	return "yes";
}

static void put_targets(struct zcq_out *out, const struct zcq_cand *c)
{
	char text[160];

	if (!c) {
		zcq_out_null(out, "target");
		return;
	}
	if (c->target2 && strcmp(c->target, c->target2))
		snprintf(text, sizeof(text), "%s + %s", c->target, c->target2);
	else
		snprintf(text, sizeof(text), "%s", c->target);
	zcq_out_str(out, "target", text);
}

static void put_kinds(struct zcq_out *out, const struct zcq_cand *c)
{
	char text[32];

	if (!c) {
		zcq_out_null(out, "by");
		return;
	}
	/* "fentry+fexit" would not fit: a pair is named by its entry */
	snprintf(text, sizeof(text), "%s", zcq_attach_name(c->kind));
	zcq_out_str(out, "by", text);
}

static void put_probe(struct zcq_out *out, const struct zcq_probe_state *s)
{
	zcq_out_begin(out, "probe");
	zcq_out_str(out, "probe", s->probe->name);
	zcq_out_str(out, "subject", zcq_subject_name(s->probe->subject));
	zcq_out_str(out, "state", state_word(s));
	put_kinds(out, s->cand);
	put_targets(out, s->cand);
	zcq_out_str(out, "module", s->probe->module);
	zcq_out_str(out, "gives", s->probe->gives);
	zcq_out_str(out, "why", s->cand ? NULL : s->why);
	zcq_out_str(out, "lost", s->cand ? NULL : s->probe->lost);
	zcq_out_str(out, "poorer", s->cand ? s->cand->poorer : NULL);
	zcq_out_end(out);
}

/* Text only: the losses after the table, one reason with all that it costs. */
static void print_losses(const struct zcq_probe_set *set, uint32_t wanted)
{
	bool told[ZCQ_PROBES] = { false };

	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *s = &set->state[i];

		if (!s->probe || s->cand || told[i] || !(wanted & (1U << s->probe->subject)))
			continue;
		printf("\n%s; lost:\n", s->why);
		for (size_t k = i; k < ZCQ_PROBES; k++) {
			const struct zcq_probe_state *other = &set->state[k];

			if (!other->probe || other->cand || told[k] || strcmp(other->why, s->why) ||
			    !(wanted & (1U << other->probe->subject)))
				continue;
			told[k] = true;
			printf("  %s: %s\n", other->probe->name, other->probe->lost);
		}
	}
}

static int show(const struct zcq_probe_set *set, uint32_t wanted)
{
	struct zcq_out *out = zcq_out_new(stdout,
					  zcq_opt_common.json ? ZCQ_OUT_JSON : ZCQ_OUT_TABLE, cols,
					  zcq_out_colour_ok(stdout));
	size_t available = 0;
	int err;

	if (!out) {
		zcq_err("out of memory");
		return ZCQ_EXIT_FAILED;
	}
	zcq_out_header(out, "probes");
	for (size_t i = 0; i < ZCQ_PROBES; i++) {
		const struct zcq_probe_state *s = &set->state[i];

		if (!s->probe || !(wanted & (1U << s->probe->subject)))
			continue;
		available += s->cand != NULL;
		if (!missing_only || !s->cand)
			put_probe(out, s);
	}
	err = zcq_out_flush(out);
	if (!err && !zcq_opt_common.json)
		print_losses(set, wanted);
	zcq_out_free(out);
	if (err)
		return zcq_exit_written("the probes", err);
	return available ? ZCQ_EXIT_OK : ZCQ_EXIT_UNSUPPORTED;
}

static int wanted_subjects(uint32_t *wanted)
{
	*wanted = 0;
	for (size_t i = 0; i < subjects.n; i++) {
		int subject = zcq_subject_parse(subjects.v[i]);

		if (subject < 0) {
			zcq_err("--subject \"%s\": no such subject; see zcq probes --help",
				subjects.v[i]);
			return -EINVAL;
		}
		*wanted |= 1U << subject;
	}
	if (!*wanted)
		*wanted = ~0U;
	return 0;
}

static int show_tried(uint32_t wanted)
{
	struct zcq_session_opts so;
	struct zcq_session *session;
	int status;

	zcq_session_defaults(&so);
	so.probes.subjects = wanted;
	so.probes.heavy = true;
	so.probes.no_driver_probes = zcq_opt_common.no_driver_probes;
	session = zcq_session_open(&so);
	if (!session)
		return errno == EOPNOTSUPP || errno == ENOSYS ? ZCQ_EXIT_UNSUPPORTED :
								ZCQ_EXIT_FAILED;
	status = show(zcq_session_probes(session), wanted);
	zcq_session_close(session);
	return status;
}

int zcq_cmd_probes(int argc, char **argv)
{
	struct zcq_probe_opts po = { .heavy = true };
	struct zcq_probe_set set;
	uint32_t wanted;
	int first, err, status;

	err = zcq_opt_parse(&spec, argc, argv, &first);
	if (err)
		return zcq_opt_exit(err);
	if (wanted_subjects(&wanted))
		return ZCQ_EXIT_USAGE;
	if (try_all) {
		status = show_tried(wanted);
		goto out;
	}
	po.no_driver_probes = zcq_opt_common.no_driver_probes;
	err = zcq_probes_decide(&set, &po);
	if (err) {
		zcq_err("BPF can't be used: %s", set.caps.why[0] ? set.caps.why : strerror(-err));
		status = err == -ENOSYS ? ZCQ_EXIT_UNSUPPORTED : ZCQ_EXIT_FAILED;
		goto out;
	}
	status = show(&set, wanted);
	zcq_probes_free(&set);
out:
	zcq_strv_free(&subjects);
	return status;
}
