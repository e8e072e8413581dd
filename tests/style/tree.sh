#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tree's own rules: licences, shell, marks of unfinished work, length of files.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

# All that belongs to the tree, also where it was unpacked without git.
built=$(realpath -m --relative-base=. "${O:-build}")	# absolute where it is outside
mapfile -t files < <({ git ls-files -co --exclude-standard 2>/dev/null | grep . ||
	find . -type f -not -path './.git/*' -printf '%P\n'; } | grep -v "^$built/")

code=() shell=()
for f in "${files[@]}"; do
	[[ -f $f ]] || continue
	case $f in
	tests/data/* | kernel-patches/*) ;;
	*.c | *.h | *.sh | Makefile) code+=("$f") ;;
	*) [[ $(head -c 11 "$f" | tr -d '\0') == '#!/bin/bash' ]] && code+=("$f") && shell+=("$f") ;;
	esac
	[[ $f == *.sh ]] && shell+=("$f")
done

bare=()
for f in "${code[@]}"; do
	head -n 3 "$f" | grep -qE 'SPDX-License-Identifier: GPL-2.0-(only|or-later)' || bare+=("$f")
done
is 'every source file says its licence' "${bare[*]}" ''

wrong=()
for f in bpf/*.[ch]; do
	head -n 1 "$f" | grep -q 'GPL-2.0-only' || wrong+=("$f")
done
is 'bpf/ is GPL-2.0-only' "${wrong[*]}" ''

if command -v shellcheck >/dev/null; then
	check 'shellcheck finds nothing' shellcheck -x -e SC1091,SC2317 "${shell[@]}"
else
	skip 'shellcheck finds nothing' 'no shellcheck'
fi

is 'no marks of unfinished work' \
	"$(grep -lE '\b(TODO|FIXME|XXX|HACK)\b' "${code[@]}" | grep -v '^tests/style/tree.sh$' | xargs)" ''

long=()
for f in "${code[@]}"; do
	[[ $f == *.[ch] ]] || continue
	(($(wc -l <"$f") <= 650)) || grep -q 'Longer than' <(head -n 20 "$f") || long+=("$f")
done
is 'no file past 650 lines without saying why in its head' "${long[*]}" ''
finish
