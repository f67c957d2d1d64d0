# Set-up: everything a notebook needs, from a machine with only Go. A second run
# finds it all there.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# setup [all]: with all, it fails where anything is missing; else what only
# cells that read rasters need may be.
setup() {
	local from=$SECONDS
	find_places
	lock
	find_go
	install_packages "${1:-}"
	build_tools
	cell_flags
	warm_cache
	make_kernel
	unlock
	if [ -n "$without_gdal" ]; then
		say setup "ready but for cells that read rasters ($(since "$from"))"
	else
		say setup "ready ($(since "$from"))"
	fi
}

# lacks STEP WHAT REMEDY: one line of a check about what is not there.
lacks() {
	lacking=$((lacking + 1))
	printf '%-9s MISSING: %s\n          to mend it: %s\n' "$@"
}

# check_setup: says what is missing and what would mend it, and installs nothing.
check_setup() {
	local lacking=0 by_hand packages later
	later="$(quoted "$root/scripts/lab") setup"
	find_places
	find_go
	look
	if [ -z "$needs$wants" ]; then
		say packages "nothing is missing"
	elif has_apt; then
		by_hand
		[ "$(id -u)" -eq 0 ] || by_hand="run as root: $by_hand"
		lacks packages "$(things "$needs$wants")$([ -n "$needs" ] || printf '; all but the cells that read rasters works')" "$by_hand"
	else
		lacks packages "$(things "$needs$wants")" "install these with the system's package manager"
	fi
	without_gdal=$wants
	cell_flags
	if have_tools; then say tools "built"; else lacks tools "$without" "$later   (needs the network, once)"; fi
	if have_warm_cache; then say cache "warm"; else lacks cache "what cells import is not compiled: the first cells would be slow" "$later"; fi
	if [ -n "$needs" ]; then
		lacks kernel "not tried, as packages are missing" "$later"
	elif [ -n "$(kernels_changed)" ]; then
		lacks kernel "Jupyter knows no kernel \"Go (overlap)\" of now" "$later"
	elif ! try_kernel; then
		lacks kernel "a cell does not run in it; what it said stands above" "$later"
	else
		say kernel "\"Go (overlap)\" is there, and a cell runs in it"
	fi
	if [ "$lacking" -gt 0 ]; then
		say check "$lacking step(s) of the set-up are missing"
		return 1
	fi
	say check "all is there"
}
