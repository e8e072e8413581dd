/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zcq's version, and the version of the JSON records' shape. Raised by hand at a release. */
#ifndef ZCQ_VERSION_H
#define ZCQ_VERSION_H

#define ZCQ_VERSION	"0.1.0"
#define ZCQ_SCHEMA	1

#endif
