// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a flow: when a TCP socket of the flow table is destroyed, its entry is told of a
 * last time and removed.
 *
 * Hook: tp_btf tcp_destroy_sock, task or softirq, once for each TCP socket of the host. Not
 * inet_sock_set_state: a socket in TCP_CLOSE (reset, or time-wait) may still hold data that is
 * received afterwards; a destroyed one can't. Kernels 6.15 and on, hardened ones too.
 *
 * Cost (kernel.bpf_stats on the emulated lab machine, where the least program of this family
 * takes 400 ns a run and one look at the clock 20 us; no hardware was at hand): 15 us
 * with the event. Lost: the event when the ring is full (zcq_lost), never the removal.
 */
#include "compat.bpf.h"
#include "flow.bpf.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

SEC("tp_btf/tcp_destroy_sock")
int BPF_PROG(flow_destroy__tp_btf, struct sock *sk)
{
	struct zcq_flow_key key = { .sock = (__u64)sk };
	struct zcq_flow_entry *e = bpf_map_lookup_elem(&zcq_flows, &key);

	if (!e)
		return 0;
	/* A socket that only asked and never received was never a flow to anybody. */
	if (e->flow.recvs) {
		if (event_wanted(ZCQ_EVENT_COPIED))
			flow_report_copied(e);
		flow_event(e, ZCQ_EVENT_FLOW_ENDED);
	}
	bpf_map_delete_elem(&zcq_flows, &key);
	return 0;
}
