#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
#
# The guest's kernel log decides too: complaints fail a run unless declared,
# declared ones that don't come fail it as well.

# shellcheck source=tests/lab/host/lib.sh
. "$(dirname "$0")/lib.sh"

script warn <<'E'
echo 'WARNING: test 17' >/dev/kmsg
E
boot "$work/warn.sh"
is 'a WARNING fails the run' $? 1
says 'and is shown' '^  WARNING: test 17$'
check 'and is in the log' grep -q 'WARNING: test 17' "$work/log.dmesg"

script absent <<'E'
. tests/lab/lib.sh
expect_log 'never seen [0-9]+'
echo 'DEBUG and INFORMATION are no faults' >/dev/kmsg
E
boot "$work/absent.sh"
is 'a declared line that does not come fails the run' $? 1
says 'and is named' 'absent: never seen'
is 'what only looks like a fault is none' "$(grep -c 'DEBUG' "$work/err")" 0

script both <<'E'
. tests/lab/lib.sh
expect_log 'BUG: known [0-9]+'
echo 'BUG: known 5' >/dev/kmsg
echo 'BUG: unknown 7' >/dev/kmsg
E
boot "$work/both.sh"
is 'a declared line excuses no other' $? 1
says 'the other is shown' '^  BUG: unknown 7$'
is 'the declared is not' "$(grep -c 'known 5' "$work/err")" 0

script late <<'E'
echo 'WARNING: with a status' >/dev/kmsg
exit 9
E
boot "$work/late.sh"
is "the script's own status is kept" $? 9
finish
