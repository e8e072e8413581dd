#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What people read agrees with what the program says: each option of --help is in the manual page and the
# other way round, help fits 80 columns, events are documented, pages are clean roff.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

zcq=${O:-build}/zcq
options() { grep -oE -- '(^|[^-a-z])--[a-z][-a-z]+' | grep -oE -- '--[a-z][-a-z]+' | sort -u; }

mapfile -t commands < <("$zcq" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
((${#commands[@]})) || fail 'zcq --help lists commands' 'none found'

for c in "${commands[@]}"; do
	page=docs/man/zcq-$c.1
	words=("$c")
	[[ $c == bench ]] && words=("bench recv" "bench send")
	help=$(for w in "${words[@]}"; do
		# shellcheck disable=SC2086 # "bench recv" is two words
		"$zcq" $w --help
	done)
	if [[ -z $help ]]; then
		fail "zcq $c --help" 'prints nothing'
		continue
	fi
	is "zcq $c --help fits 80 columns" "$(awk 'length > 80' <<<"$help")" ''
	if [[ ! -e $page ]]; then
		fail "zcq-$c(1)" 'there is no such page'
		continue
	fi
	text=$(sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page")
	is "zcq-$c(1) has each option of --help, and no other" \
		"$(comm -3 <(options <<<"$help") <(options <<<"$text") | tr -d '\t' | xargs)" ''
	if command -v groff >/dev/null; then
		is "zcq-$c(1) is clean roff" "$(groff -t -man -ww -Tutf8 -z "$page" 2>&1)" ''
	else
		skip "zcq-$c(1) is clean roff" 'no groff'
	fi
done

if command -v groff >/dev/null; then
	is 'zcq(1) is clean roff' "$(groff -t -man -ww -Tutf8 -z docs/man/zcq.1 2>&1)" ''
fi
is 'zcq(1) has each command' "$(for c in "${commands[@]}"; do grep -q "zcq\\\\-$c" docs/man/zcq.1 || echo "$c"; done)" ''

dead=()
for page in *.md docs/*.md; do
	while read -r link; do
		[[ $link == http* || -e $(dirname "$page")/${link%%#*} ]] || dead+=("$page: $link")
	done < <(grep -oE '\]\([^)#][^)]*\)' "$page" | sed 's/^](//; s/)$//')
done
is 'every link of the documentation leads somewhere' "${dead[*]}" ''

events=$("$zcq" trace --event help 2>/dev/null | awk '{ print $1 }' | grep -E '^[a-z]')
((${#events})) || fail 'zcq trace --event help lists events' 'none found'
undocumented=()
for e in $events; do
	grep -q "\`$e\`" docs/events.md || undocumented+=("$e")
done
is 'docs/events.md has every event' "${undocumented[*]}" ''
finish
