#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts what belongs under DESTDIR and PREFIX; make uninstall leaves only what was there before.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

O=${O:-build}
dest=$(mktemp -d) || exit 1
trap 'rm -rf "$dest"' EXIT
make=(make --no-print-directory "O=$O" "DESTDIR=$dest" PREFIX=/opt/zcq)

# Folders that were there, empty or not.
mkdir -p "$dest/opt/zcq/share/man" "$dest/opt/zcq/bin"
touch "$dest/opt/zcq/bin/other"
before=$(find "$dest" | sort)

check 'make install' "${make[@]}" install
is 'the program runs from there' "$("$dest/opt/zcq/bin/zcq" --version)" "$("$O/zcq" --version)"
for m in docs/man/*.[1-8]; do
	check "$(basename "$m") is installed" cmp "$m" "$dest/opt/zcq/share/man/man${m##*.}/${m##*/}"
done
check 'make uninstall' "${make[@]}" uninstall
is 'only what was there before is left' "$(find "$dest" | sort)" "$before"

dest+=/new
make=("${make[@]/DESTDIR=*/DESTDIR=$dest}")
check 'make install where nothing is' "${make[@]}" install
check 'make uninstall' "${make[@]}" uninstall
is 'no folder is left' "$(find "$dest" 2>/dev/null)" ''
check 'make uninstall again is no error' "${make[@]}" uninstall
finish
