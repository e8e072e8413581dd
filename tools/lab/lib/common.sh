# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# common.sh - what every part of the lab uses: messages, the places where
# things are kept, and the check for the host's programs. Sourced, never run.

# Exit status as everywhere in this project: 0 done, 1 failed, 2 usage,
# 3 unsupported here. A run that timed out is 124.
# shellcheck disable=SC2034 # used by the files sourced after this one
readonly LAB_FAILED=1 LAB_USAGE=2 LAB_UNSUPPORTED=3 LAB_TIMEOUT=124

msg() {
	[ -n "${LAB_QUIET:-}" ] || printf 'lab: %s\n' "$*" >&2
}

warn() {
	printf 'lab: %s\n' "$*" >&2
}

# die [STATUS] TEXT...
die() {
	local status=$LAB_FAILED

	case ${1:-} in
	[0-9] | [0-9][0-9] | [0-9][0-9][0-9])
		status=$1
		shift
		;;
	esac
	printf 'lab: error: %s\n' "$*" >&2
	exit "$status"
}

# The cache holds what Debian published, and can be deleted at any time.
lab_cache() {
	if [ -n "${ZCQ_LAB_CACHE:-}" ]; then
		printf '%s\n' "$ZCQ_LAB_CACHE"
	elif [ -n "${XDG_CACHE_HOME:-}" ]; then
		printf '%s/zcq\n' "$XDG_CACHE_HOME"
	else
		printf '%s/.cache/zcq\n' "${HOME:?HOME is not set: set ZCQ_LAB_CACHE}"
	fi
}

# Scratch folders of the runs. UNIX sockets live there, hence the short path.
lab_scratch_parent() {
	printf '/tmp/zcq-lab.%s\n' "$(id -u)"
}

# lab_need PROGRAM... : names the Debian package of each missing program.
lab_need() {
	local prog missing=()

	for prog; do
		command -v "$prog" >/dev/null || missing+=("$prog ($(lab_package_of "$prog"))")
	done
	[ ${#missing[@]} -eq 0 ] ||
		die "programs missing: ${missing[*]}: install the packages named"
}

lab_package_of() {
	case $1 in
	ip | bridge) echo iproute2 ;;
	unshare | setpriv | nsenter | flock) echo util-linux ;;
	apt-get | apt-cache) echo apt ;;
	dpkg-deb | dpkg) echo dpkg ;;
	cc) echo gcc ;;
	sha256sum | timeout | stty) echo coreutils ;;
	*) echo "$1" ;;
	esac
}
