// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of lost counts, and the walk of them.
 */
#include "lib/event/lost.h"

#include "lib/bpf/probe.h"

uint64_t zcq_lost_sum(const struct zcq_lost *lost)
{
	return lost->ring_full + lost->map_full + lost->missed;
}

uint64_t zcq_lost_total(const struct zcq_lost lost[ZCQ_SUBJECTS])
{
	uint64_t sum = 0;

	for (int i = 0; i < ZCQ_SUBJECTS; i++)
		sum += zcq_lost_sum(&lost[i]);
	return sum;
}

uint64_t zcq_lost_unreadable(const struct zcq_lost lost[ZCQ_SUBJECTS])
{
	uint64_t sum = 0;

	for (int i = 0; i < ZCQ_SUBJECTS; i++)
		sum += lost[i].read_fail;
	return sum;
}

void zcq_put_lost(struct zcq_out *out, const struct zcq_lost lost[ZCQ_SUBJECTS])
{
	zcq_out_arr_begin(out, "lost_by");
	for (int i = 0; i < ZCQ_SUBJECTS; i++) {
		if (!zcq_lost_sum(&lost[i]) && !lost[i].read_fail)
			continue;
		zcq_out_obj_begin(out, NULL);
		zcq_out_str(out, "subject", zcq_subject_name(i));
		zcq_out_u64(out, "ring_full", lost[i].ring_full);
		zcq_out_u64(out, "map_full", lost[i].map_full);
		zcq_out_u64(out, "missed", lost[i].missed);
		zcq_out_u64(out, "unreadable", lost[i].read_fail);
		zcq_out_obj_end(out);
	}
	zcq_out_arr_end(out);
}
