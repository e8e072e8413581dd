#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# lab: --nic mlx5
#
# zcq bench on a zero-copy queue: every byte right, and zero-copied + copied = all, by IPv4 and
# IPv6, with buffers of 4K, 16K and 32K; flows that miss their rule are copied; held buffers starve the
# queue and come back; a small completion queue; registrations that fail; two instances; the
# receive of another instance's data. The same engine without a NIC: bench-nodev.sh.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
exercise=$build/tests/zcrx_exercise
tmp=$(mktemp -d)
nic=$LAB_NIC_IF

# Port 7777 comes in on queue 1, all else on queue 0.
setup() {
	nic_addr && ethtool -K "$nic" rx-gro-hw on && ethtool -G "$nic" tcp-data-split on &&
		ethtool -X "$nic" equal 1 &&
		ethtool -N "$nic" flow-type tcp4 dst-port 7777 action 1 &&
		ethtool -N "$nic" flow-type tcp6 dst-port 7777 action 1 &&
		echo 64 >/proc/sys/vm/nr_hugepages
}

# start OPTION...: a receiver on queue 1; $rx is its pid.
start() {
	local line=
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" bench recv --netdev "$nic" --queue 1 --area 16M --wait 20s --json --ready-fd 3 "$@" \
		3>"$tmp/ready" >"$tmp/rx" 2>"$tmp/rx.err" &
	rx=$!
	read -rt 20 line <"$tmp/ready"
	[[ $line == ready:* ]] || fail "a receiver with $*" "$(cat "$tmp/rx.err")"
}

send() { timeout 60 ip netns exec peer "$zcq" bench send --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }
field() { tail -n 1 "$tmp/$1" | grep -oE "\"$2\":(\"[^\"]*\"|[^],}]*)" | head -n 1 | cut -d: -f2- | tr -d '"'; }
rearmed() { grep -oE "\"errno\":\"$1\",\"count\":[0-9]+" "$tmp/rx" | head -n 1 | grep -oE '[0-9]+$' || echo 0; }

# exact NAME BYTES SEND-STATUS: all bytes right, and the split adds up.
exact() {
	wait "$rx"
	is "$1: both ends are content" "$? $3 $(field rx ok) $(field tx ok)" '0 0 true true'
	is "$1: bytes" "$(field rx bytes)" "$2"
	is "$1: zero-copied and copied are all" "$(($(field rx zerocopy_bytes) + $(field rx copied_bytes)))" "$2"
}

split_traffic() {
	start --connections 1
	send "$GUEST4" --bytes 10000019
	exact 'IPv4' 10000019 $?
	is 'IPv4: none was copied' "$(field rx copied_bytes)" 0
	start --connections 13 --per-connection
	send "$GUEST6" --connections 13 --bytes 1000003
	exact 'IPv6, 13 connections' 13000039 $?
	is 'IPv6, 13 connections: none was copied' "$(field rx copied_bytes)" 0
	is 'all came by one NAPI' "$(grep -o '"napi_id":[0-9]*' "$tmp/rx" | sort | uniq -c | awk '{ print $1 }')" 13
	start --connections 3 --port 7778
	send "$GUEST4" --port 7778 --connections 3 --bytes 1000003
	exact 'a port without a rule' 3000009 $?
	is 'a port without a rule: all was copied' "$(field rx zerocopy_bytes) $(field rx kernel_copy_bytes)" '0 3000009'
}

large_buffers() {
	local size
	for size in 16 32; do
		start --connections 3 --rx-buf-len ${size}K --area-type huge
		send "$GUEST4" --connections 3 --bytes 5000011
		exact "${size}K buffers" 15000033 $?
		is "${size}K buffers: reads of more than 4K" \
			"$(field rx rx_buf_len) $(grep -oE '"up_to_bytes":[0-9]+' "$tmp/rx" | cut -d: -f2 | sort -n | tail -n 1)" \
			"$((size * 1024)) $((size * 1024))"
	done
	"$zcq" bench recv --netdev "$nic" --queue 1 --rx-buf-len 16K --area 4K >/dev/null 2>"$tmp/err"
	is 'an area that is not fit for large buffers: told' "$? $(grep -c -e '--area-type huge' "$tmp/err")" '1 1'
}

scarce() {
	start --connections 7 --cq-entries 4
	send "$GUEST6" --connections 7 --bytes 1000003
	exact 'a completion queue of 4' 7000021 $?
	is 'receives ended by ENOSPC were armed again' "$(($(rearmed ENOSPC) > 0))" 1
	start --connections 1 --hold 101
	send "$GUEST4" --bytes 5000011
	exact '101 buffers held to the end' 5000011 $?
	is 'it held exactly 101' "$(field rx held) $(field rx held_max)" '101 101'
	start --connections 1 --area 4M --hold 1024 --hold-for 1s
	send "$GUEST4" --bytes 20000003
	exact 'all buffers held for a second' 20000003 $?
	is 'it held them all, then none' "$(field rx held) $(field rx held_max)" '0 1024'
	# The copies of such a flow come from buffers that only a flush gives back.
	start --connections 1 --port 7778 --area 4M
	send "$GUEST4" --port 7778 --bytes 20000003
	exact 'five times the area, all copied' 20000003 $?
}

two_instances() {
	"$exercise" register --if "$nic" --queue 0 --hold >"$tmp/hold" &
	local holder=$!
	wait_for 10 grep -q ready "$tmp/hold"
	start --connections 3
	send "$GUEST4" --connections 3 --bytes 1000003
	exact 'a second instance on queue 0' 3000009 $?
	"$zcq" bench recv --netdev "$nic" --queue 0 >/dev/null 2>"$tmp/err"
	is 'a queue that is taken: the reason' "$? $(grep -c 'because the queue already has a memory provider' "$tmp/err")" '1 1'
	kill -TERM "$holder"
	wait "$holder"
	is 'the other instance ends' $? 0
	"$exercise" foreign --if "$nic" --queue 1 --queue2 0 --port 7777 >"$tmp/foreign" &
	holder=$!
	wait_for 10 grep -q ready "$tmp/foreign"
	send "$GUEST4" --bytes 1000003
	wait "$holder"
	is "another instance's data: EFAULT" "$? $(grep -c 'receive: result=EFAULT' "$tmp/foreign")" '0 1'
}

refused() {
	check 'the same queue twice: EEXIST' "$exercise" twice --if "$nic" --queue 1
	check 'no such queue: EOPNOTSUPP' "$exercise" register --if "$nic" --queue 99 --expect EOPNOTSUPP
	"$zcq" bench recv --netdev "$nic" --queue 99 >/dev/null 2>"$tmp/err"
	is 'no such queue: the reason, a failure' "$? $(grep -c "because there is no such rx queue; $nic has 2:" "$tmp/err")" '1 1'
	check '17 binds, 17 unbinds' "$exercise" register --if "$nic" --queue 1 --times 17
	check 'an instance in a second process, the first gone' \
		"$exercise" share --if "$nic" --queue 1 --fork --owner-exits
	ethtool -G "$nic" tcp-data-split off
	"$zcq" bench recv --netdev "$nic" --queue 1 >/dev/null 2>"$tmp/err"
	is 'header split off: the reason' "$? $(grep -c "because header split is off: ethtool -G $nic " "$tmp/err")" '1 1'
	ethtool -G "$nic" tcp-data-split on
	start --connections 1
	send "$GUEST4" --bytes 1000003
	exact 'after all that' 1000003 $?
}

if ! setup >"$tmp/setup" 2>&1; then
	fail 'the NIC made ready' "$(cat "$tmp/setup")"
	finish
fi
split_traffic
large_buffers
scarce
two_instances
refused
rm -rf "$tmp"
finish
