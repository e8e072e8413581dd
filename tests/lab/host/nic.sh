#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
#
# The NIC model as the lab sees it from outside: one that does not start, one
# that dies, one that complains; and that nothing is left of it.

# shellcheck source=tests/lab/host/lib.sh
. "$(dirname "$0")/lib.sh"

model=${ZCQ_LAB_NIC:-${ZCQ_BUILD:-$PWD/build}/lab/nic}

# nic ARG...: lab run with $work/NAME.sh as the model.
nic() {
	ZCQ_LAB_NIC=$1 lab run --nic mlx5 --keep-log "$work/log.dmesg" "${@:2}"
}

nic "$work/none" true
is 'no model is an error' $? 1
says 'that tells what to do' 'no NIC model .*run make'

script exits <<'E'
echo 'no, thanks'
exit 1
E
nic "$work/exits.sh" true
is 'a model that does not start is an error' $? 1
says 'that is told' 'NIC model did not get ready'
says 'with what it said' 'no, thanks'

# The real model under a script that adds its own line at the end.
script complains <<E
for word; do
	[ "\$last" != --log ] || log=\$word
	last=\$word
done
"$model" "\$@" &
trap 'kill -TERM \$!' TERM
wait
wait
echo 'nic: error: said by the test' >>"\$log"
E
nic "$work/complains.sh" true
is 'a complaint of the model fails the run' $? 1
says 'and is shown' 'nic: error: said by the test'
check "the model's log is kept" grep -q 'said by the test' "$work/log.nic"

script killer <<'E'
lab-peer run sh -c 'kill -9 $(grep -lz -- --tap /proc/[0-9]*/cmdline | cut -d/ -f3)'
sleep 100
E
nic "$model" "$work/killer.sh"
is 'a model that dies ends the run' $? 1
says 'and is told' 'NIC model ended with status 137 while the guest ran'

script refused <<'E'
[ -n "$LAB_NIC_IF" ] && lab-nic fault nonsense
E
nic "$model" "$work/refused.sh"
is 'a fault that the model does not know is refused' $? 1
lab run --nic mlx5 --fault nonsense --keep-log "$work/log.dmesg" true
is 'at the start it is a usage error' $? 2
is 'that says what a fault is, and no more' "$(cat "$work/err")" \
	'lab: error: --fault: "nonsense": expected cmd OPCODE N status STATUS, or unsplit N'
is 'before the guest boots' "$(grep -c 'Linux version' "$work/log.dmesg")" 0
finish
