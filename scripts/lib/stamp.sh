# Stamps: a file that remembers from what a step was made, so that the step is
# done again exactly when that has changed.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# fingerprint FILE-OR-TEXT…: a hash of the files' contents and the texts.
fingerprint() {
	local it
	for it in "$@"; do
		if [ -f "$it" ]; then cat -- "$it"; else printf '%s\n' "$it"; fi
	done | cksum
}

# fresh NAME HASH: whether the step's stamp says HASH.
fresh() {
	local have=
	[ -f "$tools/stamp/$1" ] && IFS= read -r have <"$tools/stamp/$1"
	[ "$have" = "$2" ]
}

# stamp NAME HASH: remembers that the step is done for HASH.
stamp() {
	mkdir -p "$tools/stamp"
	printf '%s\n' "$2" >"$tools/stamp/$1"
}
