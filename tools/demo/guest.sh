#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The story of make demo, run in the lab guest by tools/demo/demo: zcq watches while a
# receiver comes, receives, is copied to, starves, lives through a reopen and goes. At the end zcq's
# counts must equal the receivers' own.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lab/lib.sh

zcq=$ZCQ_BUILD/zcq nicset=$ZCQ_BUILD/tests/nicset exercise=$ZCQ_BUILD/tests/zcrx_exercise
dev=$LAB_NIC_IF
tmp=$(mktemp -d)
export COLUMNS=80
trouble=0

# say HEADLINE [LINE...]
say() {
	printf '\n== %s\n' "$1"
	shift
	(($# == 0)) || printf '   %s\n' "$@"
}
wrong() {
	printf 'demo: %s\n' "$*"
	trouble=1
}

# The receivers' results and zcq's events are JSON, one object a line.
events() { jq -s "$1" "$tmp/trace.json"; }
result() { jq -s "map(select(.type == \"bench_recv\"))[0] | $2" "$tmp/$1.json"; }
seen() { [[ $(events "map(select($1)) | length") -gt 0 ]]; }

set_up_nic() {
	nic_addr && "$nicset" "$dev" rx-gro-hw on ntuple on &&
		ethtool -X "$dev" equal 1 >/dev/null &&
		ethtool -N "$dev" flow-type tcp4 dst-port 9001 action 1 >/dev/null
}

# ready NAME WORD: the program that was given the fifo says so.
ready() {
	local line
	read -rt 60 line <"$tmp/$1" && [[ $line == "$2"* ]]
}

# watch: zcq trace twice: for the eye, and as JSON for the count at the end.
watch() {
	mkfifo "$tmp/show-ready" "$tmp/count-ready"
	# What is told in the story; the JSON run has everything.
	"$zcq" trace --quiet --netdev "$dev" \
		--event registered,rejected,bound,unbound,reconfigured,copied,starved,alloc-recovered,traffic \
		--ready-fd 3 3>"$tmp/show-ready" > >(tee "$tmp/show") &
	show=$!
	"$zcq" trace --quiet --json --ready-fd 3 3>"$tmp/count-ready" >"$tmp/trace.json" &
	count=$!
	ready show-ready attached && ready count-ready attached
}

# shown TEXT [N]: waits until the trace on show has it N times, so that the story goes on after it.
shown() {
	wait_for 20 has "$1" "${2:-1}" || wrong "zcq trace did not show \"$1\""
}
has() { (($(grep -c -e "$1" "$tmp/show") >= $2)); }

# receive NAME OPTION...: a receiver on queue 1 in the background, ready when this returns.
receive() {
	local name=$1
	shift
	mkfifo "$tmp/$name-ready"
	"$zcq" bench recv --netdev "$dev" --queue 1 --wait 60s --json --ready-fd 3 "$@" \
		3>"$tmp/$name-ready" >"$tmp/$name.json" &
	receiver=$!
	ready "$name-ready" ready: || wrong "receiver $name did not get ready"
}

send() { lab-peer run "$zcq" bench send --quiet "$@" >/dev/null; }

# ended NAME: the receiver is done and content.
ended() { wait "$receiver" || wrong "receiver $1 failed: $(cat "$tmp/$1.json")"; }

# send_measured OPTION...: sends while zcq queues measures; its table is in $tmp/queues then.
send_measured() {
	local queues
	mkfifo "$tmp/queues-ready"
	"$zcq" queues "$dev" --ready-fd 3 3>"$tmp/queues-ready" >"$tmp/queues" &
	queues=$!
	ready queues-ready measuring || wrong 'zcq queues did not begin to measure'
	send "$@"
	wait "$queues" || wrong "zcq queues ended with status $?"
	grep -q 'zc_bytes_per_s=[1-9]' "$tmp/queues" || wrong 'zcq queues measured no traffic'
}

# total KIND: what zcq and the receivers counted of it; they must agree.
total() {
	local mine theirs=0 r
	mine=$(events "map(select(.type == \"flow-ended\") | .$1_bytes) | add")
	for r in first second third; do
		theirs=$((theirs + $(result "$r" ".${1/#zc/zerocopy}_bytes")))
	done
	printf '   %-16s %12s %12s\n' "$2" "$mine" "$theirs"
	[[ $mine == "$theirs" ]] || wrong "zcq says $mine bytes, the receivers say $theirs"
}

set_up_nic || {
	echo 'demo: the NIC could not be set up'
	exit 1
}
echo "Linux $(uname -r); $dev is $(ethtool -i "$dev" | sed -n 's/^driver: //p')."
echo 'TCP over IPv4 to port 9001 goes to its queue 1.'
echo 'zcq trace runs all the time: the lines that begin with a time are its own.'
watch || wrong 'zcq trace did not attach'

say 'A program asks for queue 1 without header split: refused' \
	'The program is told EINVAL; zcq shows the reason.'
"$exercise" register --if "$dev" --queue 1 --expect EINVAL >/dev/null 2>&1
shown ' rejected '
"$nicset" "$dev" tcp-data-split on hds-thresh 0 || wrong 'the header split could not be turned on'

say 'With header split a receiver gets queue 1' \
	'The kernel stops the queue and starts it again with the new memory.'
receive first --port 9001 --connections 2
shown ' registered '

say 'A peer sends 20 MB, 8 MB a second, to port 9001: received without a copy'
send_measured "$GUEST4" --port 9001 --bytes 20000003 --rate 8000000
shown receives_ended=

say 'What "zcq queues" measured meanwhile' \
	'Whose queue it is, its buffers, its rules, bytes a second.'
cat "$tmp/queues"

say 'The next flow is IPv6; no rule sends it to queue 1, so it is copied' \
	'queue_wanted is the queue of the receiver, queue_seen where the data came.'
send "$GUEST6" --port 9001 --bytes 3000017
ended first
shown receives_ended= 2
shown ' unbound '

say 'A receiver keeps all of its 1024 buffers for 3 s: the queue starves' \
	'It recovers when the buffers are given back.'
receive second --port 9001 --connections 1 --area 4M --hold 1024 --hold-for 3s
send "$GUEST4" --port 9001 --bytes 12000017
ended second
shown ' alloc-recovered '
shown receives_ended= 3
shown ' unbound ' 2

say "$dev is reopened under a receiver: its ring size was changed" \
	'cause=reopen: all queues stood still, for standstill_ns.'
receive third --port 9001 --connections 1
ethtool -G "$dev" rx 512 >/dev/null 2>&1 || wrong 'the ring size could not be changed'
shown cause=reopen
wait_for 10 nic_carrier
send "$GUEST4" --port 9001 --bytes 5000011
ended third
shown receives_ended= 4
shown ' unbound ' 3

say 'zcq trace ends with what it showed and lost'
wait_for 15 seen '.type == "unbound"'
kill -INT "$show" "$count"
wait "$show" || wrong "the zcq trace on show ended with status $?"
wait "$count" || wrong "the zcq trace that counts ended with status $?"
shown ' summary '

say 'All bytes, counted by zcq and by the receivers, which checked each'
printf '   %-16s %12s %12s\n' '' zcq receivers
total zc 'without a copy'
total copied copied
for e in rejected bound reconfigured copied starved unbound; do
	seen ".type == \"$e\"" || wrong "no event \"$e\" was seen"
done
[[ $(events 'map(select(.type == "summary"))[0].lost') == 0 ]] || wrong 'zcq lost events'
if [[ ${1:-} == keep ]]; then
	printf '\nThe guest stays; press a key to end. '
	read -rsn1
	echo
fi
rm -rf "$tmp"
exit "$trouble"
