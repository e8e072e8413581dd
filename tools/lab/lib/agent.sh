# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# agent.sh - builds the lab's agent (tools/lab/agent) when it is older than its
# source. The program is renamed into place, so runs at once don't meet.

lab_build_dir() {
	(cd "$LAB_ROOT" && readlink -m "${ZCQ_BUILD:-${O:-build}}")
}

# Prints the program's path.
lab_agent() {
	local out source newer

	out=$(lab_build_dir)/lab/agent
	source=$LAB_DIR/agent
	newer=$(find "$source" -name '*.[ch]' -newer "$out" 2>/dev/null || :)
	if [ ! -x "$out" ] || [ -n "$newer" ]; then
		lab_need cc
		mkdir -p "${out%/*}"
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -o "$out.$$" \
			"$source"/*.c -lutil || die "the lab's agent could not be built from $source"
		mv "$out.$$" "$out"
	fi
	printf '%s\n' "$out"
}
