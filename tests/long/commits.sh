#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long
# timeout: 3600
#
# Every commit of the branch builds by itself. Needs git's history: elsewhere it is skipped.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

if ! git rev-parse --git-dir >/dev/null 2>&1; then
	skip 'every commit builds' 'no git history here'
	finish
fi
tree=$(mktemp -d) || exit 1
trap 'git worktree remove --force "$tree/w" 2>/dev/null; rm -rf "$tree"' EXIT

for c in $(git rev-list --reverse HEAD); do
	git worktree remove --force "$tree/w" 2>/dev/null
	git worktree add -q --detach "$tree/w" "$c" || exit 1
	name="$(git log -1 --format='%h %s' "$c") builds"
	# One build folder for all: a commit compiles only what it changed.
	[[ -f $tree/w/Makefile ]] || continue
	check "$name" make -C "$tree/w" -j2 "O=$tree/build" all
done
finish
