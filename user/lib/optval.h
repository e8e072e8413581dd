/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of one option: text into what its table entry names. Called by opt.c only.
 */
#ifndef ZCQ_OPTVAL_H
#define ZCQ_OPTVAL_H

#include "lib/opt.h"

/* Sets *opt->dest from text (NULL for flags). 0, or -EINVAL after its own message. */
int zcq_optval_set(const char *cmd, const struct zcq_opt *opt, const char *text);

#endif
