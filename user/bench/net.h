/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets and addresses of bench: IPv4 and IPv6 alike. Called by user/bench/.
 */
#ifndef ZCQ_BENCH_NET_H
#define ZCQ_BENCH_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define ZCQ_ADDR_TEXT	64	/* room for "[IPv6%scope]:port" */

/* "192.0.2.1" or "2001:db8::1"; an address of an interface as fe80::1%eth0. 0 or -EINVAL. */
int zcq_addr_parse(const char *text, uint16_t port, struct sockaddr_storage *sa);
/* An IPv6 address of a link without the link. */
bool zcq_addr_needs_scope(const struct sockaddr_storage *sa);
void zcq_addr_set_port(struct sockaddr_storage *sa, uint16_t port);
uint16_t zcq_addr_port(const struct sockaddr_storage *sa);
socklen_t zcq_addr_len(const struct sockaddr_storage *sa);

/* "192.0.2.1:7" or "[2001:db8::1]:7"; an IPv4-mapped IPv6 address is shown as IPv4. */
void zcq_addr_format(const struct sockaddr_storage *sa, char *buf, size_t len);

/*
 * A listening TCP socket, non-blocking; *port 0 is replaced by the one the kernel chose.
 * addr NULL: every address, IPv4 and IPv6 by one socket. fd or -errno after its own message.
 */
int zcq_listen(const char *addr, uint16_t *port);

/*
 * Makes the NAPI that last fed this socket poll once, by a busy-polling receive of nothing. A queue
 * that ran out of all its buffers gets no interrupt any more in which its driver would look
 * for new ones; this is one. Needs CAP_NET_ADMIN. 0 or -errno.
 */
int zcq_kick_napi(int fd);

/* Runs this thread on one CPU. 0 or -errno after its own message. */
int zcq_pin_cpu(unsigned int cpu);

#endif
