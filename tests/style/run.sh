#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run itself, with tests made for it: what it counts, and what it says of one that takes too long
# and when it is interrupted.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/style"
cp tests/run "$tree/tests/"
unset O ZCQ_BUILD

# these NAME <<E: the only test is $tree/tests/style/NAME.sh, from standard input.
these() {
	rm -f "$tree"/tests/style/*
	cat >"$tree/tests/style/$1.sh"
}

run() {
	timeout -k 5 60 "$tree/tests/run" check >"$tree/out" 2>&1
	status=$?
}

said() { check "$1" grep -qE -- "$2" "$tree/out"; }
last() { is 'and the last line counts it' "$(tail -n 1 "$tree/out")" "$1"; }

these good <<<'echo "ok - one"; echo "skip - two: nothing"; echo "ok 3"'
run
is 'a good run' "$status" 0
last '2 passed, 0 failed, 2 skipped'

these silent <<<'exit 0'
run
is 'a test that says nothing fails the run' "$status" 1
said 'and is told' '^ *not ok - style/silent: exit status 0 after 0 results$'
last '0 passed, 1 failed, 1 skipped'

these slow <<<$'# timeout: 1\necho "ok - one"; sleep 100'
run
is 'a test that takes too long fails the run' "$status" 1
said 'and the limit is told' '^ *not ok - style/slow: timed out after 1 s$'
last '1 passed, 1 failed, 1 skipped'

these wait <<<$'echo "ok - one"; echo $$ >pid; sleep 100'
echo 'echo "ok - never run"' >"$tree/tests/style/zero.sh"
for signal in INT TERM; do
	rm -f "$tree/pid"
	env --default-signal "$tree/tests/run" check >"$tree/out" 2>&1 &
	pid=$!
	wait_for 10 test -s "$tree/pid"
	kill "-$signal" "$pid"
	wait "$pid"
	is "SIG$signal fails the run" $? 1
	said 'and is told' '^ *not ok - style/wait: interrupted$'
	is 'and no shell adds a word' "$(grep -c 'tests/run: line' "$tree/out")" 0
	last '1 passed, 1 failed, 1 skipped'
	check 'the test is gone' wait_for 5 test ! -e "/proc/$(<"$tree/pid")"
done
finish
