#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# The lab itself, seen from a guest: commands of the peer, the wire, the overlay,
# declared log lines. Also run without a NIC, by tests/lab/host/run.sh.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"

peer_commands() {
	local out big

	# shellcheck disable=SC2016 # not for this shell
	is 'lab-peer run prints' "$(lab-peer run echo 'one  two' '$three')" 'one  two $three'
	lab-peer run sh -c 'exit 7'
	is 'lab-peer run returns the status' $? 7
	out=$(lab-peer run sh -c 'echo out; echo err >&2' 2>/dev/null)
	is 'lab-peer run keeps stderr apart' "$out" out
	lab-peer run /no/such/program 2>/dev/null
	is 'lab-peer run of nothing is 127' $? 127
	# shellcheck disable=SC2016
	lab-peer run sh -c 'kill -9 $$'
	is 'lab-peer run tells a signal' $? 137
	# Far more than a window, while another command is served.
	big=$(lab-peer run head -c 3000017 /dev/zero | wc -c)
	is 'lab-peer run loses nothing' "$big" 3000017
	{
		lab-peer run head -c 3000017 /dev/zero
		echo
	} | {
		out=$(timeout 20 lab-peer run echo meanwhile)
		is 'a slow reader holds up only itself' "$out" meanwhile
		is 'and still gets it all' "$(wc -c)" 3000018
		exit "$zcq_failed"
	} || zcq_failed=1
	timeout 1 lab-peer run sleep 10007
	is 'a command ends with the one who asked for it' \
		"$? $(lab-peer run sh -c 'cat /proc/[0-9]*/cmdline | grep -czx "1000[7]"')" '124 0'
}

peer_background() {
	lab-peer start one sh -c 'echo begun; read -r x <&- ; exit 5'
	is 'lab-peer wait prints and returns the status' "$(lab-peer wait one 2>/dev/null; echo $?)" \
		$'begun\n5'
	lab-peer start two sh -c 'echo begun; exec sleep 1000'
	lab-peer start two true 2>/dev/null
	is 'a name is taken while its command runs' $? 1
	check 'lab-peer log shows what came so far' wait_for 5 sh -c 'lab-peer log two | grep -q begun'
	check 'lab-peer kill' lab-peer kill two
	lab-peer wait two >/dev/null
	is 'the status of a killed command' $? 143
	lab-peer start two sh -c 'trap "" TERM; echo begun; while :; do sleep 1; done'
	wait_for 5 sh -c 'lab-peer log two | grep -q begun'
	check 'lab-peer kill of one that ignores it' lab-peer kill two
	lab-peer wait nobody 2>/dev/null
	is 'lab-peer wait of an unknown name' $? 1
}

wire() {
	check 'guest netns peer reaches the host by IPv4' pings "$HOST4" ip netns exec peer
	check 'guest netns peer reaches the host by IPv6' pings "$HOST6" ip netns exec peer
	check 'the host reaches guest netns peer by IPv4' pings "$INNER4" lab-peer run
	if [ "$LAB_NIC" = none ]; then
		is 'no NIC, no netdev' "$LAB_NIC_IF$LAB_NIC_PCI" ''
		return
	fi
	check 'the NIC has a netdev' test -d "/sys/class/net/$LAB_NIC_IF"
	check 'the NIC has a PCI address' test -d "/sys/bus/pci/devices/$LAB_NIC_PCI"
	check 'the NIC gets its addresses' nic_addr
	check 'the NIC reaches the host by IPv4' pings "$HOST4"
	check 'the NIC reaches the host by IPv6' pings "$HOST6"
	check 'the NIC reaches guest netns peer' pings "$INNER4"
	check 'the host reaches the NIC' pings "$GUEST4" lab-peer run
	check 'the NIC model answers' sh -c 'lab-nic stats | grep -q .'
	lab-nic no such word >/dev/null 2>&1
	is 'the NIC model refuses what it does not know' $? 1
}

overlay() {
	local probe=/etc/zcq-lab-probe

	check 'the overlay can be written' sh -c "echo x >$probe && test -s $probe"
	check 'the host does not see it' lab-peer run test ! -e $probe
	check 'the project is there' test -x tools/lab/lab
	check 'modprobe finds modules' modprobe dummy
	check 'the BTF of a module is there' test -e /sys/kernel/btf/dummy
	modprobe -r dummy
	check 'netns peer has its port' ip -n peer link show peer0
}

declared() {
	expect_log 'WARNING: the lab tests itself [0-9]+'
	echo 'WARNING: the lab tests itself 17' >/dev/kmsg
	ok 'a declared line was provoked (the lab checks that it came)'
}

peer_commands
peer_background
wire
overlay
declared
finish
