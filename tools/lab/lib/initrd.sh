# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# initrd.sh - the guest's first file system: a static busybox, guest/init, and
# the modules that lead to the host's root and to the NIC, unpacked and in the
# order in which they are loaded. Kept in the cache under a name made from what
# is in it, so it is built once per kernel.

readonly LAB_BASE_MODULES=(virtio_pci 9pnet_virtio 9p overlay virtio_console virtio_net)

# What guest/init uses of busybox.
readonly LAB_INIT_APPLETS=(sh mount insmod mkdir ln sed ip hostname poweroff switch_root)

lab_nic_modules() {
	case $1 in
	mlx5) echo mlx5_core ;;
	none) ;;
	*) return 1 ;;
	esac
}

# lab_kernel_release FOLDER: the one name in FOLDER/lib/modules.
lab_kernel_release() {
	local dir found=()

	for dir in "$1"/lib/modules/*/; do
		[ -f "$dir/modules.dep" ] && found+=("$(basename "$dir")")
	done
	[ ${#found[@]} -eq 1 ] ||
		die "$1/lib/modules holds ${#found[@]} kernels with a modules.dep, not 1 (make modules_install runs depmod)"
	printf '%s\n' "${found[0]}"
}

# lab_module_files TREE MODULE... : the modules' files under TREE, those that
# others need first; what is built in needs none.
lab_module_files() {
	local tree=$1

	shift
	awk -v wanted="$*" '
		function plain(path) {
			sub(/.*\//, "", path)
			sub(/\.ko.*/, "", path)
			gsub(/-/, "_", path)
			return path
		}
		function put(path) {
			if (!(path in done))
				print path
			done[path] = 1
		}
		FILENAME ~ /modules.builtin$/ { builtin[plain($1)] = 1; next }
		{
			sub(/:/, "", $1)
			file[plain($1)] = $1
			needs[$1] = $0
		}
		END {
			n = split(wanted, want, " ")
			for (i = 1; i <= n; i++) {
				if (want[i] in builtin)
					continue
				if (!(want[i] in file)) {
					print "!" want[i]
					continue
				}
				m = split(needs[file[want[i]]], list, " ")
				while (m > 0)
					put(list[m--])
			}
		}' "$tree/modules.builtin" "$tree/modules.dep"
}

# lab_unpack_module FILE TARGET
lab_unpack_module() {
	case $1 in
	*.ko) cp "$1" "$2" ;;
	*.ko.xz) "$LAB_BUSYBOX" unxz -c "$1" >"$2" ;;
	*.ko.gz) gzip -dc "$1" >"$2" ;;
	*.ko.zst) lab_need zstd && zstd -qdc "$1" >"$2" ;;
	*) die "$1: compressed in an unknown way" ;;
	esac
}

# lab_initrd_list TREE FOLDER LIST MODULE... : puts them into FOLDER/modules.
lab_initrd_list() {
	local tree=$1 folder=$2 list=$3 file name

	shift 3
	: >"$folder/modules/$list"
	while read -r file; do
		[ "${file#!}" = "$file" ] ||
			die "the kernel of $tree has no module ${file#!}"
		name=${file##*/}
		name=${name%%.ko*}.ko
		[ -f "$folder/modules/$name" ] ||
			lab_unpack_module "$tree/$file" "$folder/modules/$name"
		printf '%s\n' "$name" >>"$folder/modules/$list"
	done < <(lab_module_files "$tree" "$@")
}

# lab_initrd KERNEL-FOLDER NIC: prints the archive's path. LAB_BUSYBOX is set.
lab_initrd() {
	local cache release tree key out temp name
	local -a nic_modules

	cache=$(lab_cache)
	release=$(lab_kernel_release "$1")
	tree=$1/lib/modules/$release
	read -r -a nic_modules <<<"$(lab_nic_modules "$2")"
	key=$({
		printf '%s\n' "$2" "$LAB_BUSYBOX" "$tree"
		stat -c '%n %s %Y' "$tree/modules.dep"
		lab_module_files "$tree" "${LAB_BASE_MODULES[@]}" "${nic_modules[@]}" |
			sed "s,^,$tree/," | xargs -r -d "\n" stat -c '%n %s %Y' -- 2>/dev/null || :
		cat "$LAB_DIR/guest/init" "$LAB_DIR/lib/initrd.sh"
	} | sha256sum | cut -c 1-20)
	out=$cache/initrd/$key.cpio
	if [ ! -f "$out" ]; then
		mkdir -p "$cache/initrd"
		temp=$(mktemp -d "$cache/initrd/tmp.XXXXXX")
		mkdir -p "$temp"/{bin,modules,proc,sys,dev,lower,rw,root}
		cp "$LAB_BUSYBOX" "$temp/bin/busybox"
		for name in "${LAB_INIT_APPLETS[@]}"; do
			ln -s busybox "$temp/bin/$name"
		done
		cp "$LAB_DIR/guest/init" "$temp/init"
		chmod 755 "$temp/init" "$temp/bin/busybox"
		lab_initrd_list "$tree" "$temp" base "${LAB_BASE_MODULES[@]}"
		lab_initrd_list "$tree" "$temp" nic ${nic_modules[@]+"${nic_modules[@]}"}
		(cd "$temp" && find . | "$LAB_BUSYBOX" cpio -o -H newc 2>/dev/null) >"$temp.cpio"
		mv "$temp.cpio" "$out"
		rm -rf "$temp"
	fi
	printf '%s\n' "$out"
}
