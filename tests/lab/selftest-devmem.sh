#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# lab: --nic mlx5
#
# The kernel's own ncdevmem with a udmabuf, as seen by the commands: zcq trace tells of the binding, its
# queue, owner, bytes and end, zcq queues shows the provider. It checks every byte itself.
# The counters behind it: devmem.sh.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)
# shellcheck source=tests/lib/trace.sh
. "$(dirname "$0")/../lib/trace.sh"

nic=$LAB_NIC_IF
port=5201
area=$((16000 * 4096))	# ncdevmem's own

# TCP to the NIC's IPv6 address goes to queue 1, all else to queue 0.
setup() {
	nic_addr &&
		"$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 && ethtool -N "$nic" flow-type tcp6 dst-ip "$GUEST6" action 1
}

# serve: ncdevmem on queue 1, which waits for a connection; its pid is $pid.
serve() {
	"$ncdevmem" -l -s "$GUEST6" -p "$port" -f "$nic" -t 1 -q 1 -n -v 7 >"$tmp/data" 2>"$tmp/server" &
	pid=$!
	wait_for 60 grep -q '^Waiting' "$tmp/server" || fail 'ncdevmem waits' "$(cat "$tmp/server")"
}

# The bytes that ncdevmem -v 7 wants: 1 to 6 and a newline, over and over.
send_pattern() {
	# shellcheck disable=SC2016 # for the other shell
	lab-peer run bash -c 'yes $'"'\\1\\2\\3\\4\\5\\6'"' | head -c "$3" >"/dev/tcp/$1/$2"' - "$GUEST6" "$port" "$1"
}

bound() {
	exactly "$1: the dmabuf is bound" 1 ".type == \"dmabuf-bound\" and .netdev == \"$nic\" and .owner_pid == $pid and
		.owner_comm == \"ncdevmem\" and .error == null and .direction == \"rx\" and .area_bytes == $area and .buffer_bytes == 4096"
	exactly "$1: its queue is bound" 1 ".type == \"bound\" and .netdev == \"$nic\" and .queue == 1 and .provider == \"dmabuf\" and
		.owner_pid == $pid and .owner_comm == \"ncdevmem\" and .error == null"
	timeout 200 "$zcq" queues --interval 0 --json "$nic" >"$tmp/queues" 2>"$tmp/err"
	# Bound before this zcq looked: whose it is can't be known (docs/limits.md).
	is "$1: zcq queues: provider, binding, owner" \
		"$? $(jq -r 'select(.type == "queue" and .queue == 1) | .provider, .dmabuf_id, .owner' "$tmp/queues" | xargs)" \
		"0 dmabuf $(jq -r "select(.type == \"dmabuf-bound\" and .owner_pid == $pid) | .dmabuf" "$tmp/trace") unknown"
}

unbound() {
	exactly "$1: its queue is unbound" 1 ".type == \"unbound\" and .netdev == \"$nic\" and .queue == 1 and .provider == \"dmabuf\" and
		.owner_pid == $pid and .owner_comm == \"ncdevmem\""
	exactly "$1: the dmabuf is unbound" 1 ".type == \"dmabuf-unbound\" and .owner_pid == $pid and .area_bytes == $area"
}

received() {
	local flow total linear

	serve
	bound 'received'
	send_pattern 1000003
	is 'received: sent' $? 0
	wait "$pid"
	is 'received: ncdevmem is content' $? 0
	unbound 'received'
	flow='.type == "flow-ended" and .receiver == "devmem"'
	exactly 'received: one flow' 1 "$flow and .queue_seen == 1 and .queue_wanted == 1 and (.flow | endswith(\"[$GUEST6]:$port\"))"
	total=$(grep -oE '^total_received=[0-9]+' "$tmp/server" | tail -n 1 | cut -d= -f2)
	linear=$(grep -oE 'SCM_DEVMEM_LINEAR.*frag_size=[0-9]+' "$tmp/server" | awk -F= '{ n += $2 } END { print n + 0 }')
	is 'received: all of it' "$((total + linear))" 1000003
	is 'received: the flow has the same bytes' "$(summed zc_bytes "$flow") $(summed copied_bytes "$flow")" "$total $linear"
}

killed() {
	serve
	exactly 'killed: bound' 1 ".type == \"bound\" and .owner_pid == $pid"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	unbound 'killed'
}

selftests=$(lab-peer run "$PWD/tools/lab/lab" path selftests)
ncdevmem=$selftests/ncdevmem
if [[ ! -x $ncdevmem ]]; then
	fail "the kernel's ncdevmem" 'not in the cache: tools/lab/lab fetch selftests'
	finish
fi
check 'the NIC is set' setup
trace_start --interval 0
received
killed
trace_stop 'ncdevmem'
rm -rf "$tmp"
finish
