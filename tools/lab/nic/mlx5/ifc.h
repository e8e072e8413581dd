/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ifc.h - the command interface's layouts, taken at build time from the
 * kernel's own mlx5_ifc.h (a file of bit maps: `u8 field[bits]` inside
 * `struct mlx5_ifc_<type>_bits`), and typed access to their fields.
 * A field up to 32 bits lies inside one big endian dword; a longer one is
 * 64 bits and aligned or is an array of bytes. Both are checked here at
 * compile time, so a field that moves in a new kernel can't be misread.
 */
#ifndef MLX5_IFC_ACCESS_H
#define MLX5_IFC_ACCESS_H

#include <linux/stddef.h>
#include <linux/types.h>

#include "../types.h"

#ifndef DECLARE_FLEX_ARRAY
#define DECLARE_FLEX_ARRAY(type, name) __DECLARE_FLEX_ARRAY(type, name)
#endif
#ifndef struct_group_tagged
#define struct_group_tagged(tag, name, ...) __struct_group(tag, name, , __VA_ARGS__)
#endif

#include <mlx5_ifc.h>

#define IFC_BIT_OFF(type, field) offsetof(struct mlx5_ifc_##type##_bits, field)
#define IFC_BIT_LEN(type, field) sizeof(((struct mlx5_ifc_##type##_bits *)0)->field)

/* Bytes of a structure, and byte offset and pointer of a byte aligned field. */
#define IFC_SIZE(type) (sizeof(struct mlx5_ifc_##type##_bits) / 8)
#define IFC_OFF(type, field) (IFC_BIT_OFF(type, field) / 8)
#define IFC_PTR(type, p, field) ((u8 *)(p) + IFC_OFF(type, field))
#define IFC_CPTR(type, p, field) ((const u8 *)(p) + IFC_OFF(type, field))

/* Evaluates to 0; does not compile unless cond holds. */
#define IFC_CHECK(cond, text) \
	(0 * sizeof(struct { _Static_assert(cond, text); int unused; }))

#define IFC_IN_DWORD(type, field) \
	IFC_CHECK(IFC_BIT_OFF(type, field) % 32 + IFC_BIT_LEN(type, field) <= 32, \
		  #type "." #field " crosses a dword")
#define IFC_IS_QWORD(type, field) \
	IFC_CHECK(IFC_BIT_LEN(type, field) == 64 && IFC_BIT_OFF(type, field) % 8 == 0, \
		  #type "." #field " is not a qword")

static inline u32 ifc_get_bits(const void *p, u32 off, u32 len)
{
	u32 dword = get_be32((const u8 *)p + off / 32 * 4);

	return (dword >> (32 - off % 32 - len)) & (u32)(BIT_ULL(len) - 1);
}

static inline void ifc_set_bits(void *p, u32 off, u32 len, u32 v)
{
	u8 *at = (u8 *)p + off / 32 * 4;
	u32 shift = 32 - off % 32 - len, mask = (u32)(BIT_ULL(len) - 1) << shift;

	put_be32(at, (get_be32(at) & ~mask) | ((v << shift) & mask));
}

#define IFC_GET(type, p, field) \
	ifc_get_bits(p, IFC_BIT_OFF(type, field) + IFC_IN_DWORD(type, field), \
		     IFC_BIT_LEN(type, field))
#define IFC_SET(type, p, field, v) \
	ifc_set_bits(p, IFC_BIT_OFF(type, field) + IFC_IN_DWORD(type, field), \
		     IFC_BIT_LEN(type, field), v)
#define IFC_GET64(type, p, field) \
	get_be64(IFC_CPTR(type, p, field) + IFC_IS_QWORD(type, field))
#define IFC_SET64(type, p, field, v) \
	put_be64(IFC_PTR(type, p, field) + IFC_IS_QWORD(type, field), v)

#endif /* MLX5_IFC_ACCESS_H */
