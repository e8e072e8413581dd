// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Levelled messages on stderr; see log.h. One write per line, so that lines of
 * several processes on one stderr don't mix.
 */
#include "lib/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum zcq_log_level max_level = ZCQ_LOG_WARN;

static const struct {
	const char *word;
	int priority;		/* syslog's */
} levels[] = {
	[ZCQ_LOG_ERR]	= { "error: ", 3 },
	[ZCQ_LOG_WARN]	= { "warning: ", 4 },
	[ZCQ_LOG_INFO]	= { "", 6 },
	[ZCQ_LOG_DEBUG]	= { "debug: ", 7 },
};

void zcq_log_set_level(enum zcq_log_level level)
{
	max_level = level;
}

enum zcq_log_level zcq_log_level(void)
{
	return max_level;
}

void zcq_log(enum zcq_log_level level, const char *fmt, ...)
{
	char line[1024];
	size_t len = 0, room;
	va_list ap;
	int n;

	if (level > max_level)
		return;

	if (getenv("JOURNAL_STREAM"))
		len = (size_t)snprintf(line, sizeof(line), "<%d>", levels[level].priority);
	len += (size_t)snprintf(line + len, sizeof(line) - len, "zcq: %s", levels[level].word);

	/* One byte is kept for the newline; a longer message is cut. */
	room = sizeof(line) - len - 1;
	va_start(ap, fmt);
	n = vsnprintf(line + len, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	len += (size_t)n < room ? (size_t)n : room - 1;
	if (line[len - 1] != '\n')
		line[len++] = '\n';

	fflush(stdout);
	if (write(STDERR_FILENO, line, len) < 0)
		return;		/* nowhere left to complain */
}
