/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * types.h - the few types and helpers that every part of the NIC models uses:
 * short integer names, unaligned big and little endian access, and the usual
 * macros. Nothing here knows about a device.
 */
#ifndef NIC_TYPES_H
#define NIC_TYPES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define ALIGN_UP(n, a) (((n) + (a) - 1) & ~((a) - 1))
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline u32 min_u32(u32 a, u32 b)
{
	return a < b ? a : b;
}

static inline u16 get_be16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline u32 get_be32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline u64 get_be64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void put_be16(void *p, u16 v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be32(void *p, u32 v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be64(void *p, u64 v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

static inline u16 get_le16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline u32 get_le32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline u64 get_le64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline void put_le16(void *p, u16 v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le32(void *p, u32 v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

#endif /* NIC_TYPES_H */
