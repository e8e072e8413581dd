#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long
# timeout: 2400
#
# A Debian 13 system of its own (debootstrap, kept in the cache) builds the tree with its compilers and
# libraries and passes make check.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

cache=$(tools/lab/lab path cache) || exit 1
mirror=$(tools/lab/lab path mirror) || exit 1
root=$cache/debian13
mapfile -t packages < <(tools/setup --list check | tr ' ' '\n')

make_root() {
	rm -rf "$root.new"
	debootstrap --variant=minbase --include=ca-certificates trixie "$root.new" "$mirror" &&
		chroot "$root.new" apt-get -q update &&
		DEBIAN_FRONTEND=noninteractive chroot "$root.new" apt-get -q -y \
			--no-install-recommends install "${packages[@]}" &&
		mv -T "$root.new" "$root"
}

if [[ ! -d $root ]]; then
	check 'debootstrap of Debian 13' make_root
	[[ -d $root ]] || finish
fi

work=$root/tmp/zcq
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$work"' EXIT
rm -rf "$work" && mkdir -p "$work"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$work"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" || exit 1

if chroot "$root" make -C /tmp/zcq -j2 WERROR=1 check >"$work/log" 2>&1; then
	ok "make check on Debian $(cat "$root/etc/debian_version")"
else
	fail 'make check on Debian 13' "$(tail -n 30 "$work/log")"
fi
finish
