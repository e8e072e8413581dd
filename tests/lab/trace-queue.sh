#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
#
# zcq trace on the real mlx5 driver: registrations, providers, reconfigures and page pools,
# provoked N times and counted exactly N times, each with its cause. N are primes. No
# traffic here: tests/lab/trace-flow.sh has it.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
exercise=$build/tests/zcrx_exercise
nicset=$build/tests/nicset
tmp=$(mktemp -d)
nic=$LAB_NIC_IF

# trace OPTION...: attached when it returns; output in $tmp/out.
trace() {
	local line=
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" trace --json --ready-fd 3 "$@" 3>"$tmp/ready" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	read -rt 120 line <"$tmp/ready"
	[[ $line == attached ]] || fail "zcq trace $* attaches" "$(cat "$tmp/err")"
}

stop() {
	kill "$tracer"
	wait "$tracer"
	is "$1: ends with status 0, nothing lost" "$? $(summary lost)" '0 0'
}

summary() { tail -n 1 "$tmp/out" | grep -oE "\"$1\":[0-9]+" | cut -d: -f2; }
# count TYPE [PATTERN]: the records of that type that match.
count() { grep "^{\"type\":\"$1\"" "$tmp/out" | grep -cE "${2:-.}"; }
has() { (($(count "$2" "${3:-.}") >= $1)); }
# exactly NAME N TYPE [PATTERN]: waits for N, and then there are N and not more.
exactly() {
	local name=$1
	shift
	wait_for 20 has "$@"
	is "$name" "$(shift && count "$@")" "$1"
}

# numbers KEY TYPE PATTERN: how many different numbers KEY has in these records.
numbers() { grep "^{\"type\":\"$2\"" "$tmp/out" | grep -E "$3" | grep -oE "\"$1\":[0-9]+" | sort -u | wc -l; }

nic_addr || fail 'the NIC' 'has no carrier'

# --- asked for alone ---
trace --event bind-failed
"$exercise" register --if "$nic" --queue 1 --times 2 >/dev/null
exactly '2 binds that failed' 2 bind-failed '"severity":"bad"'
is 'and nothing else' "$(cut -d, -f1 "$tmp/out" | sort -u | xargs)" '{type:bind-failed {type:header'
stop 'bind-failed'

trace --interval 0

# --- header split is off: refused, with the kernel's own words ---
"$exercise" register --if "$nic" --queue 1 --times 3 >/dev/null
exactly '3 refused, with the reason' 3 rejected \
	"\"netdev\":\"$nic\",\"queue\":1,.*\"error\":\"EINVAL\",\"reason\":\"tcp-data-split is disabled\""
exactly '3 binds that failed' 3 bind-failed \
	"\"netdev\":\"$nic\",\"queue\":1,\"provider\":\"io-uring\",.*\"comm\":\"zcrx_exercise\",\"error\":\"EINVAL\""
is 'which are no binds' "$(count bound)" 0
"$exercise" register --if "$nic" --queue 97 --times 2 >/dev/null
exactly '2 refused for a queue that is not there' 2 rejected '"queue":97'
is 'which have no older text' "$(count rejected '"queue":97.*tcp-data-split')" 0
is 'nothing was reconfigured for them' "$(count reconfigured '"cause":"bind"')" 0

# --- 7 instances, one after the other ---
check 'header split on' "$nicset" "$nic" rx-gro-hw on tcp-data-split on
before=$(count reconfigured)
"$exercise" register --if "$nic" --queue 1 --times 7 --gap-ms 1 >/dev/null
exactly '7 registered' 7 registered "\"netdev\":\"$nic\",\"queue\":1,.*\"error\":null.*\"buffer_bytes\":4096"
exactly '7 bound' 7 bound "\"queue\":1,\"provider\":\"io-uring\",.*\"comm\":\"zcrx_exercise\""
exactly '7 unbound, by their owner' 7 unbound '"owner_comm":"zcrx_exercise".*"cause":"close".*"age_ns":[0-9]'
exactly '7 unregistered' 7 unregistered '"owner_comm":"zcrx_exercise"'
is 'each instance and each ring has a number of its own' \
	"$(numbers instance registered '"queue":1,') $(numbers ring registered '"queue":1,')" '7 7'
is 'by which its bind, unbind and end are known' "$(for type in registered bound unbound unregistered; do
	grep "^{\"type\":\"$type\"" "$tmp/out" | grep -oE '"instance":[0-9]+' | xargs
done | sort -u | wc -l)" 1
exactly '7 reconfigures to bind' 7 reconfigured '"queue":1,"cause":"bind","error":null,"health":"ok"'
exactly '7 reconfigures to unbind' 7 reconfigured '"queue":1,"cause":"unbind","error":null,"health":"ok"'
is 'and no other' "$(($(count reconfigured) - before))" 14
is 'each with its stages and the standstill of the others' "$(count reconfigured \
	'"cause":"(un)?bind".*"standstill_ns":[0-9]+,"stages":{"alloc_ns":[0-9]+,"stop_ns":[0-9]+,"start_ns":[0-9]+,"free_ns":[0-9]+}')" 14
is 'a pool of the provider for each bind' "$(count pool-created '"provider":"io-uring","error":null')" 7
exactly 'which all go' 7 pool-destroyed '"queue":1,.*"provider":"io-uring".*"age_ns":[0-9]'

# --- all queues of the netdev at once ---
before=$(count reconfigured)
for ((i = 0; i < 5; i++)); do ip link set "$nic" mtu $((1400 + i)); done
exactly '5 reopens' 5 reconfigured '"queue":null,"cause":"reopen","error":null.*"provider":false.*"comm":"ip"' 
for ((i = 0; i < 3; i++)); do
	ip link set "$nic" down
	ip link set "$nic" up
done
exactly '3 times down' 3 reconfigured '"queue":null,"cause":"down"'
exactly '3 times up' 3 reconfigured '"queue":null,"cause":"up"'
ip link set "$nic" mtu 1500
exactly 'and back' 6 reconfigured '"queue":null,"cause":"reopen","error":null.*"provider":false.*"comm":"ip"'
is 'no reconfigure beside these' "$(($(count reconfigured) - before))" 12

# --- with a provider on a queue; its owner killed ---
"$exercise" register --if "$nic" --queue 1 --hold >"$tmp/hold" &
holder=$!
check 'an instance that stays' wait_for 20 grep -q ready "$tmp/hold"
ip link set "$nic" mtu 1401
ip link set "$nic" mtu 1500
exactly '2 reopens under a provider' 2 reconfigured '"cause":"reopen","error":null.*"provider":true'
kill -9 $holder
wait $holder 2>/dev/null
exactly 'a killed owner is still named' 1 unbound "\"owner_pid\":$holder,"

# --- an instance without a netdev: control calls, and its end ---
"$exercise" register --nodev --areas 3 >/dev/null
exactly '3 more areas' 3 control '"operation":"add-area","error":null,"area_bytes":[1-9]'
"$exercise" share --nodev >/dev/null
exactly '1 export' 1 control '"operation":"export","error":null'
exactly '3 registered without a netdev' 3 registered '"netdev":null,"queue":null.*"flags":\["(nodev|import)"\]'
exactly '2 of them end, the shared one once' 2 unregistered '"netdev":null'
stop 'first trace'

# --- zcq started after the instance ---
"$exercise" register --if "$nic" --queue 1 --hold >"$tmp/hold" &
holder=$!
check 'an instance before zcq' wait_for 20 grep -q ready "$tmp/hold"
trace --event unbound,unregistered,reconfigured --no-driver-probes
kill $holder
wait $holder
exactly 'its owner is found' 1 unbound "\"netdev\":\"$nic\",\"queue\":1,\"provider\":\"io-uring\".*\"owner_pid\":$holder,"
exactly 'without driver probes there is still result and duration' 1 reconfigured \
	'"cause":"unbind","error":null,.*"duration_ns":[0-9]+,"standstill_ns":null,"stages":null'
stop 'second trace'

# --- pools that can't go: somebody keeps their buffers; then the netdev goes before they do ---
# unread PORT: a receiver that is stopped, with data in its socket; $reader is its pid.
unread() {
	rm -f "$tmp/unread"
	mkfifo "$tmp/unread"
	"$zcq" bench recv --engine epoll --port "$1" --ready-fd 3 3>"$tmp/unread" >/dev/null 2>&1 &
	reader=$!
	read -rt 20 _ <"$tmp/unread"
	kill -STOP "$reader"
	lab-peer start "sender$1" "$zcq" bench send --port "$1" --bytes 1000003 "$GUEST4"
	check "data that nobody reads, $1" wait_for 20 sh -c \
		"ss -Htn state established sport = :$1 | awk '{ q += \$1 } END { exit !(q > 60000) }'"
}

# pools TYPE: their numbers.
pools() { grep "^{\"type\":\"$1\"" "$tmp/out" | grep -oE '"pool":[0-9]+' | sort -u; }
all_gone() { [[ -z $(comm -23 <(pools pool-stalled) <(pools pool-destroyed)) ]]; }

stalled() {
	check "$1: a pool waits" wait_for 30 has 1 pool-stalled "\"netdev\":\"$nic\".*\"inflight\":[1-9].*\"age_ns\":[5-9][0-9]{9},"
	kill -KILL "$reader"
	wait "$reader" 2>/dev/null
	check "$1: with its buffers it goes" wait_for 30 all_gone
	is "$1: none is said to be of another netdev" "$(grep '"type":"pool-' "$tmp/out" | grep -vc "\"netdev\":\"$nic\"")" 0
	stop "$1"
}

trace --event pool-stalled,pool-destroyed
unread 7901
ip link set "$nic" mtu 1402
stalled 'reopened'
trace --event pool-stalled,pool-destroyed
unread 7902
echo "$LAB_NIC_PCI" >/sys/bus/pci/drivers/mlx5_core/unbind
check 'the netdev is gone' test ! -e "/sys/class/net/$nic"
stalled 'removed'
rm -rf "$tmp"
finish
