#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# lab: --nic none
#
# What BPF counts of zcrx receives against what the receiver checked, byte for byte, on
# instances without a netdev (everything is copied, over loopback): counters, flow table and
# events; both IP versions and IPv4 in IPv6; receives that end by ENOSPC and ENOMEM; a session
# that begins in mid-stream; every buffer (heavy profile); a ring too small for the events.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/watch.sh
. "$(dirname "$0")/../lib/watch.sh"

subjects=(--subjects zcrx --subjects flow)

# agrees NAME CONNECTIONS: the session's answer against the receiver's result.
agrees() {
	local bytes

	recv_wait
	is "$1: the receiver is content" "$? $(field ok)" '0 true'
	bytes=$(field bytes)
	check "$1: its sockets are gone" wait_for 20 sockets_gone
	watch_ask sums
	is "$1: copied bytes, none zero-copied" \
		"$(total queue nodev_bytes rxq=-1) $(total queue zc_bytes)" "$bytes 0"
	is "$1: and for no other reason" "$(($(total queue queue_bytes) + $(total queue netdev_bytes) + \
		$(total queue linear_bytes) + $(total queue page_bytes) + $(total queue unknown_bytes)))" 0
	is "$1: flows started and ended" \
		"$(total events count name=flow-started) $(total events count name=flow-ended)" "$2 $2"
	is "$1: bytes of the ended flows" \
		"$(total events copied name=flow-ended) $(total events zc name=flow-ended)" "$bytes 0"
	is "$1: the copied events add up" "$(total events bytes name=copied)" "$bytes"
	is "$1: no flow is left in the table" "$(total flows count)" 0
	is "$1: nothing lost or missed" "$(lost)" \
		'lost: ring_full=0 map_full=0 read_fail=0 filtered=0'
}

exact() {
	recv_start --nodev --connections 3 --bind 127.0.0.1
	send 127.0.0.1 --connections 3 --bytes 5000011
	agrees 'IPv4' 3
	is 'IPv4: each receive ended once, by the end of the stream' \
		"$(total queue end_eof) $(total events count name=recv-ended)" '3 3'
	watch_mark

	recv_start --nodev --connections 7
	send ::1 --connections 7 --bytes 1000003
	agrees 'IPv6' 7
	is 'IPv6: as IPv6' "$(events name=flow-ended family=10)" 7
	watch_mark

	recv_start --nodev --connections 1
	send 127.0.0.1 --bytes 1000003
	agrees 'IPv4 in an IPv6 socket' 1
	is 'IPv4 in an IPv6 socket: as IPv4, by its port' "$(events name=flow-ended family=2 "lport=$port")" 1
	watch_mark
}

ended() {
	recv_start --nodev --connections 5 --cq-entries 4
	send 127.0.0.1 --connections 5 --bytes 1000003
	agrees 'a completion queue of 4' 5
	is 'as many ENOSPC as the receiver armed again' \
		"$(total queue end_enospc) $(total queue end_eof)" "$(rearmed ENOSPC) 5"
	is 'an event for each end' "$(total events count name=recv-ended)" "$(($(rearmed ENOSPC) + 5))"
	watch_mark

	recv_start --nodev --connections 3 --area 128K
	send 127.0.0.1 --connections 3 --bytes 2000003
	agrees 'an area of 32 buffers' 3
	is 'as many ENOMEM as the receiver armed again' "$(total queue end_enomem)" "$(rearmed ENOMEM)"
}

# What the socket got less what waits in it: what the receiver has taken.
taken() {
	ss -Htni "sport = :$port" | awk '{
		for (i = 1; i <= NF; i++)
			if (split($i, kv, ":") == 2 && kv[1] == "bytes_received")
				got = kv[2]
		if (/^ESTAB/)
			waiting = $2
	} END { print got - waiting }'
}

some_taken() { [ "$(taken)" -gt 1000000 ]; }

# A session that begins in mid-stream, while the receiver stands still: all of the rest.
midstream() {
	local before tx

	recv_start --nodev --connections 1
	send 127.0.0.1 --bytes 40000003 --rate 8M &
	tx=$!
	check 'mid-stream: the stream is on' wait_for 20 some_taken
	kill -STOP "$rx"
	check 'mid-stream: the receiver stands still' wait_for 20 grep -q '^State:	T' "/proc/$rx/status"
	before=$(taken)
	watch_start "${subjects[@]}"
	is 'mid-stream: it took nothing meanwhile' "$(taken)" "$before"
	kill -CONT "$rx"
	wait "$tx"
	recv_wait
	is 'mid-stream: the receiver is content' "$? $(field ok)" '0 true'
	check 'mid-stream: its socket is gone' wait_for 20 sockets_gone
	watch_ask sums
	is 'mid-stream: the rest, to the byte' "$(total queue nodev_bytes)" "$((40000003 - before))"
	is 'mid-stream: nothing counts as zero-copied' "$(total queue zc_bytes) $(total events zc name=flow-ended)" '0 0'
	is 'mid-stream: flow and queue agree' "$(total events copied name=flow-ended)" "$(total queue nodev_bytes)"
	watch_stop
}

# Two sessions at once: one told of every buffer, the other asleep over a ring of one page.
heavy() {
	local asleep_in asleep_out asleep_pid

	watch_start "${subjects[@]}" --heavy --ring-bytes 4096
	exec {asleep_in}>&"$watch_in" {asleep_out}<&"$watch_out"
	asleep_pid=$watch_pid
	exec {watch_in}>&- {watch_out}<&-
	watch_start "${subjects[@]}" --heavy 2>/dev/null
	kill -STOP "$asleep_pid"
	recv_start --nodev --connections 1
	send 127.0.0.1 --bytes 3000017
	agrees 'heavy' 1
	is 'a buffer event for each completion, with all bytes' \
		"$(total events count name=buffer) $(total events bytes name=buffer)" "$(field reads) 3000017"
	watch_stop

	watch_in=$asleep_in watch_out=$asleep_out watch_pid=$asleep_pid
	kill -CONT "$watch_pid"
	watch_ask sums
	is 'events lost: the counters are exact' "$(total queue nodev_bytes)" 3000017
	is 'events lost: some were told, some were lost' \
		"$(($(total events count name=buffer) > 0)) $(($(total lost ring_full) > 0))" '1 1'
	is 'events lost: none in silence' \
		"$(($(total events count) + $(total lost ring_full) >= $(field reads) + 3))" 1
	watch_stop
}

ip link set lo up
watch_start "${subjects[@]}" --verbose
exact
ended
watch_stop
midstream
heavy
rm -rf "$tmp"
finish
