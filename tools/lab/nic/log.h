/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - the model's log. A line is "nic: error: ..." for anything that the
 * real device would not have accepted or that must not happen in a test (the
 * lab fails a run that has one), "nic: info: ..." for the rest. The number of
 * errors is kept for the totals.
 */
#ifndef NIC_LOG_H
#define NIC_LOG_H

/* Opens (truncates) the log file; before that, lines go to stderr. 0 or -errno. */
int nic_log_open(const char *path);
void nic_log_close(void);

void nic_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void nic_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How many lines nic_err() has been asked for. */
unsigned long nic_log_errors(void);

#endif /* NIC_LOG_H */
