#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 480
# lab: --nic mlx5
#
# The stock mlx5_core on the NIC model: it comes up, carries checked bytes both ways over
# IPv4, IPv6 and a VLAN, survives every reconfiguration that a user can ask for, counts what
# went over the wire, and takes an injected failure. The lab fails the run if the model or
# the kernel complained meanwhile.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
nic=$LAB_NIC_IF
tmp=$(mktemp -d)
bytes=3000017
vlan_guest=198.51.100.2 vlan_inner=198.51.100.3

# start COMMAND...: a receiver that ends after one connection, in the background: $pid.
start() {
	local line=''

	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$@" bench recv --engine epoll --connections 1 --port 0 --wait 20s --ready-fd 3 --json \
		3>"$tmp/ready" >"$tmp/rx" 2>"$tmp/rx.err" &
	pid=$!
	read -rt 20 line <"$tmp/ready"
	port=${line#*port=}
	port=${port%% *}
}

# one_way NAME TO RECEIVER-PREFIX -- SENDER-PREFIX
one_way() {
	local name=$1 to=$2 receiver=() sent

	shift 2
	while [ "$1" != -- ]; do
		receiver+=("$1")
		shift
	done
	shift
	start "${receiver[@]}" "$zcq"
	timeout 30 "$@" "$zcq" bench send --port "$port" --bytes "$bytes" "$to" >"$tmp/tx" 2>&1
	sent=$?
	wait "$pid"
	is "$name" "$sent $? $(jq -r 'select(.type == "bench_recv") | "\(.bytes) \(.ok)"' "$tmp/rx")" \
		"0 0 $bytes true"
}

# both_ways NAME: with the namespace "peer" on the other end of the wire; IPv4 in and
# IPv6 out, the next time the other way round.
turn=0
both_ways() {
	if ((turn = !turn)); then
		one_way "$1: to the guest, IPv4" "$GUEST4" -- ip netns exec peer
		one_way "$1: from the guest, IPv6" "$INNER6" ip netns exec peer --
	else
		one_way "$1: to the guest, IPv6" "$GUEST6" -- ip netns exec peer
		one_way "$1: from the guest, IPv4" "$INNER4" ip netns exec peer --
	fi
}

# then_both_ways NAME COMMAND...: the command succeeds, and traffic goes on.
then_both_ways() {
	local name=$1

	shift
	check "$name" "$@"
	check "$name: carrier" nic_addr
	both_ways "$name"
}

private_flag() { ethtool --set-priv-flags "$nic" rx_striding_rq "$1"; }
down_up() { ip link set "$nic" down && ip link set "$nic" up; }
# On the wire too, which is a bridge and two TAPs at the host.
mtu() {
	local dev

	for dev in nic0 vnet0 wire; do
		lab-peer run ip link set "$dev" mtu "$1" || return
	done
	ip -n peer link set peer0 mtu "$1" && ip link set "$nic" mtu "$1"
}

# The driver anew: the netdev may come back under another name.
rebind() {
	echo "$LAB_NIC_PCI" >/sys/bus/pci/drivers/mlx5_core/unbind &&
		echo "$LAB_NIC_PCI" >/sys/bus/pci/drivers/mlx5_core/bind &&
		wait_for 20 test -d "/sys/bus/pci/devices/$LAB_NIC_PCI/net"
}
nic_stat() { lab-nic stats | awk -v k="$1" '$1 == k { print $2 }'; }
stat() { ethtool -S "$nic" | awk -v k="$1:" '$1 == k { print $2 }'; }

# agree DRIVER-COUNTERS MODEL-COUNTER: their sum is what the model counted.
agree() {
	local counter sum=0

	for counter in $1; do sum=$((sum + $(stat "$counter"))); done
	[ "$sum" = "$(nic_stat "$2")" ]
}
# counted NAME ...: sooner or later, for a frame may come between the two readings.
counted() { check "$1" wait_for 10 agree "$2" "$3"; }

rings() {
	nic_addr
	both_ways 'striding'
	both_ways 'striding again'
	then_both_ways 'down and up' down_up
	then_both_ways 'fewer channels' ethtool -L "$nic" combined 1
	then_both_ways 'small rings' ethtool -G "$nic" rx 256 tx 256
	then_both_ways 'cyclic' private_flag off
	then_both_ways 'cyclic, down and up' down_up
	check 'all channels' ethtool -L "$nic" combined 2
	then_both_ways 'large rings' ethtool -G "$nic" rx 1024 tx 1024
}

features() {
	then_both_ways 'MTU 9000, cyclic' mtu 9000
	then_both_ways 'MTU 9000, striding' private_flag on
	then_both_ways 'MTU 1500' mtu 1500
	then_both_ways 'no offloads' ethtool -K "$nic" tso off rx off tx off
	check 'offloads' ethtool -K "$nic" tso on rx on tx on
	then_both_ways 'hardware GRO' ethtool -K "$nic" rx-gro-hw on
	then_both_ways 'header split' ethtool -G "$nic" tcp-data-split on
	check 'header split off' ethtool -G "$nic" tcp-data-split off
	check 'hardware GRO off' ethtool -K "$nic" rx-gro-hw off
	check 'the driver tests itself' ethtool -t "$nic" online
}

make_vlan() {
	modprobe 8021q && ip link add link "$nic" name v7 type vlan id 7 &&
		ip -n peer link add link peer0 name v7 type vlan id 7 &&
		ip addr add "$vlan_guest/24" dev v7 && ip -n peer addr add "$vlan_inner/24" dev v7 &&
		ip link set v7 up && ip -n peer link set v7 up
}

vlan() {
	check 'a VLAN' make_vlan
	one_way 'VLAN: to the guest' "$vlan_guest" -- ip netns exec peer
	one_way 'VLAN: from the guest' "$vlan_inner" ip netns exec peer --
	check 'tags stay in the packets' ethtool -K "$nic" rxvlan off txvlan off
	one_way 'VLAN in the packets: to the guest' "$vlan_guest" -- ip netns exec peer
	one_way 'VLAN in the packets: from the guest' "$vlan_inner" ip netns exec peer --
	check 'tags are stripped again' ethtool -K "$nic" rxvlan on txvlan on
	ip link del v7
	ip -n peer link del v7
}

counters() {
	local before after

	before=$(($(stat rx_out_of_buffer) + $(stat rx_packets)))
	counted 'frames received by the port' rx_packets_phy rx_frames
	one_way 'traffic to count' "$GUEST4" -- ip netns exec peer
	after=$(($(stat rx_out_of_buffer) + $(stat rx_packets)))
	[ "$after" -gt "$((before + bytes / 1500))" ] || fail 'packets are counted' "$before $after"
	counted 'frames sent by the port' tx_packets_phy tx_frames
	counted 'bytes received by the vport' \
		'rx_vport_unicast_bytes rx_vport_multicast_bytes rx_vport_broadcast_bytes' rx_bytes
}

faults() {
	is 'a fault is accepted' "$(lab-nic fault cmd CREATE_RQ 1 status 0x8)" ok
	ethtool -G "$nic" rx 512 2>"$tmp/err" && fail 'it strikes' 'the rings changed'
	then_both_ways 'after the fault' ethtool -G "$nic" rx 512
	lab-nic fault cmd NO_SUCH 1 status 0x8 >"$tmp/out"
	check 'an unknown command is refused' grep -q '^error:' "$tmp/out"
}

check 'addresses and carrier' nic_addr
check 'ping, IPv4' pings "$HOST4"
check 'ping, IPv6' pings "$HOST6"
rings
features
vlan
counters
faults
check 'unbound and bound' rebind
LAB_NIC_IF=$(ls "/sys/bus/pci/devices/$LAB_NIC_PCI/net")
check 'carrier again' nic_addr
both_ways 'unbound and bound'
is 'the model has nothing to complain of' "$(nic_stat errors)" 0
rm -rf "$tmp"
finish
