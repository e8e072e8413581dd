// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c - writes the model's log, one line at a time, flushed at once so that
 * the lab can read it while the model runs and after it was killed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "log.h"

static FILE *log_file;
static unsigned long nr_errors;

int nic_log_open(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return -errno;
	setvbuf(f, NULL, _IOLBF, 0);
	nic_log_close();
	log_file = f;
	return 0;
}

void nic_log_close(void)
{
	if (log_file)
		fclose(log_file);
	log_file = NULL;
}

__attribute__((format(printf, 2, 0))) static void put_line(const char *level, const char *fmt,
							   va_list ap)
{
	FILE *f = log_file ? log_file : stderr;

	fprintf(f, "nic: %s: ", level);
	vfprintf(f, fmt, ap);
	fputc('\n', f);
}

void nic_err(const char *fmt, ...)
{
	va_list ap;

	nr_errors++;
	va_start(ap, fmt);
	put_line("error", fmt, ap);
	va_end(ap);
}

void nic_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("info", fmt, ap);
	va_end(ap);
}

unsigned long nic_log_errors(void)
{
	return nr_errors;
}
