#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# lab: --nic none --kernel 6.12
#
# Debian 13's own kernel, which has no zero-copy receive by io_uring, and no NIC for it: zcq says what is
# missing, shows the rest, and ends with 3 where there is nothing to show.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
build=${ZCQ_BUILD:-$PWD/build}
zcq=$build/zcq
tmp=$(mktemp -d)
# shellcheck source=tests/lib/trace.sh
. "$(dirname "$0")/../lib/trace.sh"

# run ARG...: exit status in $status, output in $tmp/out and $tmp/err.
run() {
	timeout 100 "$zcq" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

probes() { jq -r "select(.type == \"probe\" and ($1)) | .probe" "$tmp/json" | sort | xargs; }

listed() {
	run probes --json
	cp "$tmp/out" "$tmp/json"
	is 'probes: exit status, complaints' "$status $(cat "$tmp/err")" '0 '
	is 'probes: what zcrx needs is missing' \
		"$(probes '.state == "missing" and (.probe | test("^(zcrx.copied|zcrx.alloc|zcrx.end|queue.bind|queue.unbind|register.end)$"))')" \
		'queue.bind queue.unbind register.end zcrx.alloc zcrx.copied zcrx.end'
	is 'probes: what other kernels have too is there' \
		"$(probes '.state == "yes" and (.probe | test("^(pool.create|pool.release|register.result|queue.reconfigure|instance.files)$"))')" \
		'instance.files pool.create pool.release queue.reconfigure register.result'
	is 'probes: for each that is missing, why and what is lost' \
		"$(probes '.state == "missing" and ((.why // "") == "" or (.lost // "") == "")')" ''
	is 'probes: why' "$(jq -r 'select(.probe == "zcrx.alloc" or .probe == "zcrx.copied" or .probe == "zcrx.end") | .why' "$tmp/json" | sort)" \
		'this kernel has no io_pp_zc_alloc_netmems
this kernel has no io_recvzc
this kernel has no io_zcrx_recv_skb'
	run probes --missing
	is 'probes --missing: the same in words' "$status $(awk '$2 == "missing" { print $1 }' "$tmp/out" | sort | xargs)" \
		"0 $(probes '.state == "missing"')"
}

queues() {
	ip netns exec peer "$LAB_BUSYBOX" ping -c 3 -W 5 "$HOST4" >/dev/null
	run queues --netns peer --interval 0 --json
	is 'queues: exit status, complaints' "$status $(cat "$tmp/err")" '0 '
	is 'queues: those of all netdevs' "$(jq -r 'select(.type == "queue") | "\(.netdev)/\(.queue)"' "$tmp/out" | sort | xargs)" 'lo/0 peer0/0'
	is 'queues: driver' "$(jq -r 'select(.type == "netdev" and .netdev == "peer0") | .driver' "$tmp/out")" virtio_net
	is 'queues: packets by the driver' "$(jq -r 'select(.type == "queue" and .netdev == "peer0") | .pkts >= 3' "$tmp/out")" true
	run queues --netns peer --json
	is 'queues: measured' "$status $(jq -r 'select(.type == "queue" and .netdev == "peer0") | .pkts_per_s != null' "$tmp/out")" '0 true'
	is 'queues: what was not measured is null, not 0' \
		"$(jq -r 'select(.type == "queue") | .owner, .received.zc_bytes, .received.copied_bytes' "$tmp/out" | sort -u | xargs)" null
}

# unseen EVENT WHY: alone it is an error, and the reason is said.
unseen() {
	run trace --duration 1s --event "$1"
	is "trace --event $1: exit status" "$status" 3
	check "trace --event $1: why" grep -q "warning: $1 events can't be seen: .*$2" "$tmp/err"
	check "trace --event $1: what to do" grep -q 'error: none of the events asked for can be seen on this kernel: see zcq probes' "$tmp/err"
}

# Said as what it is, and not as something that this kernel lacks.
few_descriptors() {
	local status

	(ulimit -n 24 && run trace --duration 1s; exit "$status")
	is 'too few descriptors: exit status and reason' "$? $(cat "$tmp/err")" \
		"1 zcq: error: BPF programs can't be loaded: too few file descriptors: the limit is 24, raise it (ulimit -n 1024)"
	(ulimit -Sn 24 && run trace --duration 100ms; exit "$status")
	is 'few descriptors, but more allowed' $? 0
}

# A veth with 7 queues has a page pool for each while GRO is on.
traced_pools() {
	local name=${*:-'all'} pools='select(.type | startswith("pool-")) | "\(.type) \(.provider)"'

	check 'a veth pair' ip link add va numrxqueues 7 numtxqueues 7 type veth peer name vb numrxqueues 7 numtxqueues 7
	ip link set va up
	trace_start "$@"
	ethtool -K va gro on
	ethtool -K va gro off
	exactly "trace $name: 7 pools made" 7 '.type == "pool-created"'
	exactly "trace $name: 7 pools freed" 7 '.type == "pool-destroyed"'
	is "trace $name: ordinary ones" "$(jq -r "$pools" "$tmp/trace" | sort -u | xargs)" 'pool-created none pool-destroyed none'
	trace_stop "trace $name"
	ip link del va
}

listed
queues
unseen bound 'this kernel has no netif_mp_open_rxq'
unseen alloc-failed 'this kernel has no io_pp_zc_alloc_netmems'
unseen recv-ended 'this kernel has no io_recvzc'
unseen unsplit 'driver mlx5_core is not loaded'
few_descriptors
traced_pools
check 'trace: that some is missing' grep -q "warning: these events can't be seen here (zcq probes says why):\$" "$tmp/trace.err"
is 'trace: what is missing, by name' \
	"$(grep -oE '\b(bound|bind-failed|alloc-failed|recv-ended|pool-created|unsplit)\b' "$tmp/trace.err" | sort | xargs)" \
	'alloc-failed bind-failed bound recv-ended'
is 'trace: in 80 columns' "$(awk 'length > 80' "$tmp/trace.err")" ''
traced_pools --event pool-created,pool-destroyed,starved
check 'trace: which of those asked for is missing' grep -q "warning: starved events can't be seen" "$tmp/trace.err"
run bench recv --nodev
is 'bench recv: exit status and reason' "$status $(cat "$tmp/err")" \
	'3 zcq: error: this kernel has no zcrx (6.15 and later have it, with CONFIG_IO_URING_ZCRX)'
rm -rf "$tmp"
finish
