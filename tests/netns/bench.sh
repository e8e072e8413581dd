#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# zcq bench over veth between two network namespaces, by the epoll engine (which is all that a
# kernel without a zero-copy NIC can do): exact bytes by IPv4 and IPv6, many connections, spoilt
# streams found, clean ends on limits and signals. The zero-copy engine: tests/lab/bench*.sh.

# shellcheck source=tests/lib/ok.sh
. "$(dirname "$0")/../lib/ok.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)
a=zcqb-rx-$$ b=zcqb-tx-$$

cleanup() {
	local p
	for p in $(jobs -p); do kill "$p" 2>/dev/null; done
	ip netns del "$a" 2>/dev/null
	ip netns del "$b" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT

setup() {
	ip netns add "$a" && ip netns add "$b" &&
		ip link add rx0 netns "$a" type veth peer name tx0 netns "$b" &&
		ip -n "$a" addr add 192.0.2.1/24 dev rx0 &&
		ip -n "$a" addr add 2001:db8::1/64 dev rx0 nodad &&
		ip -n "$b" addr add 192.0.2.2/24 dev tx0 &&
		ip -n "$b" addr add 2001:db8::2/64 dev tx0 nodad &&
		ip -n "$a" link set rx0 up && ip -n "$b" link set tx0 up &&
		ip -n "$a" link set lo up && ip -n "$b" link set lo up
}

# start OPTION...: a receiver; $rx is its pid, $port where it listens.
start() {
	local line
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" bench recv --netns "$a" --engine epoll --port 0 --wait 20s --json --ready-fd 3 "$@" \
		3>"$tmp/ready" >"$tmp/rx" 2>"$tmp/rx.err" &
	rx=$!
	read -rt 20 line <"$tmp/ready"
	port=${line#*port=}
	port=${port%% *}
}

send() { timeout 60 "$zcq" bench send --netns "$b" --port "$port" --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }

# field FILE NAME: a field of the result's last record.
field() { tail -n 1 "$tmp/$1" | grep -oE "\"$2\":(\"[^\"]*\"|[^],}]*)" | head -n 1 | cut -d: -f2- | tr -d '"'; }
records() { grep -c "\"type\":\"$2\"" "$tmp/$1"; }

# same NAME CONNECTIONS BYTES-EACH: both ends agree and are content.
same() {
	local name=$1 n=$2 total=$(($2 * $3)) status=$4
	wait "$rx"
	is "$name: receiver's verdict" "$? $(field rx ok) $(field rx bytes) $(field rx finished) $(field rx faults)" \
		"0 true $total $n 0"
	is "$name: sender's verdict" "$status $(field tx ok) $(field tx bytes) $(field tx finished)" "0 true $total $n"
}

exact() {
	start --connections 1
	send 192.0.2.1 --bytes 1000003
	same 'IPv4' 1 1000003 $?
	start --connections 13 --per-connection
	send 2001:db8::1 --connections 13 --bytes 1048583 --source-port 23000 --per-connection
	same 'IPv6, 13 connections' 13 1048583 $?
	is 'a record for each connection, at both ends' "$(records rx bench_conn) $(records tx bench_conn)" '13 13'
	is 'source ports are the asked ones' \
		"$(grep -o '"peer":"\[2001:db8::2\]:230[01][0-9]"' "$tmp/rx" | sort -u | wc -l)" 13
	start --connections 13
	send 192.0.2.1 --connections 13 --bytes 100003 --mss 536 --chunk 777
	same 'small segments, odd chunks' 13 100003 $?
	start --connections 3
	send 2001:db8::1 --connections 3 --bytes 2097143 --zerocopy
	same 'MSG_ZEROCOPY' 3 2097143 $?
	is 'sends were zero-copy sends' "$(($(field tx zerocopy_sends) > 90))" 1
	start --connections 1009
	send 192.0.2.1 --connections 1009 --bytes 4099
	same '1009 connections' 1009 4099 $?
	start --connections 1
	send 2001:db8::1 --bytes 40
	same 'the shortest stream' 1 40 $?
	is 'epoll knows no split' "$(field rx zerocopy_bytes) $(field rx copied_bytes)" 'null null'
}

both_families() {
	start --bind 192.0.2.1 --bind 2001:db8::1 --connections 2
	send 192.0.2.1 --bytes 65537
	local status=$?
	send 2001:db8::1 --bytes 65537
	is 'two addresses, both families' "$status $?" '0 0'
	wait "$rx"
	is 'two addresses: bytes' "$? $(field rx bytes)" "0 131074"
	start --bind 192.0.2.1
	send 2001:db8::1 --bytes 65537 --timeout 200ms
	is 'an address that is not bound is refused' "$? $(field tx failed) $(field tx ok)" '1 1 false'
	is 'errors have names' "$(grep -o '"errno":"ECONNREFUSED","count":1' "$tmp/tx" | wc -l)" 1
	kill -TERM "$rx"
	wait "$rx"
	is 'no connection at all, ended by a signal' "$? $(field rx ended) $(field rx elapsed_ns)" '0 signal null'
}

# spoil WHAT OFFSET FAULT AT
spoil() {
	local line proxy
	start --connections 1
	coproc PROXY { exec ip netns exec "$a" timeout 60 "$build/tests/tcp_spoil" 7900 ::1 "$port" "$1" "$2"; }
	proxy=$PROXY_PID
	read -rt 20 line <&"${PROXY[0]}"
	timeout 60 "$zcq" bench send --netns "$a" --port 7900 --bytes 2000003 --json ::1 >"$tmp/tx" 2>"$tmp/tx.err"
	wait "$rx"
	is "$1 at $2 is told" "$? $(field rx ok) $(field rx faults) $(field rx fault) $(field rx offset_bytes)" "$3"
	wait "$proxy" 2>/dev/null
}

spoilt() {
	spoil none 0 '0 true 0  '
	spoil flip 0 '1 false 1 bad_header 0'
	spoil flip 1500007 '1 false 1 bad_byte 1500007'
	spoil double 700001 '1 false 1 bad_byte 700002'
	spoil cut 1999999 '1 false 1 short 1999999'
	spoil cut 0 '1 false 1 short 0'
	spoil add 0 '1 false 1 trailing 2000003'
	start --connections 1
	# shellcheck disable=SC2016 # for the other shell
	ip netns exec "$b" timeout 20 bash -c 'exec 3<>"/dev/tcp/192.0.2.1/$0" && echo "GET / HTTP/1.1" >&3' "$port"
	wait "$rx"
	is 'a stranger is told' "$? $(field rx fault) $(field rx offset_bytes)" '1 short 15'
}

ends() {
	start --duration 300ms
	send 192.0.2.1 --duration 5s --connections 2
	wait "$rx"
	is 'the receiver ends after --duration' "$? $(field rx ended) $(field rx unfinished)" '0 duration 2'
	start --duration 300ms --connections 5
	send 192.0.2.1 --connections 2 --bytes 4099
	wait "$rx"
	is 'fewer connections than asked for is a failure' "$? $(field rx ended) $(field rx finished)" '1 duration 2'
	start --connections 3
	send 192.0.2.1 --connections 3 --duration 300ms
	is 'a sender ends after --duration' "$? $(field tx ended)" '0 duration'
	wait "$rx"
	is 'and its streams are whole' "$? $(field rx ok) $(field rx finished)" '0 true 3'
	is 'with the same bytes at both ends' "$(field rx bytes)" "$(field tx bytes)"
	start
	"$zcq" bench send --netns "$b" --port "$port" --connections 3 --bytes 8191 --hold-open --json 192.0.2.1 \
		>"$tmp/tx" 2>"$tmp/tx.err" &
	local tx=$!
	# All has come, and the connections are still open: nothing ends by itself.
	check 'connections are held open' wait_for 10 sh -c \
		"[ \$(ip netns exec $a ss -Htin state established sport = :$port | grep -cw bytes_received:8191) = 3 ]"
	kill -TERM "$tx"
	wait "$tx"
	is 'a sender that held its connections ends by a signal' "$? $(field tx ended) $(field tx finished)" '0 signal 3'
	kill -INT "$rx"
	wait "$rx"
	is 'a receiver ends by a signal, with its result' "$? $(field rx ended) $(field rx bytes)" '0 signal 24573'
	start --bytes 1M
	send 192.0.2.1 --bytes 10M
	wait "$rx"
	is 'the receiver ends after --bytes' "$? $(field rx ended) $(($(field rx bytes) >= 1048576))" '0 bytes 1'
	"$zcq" bench recv --engine epoll --netns "$a" --port 0 --wait 50ms --quiet --json >"$tmp/rx" 2>"$tmp/err"
	is 'nobody came' "$? $(field rx ended) $(cat "$tmp/err")" '1 wait zcq: error: no connection came within --wait'
}

rate() {
	start --connections 1
	send 192.0.2.1 --bytes 1000003 --rate 2000000 --chunk 16K
	is 'a rate is kept' "$? $(($(field tx elapsed_ns) > 400000000)) $(($(field tx elapsed_ns) < 5000000000))" '0 1 1'
	wait "$rx"
}

# wrong NAME TEXT ARGUMENT...: a usage error that says TEXT, in one line.
wrong() {
	local name=$1 text=$2
	shift 2
	timeout 20 "$zcq" bench "$@" >"$tmp/out" 2>"$tmp/err"
	is "$name: a usage error, told" "$? $(grep -cF -- "$text" "$tmp/err") $(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" \
		'2 1 1 0'
}

usage() {
	local o out
	wrong 'recv without a netdev' 'one of --netdev IF' recv
	wrong 'a netdev and none' '--nodev excludes --netdev' recv --nodev --netdev lo
	wrong 'a queue of no netdev' '--nodev excludes --queue' recv --nodev --queue 0
	for o in '--netdev lo' '--queue 3' --nodev '--area 4M' '--rx-buf-len 4K' '--hold 1' '--hold-for 1s' --no-kick; do
		# shellcheck disable=SC2086 # words
		wrong "epoll with $o" "--engine epoll excludes ${o% *}" recv --engine epoll $o
	done
	for o in 0 3000 5000 2G; do
		wrong "buffers of $o" "not a power of two from $(getconf PAGESIZE) (a page) to 1G" \
			recv --nodev --rx-buf-len "$o"
	done
	wrong 'a time beyond reason' '--duration "9999h": out of range, 0 to 8784h' recv --duration 9999h
	wrong 'a CPU beyond reason' '--cpu "1024": out of range, 0 to 1023' send ::1 --cpu 1024
	wrong 'neither recv nor send' '"receive" is neither recv nor send; see: zcq bench --help' receive
	wrong 'a name to listen on' '--bind "localhost": no IPv4 or IPv6 address' recv --engine epoll --bind localhost
	wrong 'a name to send to' '"localhost" is no IPv4 or IPv6 address' send localhost
	wrong 'a short form of an address' '"192.0.2" is no IPv4 or IPv6 address' send 192.0.2
	wrong 'a link-local address without its link' 'name its netdev, fe80::1%IF' send fe80::1
	wrong 'a source of another family' 'are of different families' send --source 192.0.2.1 2001:db8::1
	"$zcq" bench recv --netdev nosuch >/dev/null 2>"$tmp/err"
	is 'no such netdev: the reason, no guess' "$? $(grep -c 'because there is no such netdev' "$tmp/err") $(grep -c perhaps "$tmp/err")" \
		'1 1 0'
	out=$("$zcq" bench recv --netns "$a" --netdev rx0 --queue 0 --area 1M --json 2>&1 >/dev/null)
	case $? in
	3) ok "veth has no zero-copy receive: exit 3" ;;
	*) fail "veth has no zero-copy receive: exit 3" "$out" ;;
	esac
	out=$("$zcq" bench recv --netns "$a" --netdev rx0 --queue 7 --area 1M 2>&1 >/dev/null)
	is 'a queue that veth has not: a failure, with the number it has' \
		"$? $(grep -c 'because there is no such rx queue; rx0 has [1-9]' <<<"$out")" '1 1'
	"$zcq" bench send --netns "$a" --cpu 1023 ::1 >/dev/null 2>"$tmp/err"
	is 'a CPU that is not there' "$? $(cat "$tmp/err")" '1 zcq: error: --cpu 1023: there is no such CPU for this process'
}

# What can't be written is told once, by its own errno; a reader that left is no failure.
unwritten() {
	local o
	for o in '' --json; do
		# shellcheck disable=SC2086 # a word or none
		"$zcq" bench recv --engine epoll --port 0 --wait 1ms --quiet $o >/dev/full 2>"$tmp/err"
		is "a full disk ${o:-text}" "$? $(grep -c "can't write the result: No space left" "$tmp/err") $(wc -l <"$tmp/err")" '1 1 2'
		# shellcheck disable=SC2086 # a word or none
		"$zcq" bench recv --engine epoll --port 0 --wait 1ms --quiet $o 2>"$tmp/err" | true
		is "a reader that left ${o:-text}" "$(cat "$tmp/err")" 'zcq: error: no connection came within --wait'
	done
}

if ! setup 2>"$tmp/setup"; then
	fail 'two network namespaces with veth' "$(cat "$tmp/setup")"
	finish
fi
exact
both_families
spoilt
ends
rate
usage
unwritten
finish
