# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# root.sh - runs the programs of the unpacked packages by their own loader and
# with their own libraries: no chroot, nothing installed. Sourced by lab.

# lab_root_command ROOT PROGRAM [NAME]: the words that start PROGRAM (under the
# name NAME), in LAB_COMMAND.
lab_root_command() {
	local root=$1 folder

	for folder in usr/bin usr/sbin bin sbin; do
		[ -x "$root/$folder/$2" ] && break
	done
	[ -x "$root/$folder/$2" ] || die "no $2 in $root: run tools/lab/lab fetch --update qemu"
	LAB_COMMAND=("$root/lib64/ld-linux-x86-64.so.2"
		--library-path "$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu"
		--argv0 "${3:-$2}" "$root/$folder/$2")
}

# lab_in_root ROOT PROGRAM ARG...
lab_in_root() {
	local root=$1 program=$2

	shift 2
	lab_root_command "$root" "$program"
	"${LAB_COMMAND[@]}" "$@"
}
