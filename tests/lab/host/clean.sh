#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
#
# Nothing is left of a run: not after kill -9, not after a signal; and two runs
# at once don't meet. All of it in a network namespace of this test's own, with
# its own list of named ones, so that what others make meanwhile isn't counted.

if [ -z "${ZCQ_APART-}" ]; then
	mkdir -p /run/netns
	ZCQ_APART=1 exec unshare --net --mount bash "$0"
fi
mount -t tmpfs none /run/netns || exit
# shellcheck source=tests/lab/host/lib.sh
. "$(dirname "$0")/lib.sh"

script stay <<'E'
lab-peer start sleeper sleep 1000
folder=$(sed -n 's/.*lab\.folder=\([^ ]*\).*/\1/p' /proc/cmdline)
echo "up $folder"
sleep 1000
E

# stay NAME: starts a run and waits until its script says so; sets pid, folder,
# and space, the network namespace of its processes.
stay() {
	local p

	tools/lab/lab run --nic none --keep-log "$work/$1.dmesg" "$work/stay.sh" \
		>"$work/$1.out" 2>"$work/$1.err" </dev/null &
	pid=$!
	wait_for 120 grep -q '^up' "$work/$1.out" ||
		fail "$1: the guest comes up" "$(cat "$work/$1.err")"
	read -r _ folder <"$work/$1.out"
	space=
	for p in /proc/[0-9]*; do
		if tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -q "agent host $folder"; then
			space=$(readlink "$p/ns/net")
		fi
	done
	[ -n "$space" ] || fail "$1: its processes are found" "no agent for $folder"
}

# Processes in the run's network namespace, or that name its folder.
rest() {
	local p

	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net" 2>/dev/null)" != "$space" ] || echo "${p#/proc/}"
		! tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -q "$folder" || echo "${p#/proc/}"
	done
}

nothing_rests() {
	[ -z "$(rest)" ]
}

before=$(ip -br link; ip netns list)
stay kill
is 'a run has processes of its own' "$(($(rest | sort -u | wc -l) >= 4))" 1
kill -9 "$pid"
wait "$pid" 2>/dev/null
check 'after kill -9 no process and no namespace is left' wait_for 10 nothing_rests
is 'no link and no named namespace' "$(ip -br link; ip netns list)" "$before"
is 'no mount' "$(grep -c "$folder" /proc/self/mountinfo)" 0
lab clean
is 'lab clean' $? 0
check 'removes the folder' test ! -e "$folder"

stay term
kill -TERM "$pid"
wait "$pid"
is 'a terminated lab says so' $? 143
check 'after TERM no process and no namespace is left' wait_for 10 nothing_rests
check 'nor a folder' test ! -e "$folder"

script one <<'E'
echo "$1 $(lab-peer run sh -c "ip link set wire alias run$1; sleep 2; cat /sys/class/net/wire/ifalias")"
exit "$1"
E
tools/lab/lab run --nic none --keep-log "$work/3.dmesg" "$work/one.sh" 3 >"$work/3.out" 2>&1 </dev/null &
pid3=$!
tools/lab/lab run --nic none --keep-log "$work/5.dmesg" "$work/one.sh" 5 >"$work/5.out" 2>&1 </dev/null &
pid5=$!
wait "$pid3"
is 'the first of two at once' "$? $(cat "$work/3.out")" '3 3 run3'
wait "$pid5"
is 'the second of two at once' "$? $(cat "$work/5.out")" '5 5 run5'
finish
