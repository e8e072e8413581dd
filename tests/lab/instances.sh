#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# lab: --nic none
#
# The iterators against processes whose instances are known: a ring with several areas, a
# ring without an fd, an instance that two processes share and one that outlives its first
# owner, buffers held, free and waiting in the refill ring, and nothing left at the end.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/watch.sh
. "$(dirname "$0")/../lib/watch.sh"

exercise=$build/tests/zcrx_exercise

# exercise_start WORD OPTION...: in the background until it says WORD; $pid is its pid.
exercise_start() {
	local word=$1

	shift
	: >"$tmp/exercise"
	"$exercise" "$@" >"$tmp/exercise" 2>&1 &
	pid=$!
	wait_for 20 grep -q "^$word" "$tmp/exercise" || fail "zcrx_exercise $*" "$(cat "$tmp/exercise")"
}

exercise_stop() {
	kill "$pid"
	wait "$pid"
}

found() { value instance "$@"; }

gone() {
	watch_ask instances && [ "$(value instances count)" = 0 ]
}

areas() {
	exercise_start ready register --nodev --areas 5 --area 1M --rq 64 --comm five-areas --hold
	watch_ask instances
	is 'six areas: one instance, its owner' \
		"$(value instances count) $(found pid) $(found comm) $(found found)" "1 $pid five-areas 1"
	is 'six areas: sizes' "$(found areas) $(found area_bytes) $(found buf) $(found bufs) $(found refill)" \
		"6 $((6 << 20)) 4096 1536 64"
	is 'six areas: all free' "$(found free) $(found held) $(found pending)" '1536 0 0'
	# 2: without a netdev; 16: held was counted
	is 'six areas: no netdev, one user' "$(found flags) $(found rxq) $(found users)" '18 -1 1'
	is 'six areas: its fd is a ring' "$(readlink "/proc/$pid/fd/$(found fd)")" 'anon_inode:[io_uring]'
	exercise_stop
	check 'six areas: gone with its process' wait_for 20 gone
}

ringless() {
	exercise_start ready register --nodev --ringless --hold
	watch_ask instances
	is 'a ring without an fd is found by its task' \
		"$(value instances count) $(found pid) $(found found) $(found fd)" "1 $pid 2 -1"
	exercise_stop
	check 'a ring without an fd: gone with its process' wait_for 20 gone
}

both_ready() { [ "$(grep -c '^ready' "$tmp/exercise")" = 2 ]; }

shared() {
	local child

	exercise_start ready share --nodev --fork --hold
	check 'shared: both are ready' wait_for 20 both_ready
	child=$(pgrep -P "$pid")
	watch_ask instances
	is 'shared: two rings and an exported file' "$(count instance)" 3
	is 'shared: one instance' "$(awk '{ print $2 }' "$tmp/answer" | grep -c id=) $(awk '/^instance:/ { print $2 }' \
		"$tmp/answer" | sort -u | wc -l)" '3 1'
	is 'shared: both processes' "$(($(count instance "pid=$pid") > 0)) $(($(count instance "pid=$child") > 0))" '1 1'
	is 'shared: the kernel counts the users' "$(found users)" 3
	exercise_stop
	check 'shared: gone with its processes' wait_for 20 gone
}

held() {
	recv_start --nodev --connections 2 --area 4M --hold 101
	send 127.0.0.1 --bytes 5000011
	check 'held: the stream has ended' wait_for 20 sh -c "ss -Htn state close-wait 'sport = :$port' | grep -q . || ! ss -Htn state established 'sport = :$port' | grep -q ."
	watch_ask instances
	is 'held: every buffer is free, or with the application' "$(($(found free) + $(found held)))" "$(found bufs)"
	is 'held: 101, besides what waits in the refill ring' "$(($(found held) - $(found pending)))" 101
	kill -USR1 "$rx"
	send 127.0.0.1 --bytes 1000003
	recv_wait
	is 'held: the receiver is content' "$? $(field ok) $(field bytes)" '0 true 6000014'
	check 'held: gone with its process' wait_for 20 gone
}

ip link set lo up
watch_start --subjects instance
watch_ask instances
is 'no instance' "$(value instances count)" 0
areas
ringless
shared
held
watch_stop
rm -rf "$tmp"
finish
