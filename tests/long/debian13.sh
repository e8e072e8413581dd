#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long
# timeout: 2400
#
# A Debian 13 system of its own (debootstrap, kept in the lab's cache) builds the tree with its compilers
# and libraries and passes make check. All of it in mount and PID namespaces of this test's own: what
# it mounts and starts ends with it, however it ends, and the copy of the tree is in memory.
if [[ -z ${ZCQ_APART-} ]]; then
	ZCQ_APART=1 exec setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child=KILL \
		--mount-proc bash "$0"
fi
trap 'exit 143' TERM
trap 'exit 130' INT
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

cache=$(tools/lab/lab path cache) || exit 1
mirror=$(tools/lab/lab path mirror) || exit 1
packages=$(tools/setup --list check) || exit 1
root=$cache/debian13

make_root() {
	local new=$cache/tmp.debian13

	rm -rf "$root" "$new"
	debootstrap --variant=minbase --include="${packages// /,}" trixie "$new" "$mirror" &&
		chroot "$new" apt-get clean &&
		echo "$packages" >"$new/etc/zcq-packages" &&
		mv -T "$new" "$root"
}

# A kept system that lacks a package that is wanted by now is made anew.
have_root() { [[ -d $root && $(cat "$root/etc/zcq-packages") == "$packages" ]]; }

mkdir -p "$cache" || exit 1
exec {lock}>"$cache/lock"
flock -w 1800 "$lock" || exit 1
have_root 2>/dev/null || check 'debootstrap of Debian 13' make_root
exec {lock}>&-
have_root 2>/dev/null || finish

inside() {
	env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
}

mount -t tmpfs tmpfs "$root/tmp" && mount -t proc proc "$root/proc" &&
	mount --rbind /sys "$root/sys" && mkdir "$root/tmp/zcq" &&
	tar -c --exclude=./.git --exclude=./build --exclude="./${O:-build}" . |
	tar -x -C "$root/tmp/zcq" || exit 1

log=$root/tmp/log
name="Debian $(cat "$root/etc/debian_version"), gcc $(inside gcc -dumpfullversion), $(
	inside clang --version | sed -n '1s/.*\(clang\) version \([0-9.]*\).*/\1 \2/p'), libbpf $(
	inside pkg-config --modversion libbpf)"
if inside make -C /tmp/zcq -j2 WERROR=1 check >"$log" 2>&1; then
	ok "$name: make check: $(grep -E '^[0-9]+ passed,' "$log")"
else
	fail "$name: make check" "$(grep -E '(error|warning|^ *not ok|^[0-9]+ passed)' "$log" | tail -n 30)"
	cat "$log"
fi
finish
