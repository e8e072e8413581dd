// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_nic_shampo_rq.c - which RQ contexts the mlx5 model takes for header
 * split and SHAMPO: the driver's, and none that contradicts itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log.h"
#include "mlx5/ifc.h"
#include "mlx5/shampo.h"

static struct mlx5_nic nic;
static struct mlx5_rq rq;
static u8 rqc[512];
static const struct mlx5_cmd_op create_rq = { .name = "CREATE_RQ" };
static struct mlx5_cmd cmd = { .op = &create_rq };
static struct mlx5_mkey *mkey;

/* As mlx5e_mpwqe_build_rq_param() makes it: 8 WQEs of 256K, MTU 1500. */
static u8 *good_context(void)
{
	u8 *wqc = IFC_PTR(rqc, rqc, wq);

	memset(rqc, 0, sizeof(rqc));
	IFC_SET(wq, wqc, log_wq_sz, 3);
	IFC_SET(wq, wqc, shampo_enable, 1);
	IFC_SET(wq, wqc, log_reservation_size, 4);
	IFC_SET(wq, wqc, log_max_num_of_packets_per_reservation, 6);
	IFC_SET(wq, wqc, log_headers_entry_size, 2);
	IFC_SET(wq, wqc, log_headers_buffer_entry_num, 11);
	IFC_SET(wq, wqc, headers_mkey, mkey->obj.id << 8 | mkey->variant);
	IFC_SET(rqc, rqc, shampo_match_criteria_type, 1);
	IFC_SET(rqc, rqc, shampo_no_match_alignment_granularity, 1);
	return wqc;
}

static int contexts_start(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(&rq, 0, sizeof(rq));
	rq.striding = true;
	rq.stride_log = 8;
	rq.strides_log = 10;
	mlx5_obj_init(&nic);
	mkey = mlx5_obj_new(&nic, &cmd, MLX5_OBJ_MKEY, sizeof(*mkey));
	assert_non_null(mkey);
	mkey->variant = 0x42;
	mkey->len = 2048 * 256;
	return 0;
}

static int contexts_end(void **state)
{
	(void)state;
	mlx5_obj_exit(&nic);
	return 0;
}

static void good_rq(void **state)
{
	(void)state;
	assert_int_equal(mlx5_shampo_create(&nic, &cmd, &rq, good_context()), MLX5_CMD_STAT_OK);
	assert_int_equal(rq.headers_mkey, mkey->obj.id << 8 | 0x42);
	assert_int_equal(mlx5_shampo_entry_log(&rq), 8);
	assert_int_equal(rq.shampo->cfg.header_max, 255);
	assert_int_equal(rq.shampo->cfg.entries, 2048);
	assert_int_equal(rq.shampo->cfg.rsrv, 65536);
	assert_int_equal(rq.shampo->cfg.rsrv_pkts, 64);
	assert_int_equal(rq.shampo->cfg.align, 256);
	assert_true(rq.shampo->cfg.merge);
	assert_int_equal(mkey->obj.users, 1);
	mlx5_shampo_destroy(&rq);
	assert_null(rq.shampo);
	assert_int_equal(mkey->obj.users, 0);
	mlx5_shampo_destroy(&rq);
}

static void bad_rqs(void **state)
{
	unsigned long errors;

	(void)state;
	for (int bad = 0; bad < 11; bad++) {
		int want = MLX5_CMD_STAT_BAD_PARAM_ERR;
		u8 *wqc = good_context();

		rq.striding = bad != 0;
		mkey->len = bad == 1 ? 2048 * 256 - 1 : 2048 * 256;
		if (bad == 2)
			IFC_SET(wq, wqc, shampo_mode, 1);
		else if (bad == 3)
			IFC_SET(wq, wqc, log_reservation_size, 5);
		else if (bad == 4)
			IFC_SET(rqc, rqc, shampo_match_criteria_type, 2);
		else if (bad == 5)
			IFC_SET(rqc, rqc, shampo_no_match_alignment_granularity, 0);
		else if (bad == 6)
			IFC_SET(wq, wqc, log_headers_entry_size, 3);
		else if (bad == 7)
			IFC_SET(wq, wqc, log_headers_buffer_entry_num, 10);
		else if (bad == 8)
			IFC_SET(wq, wqc, headers_mkey, mkey->obj.id << 8);
		else if (bad == 9)
			IFC_SET(wq, wqc, headers_mkey, (mkey->obj.id + 1) << 8 | 0x42);
		else if (bad == 10)
			rq.strides_log = 7;	/* a WQE of 32K, less than a reservation */
		if (bad == 9)
			want = MLX5_CMD_STAT_BAD_RES_ERR;
		errors = nic_log_errors();
		assert_int_equal(mlx5_shampo_create(&nic, &cmd, &rq, wqc), want);
		assert_int_equal(nic_log_errors(), errors + 1);
		assert_null(rq.shampo);
		assert_int_equal(mkey->obj.users, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(good_rq, contexts_start, contexts_end),
		cmocka_unit_test_setup_teardown(bad_rqs, contexts_start, contexts_end),
	};

	nic_log_open("/dev/null");	/* refusals are counted, not shown */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
