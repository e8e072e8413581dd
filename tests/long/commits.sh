#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long
# timeout: 3600
#
# Every commit of the branch builds by itself. Needs git's history: elsewhere it is skipped. The commits are
# checked out one after the other in a repository that borrows the objects, so that nothing is written here
# and each compiles only what it changed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

name='every commit builds'
if [[ ! -e .git ]]; then
	skip "$name" 'no git history here'
	finish
fi
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# Also where the tree is somebody else's, as in a container.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
objects=$(git rev-parse --path-format=absolute --git-path objects) &&
	commits=$(git rev-list --reverse --topo-order HEAD) && git init -q "$tree/src" &&
	echo "$objects" >"$tree/src/.git/objects/info/alternates" || exit 1

for c in $commits; do
	name="$(git log -1 --format='%h %s' "$c"): make"
	git -C "$tree/src" checkout -q --detach "$c" || exit 1
	if [[ -f $tree/src/Makefile ]]; then
		check "$name" env -u MAKEFLAGS -u MAKELEVEL make -C "$tree/src" -j2 "O=$tree/build" all
	else
		skip "$name" 'this commit has no Makefile yet'
	fi
done
finish
