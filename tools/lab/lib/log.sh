# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# log.sh - judges a finished run: how it ended, what the kernel and the NIC
# model wrote, and what the scenario had declared. Reads the run's folder.

# A line of the kernel's log that is a fault unless declared. "cut here" is
# left out: the WARNING or BUG after it says what.
readonly LAB_FAULT_RE='\bWARNING\b|\bBUG\b|\bOops\b|Kernel panic|general protection|\bKASAN\b|\bUBSAN\b|\bKCSAN\b|possible .*(deadlock|locking)|\bINFO: |hw csum failure|refcount_t:|stalled pool shutdown|unregister_netdevice: waiting|kernel messages were lost'

# lab_log FOLDER: the whole log; the serial console has what the agent could
# not send any more: a panic, the shutdown.
lab_log() {
	cat "$1/kmsg" 2>/dev/null || :
	echo '--- serial console (warnings and worse) ---'
	{ cat "$1/serial" 2>/dev/null || :; } | tr -d '\r'
}

# lab_log_save FOLDER TARGET
lab_log_save() {
	local target=$2

	mkdir -p "$(dirname "$target")"
	lab_log "$1" >"$target.$$" && mv "$target.$$" "$target"
	if [ -s "$1/nic.log" ]; then
		cp "$1/nic.log" "${target%.dmesg}.nic.$$" &&
			mv "${target%.dmesg}.nic.$$" "${target%.dmesg}.nic"
	fi
}

# lab_log_faults FOLDER LOG: prints faults that no declared line explains and
# declared lines that are not there; status 1 if there are any.
lab_log_faults() {
	local hits re bad=0 declared=$1/expect

	hits=$(grep -aE "$LAB_FAULT_RE" "$2" | sed -E 's/^\[ *[0-9]+\.[0-9]+\] *//' |
		awk '!seen[$0]++')
	if [ -s "$declared" ]; then
		while read -r re; do
			if ! grep -qaE -- "$re" "$2"; then
				warn "error: expected in the kernel's log, but absent: $re"
				bad=1
			fi
			hits=$(grep -avE -- "$re" <<<"$hits" || :)
		done <"$declared"
	fi
	if [ -n "$hits" ]; then
		warn "error: the guest's kernel complained:"
		printf "  %s\n" "${hits//$'\n'/$'\n  '}" >&2
		bad=1
	fi
	return "$bad"
}

# The model says what it does not accept; each such line fails the run.
lab_nic_faults() {
	local lines

	lines=$(grep -a 'nic: error:' "$1/nic.log" 2>/dev/null | head -n 20 | sed "s,^,  ,")
	[ -n "$lines" ] || return 0
	warn "error: the NIC model complained:"
	printf "%s\n" "$lines" >&2
	return 1
}

lab_show_tail() {
	[ -s "$1" ] || return 0
	tr -d '\r' <"$1" | tail -n "$2" | sed 's/^/  /' >&2
}

# lab_end FOLDER: says how a run without a script's status ended; its status.
lab_end() {
	local end

	end=$(cat "$1/end" 2>/dev/null || echo lost)
	case $end in
	timeout)
		if [ -e "$1/hello" ]; then
			warn "error: not done after $LAB_OPT_TIMEOUT s (--timeout)"
		else
			warn "error: the guest had not started the script after $LAB_OPT_TIMEOUT s; its console:"
			lab_show_tail "$1/serial" 15
		fi
		return "$LAB_TIMEOUT"
		;;
	nic*)
		# Faults are the only options of the model that a user gives.
		if grep -qs ': not a fault' "$1/nic.out"; then
			warn "error: --fault: $(head -n 1 "$1/nic.out")"
			return "$LAB_USAGE"
		fi
		warn "error: the NIC model ${end#nic }; its log:"
		lab_show_tail "$1/nic.out" 10
		lab_show_tail "$1/nic.log" 10
		;;
	setup*) warn "error: ${end#setup }" ;;
	agent*) warn "error: the lab's agent ended with status ${end#agent }" ;;
	*)
		if grep -qaE 'Kernel panic' "$1/serial" 2>/dev/null; then
			warn "error: the guest's kernel panicked; its console:"
			lab_show_tail "$1/serial" 40
		elif [ -e "$1/hello" ]; then
			warn "error: the guest ended before the script did ($end); its console:"
			lab_show_tail "$1/serial" 15
			lab_show_tail "$1/qemu.log" 5
		else
			warn "error: the guest did not boot ($end); QEMU and the console say:"
			lab_show_tail "$1/qemu.log" 10
			lab_show_tail "$1/serial" 15
		fi
		;;
	esac
	return "$LAB_FAILED"
}

# lab_verdict FOLDER LOG: the status of the whole run.
lab_verdict() {
	local status faults=0

	if [ -s "$1/status" ]; then
		status=$(head -n 1 "$1/status")
	else
		status=0
		lab_end "$1" || status=$?
	fi
	lab_log_save "$1" "$2"
	lab_log_faults "$1" "$2" || faults=1
	lab_nic_faults "$1" || faults=1
	if [ "$faults" -ne 0 ]; then
		warn "the log is $2"
		[ "$status" -ne 0 ] || status=$LAB_FAILED
	fi
	return "$status"
}
