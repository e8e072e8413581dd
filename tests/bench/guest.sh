#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run in the lab guest by tests/bench/run: time to attach, memory, cost of each BPF program under
# zero-copy traffic, and the receiver's throughput and CPU with and without watchers. The
# watchers take turns within a round, so that a noisy host hits all of them; ratios are
# taken within the round.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lab/lib.sh

rounds=${1:-5}
zcq=$ZCQ_BUILD/zcq nicset=$ZCQ_BUILD/tests/nicset
dev=$LAB_NIC_IF
tmp=$(mktemp -d)
mb=24 bytes=$((24 << 20))

die() {
	echo "bench: $*" >&2
	exit 1
}

set_up_nic() {
	nic_addr && "$nicset" "$dev" rx-gro-hw on ntuple on tcp-data-split on hds-thresh 0 &&
		ethtool -X "$dev" equal 1 >/dev/null &&
		ethtool -N "$dev" flow-type tcp4 dst-port 9001 action 1 >/dev/null
}

perf=$(compgen -G '/usr/bin/perf_[0-9]*' | head -n 1)
perf=${perf:-$(command -v perf)}

# Each watcher says a line on fd 3 once it watches.
watch_none() { :; }
watch_zcq() { "$zcq" trace --ready-fd 3 >/dev/null 2>"$tmp/err"; }
watch_heavy() { "$zcq" trace --heavy --ready-fd 3 >/dev/null 2>"$tmp/err"; }
watch_bpftrace() { bpftrace -q -e "BEGIN { printf(\"ready\\n\"); } $(grep -v '^//' tests/bench/watch.bt)" >&3 2>"$tmp/err"; }
watch_perf() {
	"$perf" record -q -a -o "$tmp/perf.data" -e page_pool:page_pool_state_hold \
		-e page_pool:page_pool_state_release -- sh -c 'echo ready >&3; sleep 1000' 2>"$tmp/err"
}

start() { # start WATCHER
	watcher=
	[[ $1 != none ]] || return 0
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	# A process group of its own, so that what the watcher starts ends with it.
	set -m
	"watch_$1" 3>"$tmp/ready" &
	watcher=$!
	set +m
	read -rt 120 _ <"$tmp/ready" || die "watcher $1: $(tail -n 3 "$tmp/err")"
}

stop() {
	[[ $watcher ]] || return 0
	kill -INT -- "-$watcher" 2>/dev/null
	wait "$watcher" 2>/dev/null
}

# Busy time of all CPUs in ticks: user, nice, system, irq, softirq.
busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat; }

# transfer: one zero-copy transfer; sets speed (MB/s) and cpu (ms of all CPUs a MB).
transfer() {
	local before after
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	"$zcq" bench recv --netdev "$dev" --queue 1 --port 9001 --connections 2 --wait 60s --json \
		--ready-fd 3 3>"$tmp/go" >"$tmp/recv" 2>"$tmp/recv.err" &
	local receiver=$!
	read -rt 60 _ <"$tmp/go" || die "receiver: $(cat "$tmp/recv.err")"
	before=$(busy)
	lab-peer run "$zcq" bench send --quiet "$GUEST4" --port 9001 --connections 2 \
		--bytes $((bytes / 2)) >/dev/null || die 'the sender failed'
	wait "$receiver" || die "the receiver failed: $(cat "$tmp/recv" "$tmp/recv.err")"
	after=$(busy)
	speed=$(jq -s 'map(select(.type == "bench_recv"))[0] | .bytes_per_s / 1048576' "$tmp/recv")
	cpu=$(awk -v d=$((after - before)) -v mb=$mb -v hz="$(getconf CLK_TCK)" \
		'BEGIN { printf "%.3f", d * 1000 / hz / mb }')
}

# spread FILE: median and range of its numbers.
spread() {
	sort -n "$1" | awk '{ v[NR] = $1 } END {
		printf "%5.2f  %.2f .. %.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR]
	}'
}

attach_time() {
	local i begin end
	for i in 1 2 3 4 5; do
		begin=${EPOCHREALTIME/./}
		start zcq
		end=${EPOCHREALTIME/./}
		echo $(((end - begin) / 1000)) >>"$tmp/attach"
		((i == 1)) && grep -E 'VmHWM' "/proc/$(pgrep -n -x zcq)/status" >"$tmp/rss"
		stop
	done
	printf 'start to attached  %s ms (median of 5, range)\n' "$(spread "$tmp/attach")"
	printf 'peak memory        %s kB resident\n' "$(awk '{ print $2 }' "$tmp/rss")"
}

program_cost() {
	sysctl -q kernel.bpf_stats_enabled=1
	start "$1"
	transfer
	bpftool prog show --json >"$tmp/progs"
	stop
	sysctl -q kernel.bpf_stats_enabled=0
	printf '\nBPF programs of zcq trace%s, one transfer of %d MB:\n' "$2" "$mb"
	printf '%-24s %10s %10s %12s\n' program runs 'runs/MB' 'ns/run'
	# The guest's clock under TCG: compare programs with each other, not with hardware.
	jq -r '.[] | select(.run_cnt > 0) | [.name, .run_cnt, .run_time_ns] | @tsv' "$tmp/progs" |
		sort -t$'\t' -k2,2nr | head -n 15 |
		awk -F'\t' -v mb=$mb '{ printf "%-24s %10d %10.1f %12.0f\n", $1, $2, $2 / mb, $3 / $2 }'
}

set_up_nic || die 'the NIC could not be set up'
attach_time
program_cost zcq ''
program_cost heavy ' --heavy'

watchers=(none zcq heavy)
if command -v bpftrace >/dev/null; then watchers+=(bpftrace); fi
if [[ $perf ]]; then watchers+=(perf); fi

transfer	# warm up
for ((r = 0; r < rounds; r++)); do
	# Another one begins each round.
	for ((k = 0; k < ${#watchers[@]}; k++)); do
		w=${watchers[(k + r) % ${#watchers[@]}]}
		start "$w"
		transfer
		stop
		echo "$speed" >"$tmp/speed.$w.$r"
		echo "$cpu" >"$tmp/cpu.$w.$r"
	done
	for w in "${watchers[@]}"; do
		for what in speed cpu; do
			awk -v base="$(cat "$tmp/$what.none.$r")" '{ print $1 / base }' \
				"$tmp/$what.$w.$r" >>"$tmp/$what.$w"
		done
	done
done

printf '\nOne receiver, %d rounds of %d MB, watchers in turn; ratios to no watcher in the same round:\n' \
	"$rounds" "$mb"
printf '%-12s %-26s %s\n' watcher 'throughput (median, range)' 'CPU per MB (median, range)'
for w in "${watchers[@]}"; do
	printf '%-12s %-26s %s\n' "$w" "$(spread "$tmp/speed.$w")" "$(spread "$tmp/cpu.$w")"
done
rm -rf "$tmp"
