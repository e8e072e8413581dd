/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rss.h - limits of the receive spreading that caps.c advertises. What the
 * rest of the model calls is in mlx5.h (mlx5_rss_pick()).
 */
#ifndef MLX5_RSS_H
#define MLX5_RSS_H

#include "mlx5.h"

enum {
	MLX5_RSS_LOG_MAX_RQT_SIZE = 11,	/* cmd_hca_cap.log_max_rqt_size */
};

/* rss_hash_type of a CQE, bits 7..6: the IPsec SPI was hashed (CQE_RSS_L4_IPSEC). */
enum {
	MLX5_CQE_HASH_SPI = 3 << 6,
};

#endif /* MLX5_RSS_H */
