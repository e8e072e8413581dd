/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was lost, in words: the same fields wherever losses are told. Called by
 * user/cmd/trace.c and user/lib/model/show.c.
 */
#ifndef ZCQ_EVENT_LOST_H
#define ZCQ_EVENT_LOST_H

#include <stdint.h>

#include <zcq/counters.h>

#include "lib/out.h"

/* Records lost: no room in the ring or a table, or the program was not run. */
uint64_t zcq_lost_sum(const struct zcq_lost *lost);
uint64_t zcq_lost_total(const struct zcq_lost lost[ZCQ_SUBJECTS]);
/* Records sent with gaps. */
uint64_t zcq_lost_unreadable(const struct zcq_lost lost[ZCQ_SUBJECTS]);

/* The list "lost_by": each subject that lost anything. */
void zcq_put_lost(struct zcq_out *out, const struct zcq_lost lost[ZCQ_SUBJECTS]);

#endif
