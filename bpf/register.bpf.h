/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registration a task is in the middle of: from the entry of the call to the tracepoint
 * that tells its result. Whatever happens in between, in the same task, belongs to it: the
 * kernel's reason text, the bind. Shared by register.bpf.c and queue.bpf.c.
 */
#ifndef ZCQ_REGISTER_BPF_H
#define ZCQ_REGISTER_BPF_H

#include "maps.bpf.h"
#include "compat.bpf.h"

struct reg_call {
	__u64 start;
	__u64 arg;		/* the user's argument */
	__u64 instance;
	__u32 opcode;
	__u32 reasons;		/* how many texts were given */
	__u32 provider;		/* of the bind seen inside */
	__u32 pad;
	char ifname[ZCQ_NAME_LEN];
	char reason[ZCQ_TEXT_LEN];
};

/* LRU: a call that fails before the tracepoint (a bad fd) leaves its entry behind. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct reg_call);
} reg_calls SEC(".maps") __weak;

static __always_inline struct reg_call *reg_find(void)
{
	__u64 key = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&reg_calls, &key);
}

/*
 * A bind inside a registration: remember its netdev's name; and who binds is io_uring, also
 * where the kernel hides the symbols that would tell.
 */
static __always_inline void reg_seen_bind(const char ifname[ZCQ_NAME_LEN], __u32 *provider)
{
	struct reg_call *call = reg_find();

	if (!call)
		return;
	__builtin_memcpy(call->ifname, ifname, sizeof(call->ifname));
	if (*provider == ZCQ_PROVIDER_OTHER)
		*provider = ZCQ_PROVIDER_IO_URING;
}

#endif
