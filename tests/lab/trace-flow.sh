#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# lab: --nic mlx5
#
# zcq trace --json under traffic, against what the receivers checked: bytes of every flow with buffers
# of 4K, 16K and 32K by IPv4 and IPv6, flows that miss their rule, two instances, a killed owner,
# starvation, coalesced and unsplit packets; zcq started after the instance; zcq stopped and started again
# while traffic flows, leaving nothing behind; filters that hold back in the kernel. The counters behind it: flows.sh.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)
# shellcheck source=tests/lib/trace.sh
. "$(dirname "$0")/../lib/trace.sh"

nic=$LAB_NIC_IF
# Addresses that no rule names.
other4=192.0.2.99 other6=2001:db8::99

# TCP to the NIC's first addresses goes to queue 1, all else to queue 0.
setup() {
	nic_addr && ip addr add "$other4/24" dev "$nic" && ip addr add "$other6/64" dev "$nic" nodad &&
		"$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 && echo 16 >/proc/sys/vm/nr_hugepages &&
		ethtool -N "$nic" flow-type tcp4 dst-ip "$GUEST4" action 1 &&
		ethtool -N "$nic" flow-type tcp6 dst-ip "$GUEST6" action 1
}

# start NAME PORT OPTION...: a receiver, on queue 1 if not told otherwise; its pid is $pid.
start() {
	local line='' name=$1 port=$2

	shift 2
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" bench recv --netdev "$nic" --queue 1 --port "$port" --area 16M --wait 60s --json --ready-fd 3 "$@" \
		3>"$tmp/ready" >"$tmp/$name" 2>"$tmp/$name.err" &
	pid=$!
	read -rt 60 line <"$tmp/ready"
	[[ $line == ready:* ]] || fail "a receiver with $*" "$(cat "$tmp/$name.err")"
}

send() { timeout 120 ip netns exec peer "$zcq" bench send --timeout 30s --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }
result() { tail -n 1 "$tmp/$1" | jq -r "$2"; }
flows() { echo ".type == \"flow-ended\" and .receiver == \"zcrx\" and (.flow | endswith(\":$1\"))"; }
copies() { echo ".type == \"copied\" and (.flow | endswith(\":$1\"))"; }

# agree NAME RECEIVER PORT FLOWS ZC-BYTES COPIED-BYTES: what was received, what the receiver says, and what
# zcq trace says of the flows.
agree() {
	local name=$1 rx=$2 port=$3 zc=$5 copied=$6

	wait "$pid"
	is "$name: the receiver is content" "$? $(result "$rx" .ok)" '0 true'
	# Its split is the kernel's count of copies, which leaves out the linear part of packets.
	is "$name: it received" "$(result "$rx" ".bytes, (.copied_bytes <= $copied), (.zerocopy_bytes >= $zc)" | xargs)" \
		"$((zc + copied)) true true"
	exactly "$name: flows that ended" "$4" "$(flows "$port")"
	is "$name: their bytes, and those of the copied events" \
		"$(jq -rs "([.[] | select($(flows "$port"))] | \"\(map(.zc_bytes) | add) \(map(.copied_bytes) | add)\"),
			([.[] | select($(copies "$port")) | .bytes] | add // 0)" "$tmp/trace" | xargs)" "$zc $copied $copied"
}

# 13 connections, of which 5 miss their rule.
mixed() {
	local name=$1 port=$2 to=$3 miss=$4

	shift 4
	start rx "$port" --connections 13 "$@"
	send --port "$port" --connections 8 --bytes 300007 "$to"
	send --port "$port" --connections 5 --bytes 200003 "$miss"
	agree "$name" rx "$port" 13 $((8 * 300007)) $((5 * 200003))
	is "$name: a flow is as a whole zero-copied on its queue, or copied from another; told which, why and whose" \
		"$(jq -rs "map(select($(flows "$port")) | \"\(.queue_seen)>\(.queue_wanted) \(.zc_bytes) \(.copied_bytes)\") | unique[]" "$tmp/trace" | xargs) $(
			jq -rs "map(select($(copies "$port")) | \"\(.reason) \(.queue_seen)>\(.queue_wanted) \(.netdev) \(.netdev_seen) \(.pid)\") | unique[]" "$tmp/trace")" \
		"0>1 0 200003 1>1 300007 0 wrong-queue 0>1 $nic $nic $pid"
	exactly "$name: unbound, its owner named" 1 ".type == \"unbound\" and .queue == 1 and .owner_pid == $pid and .owner_comm == \"zcq\""
}

two_instances() {
	local first

	start one 7719 --connections 1
	first=$pid
	start two 7723 --connections 1 --queue 0
	send --port 7719 --bytes 1000003 "$GUEST4"
	send --port 7723 --bytes 700001 "$other4"
	agree 'two instances: queue 0' two 7723 1 700001 0
	exactly 'two instances: queue 0 unbound, its owner named' 1 ".type == \"unbound\" and .queue == 0 and .owner_pid == $pid"
	pid=$first
	agree 'two instances: queue 1' one 7719 1 1000003 0
	exactly 'two instances: queue 1 unbound, its owner named' 1 ".type == \"unbound\" and .queue == 1 and .owner_pid == $pid"
}

killed() {
	local tx

	start rx 7727
	send --port 7727 --bytes 1000003 --hold-open "$GUEST4" &
	tx=$!
	told 'killed: a flow' ".type == \"flow-started\" and .pid == $pid"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	exactly 'killed: unbound, the owner named' 1 ".type == \"unbound\" and .owner_pid == $pid and .owner_comm == \"zcq\" and .cause == \"close\""
	exactly 'killed: unregistered, the owner named' 1 ".type == \"unregistered\" and .owner_pid == $pid"
	exactly 'killed: its flow ended' 1 "$(flows 7727) and .zc_bytes > 0"
	wait "$tx"
	is 'killed: the sender knows' $? 1
}

# All buffers are held for a while: the queue runs dry, and recovers.
starved() {
	local tx

	# Not faster, or the rest keeps the small area busy: the run of failures would last to the end.
	start rx 7741 --connections 1 --area 6M --hold 1536
	send --port 7741 --bytes 25000009 --rate 5M "$GUEST4" &
	tx=$!
	exactly 'starved: told once' 1 ".type == \"starved\" and .owner_pid == $pid and .queue == 1 and .buffers == 1536 and .free == 0"
	kill -USR1 "$pid"
	wait "$tx"
	agree 'starved' rx 7741 1 25000009 0
	told 'starved: and that it recovered' ".type == \"alloc-recovered\" and .owner_pid == $pid and .fails > 0 and .run_ns > 0"
	local open
	open=$(($(traced ".type == \"alloc-failed\" and .owner_pid == $pid") - $(traced ".type == \"alloc-recovered\" and .owner_pid == $pid")))
	is 'starved: runs of failures begin and end' "$((open == 0 || open == 1))" 1
	is 'starved: the failures of the intervals are those of the driver' \
		"$(summed fails '.type == "alloc-rate" and .queue == 1')" "$(stat rx1_buff_alloc_err)"
}

stat() { ethtool -S "$nic" | awk -v k="$1:" '$1 == k { print $2 }'; }

# Segments that the NIC coalesced into packets of others on queue 1, by the driver. It counts only
# packets of two segments and more, zcq all that it handed up: this is the same for both.
saved() { echo $(($(stat rx1_gro_packets) - $(stat rx1_gro_skbs))); }

# coalesced SAVED: since zcq trace was started.
coalesced() {
	local q='.type == "coalesced" and .queue == 1'

	is 'coalesced: segments in packets of others are those of the driver' \
		"$(($(summed segments "$q") - $(summed packets "$q")))" "$1"
	is 'coalesced: there were some' "$(($1 > 0))" 1
}

# Coalesced packets of a queue without a provider are told when asked for by name only.
without_provider() {
	local q='.type == "coalesced" and .queue == 0' line

	for line in '' '--event coalesced,registered'; do
		# shellcheck disable=SC2086 # none or two words
		trace_start $line
		rm -f "$tmp/ready"
		mkfifo "$tmp/ready"
		"$zcq" bench recv --engine epoll --port 7829 --connections 1 --wait 60s --json --ready-fd 3 \
			3>"$tmp/ready" >"$tmp/plain" 2>"$tmp/plain.err" &
		pid=$!
		read -rt 60 _ <"$tmp/ready"
		send --port 7829 --bytes 1000003 "$other4"
		wait "$pid"
		is "no provider: the receiver is content" "$? $(result plain .ok)" '0 true'
		if [[ -n $line ]]; then
			told 'no provider: coalesced packets, asked for' "$q and .segments > .packets"
			trace_stop 'no provider, asked for'
		else
			trace_stop 'no provider'
			is 'no provider: no coalesced event' "$(traced '.type == "coalesced"')" 0
		fi
	done
}

# zcq after the instance; packets whose header the NIC leaves unsplit are dropped, and sent again.
late() {
	start rx 7753 --connections 1
	trace_start --event unsplit,coalesced,flow-ended,unbound
	lab-nic fault unsplit 7 >/dev/null
	send --port 7753 --bytes 1000003 "$GUEST6"
	agree 'zcq after the instance' rx 7753 1 1000003 0
	exactly 'zcq after the instance: its owner is found' 1 ".type == \"unbound\" and .queue == 1 and .owner_pid == $pid and .owner_comm == \"zcq\""
	told 'unsplit: told at once' ".type == \"unsplit\" and .netdev == \"$nic\" and .queue == 1 and .packets > 0"
	trace_stop 'second'
	is 'unsplit: seven packets were dropped' "$(summed unsplit_packets '.type == "coalesced" and .queue == 1')" 7
	is 'and no event that was not asked for' \
		"$(jq -r .type "$tmp/trace" | sort -u | xargs)" 'coalesced flow-ended header summary unbound unsplit'
}

# How many programs, links and maps the kernel has.
bpf_objects() {
	local kind

	for kind in prog link map; do
		bpftool --json "$kind" show | jq length
	done | xargs
}
objects_are() { [[ $(bpf_objects) == "$1" ]]; }

# held SUBJECT: events that zcq's programs themselves held back; 2 is zcrx (enum zcq_subject).
held() {
	bpftool --json map dump name zcq_lost | jq "[.[].formatted | select(.key == $1) | .values[].value.filtered] | add"
}

# One receiver on queue 1, its pid $first, one on queue 0, its pid $pid.
both_start() {
	start one "$1" --connections 1
	first=$pid
	start two "$2" --connections 1 --queue 0
}

both_receive() {
	send --port "$1" --bytes 300007 "$GUEST4"
	send --port "$2" --bytes 200003 "$other4"
	wait "$first"
	is "$3: the receiver of queue 1 is content" "$? $(result one .ok)" '0 true'
	wait "$pid"
	is "$3: the receiver of queue 0 is content" "$? $(result two .ok)" '0 true'
}

given() { result "$1" '[.sizes[].count] | add'; }

# counter KEY QUEUE: as counted, before any filter.
counter() {
	bpftool --json map dump name zcq_counters |
		jq "[.[].formatted | select(.key.rxq == $2) | .values[].value.$1] | add // 0"
}

# A queue is given back by a kernel worker, after its owner has ended.
all_back() {
	[[ $(counter alloc_bufs 0) == "$(counter returned_bufs 0)" && $(counter alloc_bufs 1) == "$(counter returned_bufs 1)" ]]
}

# What is of other queues and other processes is held back in the kernel, not in zcq.
filtered() {
	local other back

	trace_start --event buffer --netdev "$nic" --queue 1
	both_start 7759 7763
	both_receive 7759 7763 'one queue'
	check 'one queue: all buffers are back' wait_for 30 all_back
	back=$(counter returned_bufs 1)
	exactly 'one queue: buffers given' "$(given one)" '.type == "buffer" and .action == "given"'
	exactly 'one queue: buffers returned' "$back" '.type == "buffer" and .action == "returned"'
	is 'one queue: there were some' "$((back > 0))" 1
	other=$(($(given two) + $(counter returned_bufs 0)))
	is 'one queue: those of the other were held back in the kernel' "$(held 2) $((other > 0))" "$other 1"
	trace_stop 'one queue'
	is 'one queue: and nothing in zcq' \
		"$(jq -r 'select(.type == "summary") | .filtered' "$tmp/trace") $(jq -r 'select(.type == "buffer") | .queue' "$tmp/trace" | sort -u | xargs)" \
		"$other 1"

	trace_start --event buffer --netdev "$nic" --queue 2
	both_start 7789 7793
	both_receive 7789 7793 'a queue that nobody uses'
	check 'a queue that nobody uses: all buffers are back' wait_for 30 all_back
	other=$(($(given one) + $(given two) + $(counter returned_bufs 0) + $(counter returned_bufs 1)))
	is 'a queue that nobody uses: all was held back in the kernel' "$(held 2)" "$other"
	trace_stop 'a queue that nobody uses'
	is 'a queue that nobody uses: nothing was shown' \
		"$(jq -r 'select(.type == "summary") | "\(.shown) \(.filtered)"' "$tmp/trace")" "0 $other"

	both_start 7817 7823
	trace_start --event recv-ended --pid "$first"
	both_receive 7817 7823 'one process'
	exactly 'one process: its receive ended' 1 ".type == \"recv-ended\" and .pid == $first and .end == \"eof\""
	is 'one process: that of the other was held back in the kernel' "$(held 2)" 1
	trace_stop 'one process'
	is 'one process: and nothing in zcq' \
		"$(jq -r 'select(.type == "summary") | "\(.shown) \(.filtered)"' "$tmp/trace")" '1 1'
}

# Five times, once of them by kill -9, while one connection sends on and on.
restarted() {
	local before tx i

	before=$(bpf_objects)
	start rx 7757 --connections 1
	ip netns exec peer "$zcq" bench send --port 7757 --duration 10m --rate 307K --chunk 4K --timeout 30s --json \
		"$GUEST4" >"$tmp/tx" 2>"$tmp/tx.err" &
	tx=$!
	for i in 1 2 3 4 5; do
		trace_start --interval 100ms
		check "restart $i: zcq's programs, links and maps are there" \
			awk -v b="$before" -v n="$(bpf_objects)" 'BEGIN { split(b, x); split(n, y); exit !(y[1] > x[1] && y[2] > x[2] && y[3] > x[3]) }'
		told "restart $i: traffic" '.type == "traffic" and .queue == 1 and .zc_bytes > 0 and .copied_bytes == 0'
		if ((i == 3)); then
			kill -9 "$tracer"
			wait "$tracer" 2>/dev/null
		else
			trace_stop "restart $i"
		fi
	done
	kill "$tx"
	wait "$tx"
	is 'restarted: traffic flowed to the end' "$? $(result tx .ended)" '0 signal'
	wait "$pid"
	is 'restarted: the receiver lost nothing' "$? $(result rx '"\(.ok) \(.bytes) \(.zerocopy_bytes)"')" \
		"0 true $(result tx .bytes) $(result tx .bytes)"
	check 'restarted: no program, link or map is left' wait_for 30 objects_are "$before"
	is 'restarted: programs, links and maps' "$(bpf_objects)" "$before"
}

check 'the NIC is set' setup
restarted
before=$(saved)
trace_start
mixed 'IPv4, 4K' 7701 "$GUEST4" "$other4"
mixed 'IPv6, 4K' 7703 "$GUEST6" "$other6"
for size in 16 32; do
	mixed "IPv4, ${size}K" "77${size}" "$GUEST4" "$other4" --rx-buf-len "${size}K" --area-type huge
	mixed "IPv6, ${size}K" "78${size}" "$GUEST6" "$other6" --rx-buf-len "${size}K" --area-type huge
done
two_instances
killed
starved
trace_stop 'first'
coalesced $(($(saved) - before))
late
filtered
without_provider
rm -rf "$tmp"
finish
