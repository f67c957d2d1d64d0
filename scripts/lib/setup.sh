# Set-up: everything a notebook needs, from a machine with only Go, a C
# compiler and git. A second run finds it all there.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

setup() {
	local from=$SECONDS
	check_root
	{ mkdir -p "$tools" "$root/.jupyter" && [ -w "$tools" ] && [ -w "$root/.jupyter" ]; } ||
		fail folder "cannot write to $root" "make the repository's folder writable"
	find_go
	install_packages
	find_python || true
	build_tools
	cell_flags
	warm_cache
	make_kernel
	export JUPYTER_PATH=$root/.jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}
	export OVERLAP_ROOT=$root
	say setup "ready ($(since "$from"))"
}
