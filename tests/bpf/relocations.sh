#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every member that the BPF programs read is found in the BTF of the kernels they are made
# for, stored under tests/data/btf: offline, without privileges. What is not found there must be
# a flavour ("___"), whose use is guarded, or a driver's on a kernel whose driver BTF isn't stored;
# and exactly what it was when the files were made (tests/data/btf/refresh).
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/ok.sh

object=${O:-build}/bpf/zcq.o
data=tests/data/btf

if [[ ! -s $object ]]; then
	fail 'the BPF object' "there is no $object"
	finish
fi
for kernel in "$data"/*.missing; do
	name=$(basename "$kernel" .missing)
	modules=()
	for m in "$data/$name"-*.btf; do
		if [[ -e $m ]]; then modules+=("$m"); fi
	done
	missing=$(bash "$data/missing" "$data/$name.btf" "$object" "${modules[@]}")
	is "Linux $name: relocations as recorded ($data/refresh after a change)" \
		"$(diff <(echo "$missing") "$kernel")" ''
	core=$(grep -v -e '___' -e '^struct mlx5' -e '^struct bnxt' <<<"$missing")
	is "Linux $name: nothing of the kernel itself is missing" "$core" ''
	if ((${#modules[@]})); then
		is "Linux $name: nothing of the drivers is missing" "$(grep -v ___ <<<"$missing")" ''
	else
		skip "Linux $name: drivers" 'no stored BTF of that kernel'\''s drivers'
	fi
done

# Of the flavours of one thing, each kernel must have one; else nothing would ever be read.
one_of() {
	local what=$1 kernel missing found
	shift
	for kernel in "$data"/*.missing; do
		missing=$(<"$kernel")
		found=no
		for member; do
			grep -qx "struct $member" <<<"$missing" || found=yes
		done
		is "$(basename "$kernel" .missing): $what" "$found" yes
	done
}
one_of 'areas of an instance' io_zcrx_ifq___73.areas io_zcrx_ifq___618.area
one_of 'refill ring of an instance' io_zcrx_ifq___73.rq io_zcrx_ifq___618.rq_ring
finish
