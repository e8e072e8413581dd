# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# fetch.sh - fills the cache: QEMU with its libraries (and the few programs a
# guest wants), kernels with their modules, the kernel's headers. Everything is
# unpacked into a temporary folder and renamed, so what has its final name is
# whole. $CACHE/NAME is a link to the current $CACHE/NAME-VERSION.

readonly LAB_COMPONENTS=(qemu kernel headers kernel-6.12 selftests)

# What each component is: package, its condition, and the suites in the order
# in which they are asked.
lab_component() {
	case $1 in
	qemu) echo "qemu-system-x86 ge 1:10.1 $LAB_SUITE-backports sid" ;;
	kernel) echo "linux-image-amd64 ge 7.3 $LAB_SUITE-backports sid" ;;
	headers) echo "linux-headers-amd64 ge 7.3 $LAB_SUITE-backports sid" ;;
	kernel-6.12) echo "linux-image-amd64 lt 6.13~ $LAB_SUITE" ;;
	selftests) echo "linux-source ge 7.3 $LAB_SUITE-backports sid" ;;
	*) return 1 ;;
	esac
}

# lab_path NAME: the current folder of a component; status 1 if there is none.
lab_path() {
	local link

	link=$(lab_cache)/$1
	[ -d "$link/." ] || return 1
	readlink -f "$link"
}

# lab_require NAME: the same, or the end.
lab_require() {
	lab_path "$1" || die "no $1 in $(lab_cache): run tools/lab/lab fetch $1"
}

# lab path NAME, also of what is not a component.
lab_show_path() {
	case "$#:${1:-}" in
	1:cache) lab_cache ;;
	1:mirror) lab_mirror || die "no Debian archive in /etc/apt: set ZCQ_LAB_MIRROR" ;;
	1:*)
		lab_component "$1" >/dev/null ||
			die "$LAB_USAGE" "path: '$1' is not one of ${LAB_COMPONENTS[*]} cache mirror"
		lab_require "$1"
		;;
	*) die "$LAB_USAGE" "path: say which of ${LAB_COMPONENTS[*]} cache mirror" ;;
	esac
}

# lab_choose NAME [VERSION]: sets LAB_VERSION and LAB_FROM (the suite).
lab_choose() {
	local package op version want suites suite

	read -r package op version suites <<<"$(lab_component "$1")"
	for suite in $suites; do
		if [ "$suite" = sid ]; then
			(lab_apt_update "$LAB_SUITE" "$LAB_SUITE-backports" sid) || continue
		fi
		if [ -n "${2:-}" ]; then
			LAB_VERSION=$(lab_apt_pick "$package" eq "$2" "$suite") || continue
		else
			LAB_VERSION=$(lab_apt_pick "$package" "$op" "$version" "$suite") || continue
		fi
		LAB_FROM=$suite
		return 0
	done
	want=${2:+= $2}
	warn "error: no $package ${want:-$op $version} in ${suites// / or }; offered are:"
	lab_apt_offers "$package" | sed "s/ / in /; s/^/  /" >&2
	die "$1 can't be fetched: ${2:+ask for one of these versions, or }try another mirror with ZCQ_LAB_MIRROR"
}

# lab_unpack FOLDER TARGET FILE... : dpkg's archives FILE in FOLDER into TARGET.
lab_unpack() {
	local folder=$1 target=$2 file

	shift 2
	for file; do
		dpkg-deb -x "$folder/$file" "$target" ||
			die "$folder/$file can't be unpacked: is the disk full?"
	done
}

# The image's own packages: what linux-image-UNAME needs that is also of UNAME.
lab_kernel_packages() {
	local todo=("$1") seen=" " package version=$3

	while [ ${#todo[@]} -gt 0 ]; do
		package=${todo[0]}
		todo=("${todo[@]:1}")
		[[ $seen != *" $package "* ]] || continue
		seen+="$package "
		printf '%s=%s\n' "$package" "$version"
		mapfile -t -O ${#todo[@]} todo < <(
			lab_apt_field "$package" "$version" Depends | tr -s ",|" "\n" |
				sed -E 's/^ +//; s/ .*//' | grep -E -- "-${2//[.+]/\\&}\$" || :)
	done
}

# lab_uname_of META VERSION PREFIX: the kernel release that a meta-package means.
lab_uname_of() {
	lab_apt_field "$1" "$2" Depends | tr ',' '\n' |
		sed -nE "s/^ *$3-([0-9][^ ]*).*/\1/p" | head -n 1
}

# Each lab_get_* fills folder $3 from archives in folder $2 for version $1.
lab_get_qemu() {
	local files

	files=$(lab_apt_archives "$2" install -t "$LAB_FROM" \
		"qemu-system-x86=$1" busybox-static kmod ethtool) || return 1
	# shellcheck disable=SC2086 # one word per file
	lab_unpack "$2" "$3" $files
	# Only what runs: the packages also bring documentation and set-up files.
	rm -rf "$3"/usr/share/{doc,man,locale,info,bash-completion} "${3:?}"/{etc,var}
	[ -e "$3/lib64" ] || ln -s usr/lib64 "$3/lib64"
	lab_in_root "$3" qemu-system-x86_64 -device help 2>/dev/null | grep -q '"vfio-user-pci"' ||
		die "QEMU $1 of $LAB_FROM does not run here or has no vfio-user-pci"
}

lab_get_kernel() {
	local uname packages files

	uname=$(lab_uname_of linux-image-amd64 "$1" linux-image)
	[ -n "$uname" ] || die "linux-image-amd64 $1 names no image"
	mapfile -t packages < <(lab_kernel_packages "linux-image-$uname" "$uname" "$1")
	files=$(lab_apt_archives "$2" download "${packages[@]}") || return 1
	mkdir "$3/tmp"
	# shellcheck disable=SC2086
	lab_unpack "$2" "$3/tmp" $files
	mkdir -p "$3/lib/modules"
	if [ -d "$3/tmp/usr/lib/modules/$uname" ]; then
		mv "$3/tmp/usr/lib/modules/$uname" "$3/lib/modules/"
	else
		mv "$3/tmp/lib/modules/$uname" "$3/lib/modules/"
	fi
	if [ -f "$3/tmp/boot/vmlinuz-$uname" ]; then
		mv "$3/tmp/boot/vmlinuz-$uname" "$3/vmlinuz"
	else
		mv "$3/lib/modules/$uname/vmlinuz" "$3/vmlinuz"
	fi
	find "$3/tmp" -name 'config*' -type f -exec cp {} "$3/config" \;
	rm -rf "$3/tmp" "$3/lib/modules/$uname"/{build,source}
	lab_in_root "$(lab_require qemu)" depmod -b "$3" "$uname" ||
		die "depmod failed for $uname"
}

lab_get_headers() {
	local uname common files version=$1

	uname=$(lab_uname_of linux-headers-amd64 "$1" linux-headers)
	[ -n "$uname" ] || die "linux-headers-amd64 $1 names no headers"
	common=$(lab_apt_field "linux-headers-$uname" "$version" Depends | tr ',' '\n' |
		sed -nE 's/^ *(linux-headers-[^ ]*-common).*/\1/p' | head -n 1)
	[ -n "$common" ] || die "linux-headers-$uname names no common headers"
	files=$(lab_apt_archives "$2" download "$common") || return 1
	mkdir "$3/tmp"
	# shellcheck disable=SC2086
	lab_unpack "$2" "$3/tmp" $files
	mv "$3/tmp/usr/src/$common"/* "$3/"
	rm -rf "$3/tmp"
	[ -f "$3/include/linux/mlx5/mlx5_ifc.h" ] ||
		die "$common lacks include/linux/mlx5/mlx5_ifc.h"
}

# lab_fetch_one NAME[=VERSION]
lab_fetch_one() {
	local name=${1%%=*} version='' cache target archives temp

	[[ $1 != *=* ]] || version=${1#*=}
	cache=$(lab_cache)
	if [ -z "$version" ] && [ -z "${LAB_UPDATE:-}" ] && target=$(lab_path "$name"); then
		msg "$name: ${target##*/} is there"
		return 0
	fi
	[ -n "${LAB_LISTS_READ:-}" ] || lab_apt_update "$LAB_SUITE" "$LAB_SUITE-backports"
	LAB_LISTS_READ=1
	lab_choose "$name" "$version"
	target=$cache/${name%%-*}-${LAB_VERSION#*:}
	if [ ! -d "$target" ]; then
		msg "$name: fetching $LAB_VERSION from $LAB_FROM"
		archives=$cache/apt/archives-$name
		temp=$cache/tmp.$name
		rm -rf "$temp"
		mkdir -p "$temp"
		chmod 755 "$temp"
		"lab_get_${name%%-*}" "$LAB_VERSION" "$archives" "$temp" ||
			die "$name $LAB_VERSION could not be fetched (see above); what was downloaded is kept, run it again"
		mv -T "$temp" "$target"
		rm -rf "$archives"
	fi
	ln -sfn "${target##*/}" "$cache/tmp.link.$name"
	mv -T "$cache/tmp.link.$name" "$cache/$name"
	msg "$name: ${target##*/} ($(du -sm "$target" | cut -f1) MB)"
}

# lab_fetch_here [--update] [NAME[=VERSION]...]
lab_fetch_here() {
	local lock names=() name

	while [ $# -gt 0 ]; do
		case $1 in
		--update) LAB_UPDATE=1 ;;
		all) names+=("${LAB_COMPONENTS[@]}") ;;
		-*) die "$LAB_USAGE" "fetch: unknown option $1" ;;
		*)
			lab_component "${1%%=*}" >/dev/null ||
				die "$LAB_USAGE" "fetch: unknown component '$1': there are ${LAB_COMPONENTS[*]}, all"
			names+=("$1")
			;;
		esac
		shift
	done
	[ ${#names[@]} -gt 0 ] || names=(qemu kernel headers)
	lab_need apt-get apt-cache dpkg-deb dpkg flock timeout
	mkdir -p "$(lab_cache)" || die "no cache folder: set ZCQ_LAB_CACHE"
	exec {lock}>"$(lab_cache)/lock"
	if ! flock -n "$lock"; then
		msg "another lab is fetching: waiting for it"
		flock -w 1800 "$lock" || die "another lab holds $(lab_cache)/lock since half an hour"
	fi
	# Kernels need kmod, which comes with QEMU.
	for name in "${names[@]}"; do
		case $name in
		kernel*) lab_path qemu >/dev/null || lab_fetch_one qemu ;;
		esac
		lab_fetch_one "$name"
	done
	# The package lists are as big as what was fetched, and old by the next time.
	rm -rf "$(lab_cache)"/apt/{state,cache}
	exec {lock}>&-
}

# lab fetch ARG... : in a PID namespace whose first process dies with this one, as in
# run.sh: apt would go on alone otherwise. Where none can be made, without.
lab_fetch() {
	local apart=(unshare --pid --fork --kill-child=KILL) status=0

	[ "$(id -u)" -eq 0 ] || apart+=(--user --map-current-user)
	if [ $$ -eq 1 ] || ! "${apart[@]}" true 2>/dev/null; then
		lab_fetch_here "$@"
		return
	fi
	lab_traps
	setpriv --pdeathsig KILL "${apart[@]}" bash "$LAB_DIR/lab" fetch "$@" &
	LAB_CHILD=$!
	wait "$LAB_CHILD" || status=$?
	LAB_CHILD=
	return "$status"
}
