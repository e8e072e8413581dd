#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 480
# lab: --nic mlx5 --cpus 3
#
# zcq queues on a NIC with three queues: 1 fed by a zcrx instance that holds 101 buffers, 2 leased to a
# netkit and fed through it. Against an independent reader of netdev-genl, ethtool(8), /proc and what
# the receivers say of themselves.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tools=$PWD/tests/tools
tmp=$(mktemp -d)
nic=$LAB_NIC_IF

setup() {
	nic_addr && "$build/tests/nicset" "$nic" rx-gro-hw on tcp-data-split on hds-thresh 0 ntuple on &&
		ethtool -X "$nic" equal 1 && ethtool -X "$nic" context new start 1 equal 2 &&
		ethtool -N "$nic" flow-type tcp4 dst-ip "$GUEST4" dst-port 7777 action 1 &&
		ethtool -N "$nic" flow-type tcp4 dst-port 7790 action -1 && modprobe netkit &&
		[[ $(python3 "$tools/netkit_lease.py" nk0 "$nic" 2) == 1 ]] && ip link set nk0 up
}

kernel() { python3 "$tools/netdev_dump.py" "$@"; }
queues() { timeout 200 "$zcq" queues --json "$@" >"$tmp/json" 2>"$tmp/err"; }
rows() { jq -r "select(.type == \"$1\") | $2" "$tmp/json"; }
# of QUEUE FILTER: of one queue of the NIC.
of() { rows queue "select(.netdev == \"$nic\" and .queue == $1) | $2"; }

# start NAME OPTION...: a receiver; its pid is $pid.
start() {
	local line='' name=$1
	shift
	mkfifo "$tmp/$name.ready"
	"$zcq" bench recv --area 32M --json --ready-fd 3 "$@" 3>"$tmp/$name.ready" >"$tmp/$name" 2>"$tmp/$name.err" &
	pid=$!
	read -rt 30 line <"$tmp/$name.ready"
	[[ $line == ready:* ]] || fail "a receiver with $*" "$(cat "$tmp/$name.err")"
}

send() { timeout 60 ip netns exec peer "$zcq" bench send --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }

# What holds with and without providers.
same_as_kernel() {
	is "$1: rx queues, NAPIs and providers are the kernel's" \
		"$(rows queue 'select(.provider) | [.ifindex, .queue, (.napi_id // "-"), .provider] | map(tostring) | join(" ")' | sort)" \
		"$(kernel queues | sort)"
	is "$1: page pools are the kernel's" \
		"$(rows pool '[.id, (.napi_id // "-"), .inflight, .inflight_bytes] | map(tostring) | join(" ")' | sort)" \
		"$(kernel pools | awk '{ print $1, $3, $4, $5 }' | sort)"
}

before() {
	local irqs q cpu
	queues --interval 0 --pools
	is 'before: exit status' $? 0
	same_as_kernel before
	is 'before: driver and bus address' \
		"$(rows netdev "select(.netdev == \"$nic\") | .driver + \" \" + .bus_addr")" "mlx5_core $LAB_NIC_PCI"
	is 'before: header split, hardware GRO, ntuple' \
		"$(rows netdev "select(.netdev == \"$nic\") | [.tcp_data_split, .hds_thresh, .rx_gro_hw, .ntuple] | map(tostring) | join(\" \")")" \
		'on 0 on on'
	irqs=$(awk '/mlx5_comp/ { sub(":", ""); print $1 }' /proc/interrupts | xargs)
	is 'before: interrupts' "$(rows queue "select(.netdev == \"$nic\") | .irq" | xargs)" "$irqs"
	cpu=$(for q in $irqs; do cat "/proc/irq/$q/effective_affinity_list"; done | xargs)
	is 'before: CPUs of the interrupts' "$(rows queue "select(.netdev == \"$nic\") | .cpus" | xargs)" "$cpu"
	is 'before: share of the RSS table' "$(rows queue "select(.netdev == \"$nic\") | .rss_pct" | xargs)" '100 0 0'
	is 'before: entries are all of the table' "$(of 0 .rss_entries)" \
		"$(ethtool -x "$nic" | awk '/^ +[0-9]+:/ { n += NF - 1 } END { print n }')"
	is 'before: the RSS context points at queues 1 and 2' \
		"$(rows queue "select(.netdev == \"$nic\") | [.rss_contexts[] | .context, .entries * 2 == .of] | map(tostring) | join(\" \")" | xargs)" \
		'1 true 1 true'
	is 'before: one rule names queue 1, the other none' \
		"$(rows queue "select(.netdev == \"$nic\") | .n_rules" | xargs) $(rows netdev "select(.netdev == \"$nic\") | .n_rules")" '0 1 0 2'
	is 'before: what the rule matches' "$(of 1 '.rules[0].match')" "tcp4 dst $GUEST4 dport 7777"
	is 'before: location of the rule' "$(of 1 '.rules[0].location')" \
		"$(ethtool -n "$nic" | awk '/^Filter:/ { at = $2 } /Direct to queue 1/ { print at }')"
	is 'before: nothing is bound' "$(rows queue .owner | sort -u)" null
	is 'before: the lease, from both ends' \
		"$(of 2 '.lease | [.direction, .netdev, .queue] | map(tostring) | join(" ")') $(rows queue 'select(.netdev == "nk0" and .queue == 1) | .lease | [.direction, .netdev, .queue] | map(tostring) | join(" ")')" \
		"to nk0 1 from $nic 2"
}

bound() {
	local inflight
	queues --interval 0 --pools
	same_as_kernel bound
	is 'bound: the owner is the receiver' "$(of 1 '.owner, (.instances[] | .owners[] | .comm, .pid)' | xargs)" "found zcq $rx"
	is 'bound: area, buffers, refill ring' \
		"$(of 1 '.instances[0] | .area_bytes, .areas, .buf_bytes, .bufs, .refill_entries' | xargs)" '33554432 1 4096 8192 8192'
	# What waits in the refill ring still counts as held.
	is 'bound: it holds 101 buffers, and at most what is pending besides' \
		"$(of 1 '.instances[0] | .held_bufs >= 101 and .held_bufs <= 101 + .refill_pending')" true
	held=$(of 1 '.instances[0].held_bufs')
	inflight=$(kernel pools | awk -v napi="$(of 1 .napi_id)" '$3 == napi { print $4 }')
	is 'bound: the free ones are those not out of the pool' "$(of 1 '.instances[0].free_bufs')" $((8192 - inflight))
	is 'bound: nobody is said to have bound it while zcq watched' "$(of 1 .bound_by)" null
	is 'bound: the leased queue and the virtual one show one owner' \
		"$(rows queue 'select(.lease) | .owner, (.instances[] | .owners[] | .pid)' | xargs)" "found $rx2 found $rx2"
	is 'bound: the pools know their queue' \
		"$(rows pool "select(.netdev == \"$nic\") | [.queue, .provider] | map(tostring) | join(\" \")" | sort | xargs)" \
		'0 none 1 io_uring 2 io_uring'
}

text() {
	timeout 200 "$zcq" queues --interval 0 --zc "$nic" >"$tmp/text" 2>/dev/null
	is 'text: nothing is wider than 80 columns' "$(awk 'length > 80' "$tmp/text")" ''
	# a line of a netdev, a row, a detail, and what goes on from a netdev's and a detail's line
	is 'text: further lines begin under the first field' \
		"$(sed 1d "$tmp/text" | grep -cvE '^(netdev {7}| {13}[a-z]| *[0-9]+ | {6}[a-z]+ +| {19}[a-z])')" 0
	is 'text: two queues have a provider' "$(grep -cE '^ +[0-9]+ .* io_uring ' "$tmp/text")" 2
	is 'text: owners' "$(awk '$1 == "owner" { print $2, $3 }' "$tmp/text" | xargs)" "zcq pid=$rx zcq pid=$rx2"
	is 'text: held buffers' "$(grep -oE 'held_bufs=[0-9]+' "$tmp/text" | xargs)" "held_bufs=$held held_bufs=0"
	is 'text: the rule' "$(grep -cE "^      rule +[0-9]+ tcp4 dst $GUEST4 dport 7777$" "$tmp/text")" 1
	is 'text: the lease' "$(grep -cE '^      lease +to netdev=nk0 queue=1$' "$tmp/text")" 1
}

# The receivers (port 7777 is 1E61) have read each connection to its end and closed it: but for the
# listening sockets (0A) there is none left.
nothing_waits() { ! awk '$2 ~ /:1E61$/ && $4 != "0A" { print }' /proc/net/tcp /proc/net/tcp6 | grep -q .; }

# All that is sent is received within the interval, which ends when we say so: 3000017 by the rule,
# 1000003 without one.
measured() {
	local watcher line=
	mkfifo "$tmp/measuring"
	"$zcq" queues --json --interval 1h --ready-fd 3 "$nic" 3>"$tmp/measuring" >"$tmp/json" 2>"$tmp/err" &
	watcher=$!
	read -rt 200 line <"$tmp/measuring"
	if [[ $line != measuring ]]; then
		fail 'measured: zcq measures' "$(cat "$tmp/err")"
		kill "$watcher"
		return
	fi
	send "$GUEST4" --bytes 3000017
	is 'measured: the first was sent' $? 0
	send "$GUEST6" --bytes 1000003
	is 'measured: the second was sent' $? 0
	check 'measured: and read by the receivers' wait_for 60 nothing_waits
	kill -INT "$watcher"
	wait "$watcher"
	is 'measured: SIGINT ends the interval, not zcq' $? 0
	is 'measured: nothing was lost' "$(rows summary '.lost, .unreadable' | xargs)" '0 0'
	is 'measured: zero-copied bytes' "$(of 1 .received.zc_bytes)" 3000017
	is 'measured: copied bytes, all for arriving on the wrong queue' \
		"$(of 1 '.received | .copied_bytes, .copied_queue_bytes' | xargs)" '1000003 1000003'
	is 'measured: neither failures nor reconfigures' "$(of 1 '.received | .alloc_fails, .reconfigs' | xargs)" '0 0'
	is 'measured: the other instance received nothing' "$(of 2 '.received | .zc_bytes, .copied_bytes' | xargs)" '0 0'
	is 'measured: a plain queue has nothing to be zero-copied' "$(of 0 .received.zc_bytes)" null
	is 'measured: packets by the driver, on the queues they came by' \
		"$(of 0 '.pkts_per_s > 0') $(of 1 '.pkts_per_s > 0') $(of 2 .pkts_per_s)" 'true true 0'
}

# What zcq can't see it does not deny.
limited() {
	unshare --pid --fork --mount-proc timeout 200 "$zcq" queues --interval 0 --json >"$tmp/json" 2>"$tmp/err"
	is 'from another process namespace: bound, owner not visible' "$(of 1 '.provider, .owner, (.instances | length)' | xargs)" \
		'io_uring not visible 0'
	# the tree may be where others can't go
	chmod 755 "$tmp" && install -m 755 "$zcq" "$tmp/zcq"
	setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		timeout 200 "$tmp/zcq" queues --interval 0 --json >"$tmp/json" 2>"$tmp/err"
	is 'without permission: exit status, provider, owner' "$? $(of 1 '.provider, .owner' | xargs)" '0 io_uring unknown'
	is 'without permission: buffer size by netlink' "$(of 1 .buf_bytes)" 4096
	check 'without permission: told' grep -q 'warning: without BPF' "$tmp/err"
}

down() {
	ip link set "$nic" down
	queues --interval 0
	ip link set "$nic" up
	is 'down: told' "$(rows netdev "select(.netdev == \"$nic\") | .up")" false
	is 'down: all queues are there' "$(rows queue "select(.netdev == \"$nic\") | .queue" | xargs)" '0 1 2'
	is 'down: the instances are seen' "$(of 1 '.provider, .instances[0].owners[0].pid' | xargs)" "io_uring $rx"
	is 'down: nothing is claimed about the plain queue' "$(of 0 '.provider, .napi_id' | xargs)" 'null null'
	check 'up again' wait_for 20 nic_carrier
}

unbound() { ! kernel queues | grep -q io_uring; }
killed() {
	kill -9 "$rx" "$rx2"
	wait "$rx" "$rx2" 2>/dev/null
	check 'killed: the kernel lets go' wait_for 30 unbound
	queues --interval 0 --pools
	same_as_kernel killed
	is 'killed: nobody owns anything' "$(rows queue '.owner, (.instances | length)' | sort -u | xargs)" '0 null'
}

if [[ $LAB_NIC == none ]]; then
	skip 'zcq queues on a NIC' 'this lab has no NIC'
	finish
fi
if ! setup >"$tmp/setup" 2>&1; then
	fail 'the NIC is set up' "$(cat "$tmp/setup")"
	finish
fi
before
start rx --netdev "$nic" --queue 1 --port 7777 --hold 101
rx=$pid
start rx2 --netdev nk0 --queue 1 --port 7778
rx2=$pid
send "$GUEST4" --bytes 5000011
is 'data for 101 buffers was sent' $? 0
bound
text
measured
limited
down
killed
finish
