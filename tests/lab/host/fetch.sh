#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 360
#
# lab fetch: how it reads apt's configuration, and that what can't be had is an
# error soon. Without the network only the part that needs none.

# shellcheck source=tests/lab/host/lib.sh
. "$(dirname "$0")/lib.sh"

# mirror: what "lab path mirror" says of the files in $work/apt.
mirror() {
	LAB_APT_ETC=$work/apt lab path mirror
	cat "$work/out"
}

# sources NAME: apt's file NAME from standard input, alone.
sources() {
	rm -rf "$work/apt"
	mkdir -p "$work/apt/sources.list.d"
	cat >"$work/apt/$1"
}

sources sources.list.d/debian.sources <<'E'
# Security first, then one that is off.
Types: deb
URIs: http://security.example/debian-security
Suites: trixie-security
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: trixie
Components: main

Types: deb-src deb
URIs:
 http://one.example/debian/
 http://two.example/debian
Suites: trixie trixie-updates
Components: contrib main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
E
is 'deb822: the first archive with main that is on' "$(mirror)" http://one.example/debian

sources sources.list <<'E'
# deb http://comment.example/debian trixie main
deb-src http://source.example/debian trixie main
deb http://other.example/ubuntu noble main
deb http://contrib.example/debian trixie contrib
deb [arch=amd64 signed-by=/x.gpg] http://list.example/debian trixie main # the one
E
is 'one-line: the first archive with main' "$(mirror)" http://list.example/debian

sources sources.list <<'E'
deb cdrom:[Debian]/ trixie main
deb http://other.example/stuff stable main
E
mirror >/dev/null
says 'no archive is an error that tells what to do' 'set ZCQ_LAB_MIRROR'

lab path frobnicate
is 'an unknown component is a usage error' $? 2
lab fetch frobnicate
is 'to fetch too' $? 2

begin=$SECONDS
ZCQ_LAB_MIRROR=http://127.0.0.1:9/debian ZCQ_LAB_CACHE=$work/cache lab fetch headers
is 'a mirror that does not answer is an error' $? 1
says 'that names it' '127\.0\.0\.1:9.*could not be read'
is 'soon' "$((SECONDS - begin < 60))" 1

# killed SIGNAL STATUS: nothing is left of a fetch that waits for its mirror, which here is an
# address where nobody is.
killed() {
	local cache=$work/cache-$1 pid

	ZCQ_LAB_CACHE=$cache ZCQ_LAB_MIRROR=http://192.0.2.1/debian unshare --net bash -c '
		ip link add wire type bridge && ip addr add 192.0.2.2/24 dev wire &&
			ip link set wire up &&
			ip neigh add 192.0.2.1 dev wire lladdr 02:00:00:00:00:01 &&
			exec env --default-signal tools/lab/lab fetch headers' \
		>"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	check "a fetch waits (SIG$1)" wait_for 30 fetches "$cache" apt/methods
	kill "-$1" "$pid"
	wait "$pid" 2>/dev/null
	is "SIG$1 ends it" $? "$2"
	check 'and apt with it' wait_for 5 eval "! fetches '$cache' ."
}

# fetches CACHE REGEX: is there a process of that cache with such a command line?
fetches() {
	local p

	for p in /proc/[0-9]*; do
		if grep -qsz "^ZCQ_LAB_CACHE=$1\$" "$p/environ" &&
			tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -q "$2"; then return 0; fi
	done
	return 1
}

killed TERM 143
killed INT 130
killed KILL 137

# shellcheck disable=SC2016 # for the inner shell
if ! timeout 20 bash -c 'exec 3<>"/dev/tcp/$0/80"' "$(tools/lab/lab path mirror |
	sed -E 's,^[a-z]+://,,; s,[:/].*,,')" 2>/dev/null; then
	skip 'versions from the mirror' 'the mirror of this machine does not answer on port 80'
	finish
fi

export ZCQ_LAB_CACHE=$work/cache
lab fetch headers=1.2.3-4
is 'a version that is not there is an error' $? 1
says 'that names it' 'no linux-headers-amd64 = 1\.2\.3-4'
says 'and names what is offered' '^  [0-9]+\.[0-9].* in trixie-backports'

lab fetch headers &
first=$!
tools/lab/lab fetch headers >"$work/second" 2>&1
is 'two may fetch at once (one)' $? 0
wait "$first"
is 'two may fetch at once (other)' $? 0
check 'and the headers are there' test -f "$work/cache/headers/include/linux/mlx5/mlx5_ifc.h"
is 'nothing half-done is left' "$(find "$work/cache" -maxdepth 1 -name 'tmp*')" ''
lab fetch headers
says 'a second time there is nothing to do' 'headers-.* is there'
finish
