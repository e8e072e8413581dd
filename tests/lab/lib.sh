# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - sourced first by every scenario (tests/lab/NAME.sh, run in the guest
# by "lab run"): the results of tests/lib/ok.sh, and what a scenario needs of
# the lab. Who is who on the wire:
#
#	$GUEST4 $GUEST6		the guest's NIC, after nic_addr
#	$HOST4 $HOST6		the host's peer: lab-peer run|start|wait|kill|log
#	$INNER4 $INNER6		the guest's netns "peer": ip netns exec peer CMD

# shellcheck disable=SC2034 # used by the scenarios
{
	GUEST4=192.0.2.2 GUEST6=2001:db8::2
	HOST4=192.0.2.1 HOST6=2001:db8::1
	INNER4=192.0.2.3 INNER6=2001:db8::3
}

# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/../lib/ok.sh"

# expect_log REGEX: this run provokes a known bug of the kernel, which shows in
# its log. The line is no fault then, and its absence is one.
expect_log() {
	lab-expect "$1" || fail "expect_log $1" 'the lab does not answer'
}

nic_carrier() {
	[ "$(cat "/sys/class/net/$LAB_NIC_IF/carrier" 2>/dev/null)" = 1 ]
}

# nic_addr: the NIC up and with its addresses; fails without carrier.
nic_addr() {
	ip link set "$LAB_NIC_IF" up || return
	ip addr replace "$GUEST4/24" dev "$LAB_NIC_IF" || return
	ip addr replace "$GUEST6/64" dev "$LAB_NIC_IF" nodad || return
	wait_for 10 nic_carrier
}

# pings ADDRESS [PREFIX...]: one echo within 5 s. Neither host nor guest need have
# a ping: LAB_BUSYBOX is a static busybox that both see.
pings() {
	local address=$1

	shift
	"$@" "$LAB_BUSYBOX" ping -c 1 -W 5 "$address" >/dev/null
}
