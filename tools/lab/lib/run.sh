# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# run.sh - "lab run" and "lab shell": prepares the run's folder, starts
# inside.sh in namespaces of its own, waits, and judges. Everything that runs is
# in one PID namespace whose first process dies with this one, so nothing is
# left however it ends.

# Read by guest/init, a dash: plain single quotes.
lab_init_config() {
	local pair

	for pair in "LAB_START=$LAB_DIR/guest/start" "LAB_RELEASE=$LAB_RELEASE" \
		"LAB_MODULES=$LAB_KERNEL/lib/modules/$LAB_RELEASE"; do
		printf "%s='%s'\n" "${pair%%=*}" "${pair#*=}"
	done
}

# Read by guest/start.
lab_guest_config() {
	local name

	printf '%s=%q\n' LAB_AGENT "$LAB_AGENT" \
		LAB_NIC_DRIVER "$(lab_nic_modules "$LAB_OPT_NIC")" \
		LAB_PROJECT "$LAB_ROOT" LAB_TTY "$LAB_OPT_TTY"
	printf 'LAB_COMMAND=('
	printf '%q ' "$@"
	printf ')\n'
	printf 'export %s=%q\n' ZCQ_BUILD "$(lab_build_dir)" LAB_NIC "$LAB_OPT_NIC" \
		LAB_BUSYBOX "$LAB_BUSYBOX"
	for name in $(compgen -e | grep -E '^(ZCQ_.*|TERM|LANG|LC_.*|NO_COLOR)$'); do
		[ "$name" = ZCQ_BUILD ] || printf 'export %s=%q\n' "$name" "${!name}"
	done
}

# lab_guest_programs FOLDER: first in the guest's PATH: the clients of the agent,
# and programs that the host may lack or have too old.
lab_guest_programs() {
	local name program

	mkdir -p "$1/ld"
	for name in peer nic expect; do
		ln -s "$LAB_AGENT" "$1/lab-$name"
	done
	for name in modprobe insmod rmmod lsmod modinfo depmod ethtool; do
		program=$name
		[ "$name" = ethtool ] || program=kmod
		lab_root_command "$LAB_QEMU_ROOT" "$program" "$name"
		# The kernel, and so zcq, calls a process by the file that it started: the loader.
		ln -s "${LAB_COMMAND[0]}" "$1/ld/$name"
		LAB_COMMAND[0]=$1/ld/$name
		printf "#!/bin/sh\nexec %s \"\$@\"\n" "$(printf "'%s' " "${LAB_COMMAND[@]}")" >"$1/$name"
		chmod 755 "$1/$name"
	done
}

lab_host_config() {
	printf '%s=%q\n' LAB_AGENT "$LAB_AGENT" LAB_QEMU_ROOT "$LAB_QEMU_ROOT" \
		LAB_VMLINUZ "$LAB_KERNEL/vmlinuz" LAB_INITRD "$LAB_INITRD" \
		LAB_NIC "$LAB_OPT_NIC" LAB_NIC_MODEL "$LAB_NIC_MODEL" LAB_PROJECT "$LAB_ROOT" \
		LAB_MEM "$LAB_OPT_MEM" LAB_CPUS "$LAB_OPT_CPUS" LAB_SECONDS "$LAB_OPT_TIMEOUT" \
		LAB_APPEND "$LAB_OPT_APPEND" LAB_TTY "$LAB_OPT_TTY"
	printf 'LAB_FAULTS=('
	[ ${#LAB_OPT_FAULTS[@]} -eq 0 ] || printf '%q ' "${LAB_OPT_FAULTS[@]}"
	printf ')\n'
	printf 'export ZCQ_BUILD=%q\n' "$(lab_build_dir)"
}

lab_cleanup() {
	local status=$?

	trap - EXIT INT TERM HUP
	if [ -n "${LAB_CHILD:-}" ]; then
		kill -KILL "$LAB_CHILD" 2>/dev/null || :
		wait "$LAB_CHILD" 2>/dev/null || :
	fi
	[ -z "${LAB_STTY:-}" ] || stty "$LAB_STTY" 2>/dev/null || :
	[ -z "${LAB_SCRATCH:-}" ] || rm -rf "$LAB_SCRATCH"
	exit "$status"
}

# From here on nothing outlives this process: LAB_CHILD is killed, LAB_SCRATCH removed.
lab_traps() {
	trap lab_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# Everything that must be there before a folder is made.
lab_prepare() {
	[ "$(id -u)" -eq 0 ] || die "$LAB_UNSUPPORTED" "a run needs root: it makes a network namespace and TAPs"
	lab_need ip mount unshare setpriv flock timeout sha256sum
	[ -c /dev/net/tun ] || die "$LAB_UNSUPPORTED" "no /dev/net/tun: load the module tun"
	LAB_QEMU_ROOT=$(lab_require qemu)
	LAB_BUSYBOX=$LAB_QEMU_ROOT/usr/bin/busybox
	LAB_KERNEL=$(lab_kernel_folder "$LAB_OPT_KERNEL")
	LAB_RELEASE=$(lab_kernel_release "$LAB_KERNEL")
	LAB_NIC_MODEL=${ZCQ_LAB_NIC:-$(lab_build_dir)/lab/nic}
	[ "$LAB_OPT_NIC" = none ] || [ -x "$LAB_NIC_MODEL" ] ||
		die "no NIC model $LAB_NIC_MODEL: run make"
	LAB_AGENT=$(lab_agent)
	LAB_INITRD=$(lab_initrd "$LAB_KERNEL" "$LAB_OPT_NIC")
}

# lab_boot LOG PROGRAM ARG... : the run itself; ends the script.
lab_boot() {
	local log=$1

	shift
	lab_prepare
	lab_traps
	lab_scratch
	lab_init_config >"$LAB_SCRATCH/init.conf"
	lab_guest_programs "$LAB_SCRATCH/bin"
	lab_guest_config "$@" >"$LAB_SCRATCH/guest.conf"
	lab_host_config >"$LAB_SCRATCH/host.conf"
	[ "$LAB_OPT_TTY" = pipe ] || LAB_STTY=$(stty -g 2>/dev/null || :)

	setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child=KILL \
		--mount-proc bash "$LAB_DIR/lib/inside.sh" "$LAB_SCRATCH" <&0 {LAB_LOCK}>&- &
	LAB_CHILD=$!
	wait "$LAB_CHILD" || :
	LAB_CHILD=
	[ -z "${LAB_STTY:-}" ] || stty "$LAB_STTY" 2>/dev/null || :
	lab_verdict "$LAB_SCRATCH" "$log"
}

# lab run [OPTION...] SCRIPT [ARG...]
lab_run() {
	local script name

	lab_options "$@"
	[ ${#LAB_OPT_REST[@]} -gt 0 ] || die "$LAB_USAGE" "run: no script given"
	script=${LAB_OPT_REST[0]}
	if [ -f "$script" ]; then
		script=$(readlink -f "$script")
		name=$(basename "$script" .sh)
		[ -x "$script" ] || LAB_OPT_REST=(bash "$script" "${LAB_OPT_REST[@]:1}")
	else
		case $script in
		*/*) script='' ;;
		*) script=$(type -P "$script" || :) ;;
		esac
		[ -n "$script" ] || die "$LAB_USAGE" "run: no script '${LAB_OPT_REST[0]}'"
		name=${LAB_OPT_REST[0]}
	fi
	if [ "${LAB_OPT_REST[0]}" = bash ]; then
		LAB_OPT_REST[0]=/bin/bash
	else
		LAB_OPT_REST[0]=$script
	fi
	lab_boot "${LAB_OPT_LOG:-$(lab_build_dir)/lab/logs/$name.dmesg}" "${LAB_OPT_REST[@]}"
}

# lab shell [OPTION...]
lab_shell() {
	lab_options --timeout 0 --tty "$@"
	[ ${#LAB_OPT_REST[@]} -eq 0 ] || die "$LAB_USAGE" "shell: takes no script"
	[ -t 0 ] || die "$LAB_USAGE" "shell: standard input is not a terminal"
	msg "a shell in the guest; exit ends it, Ctrl-] kills it"
	lab_boot "${LAB_OPT_LOG:-$(lab_build_dir)/lab/logs/shell.dmesg}" \
		/bin/bash --rcfile "$LAB_DIR/guest/shellrc" -i
}
