# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# apt.sh - apt with state folders of its own: looks packages up and downloads
# them without touching what is installed on the host. The mirror, proxy and
# credentials are the host's; the signatures are checked against Debian's
# keyring. Sourced by lab; used by fetch.sh only.

# The Debian release whose packages the guest is made of.
# shellcheck disable=SC2034 # used by fetch.sh
LAB_SUITE=trixie
readonly LAB_KEYRINGS=(
	/usr/share/keyrings/debian-archive-keyring.gpg
	/usr/share/keyrings/debian-archive-keyring.pgp
)

# The first Debian archive with "main" in the one-line files, as "URI".
lab_mirror_from_list() {
	local file

	for file in "$1/sources.list" "$1"/sources.list.d/*.list; do
		[ -f "$file" ] && cat "$file"
	done | awk '
		/^[ \t]*deb[ \t]/ {
			sub(/#.*/, "")
			sub(/^[ \t]*deb[ \t]+(\[[^]]*\][ \t]*)?/, "")
			if ($1 !~ /\/debian\/?$/ && $1 !~ /\/archive\/debian\//)
				next
			for (i = 3; i <= NF; i++)
				if ($i == "main") { print $1; exit }
		}'
}

# The same from the deb822 files (paragraphs of "Field: value").
lab_mirror_from_sources() {
	local file

	for file in "$1"/sources.list.d/*.sources; do
		[ -f "$file" ] && { cat "$file"; echo; }
	done | awk '
		function flush(    n, i, u) {
			if (types ~ /(^| )deb( |$)/ && comps ~ /(^| )main( |$)/ &&
			    enabled !~ /^(no|false|0)/) {
				n = split(uris, u, " ")
				for (i = 1; i <= n; i++)
					if (u[i] ~ /\/debian\/?$/ || u[i] ~ /\/archive\/debian\//) {
						print u[i]
						found = 1
						exit
					}
			}
			types = comps = uris = enabled = field = ""
		}
		/^#/ { next }
		/^[ \t]*$/ { flush(); next }
		{
			line = $0
			if (line !~ /^[ \t]/) {
				field = tolower(line)
				sub(/:.*/, "", field)
				sub(/^[^:]*:/, "", line)
			}
			gsub(/[ \t]+/, " ", line)
			sub(/^ /, "", line)
			if (field == "types") types = types " " line
			if (field == "components") comps = comps " " line
			if (field == "uris") uris = uris " " line
			if (field == "enabled") enabled = enabled line
		}
		END { if (!found) flush() }'
}

# The archive to fetch from, by what apt is set to (LAB_APT_ETC is for tests).
lab_mirror() {
	local etc=${LAB_APT_ETC:-/etc/apt} uri=${ZCQ_LAB_MIRROR:-}

	[ -n "$uri" ] || uri=$(lab_mirror_from_sources "$etc" | head -n 1)
	[ -n "$uri" ] || uri=$(lab_mirror_from_list "$etc" | head -n 1)
	[ -n "$uri" ] || return 1
	printf '%s\n' "${uri%/}"
}

# lab_apt_setup SUITE... : writes the private configuration.
lab_apt_setup() {
	local dir mirror key keyring='' suite

	[ "$(dpkg --print-architecture)" = amd64 ] ||
		die "$LAB_UNSUPPORTED" "this machine is $(dpkg --print-architecture); the lab is for amd64"
	mirror=$(lab_mirror) ||
		die "no Debian archive with \"main\" in /etc/apt: set ZCQ_LAB_MIRROR to the URL of one"
	for key in "${LAB_KEYRINGS[@]}"; do
		[ -r "$key" ] && { keyring=$key; break; }
	done
	[ -n "$keyring" ] || die "no keyring of Debian's archive: install debian-archive-keyring"

	dir=$(lab_cache)/apt
	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial,etc/parts}
	: >"$dir/status"
	for suite; do
		printf 'deb [arch=amd64 signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite"
	done >"$dir/sources.list"
	{
		# What concerns the way to the network, and whether lists may have
		# expired (a frozen mirror), is as the host has it.
		apt-config dump | grep -E '^Acquire::[^ ]*(Proxy|Verify|CaInfo|SslCert|SslKey|Check-Valid-Until|Max-ValidTime)' || :
		cat <<-CONF
			Dir::State "$dir/state";
			Dir::State::status "$dir/status";
			Dir::Cache "$dir/cache";
			Dir::Etc::sourcelist "$dir/sources.list";
			Dir::Etc::sourceparts "$dir/etc/parts";
			Dir::Etc::preferences "/dev/null";
			Dir::Etc::preferencesparts "$dir/etc/parts";
			Dir::Etc::parts "$dir/etc/parts";
			Dir::Etc::main "/dev/null";
			APT::Architecture "amd64";
			APT::Architectures { "amd64"; };
			APT::Sandbox::User "";
			APT::Install-Recommends "false";
			APT::Get::AllowUnauthenticated "false";
			Acquire::Languages "none";
			Acquire::http::Timeout "30";
			Acquire::https::Timeout "30";
			Acquire::Retries "3";
		CONF
	} >"$dir/apt.conf"
}

# lab_apt SECONDS PROGRAM ARG... : apt-get or apt-cache, never for ever.
lab_apt() {
	local seconds=$1

	shift
	APT_CONFIG=$(lab_cache)/apt/apt.conf DEBIAN_FRONTEND=noninteractive \
		LC_ALL=C timeout --kill-after=10 "$seconds" "$@" </dev/null
}

lab_apt_update() {
	local out mirror

	lab_apt_setup "$@"
	mirror=$(awk 'NR == 1 { print $4 }' "$(lab_cache)/apt/sources.list")
	msg "reading the package lists of $mirror ($*)"
	if ! out=$(lab_apt 300 apt-get -q -o APT::Update::Error-Mode=any update 2>&1); then
		printf '%s\n' "$out" | tail -n 15 >&2
		die "the package lists of $mirror could not be read (see above); check the network, or set ZCQ_LAB_MIRROR"
	fi
}

# Lines "VERSION SUITE" that the lists offer for a package, newest first.
lab_apt_offers() {
	lab_apt 60 apt-cache madison "$1" 2>/dev/null |
		awk -F' *[|] *' '{ split($3, s, " "); sub("/.*", "", s[2]); sub(/^ */, "", $2)
			print $2, s[2] }'
}

# lab_apt_pick PACKAGE OPERATOR VERSION SUITE: the newest version of PACKAGE in
# SUITE that compares (dpkg's operators), or nothing and status 1.
lab_apt_pick() {
	local version suite best=''

	while read -r version suite; do
		[ "$suite" = "$4" ] || continue
		dpkg --compare-versions "$version" "$2" "$3" || continue
		if [ -z "$best" ] || dpkg --compare-versions "$version" gt "$best"; then
			best=$version
		fi
	done < <(lab_apt_offers "$1")
	[ -n "$best" ] && printf '%s\n' "$best"
}

lab_apt_field() {
	lab_apt 60 apt-cache show --no-all-versions "$1=$2" 2>/dev/null |
		sed -n "s/^$3: //p" | head -n 1
}

# lab_apt_archives FOLDER install|download ARG... : downloads into FOLDER and
# prints the file names. apt checks each against the signed lists; a partial
# file of an earlier try is continued.
lab_apt_archives() {
	local folder=$1 verb=$2 list out

	shift 2
	mkdir -p "$folder/partial"
	[ "$verb" = download ] || set -- --download-only --no-install-recommends "$@"
	if ! list=$(lab_apt 120 apt-get -qq -y --print-uris "$verb" "$@" 2>&1); then
		printf '%s\n' "$list" | tail -n 15 >&2
		return 1
	fi
	if ! out=$(cd "$folder" && lab_apt 1500 apt-get -q -y \
		-o Dir::Cache::archives="$folder" "$verb" "$@" 2>&1); then
		printf '%s\n' "$out" | tail -n 15 >&2
		return 1
	fi
	printf '%s\n' "$list" | awk '/^\x27/ { print $2 }'
}
