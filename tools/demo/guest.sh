#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The story of make demo, run in the lab guest by tools/demo/demo: zcq watches while a
# receiver comes, receives, is copied to, starves, lives through a reopen and goes. At the end zcq's
# counts must equal the receiver's own.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lab/lib.sh

zcq=$ZCQ_BUILD/zcq nicset=$ZCQ_BUILD/tests/nicset exercise=$ZCQ_BUILD/tests/zcrx_exercise
dev=$LAB_NIC_IF
tmp=$(mktemp -d)
export COLUMNS=80
trouble=0

say() { printf '\n== %s\n' "$*"; }
wrong() {
	printf 'demo: %s\n' "$*"
	trouble=1
}

# The receiver's result and zcq's events are JSON, one object a line.
events() { jq -s "$1" "$tmp/trace.json"; }
result() { jq -s "map(select(.type == \"bench_recv\"))[0] | $2" "$tmp/$1.json"; }
seen() { [[ $(events "map(select($1)) | length") -gt 0 ]]; }

set_up_nic() {
	nic_addr && "$nicset" "$dev" rx-gro-hw on ntuple on &&
		ethtool -X "$dev" equal 1 >/dev/null &&
		ethtool -N "$dev" flow-type tcp4 dst-port 9001 action 1 >/dev/null
}

# watch: zcq trace twice: for the eye, and as JSON for the count at the end.
watch() {
	mkfifo "$tmp/ready" "$tmp/ready2"
	# What is told in the story; the JSON run has everything.
	"$zcq" trace --netdev "$dev" \
		--event registered,rejected,bound,unbound,reconfigured,copied,starved,alloc-recovered,traffic \
		--ready-fd 3 3>"$tmp/ready" &
	show=$!
	"$zcq" trace --json --ready-fd 3 3>"$tmp/ready2" >"$tmp/trace.json" &
	count=$!
	local line
	for line in ready ready2; do
		read -rt 60 line <"$tmp/$line" && [[ $line == attached ]] || return
	done
}

# receive NAME OPTION...: a receiver on queue 1 in the background, ready when this returns.
receive() {
	local name=$1
	shift
	mkfifo "$tmp/$name"
	"$zcq" bench recv --netdev "$dev" --queue 1 --wait 60s --json --ready-fd 3 "$@" \
		3>"$tmp/$name" >"$tmp/$name.json" &
	receiver=$!
	read -rt 30 _ <"$tmp/$name"
}

send() { lab-peer run "$zcq" bench send --quiet "$@" >/dev/null; }

# ended PID NAME: the receiver is done and content.
ended() { wait "$1" || wrong "receiver $2 failed: $(cat "$tmp/$2.json")"; }

# same WHAT ZCQ RECEIVER: the two must agree.
same() {
	if [[ $2 == "$3" ]]; then
		printf '   %-28s %12s bytes, as the receiver says\n' "$1" "$2"
	else
		wrong "$1: zcq says $2 bytes, the receiver says $3"
	fi
}

set_up_nic || {
	echo 'demo: the NIC could not be set up'
	exit 1
}
echo "Linux $(uname -r), $dev is $(ethtool -i "$dev" | sed -n 's/^driver: //p'), queue 1 is for TCP port 9001"
watch || wrong 'zcq trace did not attach'

say 'A program asks for queue 1, but the header split is off: refused, and why'
"$exercise" register --if "$dev" --queue 1 --expect EINVAL >/dev/null 2>&1
"$nicset" "$dev" tcp-data-split on hds-thresh 0 || wrong 'the header split could not be turned on'

say 'A receiver gets queue 1; a peer sends 20 MB to port 9001: received without a copy'
receive first --port 9001 --connections 2
send "$GUEST4" --port 9001 --bytes 20000003

say 'zcq queues: whose queue it is, its buffers, its rules'
"$zcq" queues "$dev"

say 'The next flow uses IPv6; no rule sends it to queue 1, so it is copied'
send "$GUEST6" --port 9001 --bytes 3000017
ended "$receiver" first

say 'A receiver that keeps its buffers: the queue starves, then recovers'
receive second --port 9001 --connections 1 --area 4M --hold 1024 --hold-for 3s
send "$GUEST4" --port 9001 --bytes 12000017
ended "$receiver" second

say 'The netdev is reopened under a receiver (ring size changed)'
receive third --port 9001 --connections 1
ethtool -G "$dev" rx 512 >/dev/null 2>&1 || wrong 'the ring size could not be changed'
wait_for 10 nic_carrier
send "$GUEST4" --port 9001 --bytes 5000011
ended "$receiver" third

say 'Totals'
wait_for 15 seen '.type == "unbound"'
kill -INT "$show" "$count"
wait "$show" || wrong "the zcq trace on show ended with status $?"
wait "$count" || wrong "the zcq trace that counts ended with status $?"

for kind in zc copied; do
	mine=$(events "map(select(.type == \"flow-ended\") | .${kind}_bytes) | add")
	theirs=0
	for r in first second third; do
		if [[ $kind == zc ]]; then key=.zerocopy_bytes; else key=.copied_bytes; fi
		theirs=$((theirs + $(result "$r" "$key")))
	done
	same "$kind" "$mine" "$theirs"
done
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
