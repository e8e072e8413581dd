#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts what belongs under DESTDIR and PREFIX; make uninstall leaves nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

O=${O:-build}
dest=$(mktemp -d) || exit 1
trap 'rm -rf "$dest"' EXIT
make=(make --no-print-directory "O=$O" "DESTDIR=$dest" PREFIX=/opt/zcq)

check 'make install' "${make[@]}" install
is 'the program runs from there' "$("$dest/opt/zcq/bin/zcq" --version)" "$("$O/zcq" --version)"
for m in docs/man/*.[1-8]; do
	check "$(basename "$m") is installed" cmp "$m" "$dest/opt/zcq/share/man/man${m##*.}/${m##*/}"
done
check 'make uninstall' "${make[@]}" uninstall
is 'nothing is left' "$(find "$dest" -type f)" ''
finish
