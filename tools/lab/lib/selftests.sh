# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# selftests.sh - the kernel's own programs for zero-copy receive, as independent
# receivers in our scenarios: iou-zcrx (io_uring zcrx) and ncdevmem (devmem TCP),
# built from Debian's kernel source package with the headers of the same version.
# liburing new enough for iou-zcrx is only in sid. Sourced by lab; called by fetch.sh.

readonly LAB_SELFTEST_FOLDERS=(
	tools/net/ynl tools/testing/selftests/drivers/net/hw
	Documentation/netlink include/uapi/linux
)

# lab_source_of VERSION: the package that the meta-package linux-source means.
lab_source_of() {
	lab_apt_field linux-source "$1" Depends | tr ',' '\n' |
		sed -nE 's/^ *(linux-source-[0-9.]+).*/\1/p' | head -n 1
}

# The netlink library that ncdevmem uses is generated from the specs. The generator looks for
# the file MAINTAINERS in each folder above them, and without one it would look for ever.
lab_build_ynl() {
	local ynl=$1/tools/net/ynl

	: >"$1/MAINTAINERS"
	PATH=/usr/sbin:/usr/bin:/sbin:/bin make -s -C "$ynl/lib" ynl.a &&
		PATH=/usr/sbin:/usr/bin:/sbin:/bin make -s -C "$ynl/generated" \
			netdev-user.o ethtool-user.o
}

# lab_build_selftests SOURCE HEADERS TARGET
lab_build_selftests() {
	local source=$1 headers=$2/usr/include target=$3
	local hw=$source/tools/testing/selftests/drivers/net/hw ynl=$source/tools/net/ynl
	local cc=(cc -O2 -w -I"$headers" -I"$headers/x86_64-linux-gnu")

	"${cc[@]}" "$hw/iou-zcrx.c" -o "$target/iou-zcrx" \
		"$2/usr/lib/x86_64-linux-gnu/liburing.a" &&
		lab_build_ynl "$source" &&
		"${cc[@]}" -I"$ynl/lib" -I"$ynl/generated" "$hw/ncdevmem.c" -o "$target/ncdevmem" \
			"$ynl"/generated/{netdev,ethtool}-user.o "$ynl/lib/ynl.a"
}

lab_get_selftests() {
	local package files version=$1 archives=$2 target=$3 work=$3/tmp log=$3/build.log

	lab_need cc make python3
	python3 -c "import yaml, jsonschema" 2>/dev/null ||
		die "the kernel's selftests need python3-yaml and python3-jsonschema: install them"
	package=$(lab_source_of "$version")
	[ -n "$package" ] || die "linux-source $version names no source package"
	lab_apt_update "$LAB_SUITE" "$LAB_SUITE-backports" sid
	files=$(lab_apt_archives "$archives" download "$package=$version" \
		"linux-libc-dev=$version" liburing-dev/sid) || return 1
	mkdir -p "$work"
	# shellcheck disable=SC2086 # one word per file
	lab_unpack "$archives" "$work" $files
	msg "selftests: unpacking $package"
	tar -x -C "$work" --strip-components=1 -f "$work/usr/src/$package.tar.xz" \
		"${LAB_SELFTEST_FOLDERS[@]/#/$package/}" || return 1
	lab_build_selftests "$work" "$work" "$target" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		die "the kernel's selftests don't build (see above)"
	}
	rm -rf "$work"
}
