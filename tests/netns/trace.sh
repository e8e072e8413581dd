#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# zcq trace on the running kernel, without a zero-copy NIC: refused registrations with errno and
# arguments, page pools of a veth pair, each counted exactly; filters, --count, --duration,
# --ready-fd, signals, and the summary's own sums. What needs fentry: tests/lab/trace*.sh.

# shellcheck source=tests/lib/ok.sh
. "$(dirname "$0")/../lib/ok.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
exercise=$build/tests/zcrx_exercise
tmp=$(mktemp -d)
ns=zcqt-$$
comm=zcq$$	# so that registrations of others on this machine don't count
tracer=

# shellcheck disable=SC2317 # called by the trap
cleanup() {
	[[ -z $tracer ]] || kill "$tracer" 2>/dev/null
	ip netns del "$ns" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT

# trace OPTION...: in the background, attached when it returns; output in $tmp/out and $tmp/err.
trace() {
	local line=
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" trace --json --netns "$ns" --ready-fd 3 "$@" 3>"$tmp/ready" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	read -rt 60 line <"$tmp/ready"
	[[ $line == attached ]] || fail "zcq trace $* attaches" "$(cat "$tmp/err")"
}

# stop [SIGNAL]: its exit status in $status.
stop() {
	[[ $1 == none ]] || kill -"${1:-TERM}" "$tracer"
	wait "$tracer"
	status=$?
	tracer=
}

lines() { grep -c "$1" "$tmp/out"; }
summary() { tail -n 1 "$tmp/out" | grep -oE "\"$1\":[0-9]+" | cut -d: -f2; }
inside() { ip netns exec "$ns" "$@"; }

if ((EUID)); then
	skip 'zcq trace' 'needs root'
	finish
fi
"$zcq" probes --json >"$tmp/probes" 2>"$tmp/err"
if ! grep -q '"probe":"register.result".*"state":"yes"' "$tmp/probes"; then
	skip 'zcq trace' "no registration events on this kernel: $(cat "$tmp/err")"
	finish
fi
ip netns add "$ns" || fail 'a network namespace' 'cannot be made'

# --- refused registrations: 13 by name lo, 7 with a queue that isn't there ---
trace --event rejected,registered
inside "$exercise" register --if lo --queue 0 --times 13 --comm "$comm" >"$tmp/ex" 2>&1
inside "$exercise" register --if lo --queue 0 --rq 0 --times 7 >>"$tmp/ex" 2>&1
stop
is 'SIGTERM ends it with status 0' "$status" 0
is '20 refusals, 20 events' "$(lines '"type":"rejected"')" 20
is 'none is registered' "$(lines '"type":"registered"')" 0
wanted=$(grep -c 'errno=95' "$tmp/ex")
is 'each with the errno its process got' \
	"$(lines '"error":"EOPNOTSUPP"') $(lines '"error":"EINVAL"')" "$wanted $((20 - wanted))"
if grep -q '"probe":"register.call".*"state":"yes"' "$tmp/probes"; then
	is 'netdev and queue of each' "$(lines '"netdev":"lo","queue":0')" 20
	is 'and its area' "$(lines '"area_bytes":[0-9]')" 20
else
	skip 'arguments of registrations' 'register.call is not available here'
fi
is 'the first line is the header' "$(head -n 1 "$tmp/out" | cut -c1-28)" '{"type":"header","schema":1,'
is 'summary: shown, nothing lost' "$(summary shown) $(summary lost)" '20 0'
is 'events and summary are all there is' "$(lines .)" 22

# --- filters: what is not shown is counted ---
trace --event rejected --comm "$comm"
inside "$exercise" register --if lo --queue 0 --times 5 --comm "$comm" >/dev/null 2>&1
inside "$exercise" register --if lo --queue 0 --times 11 --comm other >/dev/null 2>&1
stop INT
is '--comm: 5 of 16, 11 held back' "$status $(summary shown) $(summary filtered) $(summary lost)" '0 5 11 0'

trace --event rejected --comm "$comm-and-much-longer"
inside "$exercise" register --if lo --queue 0 --times 7 --comm "$comm-and-much-longer" >/dev/null 2>&1
stop INT
is '--comm: of a longer name the first 15 characters count' "$(summary shown) $(summary filtered)" '7 0'

trace --event rejected --pid 1
inside "$exercise" register --if lo --queue 0 --times 17 >/dev/null 2>&1
stop
is '--pid: none of 17, all counted' "$(summary shown) $(summary filtered)" '0 17'

trace --event rejected --netdev nosuch0
inside "$exercise" register --if lo --queue 0 --times 3 >/dev/null 2>&1
stop
is '--netdev: none of 3' "$(summary shown) $(summary filtered)" '0 3'

# --- a netdev that gets the name while zcq runs is matched, as is one that has lost it no more ---
if grep -q '"probe":"register.call".*"state":"yes"' "$tmp/probes"; then
	ip -n "$ns" link add early type veth peer name other
	trace --event rejected --netdev late
	inside "$exercise" register --if early --queue 0 --times 3 >/dev/null 2>&1
	ip -n "$ns" link set early name late
	matched() {
		inside "$exercise" register --if late --queue 0 --comm "$comm" >/dev/null 2>&1
		grep -q '"netdev":"late"' "$tmp/out"
	}
	check '--netdev: a netdev that got the name meanwhile' wait_for 10 matched
	stop
	check '--netdev: not by the name it had' test "$(summary filtered)" -ge 3
	is '--netdev: nothing by another name' "$(lines '"netdev":"early"')" 0
	ip -n "$ns" link del late
else
	skip '--netdev: a netdev that is renamed' 'register.call is not available here'
fi

# --- who sits before it is told when it watches; a pipeline and --quiet are not ---
cat >"$tmp/terminal.py" <<'END'
import os, subprocess, sys
ours, theirs = os.openpty()
subprocess.run(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL, timeout=60)
os.close(theirs)
os.set_blocking(ours, False)
try:
    print(os.read(ours, 4096).decode().count("zcq: attached; Ctrl-C ends it"))
except (BlockingIOError, OSError):
    print(0)
END
told="$(python3 "$tmp/terminal.py" "$zcq" trace --event rejected --duration 1ms)"
told+=" $(python3 "$tmp/terminal.py" "$zcq" trace --event rejected --duration 1ms --quiet)"
told+=" $("$zcq" trace --event rejected --duration 1ms 2>&1 >/dev/null | grep -c attached)"
is 'a terminal is told when all is attached' "$told" '1 0 0'

# --- what can't be written ---
"$zcq" trace --event rejected --duration 1ms >/dev/full 2>"$tmp/err"
is 'a full disk' "$? $(cat "$tmp/err")" "1 zcq: error: can't write the events: No space left on device"
"$zcq" trace --event rejected --duration 1ms 2>"$tmp/err" | true
is 'a reader that left is no failure' "${PIPESTATUS[0]} $(cat "$tmp/err")" '0 '

# --- a process may be called "-" ---
rm -f "$tmp/ready"
mkfifo "$tmp/ready"
"$zcq" trace --netns "$ns" --event rejected --comm - --count 1 --ready-fd 3 3>"$tmp/ready" >"$tmp/text" 2>"$tmp/err" &
tracer=$!
read -rt 60 _ <"$tmp/ready"
inside "$exercise" register --if lo --queue 0 --comm - >/dev/null 2>&1
stop none
is 'text: a name of - is a name, no gap' "$(grep -c 'pid=[0-9]* comm="-" ' "$tmp/text")" 1

# --- what is in the ring when the end is asked for is still shown ---
trace --event rejected --comm "$comm"
kill -STOP "$tracer"
inside "$exercise" register --if lo --queue 0 --times 101 --comm "$comm" >/dev/null 2>&1
kill -TERM "$tracer"
stop CONT
is '101 events before SIGTERM' "$status $(lines '"type":"rejected"') $(summary shown)" '0 101 101'

# --- a ring that overflows: every event is either shown or counted as lost ---
trace --event rejected --comm "$comm"
kill -STOP "$tracer"
inside "$exercise" register --if lo --queue 0 --times 7919 --comm "$comm" >/dev/null 2>&1
kill -TERM "$tracer"
stop CONT
is '7919 events, shown or lost' "$(($(summary shown) + $(summary lost)))" 7919
check 'some of them lost' test "$(summary lost)" -gt 0
is 'lost for want of room in the ring' "$(summary ring_full)" "$(summary lost)"

# --- SIGTERM amid a storm: it ends at once, and what came before is all there ---
storm() {
	local n
	for ((n = 1000; ; n++)); do
		inside "$exercise" register --if lo --queue "$n" --times 211 --comm "$comm" >/dev/null 2>&1
		echo "$n" >>"$tmp/storm"
	done
}
batches() { (($(wc -l <"$tmp/storm") >= $1)); }
: >"$tmp/storm"
trace --event rejected --comm "$comm"
storm &
stormer=$!
check 'a storm of registrations' wait_for 60 batches 7
before=$(wc -l <"$tmp/storm") start=$SECONDS
kill -TERM "$tracer"
stop none
kill "$stormer"
wait "$stormer" 2>/dev/null
is 'SIGTERM amid a storm ends it' "$status $((SECONDS - start < 30))" '0 1'
is 'shown is what was written' "$(lines '"type":"rejected"')" "$(summary shown)"
if grep -q '"probe":"register.call".*"state":"yes"' "$tmp/probes"; then
	whole=0
	for ((n = 1000; n < 1000 + before; n++)); do
		((whole += $(lines "\"queue\":$n,") == 211))
	done
	if (($(summary lost))); then
		check 'what of it is missing is lost' \
			test "$(($(summary shown) + $(summary lost)))" -ge $((211 * before))
	else
		is 'all that ended before SIGTERM is shown' "$whole" "$before"
	fi
else
	check 'all that ended before SIGTERM is shown or lost' \
		test "$(($(summary shown) + $(summary lost)))" -ge $((211 * before))
fi

# --- events come faster than they are read: three storms, a slow reader ---
: >"$tmp/storm"
mkfifo "$tmp/slow"
while read -r line; do echo "$line"; done <"$tmp/slow" >"$tmp/read" &
reader=$!
rm -f "$tmp/ready"
mkfifo "$tmp/ready"
"$zcq" trace --json --netns "$ns" --event rejected --comm "$comm" --ready-fd 3 3>"$tmp/ready" >"$tmp/slow" 2>"$tmp/err" &
tracer=$!
read -rt 60 _ <"$tmp/ready"
stormers=()
for ((i = 0; i < 3; i++)); do
	storm &
	stormers+=($!)
done
check 'three storms' wait_for 60 batches 101
before=$(wc -l <"$tmp/storm")
kill -TERM "$tracer"
stop none
check 'a slow reader: it ends while the storms go on' kill -0 "${stormers[@]}"
kill "${stormers[@]}"
wait "${stormers[@]}" "$reader" 2>/dev/null
mv "$tmp/read" "$tmp/out"
is 'with status 0, and tells of all that it has shown' "$status $(lines '"type":"rejected"')" "0 $(summary shown)"
check 'what is missing is lost' test "$(($(summary shown) + $(summary lost)))" -ge $((211 * before))

# --- it ends by itself ---
trace --event rejected --comm "$comm" --count 3
inside "$exercise" register --if lo --queue 0 --times 19 --comm "$comm" >/dev/null 2>&1
stop none
is '--count 3 ends after 3' "$status $(lines '"type":"rejected"') $(summary shown)" '0 3 3'

trace --event rejected --comm "$comm" --duration 300ms
stop none
is '--duration ends it' "$status $(summary shown)" '0 0'

# --- page pools: a veth with 7 rx queues makes and frees one for each when GRO is switched;
# they name no netdev, so the task that switches tells them from others' ---
check 'a veth pair' ip -n "$ns" link add veth0 numrxqueues 7 numtxqueues 7 type veth \
	peer name veth1 numrxqueues 7 numtxqueues 7
ip -n "$ns" link set veth0 up
ip -n "$ns" link set veth1 up
trace --event pool-destroyed,pool-created,pool-stalled --comm ethtool
for ((i = 0; i < 5; i++)); do
	inside ethtool -K veth0 gro on
	inside ethtool -K veth0 gro off
done
stop
is '35 pools freed, 35 events' "$(lines '"type":"pool-destroyed".*"comm":"ethtool"')" 35
is 'ordinary ones' "$(lines '"type":"pool-destroyed".*"provider":"none"')" 35
if grep -q '"probe":"pool.create".*"state":"yes"' "$tmp/probes"; then
	is '35 pools made, 35 events' "$(lines '"type":"pool-created".*"comm":"ethtool"')" 35
else
	skip '35 pools made, 35 events' 'pool.create is not available here'
fi
is 'their sum is the summary' "$(summary shown) $(summary lost)" "$(lines '"type":"pool') 0"

# --- refusals by zcq itself ---
"$zcq" trace --event nonsense >"$tmp/out" 2>"$tmp/err"
is 'an unknown event is a usage error' "$? $(cat "$tmp/err")" \
	'2 zcq: error: --event "nonsense": no such event; --event help lists them'
"$zcq" trace --event help >"$tmp/out"
is '--event help fits 80 columns' "$? $(awk 'length > 80' "$tmp/out")" '0 '

# --- a kernel without bpf(2): seccomp answers ENOSYS ---
cat >"$tmp/nobpf.py" <<'END'
import ctypes, os, platform, struct, sys
nr = {"x86_64": 321, "aarch64": 280}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, nr), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7fff0000)]
prog = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in code))
fprog = struct.pack("HxxxxxxP", len(code), ctypes.addressof(prog))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(fprog), 0, 0):
    sys.exit("no seccomp: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
END
for c in 'trace --count 1' 'probes' 'probes --try'; do
	# shellcheck disable=SC2086 # words
	python3 "$tmp/nobpf.py" "$zcq" $c >"$tmp/out" 2>"$tmp/err"
	is "without BPF: zcq $c" "$? $(grep -c 'this kernel is built without BPF' "$tmp/err")" '3 1'
done

# --- text and JSON come from one walk: the same events ---
rm -f "$tmp/ready"
mkfifo "$tmp/ready"
"$zcq" trace --netns "$ns" --event rejected --count 2 --ready-fd 3 3>"$tmp/ready" >"$tmp/text" 2>"$tmp/err" &
tracer=$!
read -rt 60 _ <"$tmp/ready"
inside "$exercise" register --if lo --queue 0 --times 2 >/dev/null 2>&1
stop none
is 'text: two events and the summary' \
	"$(grep -cE '^[0-9:.]+ rejected +(lo|-) queue=(0|-) pid=[0-9]+ comm=zcrx_exercise error=EOPNOTSUPP ' \
		"$tmp/text") $(grep -c ' summary ' "$tmp/text")" '2 1'
finish
