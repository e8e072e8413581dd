# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - sourced first by the tests of the lab from outside: they start
# tools/lab/lab on the host and look at what it says, returns and leaves.

cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1
# shellcheck source=/dev/null
. tests/lib/ok.sh

# shellcheck disable=SC2034 # used by the tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# script NAME <<E: an executable $work/NAME.sh from standard input.
script() {
	{
		echo '#!/bin/bash'
		cat
	} >"$work/$1.sh"
	chmod +x "$work/$1.sh"
}

# lab ARG...: tools/lab/lab; its output in $work/out and $work/err.
lab() {
	timeout -k 5 200 tools/lab/lab "$@" >"$work/out" 2>"$work/err" </dev/null
}

# boot ARG...: a guest without a NIC.
boot() {
	lab run --nic none --keep-log "$work/log.dmesg" "$@"
}

# says NAME REGEX: the error output of the last lab has such a line.
says() {
	if grep -qE -- "$2" "$work/err"; then
		ok "$1"
	else
		fail "$1" "no /$2/ in: $(tail -n 5 "$work/err")"
	fi
}
