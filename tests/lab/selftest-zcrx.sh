#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# lab: --nic mlx5
#
# The kernel's own iou-zcrx as a receiver and sender that owes nothing to zcq bench: it checks every byte
# itself, and zcq trace must tell of the same registration, binding, bytes and end. Buffers of 4K,
# 16K and 32K, IPv4 and IPv6, single receives.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)
# shellcheck source=tests/lib/trace.sh
. "$(dirname "$0")/../lib/trace.sh"

nic=$LAB_NIC_IF
area=$((8192 * 4096))	# iou-zcrx's own, as are 4096 entries in its refill ring

# TCP to the NIC's addresses goes to queue 1, all else to queue 0.
setup() {
	nic_addr && "$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 && echo 32 >/proc/sys/vm/nr_hugepages &&
		ethtool -N "$nic" flow-type tcp4 dst-ip "$GUEST4" action 1 &&
		ethtool -N "$nic" flow-type tcp6 dst-ip "$GUEST6" action 1
}

listening() { ss -Hltn "sport = :$1" | grep -q .; }

# serve PORT OPTION...: a server on queue 1 that listens; its pid is $pid.
serve() {
	local port=$1

	shift
	"$iou" -s -i "$nic" -q 1 -p "$port" "$@" >"$tmp/server" 2>&1 &
	pid=$!
	wait_for 30 listening "$port" || fail "iou-zcrx -s $* listens" "$(cat "$tmp/server")"
}

# received NAME ADDRESS PORT BYTES BUFFER-BYTES SERVER-OPTION...: one run, all zero-copied. The server gives
# up 5 s after it listens: nothing is done in between.
received() {
	local name=$1 address=$2 port=$3 bytes=$4 buffer=$5 asked=$5 flow server

	shift 5
	# It asks for 4K by asking for nothing.
	((buffer != 4096)) || asked=null
	serve "$port" "$@"
	lab-peer run "$iou" -c -h "$address" -p "$port" -l 12840 -z "$bytes" >"$tmp/client" 2>&1
	is "$name: the client is content" "$? $(cat "$tmp/client")" '0 '
	wait "$pid"
	is "$name: the server is content" "$? $(cat "$tmp/server")" '0 '
	server=".netdev == \"$nic\" and .queue == 1 and .owner_pid == $pid and .owner_comm == \"iou-zcrx\""
	exactly "$name: registered" 1 ".type == \"registered\" and .netdev == \"$nic\" and .queue == 1 and .pid == $pid and
		.comm == \"iou-zcrx\" and .error == null and .area_bytes == $area and .buffer_bytes == $buffer and .refill_entries == 4096"
	exactly "$name: bound" 1 ".type == \"bound\" and $server and .provider == \"io-uring\" and .error == null and .page_bytes == $asked"
	exactly "$name: unbound" 1 ".type == \"unbound\" and $server and .cause == \"close\" and .page_bytes == $asked"
	exactly "$name: unregistered" 1 ".type == \"unregistered\" and $server"
	flow=".type == \"flow-ended\" and (.flow | endswith(\"$address:$port\") or endswith(\"[$address]:$port\"))"
	exactly "$name: one flow" 1 "$flow and .queue_seen == 1 and .queue_wanted == 1"
	is "$name: its bytes" "$(summed zc_bytes "$flow") $(summed copied_bytes "$flow")" "$bytes 0"
}

# A server that nobody connects to stays.
owner() {
	serve 7899
	timeout 200 "$zcq" queues --interval 0 --json "$nic" >"$tmp/queues" 2>"$tmp/err"
	is 'zcq queues: its owner, area and buffers' \
		"$? $(jq -r 'select(.type == "queue" and .queue == 1) | .provider, .owner, (.instances[] | .area_bytes, .buf_bytes, .bufs, .refill_entries, (.owners[] | .comm, .pid))' "$tmp/queues" | xargs)" \
		"0 io_uring found $area 4096 8192 4096 iou-zcrx $pid"
	kill "$pid"
	wait "$pid"
	exactly 'a server that is ended: unbound' 1 ".type == \"unbound\" and .owner_pid == $pid"
}

selftests=$(lab-peer run "$PWD/tools/lab/lab" path selftests)
iou=$selftests/iou-zcrx
if [[ ! -x $iou ]]; then
	fail "the kernel's iou-zcrx" 'not in the cache: tools/lab/lab fetch selftests'
	finish
fi
check 'the NIC is set' setup
trace_start --interval 0
received 'IPv4, 4K' "$GUEST4" 7801 1000003 4096
received 'IPv6, 4K' "$GUEST6" 7803 1000003 4096
received 'IPv4, 16K' "$GUEST4" 7807 2000003 16384 -x 4
received 'IPv6, 32K' "$GUEST6" 7809 2000003 32768 -x 8
# Of a page each, four times; then one more that finds the end.
received 'single receives' "$GUEST4" 7811 16384 4096 -o 4
exactly 'single receives: four ended when they had their page' 4 '.type == "recv-ended" and .end == "length"'
exactly 'all receives found the end of their stream' 5 '.type == "recv-ended" and .end == "eof"'
owner
is 'nothing was rejected or copied' "$(traced '.type == "rejected" or .type == "copied"')" 0
trace_stop 'iou-zcrx'
rm -rf "$tmp"
finish
