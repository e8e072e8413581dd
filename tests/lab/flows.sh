#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 480
# lab: --nic mlx5 --cpus 3
#
# What BPF sees on a real zero-copy queue against what the receiver checked: zero-copied flows,
# a flow that arrives on the wrong queue, one through loopback, 16K buffers, a starved area,
# a buffer of another instance, coalesced packets against the driver's own counts, packets
# dropped because their header was not split.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/watch.sh
. "$(dirname "$0")/../lib/watch.sh"

PATH=$PATH:/usr/sbin
nic=$LAB_NIC_IF
exercise=$build/tests/zcrx_exercise

# Port 7777 goes to queue 1 and 7778 to queue 2, all else to queue 0.
setup() {
	nic_addr && "$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 &&
		ethtool -N "$nic" flow-type tcp4 dst-ip "$GUEST4" dst-port 7777 action 1 &&
		ethtool -N "$nic" flow-type tcp6 dst-ip "$GUEST6" dst-port 7777 action 1 &&
		ethtool -N "$nic" flow-type tcp4 dst-ip "$GUEST4" dst-port 7778 action 2
}

receive() { recv_start --netdev "$nic" --queue 1 --port 7777 "$@"; }
peer_send() { timeout 120 ip netns exec peer "$zcq" bench send --port 7777 --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }
stat() { ethtool -S "$nic" | awk -v k="$1:" '$1 == k { print $2 }'; }

# all_copied MATCH...: bytes of queue 1 copied for any reason.
all_copied() {
	local r n=0

	for r in queue netdev nodev linear page unknown; do
		n=$((n + $(total queue "${r}_bytes" "ifindex=$ifindex" rxq=1)))
	done
	echo "$n"
}

# agrees NAME CONNECTIONS: flows, queue 1 and events against the receiver.
agrees() {
	local bytes

	recv_wait
	is "$1: the receiver is content" "$? $(field ok)" '0 true'
	bytes=$(field bytes)
	check "$1: its sockets are gone" wait_for 30 sockets_gone
	watch_ask sums
	is "$1: zero-copied and copied bytes are all bytes" \
		"$(($(total queue zc_bytes "ifindex=$ifindex" rxq=1) + $(all_copied)))" "$bytes"
	is "$1: no other queue has any" "$(total queue zc_bytes)" "$(total queue zc_bytes "ifindex=$ifindex" rxq=1)"
	# The kernel's own count leaves out what lay in packets' linear parts.
	is "$1: the kernel counted no copies that BPF did not" "$(($(all_copied) >= $(field kernel_copy_bytes)))" 1
	is "$1: the ended flows have the same bytes" \
		"$(total events count name=flow-ended) $(total events zc name=flow-ended) $(total events copied name=flow-ended)" \
		"$2 $(total queue zc_bytes) $(all_copied)"
	is "$1: the copied events add up" "$(total events bytes name=copied)" "$(all_copied)"
	is "$1: nothing lost or missed" "$(lost)" \
		'lost: ring_full=0 map_full=0 read_fail=0 filtered=0'
}

zero_copied() {
	receive --connections 3
	peer_send "$GUEST4" --connections 3 --bytes 3000017
	agrees 'steered' 3
	is 'steered: nothing is copied' "$(all_copied) $(total queue zc_bytes "ifindex=$ifindex" rxq=1)" '0 9000051'
	is 'steered: seen on queue 1 of the netdev' "$(events name=flow-ended "seen=$ifindex/1" "wanted=$ifindex/1")" 3
	is 'steered: the queue took buffers' "$(($(total queue alloc_bufs "ifindex=$ifindex" rxq=1) > 0))" 1
	watch_mark

	receive --connections 2
	peer_send "$GUEST6" --connections 2 --bytes 1000003
	agrees 'IPv6' 2
	is 'IPv6: nothing is copied' "$(all_copied) $(events name=flow-ended family=10)" '0 2'
	watch_mark
}

# Two flows of one receiver: the rule is for port 7777 of one address only.
wrong_queue() {
	local other=192.0.2.99

	ip addr add "$other/24" dev "$nic"
	receive --connections 2
	peer_send "$GUEST4" --bytes 2000003
	peer_send "$other" --bytes 1000003
	agrees 'a flow on another queue' 2
	is 'another queue: one flow is copied, for that reason' \
		"$(total queue queue_bytes "ifindex=$ifindex" rxq=1) $(total queue zc_bytes "ifindex=$ifindex" rxq=1)" \
		'1000003 2000003'
	is 'another queue: it is named, with the one wanted' \
		"$(($(events name=copied reason=queue "seen=$ifindex/0" "wanted=$ifindex/1") > 0))" 1
	is 'another queue: the copied flow and the other' \
		"$(events name=flow-ended copied=1000003 zc=0 "seen=$ifindex/0") $(events name=flow-ended copied=0 zc=2000003)" '1 1'
	ip addr del "$other/24" dev "$nic"
	watch_mark

	receive --connections 1
	send "$GUEST4" --bytes 1000003
	agrees 'a flow through loopback' 1
	is 'loopback: copied, for that reason' "$(total queue netdev_bytes "ifindex=$ifindex" rxq=1)" 1000003
	watch_mark
}

large() {
	echo 16 >/proc/sys/vm/nr_hugepages
	receive --connections 1 --area-type huge --area 16M --rx-buf-len 16K
	peer_send "$GUEST4" --bytes 5000011
	agrees '16K buffers' 1
	is '16K buffers: nothing is copied' "$(all_copied)" 0
	echo 0 >/proc/sys/vm/nr_hugepages
	watch_mark
}

# A dry mlx5 queue gets no packets that would make its NAPI refill it; sending on it does.
revived() {
	local cpu

	for cpu in 0 1 2; do
		taskset -c "$cpu" "$LAB_BUSYBOX" ping -c 1 -W 1 "$INNER4" >/dev/null
	done
	watch_ask sums && [ "$(total queue zc_bytes "ifindex=$ifindex" rxq=1)" -gt 8000000 ]
}

told() { watch_ask sums && [ "$(events "$@")" -gt 0 ]; }

# All buffers held: the queue runs dry; given back, it recovers.
starved() {
	local tx

	receive --connections 1 --area 6M --hold 1536
	peer_send "$GUEST4" --bytes 20000003 &
	tx=$!
	check 'starved: the event' wait_for 60 told name=starved
	is 'starved: with its first failure, once' "$(events name=alloc-failed "pid=$rx" rxq=1)" 1
	is 'starved: of 1536 buffers none is free; told once' "$(events name=starved bufs=1536 free=0 "pid=$rx")" 1
	is 'starved: failures are counted' "$(($(total queue alloc_fails "ifindex=$ifindex" rxq=1) > 0))" 1
	kill -USR1 "$rx"
	check 'starved: it goes on once the queue is polled again' wait_for 60 revived
	wait "$tx"
	agrees 'starved' 1
	is 'starved: each run of failures begins and ends once' \
		"$(($(events name=alloc-failed) - $(events name=alloc-recovered) <= 1)) $(($(events name=alloc-recovered) > 0))" '1 1'
	watch_mark
}

# The owner is killed while its queue is starved: the run of failures goes with it.
starved_end() {
	local tx

	receive --connections 1 --area 6M --hold 1536
	peer_send "$GUEST4" --bytes 20000003 &
	tx=$!
	check 'killed while starved: the event' wait_for 60 told name=starved "pid=$rx"
	kill -9 "$rx"
	wait "$rx" 2>/dev/null
	check 'killed while starved: its run of failures ends with it' wait_for 30 no_runs
	is 'killed while starved: nothing recovered' "$(events name=alloc-recovered "pid=$rx")" 0
	kill "$tx" 2>/dev/null # it may have been reset already
	wait "$tx" 2>/dev/null
	check 'killed while starved: its sockets are gone' wait_for 60 sockets_gone
	watch_mark
}

# No queue is in a run of failures, by the programs' own count.
no_runs() { bpftool map dump name zcq_bpf.bss 2>/dev/null | grep -q '"zcq_alloc_runs": 0'; }

# A buffer of another instance ends the receive.
foreign() {
	"$exercise" foreign --if "$nic" --queue 2 --queue2 1 --port 7778 >"$tmp/foreign" 2>&1 &
	local pid=$!
	check 'foreign: two instances' wait_for 20 grep -q ^ready "$tmp/foreign"
	timeout 30 ip netns exec peer "$zcq" bench send --port 7778 --bytes 100003 "$GUEST4" >/dev/null 2>&1
	wait "$pid"
	is 'foreign: the exercise is content' $? 0
	watch_ask sums
	is 'foreign: the receive ended by EFAULT, once' \
		"$(total queue end_efault) $(events name=recv-ended result=-14 end=efault "pid=$pid")" '1 1'
	watch_mark
}

coalesced() {
	local skbs packets

	skbs=$(stat rx1_gro_skbs) packets=$(stat rx1_gro_packets)
	receive --connections 1
	peer_send "$GUEST4" --bytes 3000017
	agrees 'coalesced' 1
	skbs=$(($(stat rx1_gro_skbs) - skbs)) packets=$(($(stat rx1_gro_packets) - packets))
	set -- "$(value queue hist "ifindex=$ifindex" rxq=1)"
	local single=${1%%,*}
	set -- "$(awk -v q="ifindex=$ifindex" '$1 == "queue:" && $2 == q && $3 == "rxq=1"' "$tmp/base" | grep -oE 'hist=[0-9]+')"
	single=$((single - ${1#hist=}))
	is 'coalesced: packets of two segments and more are the driver'"'"'s' \
		"$(($(total queue coalesced "ifindex=$ifindex" rxq=1) - single)) $(($(total queue segs "ifindex=$ifindex" rxq=1) - single))" \
		"$skbs $packets"
	is 'coalesced: the payload is in them' \
		"$(($(total queue coalesced_bytes "ifindex=$ifindex" rxq=1) >= 3000017))" 1
	watch_mark
}

unsplit() {
	receive --connections 1
	lab-nic fault unsplit 7 >/dev/null
	peer_send "$GUEST4" --bytes 1000003
	agrees 'unsplit' 1
	is 'unsplit: seven packets were dropped' "$(total queue unsplit "ifindex=$ifindex" rxq=1)" 7
	is 'unsplit: told' "$(($(events name=unsplit rxq=1) > 0))" 1
	watch_mark
}

check 'the NIC is set' setup
ifindex=$(cat "/sys/class/net/$nic/ifindex")
watch_start --heavy --subjects zcrx --subjects flow --subjects hwgro --subjects queue --subjects register --verbose
zero_copied
wrong_queue
large
starved
starved_end
foreign
coalesced
unsplit
watch_stop
rm -rf "$tmp"
finish
