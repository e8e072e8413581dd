// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses are kept as struct sockaddr_storage; text goes through getaddrinfo() with numeric
 * hosts only: no resolver is asked.
 */
#include "bench/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"

#define BACKLOG	4096

int zcq_addr_parse(const char *text, uint16_t port, struct sockaddr_storage *sa)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
	struct addrinfo *res;
	struct in_addr in;

	/* Not the short forms: 192.0.2 would be 192.0.0.2. */
	if (!strchr(text, ':') && inet_pton(AF_INET, text, &in) != 1)
		return -EINVAL;
	if (getaddrinfo(text, NULL, &hints, &res))
		return -EINVAL;
	memset(sa, 0, sizeof(*sa));
	memcpy(sa, res->ai_addr, res->ai_addrlen);
	freeaddrinfo(res);
	zcq_addr_set_port(sa, port);
	return 0;
}

bool zcq_addr_needs_scope(const struct sockaddr_storage *sa)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;

	return sa->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	       !in6->sin6_scope_id;
}

void zcq_addr_set_port(struct sockaddr_storage *sa, uint16_t port)
{
	if (sa->ss_family == AF_INET6)
		((struct sockaddr_in6 *)sa)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)sa)->sin_port = htons(port);
}

uint16_t zcq_addr_port(const struct sockaddr_storage *sa)
{
	if (sa->ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)sa)->sin6_port);
	return ntohs(((const struct sockaddr_in *)sa)->sin_port);
}

socklen_t zcq_addr_len(const struct sockaddr_storage *sa)
{
	return sa->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

void zcq_addr_format(const struct sockaddr_storage *sa, char *buf, size_t len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;
	const struct sockaddr_in *in = (const struct sockaddr_in *)sa;
	char host[INET6_ADDRSTRLEN] = "?";

	if (sa->ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		snprintf(buf, len, "[%s]:%u", host, zcq_addr_port(sa));
		return;
	}
	if (sa->ss_family == AF_INET6)
		inet_ntop(AF_INET, &in6->sin6_addr.s6_addr[12], host, sizeof(host));
	else
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
	snprintf(buf, len, "%s:%u", host, zcq_addr_port(sa));
}

static int listen_on(const struct sockaddr_storage *sa, int v6only)
{
	int one = 1, err, fd;

	fd = socket(sa->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    (sa->ss_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof(v6only))) ||
	    bind(fd, (const struct sockaddr *)sa, zcq_addr_len(sa)) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int zcq_listen(const char *addr, uint16_t *port)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	int fd;

	if (zcq_addr_parse(addr ? addr : "::", *port, &sa)) {
		zcq_err("\"%s\" is no IPv4 or IPv6 address", addr);
		return -EINVAL;
	}
	fd = listen_on(&sa, addr != NULL);
	if (fd == -EAFNOSUPPORT && !addr) {
		/* A host without IPv6. */
		zcq_addr_parse("0.0.0.0", *port, &sa);
		fd = listen_on(&sa, 0);
	}
	if (fd < 0) {
		zcq_err("listening on %s port %u: %s", addr ? addr : "any address", *port,
			strerror(-fd));
		return fd;
	}
	if (!getsockname(fd, (struct sockaddr *)&sa, &len))
		*port = zcq_addr_port(&sa);
	return fd;
}

int zcq_kick_napi(int fd)
{
	int old = 0, usec = 1, err = 0;
	socklen_t len = sizeof(old);

	if (getsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &old, &len) ||
	    setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &usec, sizeof(usec)))
		return -errno;
	/* Data that is there may be unreadable (EFAULT): it is not touched, and we want none. */
	if (recv(fd, NULL, 0, MSG_PEEK | MSG_DONTWAIT) < 0 && errno != EAGAIN && errno != EFAULT)
		err = -errno;
	setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &old, sizeof(old));
	return err;
}

int zcq_pin_cpu(unsigned int cpu)
{
	cpu_set_t set;
	int err;

	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		err = -errno;
		zcq_err("--cpu %u: %s", cpu, err == -EINVAL ?
			"there is no such CPU for this process" : strerror(-err));
		return err;
	}
	return 0;
}
