#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# lab: --nic mlx5
#
# What the stock kernel does wrong around a bound queue, and that zcq tells it: the netdev down and up
# (4K buffers work, 16K fail), a registration and an unbind while it is down, a queue that ran dry, copies
# that the kernel does not count. Each bug is shown from both sides: fixed in a newer kernel, it fails
# here. Explained in docs/known-kernel-bugs.md, whose names (K1 to K5) are used below.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/watch.sh
. "$(dirname "$0")/../lib/watch.sh"
# shellcheck source=tests/lib/trace.sh
. "$(dirname "$0")/../lib/trace.sh"

nic=$LAB_NIC_IF
exercise=$build/tests/zcrx_exercise

# Port 7777 goes to queue 1, all else to queue 0.
setup() {
	nic_addr && "$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 && ethtool -N "$nic" flow-type tcp4 dst-port 7777 action 1 &&
		echo 16 >/proc/sys/vm/nr_hugepages &&
		echo 0 >"/proc/sys/net/ipv6/conf/$nic/router_solicitations" # K4: nobody may send
}

receive() { recv_start --netdev "$nic" --queue 1 --port 7777 --wait 60s "$@"; }
peer_send() { timeout 120 ip netns exec peer "$zcq" bench send --port 7777 --timeout 30s "$@" "$GUEST4" >"$tmp/tx" 2>&1; }
stat() { ethtool -S "$nic" | awk -v k="$1:" '$1 == k { print $2 }'; }

# refused NAME WORDS COMMAND...: fails, and says WORDS.
refused() {
	local name=$1 words=$2 out

	shift 2
	if out=$("$@" 2>&1); then
		fail "$name" 'it works: is the bug fixed?'
	else
		check "$name" grep -q "$words" <<<"$out"
	fi
}

# exact NAME BYTES: the receiver ended well, and all was zero-copied.
exact() {
	recv_wait
	is "$1: exact, all zero-copied" \
		"$? $(field ok) $(field bytes) $(field zerocopy_bytes) $(field copied_bytes)" "0 true $2 $2 0"
}

reopened() { exactly "$1" "$2" ".type == \"reconfigured\" and .queue == null and .netdev == \"$nic\" and $3"; }

# Three times down and up while bound, data before, between and after.
small_buffers() {
	local i

	receive --connections 4
	peer_send --bytes 1000003
	is '4K: sent before' $? 0
	for i in 1 2 3; do
		ip link set "$nic" down
		check "4K: up again, $i" nic_addr
		peer_send --bytes 1000003
		is "4K: sent after $i" $? 0
	done
	exact '4K: four connections, the NIC down between them' 4000012
	reopened '4K: 3 times down' 3 '.cause == "down" and .error == null and .provider'
	reopened '4K: 3 times up' 3 '.cause == "up" and .error == null and .provider'
	exactly '4K: unbound, its owner named' 1 ".type == \"unbound\" and .queue == 1 and .owner_pid == $rx and .owner_comm == \"zcq\""
	exactly '4K: reconfigured to unbind' 1 '.type == "reconfigured" and .cause == "unbind" and .error == null and .health == "ok"'
}

# K2: the channels are opened without the queue's buffer size.
large_buffers() {
	receive --connections 2 --rx-buf-len 16K --area-type huge --area 16M
	peer_send --bytes 1000003
	is '16K: sent' $? 0
	refused 'K2: 16K: another ring size: Invalid argument' 'Invalid argument' ethtool -G "$nic" rx 512
	reopened 'K2: 16K: the reopen that failed' 1 '.cause == "reopen" and .error == "EINVAL" and .provider'
	peer_send --bytes 1000033
	is '16K: sent after that, for the old channels go on' $? 0
	exact '16K: both' 2000036
	exactly '16K: unbound, its owner named' 1 ".type == \"unbound\" and .page_bytes == 16384 and .owner_pid == $rx"

	"$exercise" register --if "$nic" --queue 1 --rx-buf-len 16K --huge --area 4M --hold >"$tmp/hold" &
	local holder=$!
	check '16K: bound' wait_for 30 grep -q ready "$tmp/hold"
	check '16K: down' ip link set "$nic" down
	refused 'K2: 16K: up: Invalid argument' 'Invalid argument' ip link set "$nic" up
	reopened '16K: down once more' 4 '.cause == "down" and .error == null and .provider'
	reopened 'K2: 16K: the up that failed' 1 '.cause == "up" and .error == "EINVAL" and .provider'
	kill "$holder"
	wait "$holder"
	killed '16K' "$holder" 16384
}

# K1: mlx5 refuses to reconfigure a queue while down, with the one errno that
# the core does not take for that.
killed() {
	exactly "K1: $1: the unbind while down failed" 1 ".type == \"reconfigured\" and .cause == \"unbind\" and
		.error == \"ENODEV\" and .running == false and .queue == 1 and .page_bytes_old == $3"
	exactly "K1: $1: unbound all the same, its owner named" 1 \
		".type == \"unbound\" and .owner_pid == $2 and .owner_comm == \"zcrx_exercise\" and .cause == \"close\""
	check "K1: $1: up again" nic_addr
}

while_down() {
	local holder

	"$exercise" register --if "$nic" --queue 1 --hold >"$tmp/hold" &
	holder=$!
	check 'while down: bound' wait_for 30 grep -q ready "$tmp/hold"
	ip link set "$nic" down
	# K3: on another queue, which is free
	check 'K3: registering fails with EOPNOTSUPP' "$exercise" register --if "$nic" --queue 0 --expect EOPNOTSUPP --times 2
	exactly 'K3: told, without a reason: the kernel has none' 2 ".type == \"rejected\" and .netdev == \"$nic\" and
		.queue == 0 and .error == \"EOPNOTSUPP\" and .reason == null"
	kill -9 "$holder"
	wait "$holder" 2>/dev/null
	killed 4K "$holder" 4096
	receive --connections 1
	peer_send --bytes 3000017
	exact 'after all that' 3000017
}

# The peer's kernel sent the same again, twice, and got no answer.
retransmitted() { ip netns exec peer ss -Htin 'dport = :7777' | grep -qE 'backoff:([2-9]|1[0-9])'; }

# What the guest sends goes out by the channel of the CPU, whose NAPI then polls.
recovers() {
	local cpu

	for cpu in 0 1; do
		taskset -c "$cpu" "$LAB_BUSYBOX" ping -c 1 -W 1 "$INNER4" >/dev/null
	done
	at_least 1 '.type == "alloc-recovered"'
}

# K4: all buffers out, then back; the peer sends again and again, but nothing polls the queue.
dry() {
	local tx polls

	receive --connections 1 --area 6M --hold 1536 --no-kick --verbose
	peer_send --bytes 20000003 &
	tx=$!
	told 'K4: all buffers are out' '.type == "starved" and .buffers == 1536 and .free == 0'
	kill -USR1 "$rx"
	check 'K4: they are back' wait_for 30 grep -q 'gave back 1536 held buffers' "$tmp/rx.err"
	polls=$(stat ch1_poll)
	check 'K4: the peer sends again, twice' wait_for 60 retransmitted
	is 'K4: the queue was not polled once' "$(stat ch1_poll)" "$polls"
	is 'K4: so nothing recovered' "$(traced '.type == "alloc-recovered"')" 0
	check 'K4: it does when its channel sends something' wait_for 60 recovers
	wait "$tx"
	exact 'K4: in the end' 20000003
	is 'K4: whose instance it was' "$(traced ".type == \"alloc-recovered\" and .owner_pid != $rx")" 0
}

# K5: without header split a packet lies whole in the skb's linear part.
uncounted() {
	"$build/tests/nicset" "$nic" tcp-data-split off rx-gro-hw off
	recv_start --nodev --port 7778 --wait 60s --connections 1
	peer_send --port 7778 --bytes 101
	recv_wait
	is 'K5: 101 bytes, and the kernel counts no copy' "$? $(field ok) $(field bytes) $(field kernel_copy_bytes)" '0 true 101 0'
	exactly 'K5: by zcq they are copied' 1 '.type == "flow-ended" and (.flow | endswith(":7778")) and .zc_bytes == 0 and .copied_bytes == 101'
	exactly 'K5: and told so' 1 ".type == \"copied\" and .bytes == 101 and .pid == $rx"
}

expect_log 'WARNING: net/core/netdev_rx_queue\.c:[0-9]+ at __netif_mp_close_rxq\+'
check 'the NIC is set' setup
trace_start --interval 0
small_buffers
large_buffers
while_down
dry
uncounted
trace_stop 'known bugs'
rm -rf "$tmp"
finish
