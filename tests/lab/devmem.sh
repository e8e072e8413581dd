#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# lab: --nic mlx5 --cpus 3
#
# devmem TCP: the kernel's own ncdevmem binds a udmabuf to a queue, receives into it and checks
# every byte; BPF must tell of the same binding, owner, bytes and returned buffers.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/watch.sh
. "$(dirname "$0")/../lib/watch.sh"

PATH=$PATH:/usr/sbin
nic=$LAB_NIC_IF
port=5201
pages=16000	# of ncdevmem's dmabuf

setup() {
	nic_addr &&
		"$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 &&
		ethtool -N "$nic" flow-type tcp6 dst-ip "$GUEST6" dst-port "$port" action 1
}

# send_pattern BYTES: 1 to 6 and a newline, over and over, as ncdevmem -v 7 wants it.
send_pattern() {
	ip netns exec peer python3 - "$GUEST6" "$port" "$1" <<-'EOF'
		import socket, sys
		left = int(sys.argv[3])
		block = bytes((1, 2, 3, 4, 5, 6, 10)) * 9973
		with socket.create_connection((sys.argv[1], int(sys.argv[2])), 20) as s:
		    while left:
		        n = min(left, len(block))
		        s.sendall(block[:n])
		        left -= n
	EOF
}

# receive BYTES: ncdevmem in the background ($pid), its words in $tmp/dm.
receive() {
	"$ncdevmem" -l -s "$GUEST6" -p "$port" -f "$nic" -t 1 -q 1 -n -v 7 >/dev/null 2>"$tmp/dm" &
	pid=$!
	wait_for 30 grep -q '^Waiting' "$tmp/dm" || fail 'ncdevmem waits' "$(cat "$tmp/dm")"
}

received() {
	local total linear frags

	receive
	watch_ask sums
	is 'bound: by whom, on what, and how much' \
		"$(events name=dmabuf-bound "pid=$pid" "ifname=$nic" "bytes=$((pages * 4096))" chunk=4096 tx=0 result=0)" 1
	send_pattern 3000017
	wait "$pid"
	is 'ncdevmem is content' $? 0
	total=$(grep -oE '^total_received=[0-9]+' "$tmp/dm" | tail -n 1 | cut -d= -f2)
	linear=$(grep -oE 'SCM_DEVMEM_LINEAR.*frag_size=[0-9]+' "$tmp/dm" | awk -F= '{ n += $2 } END { print n + 0 }')
	frags=$(grep -c '^received frag_page=' "$tmp/dm")
	check 'its sockets are gone' wait_for 30 sockets_gone
	watch_ask sums
	is 'ncdevmem got all' "$((total + linear))" 3000017
	is 'bytes in the dmabuf and bytes copied' \
		"$(total queue zc_bytes "ifindex=$ifindex" rxq=1) $(total queue linear_bytes "ifindex=$ifindex" rxq=1)" \
		"$total $linear"
	is 'no other queue, no other reason' "$(total queue zc_bytes) $(($(total queue queue_bytes) + \
		$(total queue netdev_bytes) + $(total queue page_bytes) + $(total queue unknown_bytes)))" "$total 0"
	is 'one flow, with the same bytes' \
		"$(events name=flow-ended family=10 "zc=$total" "copied=$linear" "wanted=$ifindex/1" "seen=$ifindex/1")" 1
	is 'copied events tell of the copied bytes, each with the reason that is counted' \
		"$(total events bytes name=copied) $(events name=copied reason=linear)" "$linear $(events name=copied)"
	is 'buffers given back' "$(total queue returned "ifindex=$ifindex" rxq=1)" "$frags"
	is 'the queue took buffers, one at a time' \
		"$(($(total queue alloc_bufs "ifindex=$ifindex" rxq=1) > 0)) $(total queue alloc_fails "ifindex=$ifindex" rxq=1)" '1 0'
	is 'unbound: with its owner' "$(events name=dmabuf-unbound "owner=$pid" "ifname=$nic" "bytes=$((pages * 4096))")" 1
	is 'nothing lost or missed' "$(lost)" \
		'lost: ring_full=0 map_full=0 read_fail=0 filtered=0'
	watch_mark
}

# Header split off: refused, and told with its errno.
refused() {
	"$build/tests/nicset" "$nic" tcp-data-split off >/dev/null 2>&1
	"$ncdevmem" -l -s "$GUEST6" -p "$port" -f "$nic" -t 1 -q 1 -n -v 7 >/dev/null 2>"$tmp/dm"
	is 'without header split ncdevmem fails' "$(($? != 0))" 1
	watch_ask sums
	is 'bound and unbound: the binding of a dmabuf comes before its queue is refused' \
		"$(events name=dmabuf-bound result=0 tx=0) $(events name=dmabuf-unbound)" '1 1'
}

# Neither a binding that no queue took nor one whose owner was killed is remembered for ever.
forgotten() {
	is 'every binding is forgotten' "$(bpftool map dump name zcq_ifqs 2>&1)" '[]'
}

# killed: the owner by -9 with the binding in use.
killed() {
	receive
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	unbound() { watch_ask sums && [ "$(events name=dmabuf-unbound "owner=$pid")" = 1 ]; }
	check 'killed: unbound, its owner remembered' wait_for 30 unbound
	watch_mark
}

ncdevmem=$(tools/lab/lab path selftests 2>/dev/null)/ncdevmem
if [ ! -x "$ncdevmem" ]; then
	skip 'devmem' "the kernel's ncdevmem: tools/lab/lab fetch selftests"
	finish
fi
check 'the NIC is set' setup
ifindex=$(cat "/sys/class/net/$nic/ifindex")
watch_start --subjects devmem --subjects flow --verbose
received
killed
refused
forgotten
watch_stop
rm -rf "$tmp"
finish
