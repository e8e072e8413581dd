# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Results of a shell test: sourced by tests, read by tests/run. A test says one line for
# each thing it shows; what it says last is its exit status.
#
#	ok NAME			fail NAME WHY		skip NAME WHAT-IS-MISSING
#	check NAME COMMAND...	ok when the command succeeds; else its output is the reason
#	is NAME GOT WANTED	ok when both are equal
#	wait_for SECONDS COMMAND...	polls until the command succeeds; fails at the limit

zcq_failed=0

ok() { printf 'ok - %s\n' "$1"; }
fail() {
	printf 'not ok - %s: %s\n' "$1" "${2//$'\n'/ | }"
	zcq_failed=1
}
skip() { printf 'skip - %s: %s\n' "$1" "$2"; }

check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then ok "$name"; else fail "$name" "${out:-$* failed}"; fi
}

is() {
	if [[ $2 == "$3" ]]; then ok "$1"; else fail "$1" "got \"$2\", wanted \"$3\""; fi
}

wait_for() {
	local limit=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < limit)) || return 1
		read -rt 0.05 <> <(:) || :
	done
}

# The last line of a test: its exit status.
finish() { exit "$zcq_failed"; }
