#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
#
# lab run from outside: what it returns and says, for good runs and bad ones.

# shellcheck source=tests/lab/host/lib.sh
. "$(dirname "$0")/lib.sh"

usage_errors() {
	boot "$work/none.sh"
	is 'a missing script is a usage error' $? 2
	says 'and named' 'no script .*/none\.sh'
	lab run --nic foo true
	is 'an unknown NIC is a usage error' $? 2
	says 'and quoted' "'foo' is neither mlx5 nor none"
	lab run --nic none --mem 12x true
	is 'a bad number is a usage error' $? 2
	lab run --nic none --fault x true
	is 'a fault without a NIC is a usage error' $? 2
	lab run --nic none --keep-log /proc/none/log true
	is 'a log that can not be written is a usage error' $? 2
	says 'and named' "--keep-log: '/proc/none/log' can't be written"
	lab run --nic none --kernel "$work" true
	is 'a folder without a kernel is a usage error' $? 2
	lab frobnicate
	is 'an unknown command is a usage error' $? 2
	lab --help
	is 'help is no error' $? 0
	ZCQ_LAB_CACHE=$work/empty lab run --nic none true
	is 'an empty cache is an error' $? 1
	says 'that tells what to do' 'run tools/lab/lab fetch'
}

statuses() {
	script status <<-'E'
		echo "out $PWD $ZCQ_BUILD $1"
		echo err >&2
		exit 7
	E
	boot_seconds=$SECONDS
	boot "$work/status.sh" 'an  argument'
	is 'the status of the script' $? 7
	boot_seconds=$((SECONDS - boot_seconds))
	is 'its output and arguments' "$(cat "$work/out")" "out $PWD ${ZCQ_BUILD:-$PWD/build} an  argument"
	is 'its error output' "$(cat "$work/err")" err
	check 'the log is kept' grep -q 'Linux version' "$work/log.dmesg"

	script killed <<-'E'
		kill -9 $$
	E
	boot "$work/killed.sh"
	is 'a killed script is 128 + signal' $? 137
}

# By what a boot took just now: the machine may be busy.
timeouts() {
	local limit=$((boot_seconds * 2 + 5))

	script slow <<-'E'
		echo begun
		sleep 1000
	E
	boot --timeout "$limit" "$work/slow.sh"
	is 'a script that takes too long is 124' $? 124
	is 'what it said before is kept' "$(cat "$work/out")" begun
	says 'and the limit is named' "not done after $limit s"
	boot --timeout 1 "$work/slow.sh"
	is 'a guest that takes too long is 124' $? 124
	says 'and told apart' 'had not started the script after 1 s'
}

bad_guests() {
	boot --append 'init=/none rdinit=/none' "$work/slow.sh"
	is 'a guest that does not boot is an error' $? 1
	says 'with the console' 'Kernel panic'

	script crash <<-'E'
		echo c >/proc/sysrq-trigger
		sleep 100
	E
	boot "$work/crash.sh"
	is 'a panic is an error' $? 1
	says 'that is named' "guest's kernel panicked"
}

selftest() {
	boot tests/lab/lab-selftest.sh
	is 'the selftest passes without a NIC' $? 0
}

usage_errors
statuses
timeouts
bad_guests
selftest
finish
