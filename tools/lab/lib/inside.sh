#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh - the first process of a run's namespaces (network, mounts, PIDs):
# makes the wire, starts the NIC model, the agent and QEMU, waits, and leaves a
# word about the end in FOLDER/end for log.sh. When it ends, for whatever
# reason, the kernel ends and removes all the rest. Started by run.sh only.

set -u
folder=$1
# shellcheck source=/dev/null
. "$folder/host.conf"
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/root.sh"

end() {
	printf '%s\n' "$*" >"$folder/end"
	exit 1
}

# The one who started us may have died before this process was bound to it.
alive() {
	! flock -n "$folder/lock" true || exit 1
}

# A bridge is the wire: the host's peer is the bridge itself, the guest's NIC
# and its virtio port are on TAPs.
wire() {
	local tap

	mount -t sysfs sysfs /sys || :
	echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
	echo 0 >/proc/sys/net/ipv6/conf/default/accept_ra
	ip link set lo up || return
	ip link add wire type bridge forward_delay 0 mcast_snooping 0 ||
		{ echo "the module bridge may be missing" >&2; return 1; }
	for tap in nic0 vnet0; do
		ip tuntap add dev "$tap" mode tap || return
		echo 1 >"/proc/sys/net/ipv6/conf/$tap/disable_ipv6"
		ip link set "$tap" master wire up || return
	done
	ip link set wire up || return
	ip addr add 192.0.2.1/24 dev wire || return
	ip addr add 2001:db8::1/64 dev wire nodad
}

# wait_until SECONDS PID TEST... : polls while process PID lives.
wait_until() {
	local ticks=$(($1 * 20)) pid=$2

	shift 2
	while ! "$@"; do
		kill -0 "$pid" 2>/dev/null || return 1
		[ $((ticks--)) -gt 0 ] || return 1
		sleep 0.05
	done
}

start_nic() {
	local fault args=()

	for fault in ${LAB_FAULTS[@]+"${LAB_FAULTS[@]}"}; do
		args+=(--fault "$fault")
	done
	"$LAB_NIC_MODEL" "$LAB_NIC" --socket "$folder/nic.sock" --tap nic0 \
		--ctl "$folder/nic.ctl" --log "$folder/nic.log" \
		${args[@]+"${args[@]}"} >"$folder/nic.out" 2>&1 </dev/null &
	nic=$!
	wait_until 10 "$nic" grep -qs '^ready' "$folder/nic.out" ||
		end "nic did not get ready"
}

qemu_arguments() {
	# shellcheck disable=SC2054 # QEMU's commas
	args=(-machine q35 -accel "${ZCQ_LAB_ACCEL:-tcg,thread=multi}" -cpu max
		-smp "$LAB_CPUS" -m "${LAB_MEM}M"
		-object "memory-backend-memfd,id=mem,size=${LAB_MEM}M,share=on"
		-numa node,memdev=mem
		-nodefaults -no-user-config -display none -no-reboot
		-kernel "$LAB_VMLINUZ" -initrd "$LAB_INITRD"
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic lpj=10000000 no_timer_check tsc=unstable net.ifnames=0 mitigations=off log_buf_len=4M printk.time=1 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 cryptomgr.notests lab.folder=$folder $LAB_APPEND"
		-serial "file:$folder/serial"
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
		-device virtio-9p-pci,fsdev=host,mount_tag=host
		-device virtio-serial-pci
		-chardev "socket,id=agent,path=$folder/agent.sock"
		-device virtserialport,chardev=agent,name=lab
		-netdev tap,id=vnet,ifname=vnet0,script=no,downscript=no,vhost=off
		-device "virtio-net-pci,netdev=vnet,mac=52:54:00:00:00:03,romfile=")
	[ "$LAB_NIC" = none ] || args+=(-device
		"{\"driver\":\"vfio-user-pci\",\"socket\":{\"path\":\"$folder/nic.sock\",\"type\":\"unix\"}}")
}

start_qemu() {
	local args

	qemu_arguments
	lab_root_command "$LAB_QEMU_ROOT" qemu-system-x86_64
	timeout --foreground --kill-after=5 "$LAB_SECONDS" "${LAB_COMMAND[@]}" \
		-L "$LAB_QEMU_ROOT/usr/share/qemu" -L "$LAB_QEMU_ROOT/usr/share/seabios" \
		"${args[@]}" >"$folder/qemu.log" 2>&1 </dev/null &
	qemu=$!
}

# Lets the model write its last lines.
stop_nic() {
	[ -n "$nic" ] || return 0
	kill -TERM "$nic" 2>/dev/null
	wait_until 3 $$ gone "$nic" || :
}

# The first to end says how the run ended.
wait_for_end() {
	local who status=0

	wait -n -p who "$qemu" "$agent" ${nic:+"$nic"} || status=$?
	case $who in
	"$qemu")
		# The agent reads the rest and ends by itself.
		wait_until 5 $$ gone "$agent" || :
		stop_nic
		[ "$status" -ne 124 ] || end timeout
		[ "$status" -ne 137 ] || end timeout
		end "QEMU ended with status $status"
		;;
	"$agent")
		# It also ends when QEMU closes the port, a moment before QEMU does.
		wait_until 2 "$qemu" gone "$qemu" || :
		stop_nic
		if gone "$qemu"; then
			status=0
			wait "$qemu" || status=$?
			[ "$status" -ne 124 ] || end timeout
			end "QEMU ended with status $status"
		fi
		end "agent $status"
		;;
	*) end "nic ended with status $status while the guest ran" ;;
	esac
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

nic=''
alive
wire || end "setup no network for the run (see above)"
[ "$LAB_NIC" = none ] || start_nic
cd "$LAB_PROJECT" || end "setup no $LAB_PROJECT"
"$LAB_AGENT" host "$folder/agent.sock" "$folder" "$LAB_TTY" \
	${nic:+"$folder/nic.ctl"} <&0 &
agent=$!
wait_until 5 "$agent" test -S "$folder/agent.sock" || end "agent that did not start"
start_qemu
wait_for_end
