# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A BPF session and a receiver under a scenario's control: sourced by scenarios that compare
# what BPF counted with what the receiver checked. Wants ok.sh (by lab.sh), sets $tmp.
#
#	watch_start OPTION...	bpf_watch in the background, attached
#	watch_ask sums|instances	its answer in $tmp/answer
#	watch_mark		what it counted so far counts as nothing from here on
#	watch_stop		the session closed
#	total WHAT KEY [MATCH...]	KEY summed over the answer's WHAT lines that have all MATCHes,
#				less what it was at the mark
#	count WHAT [MATCH...]	how many such lines
#	value WHAT KEY [MATCH...]	KEY of the first such line, as text
#	recv_start OPTION...	zcq bench recv; $rx is its pid, $port where it listens
#	send ADDRESS OPTION...	zcq bench send to it
#	recv_wait		its end
#	field KEY		of its result

build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)

watch_start() {
	local line

	coproc WATCH { exec "$build/tests/bpf_watch" "$@" 2>"$tmp/watch.err"; }
	# shellcheck disable=SC2153 # WATCH_PID is bash's
	watch_in=${WATCH[1]} watch_out=${WATCH[0]} watch_pid=$WATCH_PID
	: >"$tmp/events"
	: >"$tmp/base"
	read -rt 120 line <&"$watch_out" && [ "$line" = ready ] && return
	fail 'BPF session' "$(cat "$tmp/watch.err")"
	finish
}

watch_ask() {
	local line

	: >"$tmp/answer"
	echo "$1" >&"$watch_in"
	while read -rt 60 line <&"$watch_out"; do
		case $line in
		end) return 0 ;;
		event:*) echo "$line" >>"$tmp/events" ;;
		*) echo "$line" >>"$tmp/answer" ;;
		esac
	done
	fail "bpf_watch $1" "$(cat "$tmp/watch.err")"
	return 1
}

watch_mark() {
	watch_ask sums
	cp "$tmp/answer" "$tmp/base"
	: >"$tmp/events"
}

watch_stop() {
	exec {watch_in}>&-
	wait "$watch_pid"
}

# pick FILE WHAT KEY MATCH...: of the lines "WHAT: ..." that have every MATCH as a word, how
# many there are, and the sum of KEY.
pick() {
	local file=$1 what=$2 key=$3

	shift 3
	awk -v what="$what:" -v key="$key" -v matches="$*" '
		BEGIN { wanted = split(matches, match_word, " ") }
		$1 != what { next }
		{
			delete has
			for (i = 2; i <= NF; i++)
				has[$i] = 1
			for (i = 1; i <= wanted; i++)
				if (!(match_word[i] in has))
					next
			lines++
			for (i = 2; i <= NF; i++)
				if (index($i, key "=") == 1)
					sum += substr($i, length(key) + 2)
		}
		END { printf "%d %.0f\n", lines, sum }' "$file"
}

total() {
	local now before _

	read -r _ now < <(pick "$tmp/answer" "$@")
	read -r _ before < <(pick "$tmp/base" "$@")
	echo "$((now - before))"
}

count() {
	local what=$1 n _

	shift
	read -r n _ < <(pick "$tmp/answer" "$what" - "$@")
	echo "$n"
}

value() {
	local what=$1 key=$2

	shift 2
	awk -v what="$what:" -v key="$key" -v matches="$*" '
		BEGIN { wanted = split(matches, match_word, " ") }
		$1 != what { next }
		{
			delete has
			for (i = 2; i <= NF; i++)
				has[$i] = 1
			for (i = 1; i <= wanted; i++)
				if (!(match_word[i] in has))
					next
			for (i = 2; i <= NF; i++)
				if (index($i, key "=") == 1) {
					print substr($i, length(key) + 2)
					exit
				}
		}' "$tmp/answer"
}

# lost: what the session lost, without the runs that the kernel skipped because the program was running
# on that CPU already (a preempted task): these are counted and said, may happen on a busy host, and
# show in the bytes, which are checked for themselves.
lost() { grep '^lost:' "$tmp/answer" | sed -E 's/ missed=[0-9]+//'; }

# events MATCH...: how many of the events told since the mark (bpf_watch --verbose).
events() {
	local n _

	read -r n _ < <(pick "$tmp/events" event - "$@")
	echo "$n"
}

recv_start() {
	local line

	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$zcq" bench recv --port 0 --wait 20s --json --ready-fd 3 "$@" 3>"$tmp/ready" >"$tmp/rx" 2>"$tmp/rx.err" &
	rx=$!
	read -rt 20 line <"$tmp/ready"
	port=${line#*port=}
	port=${port%% *}
	[ -n "$port" ] || fail 'receiver' "$(cat "$tmp/rx.err")"
}

send() { timeout 120 "$zcq" bench send --port "$port" --json "$@" >"$tmp/tx" 2>"$tmp/tx.err"; }
recv_wait() { wait "$rx"; }
field() { tail -n 1 "$tmp/rx" | grep -oE "\"$1\":(\"[^\"]*\"|[^],}]*)" | head -n 1 | cut -d: -f2- | tr -d '"'; }

# rearmed ERRNO: how often a receive that ended with it was armed again.
rearmed() {
	grep -oE "\"errno\":\"$1\",\"count\":[0-9]+" "$tmp/rx" | head -n 1 | grep -oE '[0-9]+$' || echo 0
}

# sockets_gone: the sockets of $port are destroyed, so their flows have ended.
sockets_gone() { ! ss -Htan "sport = :$port" | grep -q .; }
