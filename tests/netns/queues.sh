#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# zcq queues on the running kernel, in a namespace with a veth pair of 3 and 5 rx queues, against what
# the kernel says to an independent reader (tests/tools/netdev_dump.py), /sys and ip(8). No
# zero-copy NIC is needed or used; the lab scenario queues.sh has one.

# shellcheck source=tests/lib/ok.sh
. "$(dirname "$0")/../lib/ok.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
zcq=${ZCQ_BUILD:-$PWD/build}/zcq
tmp=$(mktemp -d)
ns=zcqq-$$

cleanup() {
	ip netns del "$ns" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT

setup() {
	ip netns add "$ns" &&
		ip -n "$ns" link add va numrxqueues 3 numtxqueues 5 type veth \
			peer name vb numrxqueues 5 numtxqueues 3 &&
		ip -n "$ns" link set va up && ip -n "$ns" link set vb up &&
		ip -n "$ns" link set lo up
}

# An XDP program gives a veth its NAPIs.
attach_xdp() {
	cat >"$tmp/pass.c" <<-'END' &&
		#include <linux/bpf.h>
		__attribute__((section("xdp"), used)) int pass(struct xdp_md *ctx) { return XDP_PASS; }
		char _license[] __attribute__((section("license"), used)) = "GPL";
	END
		clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$tmp/pass.c" -o "$tmp/pass.o" &&
		ip -n "$ns" link set va xdp obj "$tmp/pass.o" sec xdp
}

inside() { ip netns exec "$ns" "$@"; }
kernel() { inside python3 "$here/tools/netdev_dump.py" "$@"; }
queues() { timeout 60 "$zcq" queues --netns "$ns" --interval 0 "$@"; }
# rows TYPE FILTER: jq on the records of one type.
rows() { jq -r "select(.type == \"$1\") | $2" "$tmp/json"; }

same_as_kernel() {
	queues --json --pools >"$tmp/json" 2>"$tmp/err"
	is 'exit status' $? 0
	is 'the first line has the schema' "$(head -n 1 "$tmp/json" | jq -r '.type + " " + .command')" 'header queues'
	is 'rx queues, NAPIs and providers are the kernel'\''s' \
		"$(rows queue '[.ifindex, .queue, (.napi_id // "-"), .provider] | map(tostring) | join(" ")' | sort)" \
		"$(kernel queues | sort)"
	is 'and their interrupts and threads' "$(zcq_napis)" "$(kernel_napis kernel)"
	is 'page pools are the kernel'\''s' \
		"$(rows pool '[.id, (.netdev // "-"), .inflight] | map(tostring) | join(" ")' | wc -l)" \
		"$(kernel pools | wc -l)"
	is 'XDP is told' "$(rows netdev 'select(.xdp) | .netdev')" va
	is 'kind and driver' "$(rows netdev 'select(.netdev == "vb") | .kind + " " + .driver')" 'veth veth'
	is 'what veth has not is null' \
		"$(rows queue 'select(.netdev == "va" and .queue == 0) | [.pkts, .rss_pct, .owner, .received] | map(tostring) | join(" ")')" \
		'null null null null'
}

# IFINDEX ID NAPI IRQ PID of each rx queue, as the kernel's two dumps join.
kernel_napis() {
	local in=$1
	join -a 1 -e - -o 1.2,1.3,1.1,2.2,2.3 \
		<("$in" queues | awk '{ print $3, $1, $2 }' | sort) <("$in" napis | sort) | sort
}
# Only what queue-get lists: a netdev that is down has a provider of null.
zcq_napis() { rows queue 'select(.provider) | [.ifindex, .queue, .napi_id, .irq, .napi_pid] | map(. // "-" | tostring) | join(" ")' | sort; }

# The machine's own netdevs, looked at only: veth does not link its queues to NAPIs and has no statistics.
here_kernel() { python3 "$here/tools/netdev_dump.py" "$@"; }
root_namespace() {
	local before after bad
	before=$(here_kernel qstats)
	timeout 60 "$zcq" queues --interval 0 --json >"$tmp/json" 2>/dev/null
	after=$(here_kernel qstats)
	is 'own namespace: NAPI, interrupt and thread of each queue' \
		"$(zcq_napis)" "$(kernel_napis here_kernel)"
	# IFINDEX ID PACKETS BYTES: each figure lies between the kernel's before and after.
	bad=$(rows queue 'select(.pkts) | [.ifindex, .queue, .pkts, (.bytes // "-")] | map(tostring) | join(" ")' |
		awk 'FILENAME == ARGV[1] { lo[$1, $2] = $3; lob[$1, $2] = $4; next }
			FILENAME == ARGV[2] { hi[$1, $2] = $3; hib[$1, $2] = $4; next }
			{ seen[$1, $2] = 1
			  if ($3 < lo[$1, $2] || $3 > hi[$1, $2] || $4 < lob[$1, $2] || $4 > hib[$1, $2]) print }
			END { for (q in lo) if (!(q in seen)) print "missing", q }' \
			<(echo "$before") <(echo "$after") -)
	if [[ -z $before ]]; then
		skip 'own namespace: packets and bytes' 'no netdev here has statistics of its queues'
	else
		is 'own namespace: packets and bytes lie between the kernel'\''s before and after' "$bad" ''
	fi
}

netdev_down() {
	ip -n "$ns" link set vb down
	queues --json vb >"$tmp/json" 2>/dev/null
	ip -n "$ns" link set vb up
	is 'a netdev that is down still lists its queues' "$(rows queue .queue | wc -l)" 5
	is 'and claims nothing about what feeds them' "$(rows queue '.provider' | sort -u)" null
	is 'and is said to be down' "$(rows netdev .up)" false
}

filters() {
	queues --json va --queue 2 >"$tmp/json" 2>/dev/null
	is 'one netdev, one queue' "$(rows queue '.netdev + ":" + (.queue | tostring)')" va:2
	queues --json --netdev va,lo >"$tmp/json" 2>/dev/null
	is 'a list of netdevs' "$(rows queue .netdev | sort | uniq -c | xargs)" '1 lo 3 va'
	queues --json --zc >"$tmp/json" 2>"$tmp/err"
	is 'no queue has a provider' "$? $(rows queue .queue) $(grep -c 'memory provider' "$tmp/err")" '0  1'
}

errors() {
	local out
	out=$(queues va nic7 2>&1 >/dev/null)
	is 'an unknown netdev fails' "$?" 1
	is 'and is named, with its namespace' "$out" \
		"zcq: error: \"nic7\": there is no such netdev in network namespace $ns"
	out=$(queues --queue 99 2>&1 >/dev/null)
	is 'a queue that no netdev has fails' "$? $out" '1 zcq: error: there is no rx queue 99'
	out=$(queues -x 2>&1 >/dev/null)
	is 'a usage error is one line' "$? $out" '2 zcq: error: queues: unknown option "-x"; see: zcq queues --help'
	queues --interval soon >/dev/null 2>&1
	is 'a bad interval is a usage error' $? 2
	"$zcq" queues --netns "$ns-none" >/dev/null 2>&1
	is 'an unknown namespace fails' $? 1
	"$zcq" queues --netns /proc/self/status >/dev/null 2>"$tmp/err"
	is 'as does what is no namespace' "$? $(grep -c 'is no network namespace' "$tmp/err")" '1 1'
	queues 2>"$tmp/err" | true
	is 'a reader that left is no failure' "${PIPESTATUS[0]} $(cat "$tmp/err")" '0 '
	queues >/dev/full 2>"$tmp/err"
	is 'a full disk fails' "$? $(grep -c 'No space left' "$tmp/err")" '1 1'
}

text() {
	queues --pools >"$tmp/text" 2>/dev/null
	is 'text: nothing is wider than 80 columns' "$(awk 'length > 80' "$tmp/text")" ''
	is 'text: a row for each queue' "$(grep -cE '^ +[0-9]+ ' "$tmp/text")" 9
	is 'text: a line for each netdev' "$(grep -c '^netdev ' "$tmp/text")" 3
	queues --json >"$tmp/json" 2>/dev/null
	is 'text and JSON agree on NAPIs' "$(awk '/^ +[0-9]+ / { print $2 }' "$tmp/text" | xargs)" \
		"$(rows queue '.napi_id // "-"' | xargs)"
}

# Without any permission: fewer facts, a note, the same queues.
unprivileged() {
	local want
	want=$(kernel queues | wc -l)
	# the tree may be where others can't go
	chmod 755 "$tmp" && install -m 755 "$zcq" "$tmp/zcq"
	inside setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		timeout 60 "$tmp/zcq" queues --interval 0 --json >"$tmp/json" 2>"$tmp/err"
	is 'without permission: exit status' $? 0
	is 'without permission: the same queues' "$(rows queue .queue | wc -l)" "$want"
	check 'without permission: what is missing is said' grep -q 'warning: without BPF' "$tmp/err"
	is 'without permission: nothing is called an error' "$(grep -c 'error' "$tmp/err")" 0
	is 'without permission: nothing else on stderr of a data line' "$(grep -c '^{' "$tmp/err")" 0
}

interval() {
	local start=$EPOCHREALTIME took
	timeout 60 "$zcq" queues --netns "$ns" --interval 300ms --json va >"$tmp/json" 2>"$tmp/err"
	is 'measuring: exit status' $? 0
	took=$(rows queue .received.interval_ns | head -n 1)
	is 'measuring takes its time and says so' "$((took >= 300000000)) $((took < 3000000000))" '1 1'
	check 'and no less by the clock' awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a >= 0.3) }'
	is 'what is not measured is null, not 0' "$(rows queue .received.zc_bytes_per_s | sort -u)" null
}

# An interval of an hour, ended by SIGINT once it has begun.
interrupted() {
	local watcher line='' took
	mkfifo "$tmp/measuring"
	timeout 60 "$zcq" queues --netns "$ns" --interval 1h --json --ready-fd 3 va 3>"$tmp/measuring" \
		>"$tmp/json" 2>"$tmp/err" &
	watcher=$!
	read -rt 50 line <"$tmp/measuring"
	is '--ready-fd says when the interval begins' "$line" measuring
	# timeout(1) hands it on
	kill -INT "$watcher"
	wait "$watcher"
	is 'SIGINT ends the interval: exit status' $? 0
	took=$(rows queue .received.interval_ns | head -n 1)
	is 'and the interval is as long as it was' "$((took > 0)) $((took < 50000000000))" '1 1'
	took=$(rows queue .stats_interval_ns | head -n 1)
	is 'as is that of the drivers'\'' statistics' "$((took > 0)) $((took < 50000000000))" '1 1'
	is 'what BPF lost is the last record' "$(tail -n 1 "$tmp/json" | jq -c '[.type, .lost, .lost_by]')" \
		'["summary",0,[]]'
}

# A netdev that goes away within the interval.
vanished() {
	local watcher line=''
	inside ip link add vx type veth peer name vy
	mkfifo "$tmp/vanishing"
	timeout 60 "$zcq" queues --netns "$ns" --interval 1h --json --ready-fd 3 vx va 3>"$tmp/vanishing" \
		>"$tmp/json" 2>"$tmp/err" &
	watcher=$!
	read -rt 50 line <"$tmp/vanishing"
	inside ip link del vx
	kill -INT "$watcher"
	wait "$watcher"
	is 'a netdev that vanished: failure, and the others are shown' \
		"$? $line $(grep -c '"vx" went away, or got another name,' "$tmp/err") $(rows queue .netdev | sort -u)" '1 measuring 1 va'
}

if ! setup 2>"$tmp/setup"; then
	fail 'a network namespace with veth' "$(cat "$tmp/setup")"
	finish
fi
if ! attach_xdp 2>"$tmp/xdp"; then
	fail 'an XDP program on veth' "$(cat "$tmp/xdp")"
	finish
fi
same_as_kernel
root_namespace
netdev_down
filters
errors
text
unprivileged
interval
interrupted
vanished
finish
