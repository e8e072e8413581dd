# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# clean.sh - the scratch folders of runs: made, found dead, removed. A run
# holds a lock on its folder's file "lock", so a folder whose lock is free
# belongs to nobody. Processes, namespaces, TAPs and mounts need no cleaning:
# they end with the run, however it ends.

# Makes LAB_SCRATCH and takes its lock.
lab_scratch() {
	local parent

	parent=$(lab_scratch_parent)
	mkdir -m 700 "$parent" 2>/dev/null || :
	if [ ! -d "$parent" ] || [ -L "$parent" ] || [ ! -O "$parent" ]; then
		die "$parent is not a folder of ours"
	fi
	lab_clean_dead >/dev/null
	# The lock is taken before the name is one that lab_clean_dead looks at.
	LAB_SCRATCH=$(mktemp -d "$parent/new.XXXXXX")
	exec {LAB_LOCK}>"$LAB_SCRATCH/lock"
	flock -n "$LAB_LOCK"
	mv -T "$LAB_SCRATCH" "$parent/run.${LAB_SCRATCH##*.}"
	LAB_SCRATCH=$parent/run.${LAB_SCRATCH##*.}
}

# Removes the folders of dead runs and prints how many.
lab_clean_dead() {
	local dir lock n=0

	for dir in "$(lab_scratch_parent)"/run.*; do
		[ -e "$dir/lock" ] || continue
		exec {lock}<"$dir/lock" || continue
		if flock -n "$lock"; then
			rm -rf "$dir"
			n=$((n + 1))
		fi
		exec {lock}<&-
	done
	find "$(lab_scratch_parent)" -maxdepth 1 -name 'new.*' -mmin +10 \
		-exec rm -rf {} + 2>/dev/null || :
	echo "$n"
}

# What the cache holds beside the current versions.
lab_clean_cache() {
	local cache dir name lock

	cache=$(lab_cache)
	[ -d "$cache" ] || return 0
	exec {lock}>"$cache/lock"
	flock -w 60 "$lock" || die "a lab is fetching: try again"
	for dir in "$cache"/*-*/; do
		if [ ! -d "$dir" ] || [ -L "${dir%/}" ]; then
			continue
		fi
		dir=$(readlink -f "$dir")
		for name in "${LAB_COMPONENTS[@]}"; do
			[ "$(lab_path "$name")" != "$dir" ] || continue 2
		done
		msg "removing $dir"
		rm -rf "$dir"
	done
	rm -rf "$cache"/apt "$cache"/initrd "$cache"/debian13 "$cache"/tmp.*
	exec {lock}>&-
}

lab_clean() {
	case ${1:-} in
	'') ;;
	--cache) lab_clean_cache ;;
	*) die "$LAB_USAGE" "clean: unknown word '$1'" ;;
	esac
	msg "$(lab_clean_dead) folder(s) of dead runs removed"
}
