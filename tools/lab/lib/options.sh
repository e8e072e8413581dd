# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# options.sh - the options of "lab run" and "lab shell", into LAB_OPT_*.

lab_number() {
	if ! [[ $2 =~ ^[0-9]{1,7}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		die "$LAB_USAGE" "$1: '$2' is not a number from $3 to $4"
	fi
}

# lab_writable FILE: tried by its folder, where the file will be made.
lab_writable() {
	local folder

	folder=$(dirname "$1")
	[ -n "$1" ] && [ ! -d "$1" ] && mkdir -p "$folder" 2>/dev/null &&
		{ : >"$folder/.lab.$$"; } 2>/dev/null && rm "$folder/.lab.$$"
}

# shellcheck disable=SC2034 # the results are used by run.sh
# Sets LAB_OPT_*, and LAB_OPT_REST to what follows the options.
lab_options() {
	LAB_OPT_NIC=mlx5 LAB_OPT_KERNEL=stock LAB_OPT_MEM=2048 LAB_OPT_CPUS=2
	LAB_OPT_TIMEOUT=300 LAB_OPT_APPEND='' LAB_OPT_LOG='' LAB_OPT_TTY=pipe
	LAB_OPT_FAULTS=()
	while [ $# -gt 0 ]; do
		case $1 in
		--nic | --kernel | --mem | --cpus | --timeout | --fault | --append | --keep-log)
			[ $# -ge 2 ] || die "$LAB_USAGE" "$1 needs a value"
			lab_option "$1" "$2"
			shift
			;;
		--*=*) lab_option "${1%%=*}" "${1#*=}" ;;
		--tty) LAB_OPT_TTY="tty" ;;
		--)
			shift
			break
			;;
		-*) die "$LAB_USAGE" "unknown option '$1': see lab --help" ;;
		*) break ;;
		esac
		shift
	done
	LAB_OPT_REST=("$@")
	[ ${#LAB_OPT_FAULTS[@]} -eq 0 ] || [ "$LAB_OPT_NIC" != none ] ||
		die "$LAB_USAGE" "--fault needs a NIC: --nic mlx5"
}

# shellcheck disable=SC2034
lab_option() {
	case $1 in
	--nic)
		lab_nic_modules "$2" >/dev/null ||
			die "$LAB_USAGE" "--nic: '$2' is neither mlx5 nor none"
		LAB_OPT_NIC=$2
		;;
	--kernel) LAB_OPT_KERNEL=$2 ;;
	--mem)
		lab_number --mem "$2" 256 1048576
		LAB_OPT_MEM=$2
		;;
	--cpus)
		lab_number --cpus "$2" 1 64
		LAB_OPT_CPUS=$2
		;;
	--timeout)
		lab_number --timeout "$2" 0 86400
		LAB_OPT_TIMEOUT=$2
		;;
	--fault) LAB_OPT_FAULTS+=("$2") ;;
	--append) LAB_OPT_APPEND=$2 ;;
	--keep-log)
		lab_writable "$2" || die "$LAB_USAGE" "--keep-log: '$2' can't be written"
		LAB_OPT_LOG=$2
		;;
	*) die "$LAB_USAGE" "unknown option '$1': see lab --help" ;;
	esac
}

# Prints the folder of the kernel that --kernel means.
lab_kernel_folder() {
	case $1 in
	stock) lab_require kernel ;;
	6.12) lab_require kernel-6.12 ;;
	*)
		if [ ! -f "$1/vmlinuz" ] || [ ! -d "$1/lib/modules" ]; then
			die "$LAB_USAGE" "--kernel: '$1' is neither stock, nor 6.12, nor a folder with vmlinuz and lib/modules"
		fi
		readlink -f "$1"
		;;
	esac
}
