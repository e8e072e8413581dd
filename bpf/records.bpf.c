// SPDX-License-Identifier: GPL-2.0-only
/*
 * No program: only gives the object's BTF the types of the records in the ring buffer, which
 * no map and no call would bring there. Debuggers and tests/bpf/test_layout.c read them. The
 * function is never called and never loaded.
 */
#include "maps.bpf.h"

char LICENSE[] SEC("license") __weak = "GPL";

union zcq_ring_record {
	struct zcq_hdr hdr;
	struct zcq_ev_register register_;
	struct zcq_ev_unregister unregister;
	struct zcq_ev_control control;
	struct zcq_ev_provider provider;
	struct zcq_ev_reconfig reconfig;
	struct zcq_ev_pool pool;
	struct zcq_ev_alloc alloc;
	struct zcq_ev_copied copied;
	struct zcq_ev_recv_ended recv_ended;
	struct zcq_ev_unsplit unsplit;
	struct zcq_ev_flow flow;
	struct zcq_ev_dmabuf dmabuf;
	struct zcq_ev_buffer buffer;
	struct zcq_instance instance;	/* what the iterators write */
};

int zcq_ring_record_types(union zcq_ring_record *record);

int zcq_ring_record_types(union zcq_ring_record *record)
{
	return record ? record->hdr.type : 0;
}
