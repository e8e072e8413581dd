# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# zcq trace --json under a scenario's control: sourced by scenarios that count what it tells.
# Wants ok.sh (by lab.sh), $zcq and $tmp. A FILTER is a jq condition on one record.
#
#	trace_start OPTION...	attached when it returns; $tracer is its pid, records in $tmp/trace
#	trace_stop NAME		its end: status 0, nothing lost
#	traced FILTER		how many records match
#	summed FIELD FILTER	FIELD added up over them
#	exactly NAME N FILTER	waits for N such records; then there are N and not more
#	told NAME FILTER	waits for the first

# shellcheck disable=SC2154 # $zcq and $tmp are the scenario's
:

trace_start() {
	local line=

	rm -f "$tmp/attached"
	mkfifo "$tmp/attached"
	"$zcq" trace --json --ready-fd 3 "$@" 3>"$tmp/attached" >"$tmp/trace" 2>"$tmp/trace.err" &
	tracer=$!
	read -rt 180 line <"$tmp/attached"
	[[ $line == attached ]] && return
	fail "zcq trace $* attaches" "$(cat "$tmp/trace.err")"
	finish
}

# Not counted are runs that the kernel skipped because the program was running on that CPU already (a
# preempted task): zcq tells them too, they may happen on a busy host, and would show in the exact counts.
trace_stop() {
	kill "$tracer"
	wait "$tracer"
	is "$1: zcq trace ends with status 0, nothing lost" "$? $(tail -n 1 "$tmp/trace" | jq -r \
		'"\(.type) \([.lost_by[] | .ring_full + .map_full + .unreadable] | add // 0)"')" '0 summary 0'
}

# A record that is being written is not there yet: what jq says of it does not count.
traced() { jq -c "select($1) | 1" "$tmp/trace" 2>/dev/null | wc -l; }
summed() { jq -s "[.[] | select($2) | .$1] | add // 0" "$tmp/trace"; }

at_least() { (($(traced "$2") >= $1)); }

exactly() {
	local limit=$((SECONDS + 60)) n

	# One jq where nothing is to be waited for: under emulation it is a quarter of a second.
	until n=$(traced "$3") && ((n >= $2 || SECONDS >= limit)); do
		read -rt 0.05 <> <(:) || :
	done
	is "$1" "$n" "$2"
}

told() { check "$1" wait_for 60 at_least 1 "$2"; }
