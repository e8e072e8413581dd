#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# lab: --nic none
#
# The zero-copy engine of zcq bench on an instance without a netdev: everything is copied by the
# kernel, but registration, completions, refill ring, flushes and re-arming are the real
# ones. Exact bytes; buffers held and given back; a completion queue that overflows; a refill ring
# that is too small; and, by zcrx_exercise, registrations that must fail with an exact errno.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
exercise=$build/tests/zcrx_exercise
tmp=$(mktemp -d)

# start OPTION...: a receiver; $rx is its pid, $port where it listens.
start() {
	local line
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" bench recv --nodev --port 0 --wait 20s --json --ready-fd 3 "$@" 3>"$tmp/ready" >"$tmp/rx" 2>"$tmp/rx.err" &
	rx=$!
	read -rt 20 line <"$tmp/ready"
	port=${line#*port=}
	port=${port%% *}
}

send() { timeout 60 "$zcq" bench send --port "$port" --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }
field() { tail -n 1 "$tmp/$1" | grep -oE "\"$2\":(\"[^\"]*\"|[^],}]*)" | head -n 1 | cut -d: -f2- | tr -d '"'; }

# rearmed ERRNO: how often a receive that ended with it was armed again.
rearmed() { grep -oE "\"errno\":\"$1\",\"count\":[0-9]+" "$tmp/rx" | head -n 1 | grep -oE '[0-9]+$' || echo 0; }

# exact NAME CONNECTIONS BYTES SEND-STATUS: ends the receiver that was started.
exact() {
	wait "$rx"
	is "$1: both ends are content" "$? $4 $(field rx ok) $(field tx ok)" '0 0 true true'
	is "$1: bytes, all of them copied" \
		"$(field rx bytes) $(field rx copied_bytes) $(field rx zerocopy_bytes)" "$(($2 * $3)) $(($2 * $3)) 0"
}

plain() {
	start --connections 1
	send 127.0.0.1 --bytes 10000019
	exact 'IPv4' 1 10000019 $?
	is 'the kernel counted the same copies' "$(field rx kernel_copy_bytes)" 10000019
	is 'buffers are pages' "$(field rx rx_buf_len) $(field rx buffers)" '4096 16384'
	start --connections 13 --area-type thp --area 8M
	send ::1 --connections 13 --bytes 1000003
	exact 'IPv6, 13 connections, transparent huge pages' 13 1000003 $?
	echo 8 >/proc/sys/vm/nr_hugepages
	start --connections 3 --area-type huge --area 4M --refill 8
	send ::1 --connections 3 --bytes 3000017
	exact 'hugetlb area, 8 refill entries' 3 3000017 $?
	is 'the refill ring was full at times' "$(($(field rx refill_full) > 0)) $(($(field rx flushes) > 0))" '1 1'
	echo 0 >/proc/sys/vm/nr_hugepages
	"$zcq" bench recv --nodev --area-type huge --area 4M >/dev/null 2>"$tmp/err"
	is 'no huge pages: a failure that says what to do' "$? $(grep -c 'vm.nr_hugepages=2' "$tmp/err")" '1 1'
}

scarce() {
	start --connections 7 --cq-entries 4
	send 127.0.0.1 --connections 7 --bytes 1000003
	exact 'a completion queue of 4' 7 1000003 $?
	is 'receives ended by ENOSPC were armed again' "$(($(rearmed ENOSPC) > 7))" 1
	start --connections 3 --area 128K
	send 127.0.0.1 --connections 3 --bytes 3000017
	exact 'an area of 32 buffers' 3 3000017 $?
	start --connections 3 --area 128K --refill 1
	send 127.0.0.1 --connections 3 --bytes 1000003
	exact 'a refill ring of 1 entry' 3 1000003 $?
}

held() {
	start --connections 1 --area 4M --hold 101
	send 127.0.0.1 --bytes 5000011
	exact '101 of 1024 buffers held to the end' 1 5000011 $?
	is 'it held exactly 101' "$(field rx held) $(field rx held_max)" '101 101'
	start --connections 1 --area 256K --hold 64 --hold-for 300ms
	send 127.0.0.1 --bytes 5000011
	exact 'all buffers held for 300 ms' 1 5000011 $?
	is 'and given back' "$(field rx held) $(field rx held_max) $(($(field rx elapsed_ns) > 300000000))" '0 64 1'
	start --connections 1 --area 256K --hold 64
	timeout 60 "$zcq" bench send --port "$port" --json 127.0.0.1 --bytes 5000011 >"$tmp/tx" 2>"$tmp/tx.err" &
	local tx=$!
	# Starved: what the receiver has not read waits in its socket.
	check 'a starved receiver stops reading' wait_for 20 sh -c \
		"ss -Htn state established sport = :$port | awk '{ q += \$1 } END { exit !(q > 60000) }'"
	kill -USR1 "$rx"
	wait "$tx"
	exact 'all buffers held until SIGUSR1' 1 5000011 $?
	is 'it held them all, then none' "$(field rx held) $(field rx held_max)" '0 64'
	is 'receives ended by ENOMEM were armed again' "$(($(rearmed ENOMEM) > 0))" 1
}

refused() {
	local k
	declare -A errno=(
		[region-ptr]=EFAULT [area-ptr]=EFAULT [area-addr]=EFAULT [token]=EINVAL [resv]=EINVAL
		[event-mask]=EINVAL [region-small]=EINVAL [caps]=EPERM
	)
	for k in "${!errno[@]}"; do
		check "registration with bad $k: ${errno[$k]}" "$exercise" register --nodev --bad "$k" --expect "${errno[$k]}"
	done
	check 'a ring without DEFER_TASKRUN: EINVAL' "$exercise" register --nodev --ring nodefer --expect EINVAL
	check 'a ring with short completions: EINVAL' "$exercise" register --nodev --ring nocqe32 --expect EINVAL
	check 'a ring with mixed completions' "$exercise" register --nodev --ring mixed
	check 'unknown flags: EINVAL' "$exercise" register --nodev --flags 0x80 --expect EINVAL
	check 'too many refill entries: EINVAL' "$exercise" register --nodev --rq 32769 --expect EINVAL
	check 'loopback: EOPNOTSUPP' "$exercise" register --if lo --expect EOPNOTSUPP
	check 'no such netdev: ENODEV' "$exercise" register --ifindex 10007 --expect ENODEV
	check '17 instances one after the other' "$exercise" register --nodev --times 17
	check 'five areas more' "$exercise" register --nodev --areas 5
	check 'an instance in a second ring' "$exercise" share --nodev
	check 'an instance in a second process, the first gone' "$exercise" share --nodev --fork --owner-exits
	check 'a ring without an fd' "$exercise" register --nodev --ringless
	check 'copy events' "$exercise" events --bytes 1000003
	"$zcq" bench recv --nodev --rx-buf-len 16K >/dev/null 2>"$tmp/err"
	is 'large buffers without a netdev: exit 3' "$? $(grep -c 'without --rx-buf-len' "$tmp/err")" '3 1'
	"$zcq" bench recv --netdev lo >/dev/null 2>"$tmp/err"
	is 'loopback has no zero-copy receive: exit 3' $? 3
	"$zcq" bench recv --netdev nosuch >/dev/null 2>"$tmp/err"
	is 'no such netdev: a failure' "$? $(grep -c ENODEV "$tmp/err")" '1 1'
}

ip link set lo up
plain
scarce
held
refused
rm -rf "$tmp"
finish
