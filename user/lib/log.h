/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people, on stderr; data goes to stdout and never through here.
 * The library reports a failure once, at the level that knows the object.
 * Called by everything in user/.
 */
#ifndef ZCQ_LOG_H
#define ZCQ_LOG_H

enum zcq_log_level {
	ZCQ_LOG_ERR,	/* the command fails because of this */
	ZCQ_LOG_WARN,	/* the command goes on, but its answer is poorer for it */
	ZCQ_LOG_INFO,	/* -v: what is being done */
	ZCQ_LOG_DEBUG,	/* -vv: how it is being done (libbpf's own words too) */
};

/* The most talkative level printed; ZCQ_LOG_WARN at the start. */
void zcq_log_set_level(enum zcq_log_level level);
enum zcq_log_level zcq_log_level(void);

/*
 * One line "zcq: error: ..." (or warning, info, debug); a newline is added. Under
 * journald ($JOURNAL_STREAM) the line starts with its <priority>.
 */
void zcq_log(enum zcq_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define zcq_err(...)	zcq_log(ZCQ_LOG_ERR, __VA_ARGS__)
#define zcq_warn(...)	zcq_log(ZCQ_LOG_WARN, __VA_ARGS__)
#define zcq_info(...)	zcq_log(ZCQ_LOG_INFO, __VA_ARGS__)
#define zcq_dbg(...)	zcq_log(ZCQ_LOG_DEBUG, __VA_ARGS__)

#endif
