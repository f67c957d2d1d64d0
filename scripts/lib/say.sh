# What a person sees: one line a step, and errors that say how to mend them.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# say STEP TEXT…: one line about a step.
say() { printf '%-9s %s\n' "$1" "${*:2}"; }

# fail STEP WHAT REMEDY…: says what went wrong and what would mend it, and ends.
fail() {
	printf '%-9s FAILED: %s\n' "$1" "$2" >&2
	shift 2
	[ $# -eq 0 ] || printf '          to mend it: %s\n' "$@" >&2
	exit 1
}

# quoted PATH: as a shell takes it.
quoted() { case $1 in *\'*) printf '%q' "$1" ;; *) printf "'%s'" "$1" ;; esac; }

# quietly STEP COMMAND…: runs a command with its output kept in a log, of which
# the end is shown only where the command fails. Returns the command's status.
quietly() {
	local log="$tools/log/$1.log" status=0
	mkdir -p "$tools/log"
	shift
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if [ "$status" -ne 0 ]; then
		uniq "$log" | tail -n 15 | sed 's/^/          | /' >&2
		printf '          (all of it: %s)\n' "$log" >&2
		if grep -qi 'no space left' "$log"; then printf '          a disk is full: free some space, then run this again (df -h shows which)\n' >&2; fi
	fi
	return "$status"
}

# since SECONDS: the time since then, as text.
since() {
	local d=$((SECONDS - $1))
	if [ "$d" -lt 120 ]; then printf '%d s' "$d"; else printf '%d min %d s' $((d / 60)) $((d % 60)); fi
}
