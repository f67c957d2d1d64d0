# Where things go: in the repository, or, where that cannot be written, in a
# folder of the user's own. Each place is told when it is not the usual one.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# Not one of the user's environment.
work=''

# check_root: refuses the few folder names that PATH and go.work cannot hold, or
# Jupyter.
check_root() {
	case $root in
	*[:,\"\$\{\}\\]* | *\`* | *$'\n'*)
		fail folder "the repository's folder is $root; a name with : , \" \$ { } \\ or \` cannot stand in PATH or go.work" \
			"move the repository to a folder without these characters"
		;;
	esac
	! command -v iconv >/dev/null || printf '%s' "$root" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 ||
		fail folder "the repository's folder is $root, which is no name in UTF-8: Go and Jupyter could not find it" \
			"rename the folder"
}

# writable FOLDER…: makes the folders where they are missing, and tells whether
# all can be written.
writable() {
	local it
	for it in "$@"; do
		mkdir -p -- "$it" 2>/dev/null && [ -w "$it" ] && [ -x "$it" ] || return 1
	done
}

# runs_in FOLDER: whether a program can be written there, and run: not so on a
# full disk, or one that is mounted noexec.
runs_in() {
	local file status=0
	case $1 in /*) ;; *) return 1 ;; esac
	file=$(mktemp "$1/overlap.XXXXXX" 2>/dev/null) || return 1
	{ printf '#!/bin/sh\nexit 0\n' >"$file" && chmod u+x "$file" && "$file"; } 2>/dev/null || status=1
	rm -f -- "$file"
	return "$status"
}

# find_places: sets tools and jupyter, where set-up puts what it makes, and work,
# the folder with the notebooks, data and outputs that are used: the repository.
# Where that cannot be written, work is a folder of the user's own, with copies
# of the notebooks, as people change them, and links to the data.
find_places() {
	[ -z "$work" ] || return 0
	check_root
	# Go and Jupyter ask for it; the shell knows it all the same.
	[ -n "${HOME:-}" ] || export HOME=~
	local name it why=
	work=$root
	tools=$root/.tools jupyter=$root/.jupyter
	if ! writable "$tools"/{,bin,log,lsp,stamp} "$jupyter"/{,headless,kernels,own} "$root"/data/{out,rasters} "$root/notebooks"; then
		why="cannot be written"
	elif ! runs_in "$tools"; then
		why="is full, or mounted noexec"
	fi
	if [ -n "$why" ]; then
		name=$(basename -- "$root")-$(printf '%s\n' "$root" | cksum | cut -d ' ' -f 1)
		work=
		for it in "${XDG_DATA_HOME:-$HOME/.local/share}/overlap" "${TMPDIR:-/tmp}/overlap-$(id -u)"; do
			# Nobody else's folder, as anybody can make one in /tmp.
			case $it in /*) (umask 077 && writable "$it") && [ -O "$it" ] && runs_in "$it" && work=$it/$name && break ;; esac
		done
		tools=$work/.tools jupyter=$work/.jupyter
		if [ -z "$work" ] || ! writable "$tools"/{bin,log,lsp,stamp} "$jupyter" "$work"/{notebooks,data/out,data/rasters}; then
			fail folder "$root $why, and neither $HOME nor ${TMPDIR:-/tmp} can hold what is made" \
				"make one of them writable, or set XDG_DATA_HOME to a folder that can be written"
		fi
		say folder "$root $why: everything goes to $work"
		bring_work
	fi
	find_temp
}

# bring_work: brings notebooks and data to work. A notebook that was changed
# there stays as it is.
bring_work() {
	local it name
	for it in "$root"/data/*; do
		case ${it##*/} in out | rasters) ;; *) ln -sfn -- "$it" "$work/data/" ;; esac
	done
	for it in "$root"/data/rasters/*.tif; do
		if [ -f "$it" ] && [ ! -e "$work/data/rasters/${it##*/}" ]; then ln -sfn -- "$it" "$work/data/rasters/"; fi
	done
	mkdir -p -- "$work/.original"
	for it in "$root"/notebooks/*.ipynb; do
		name=${it##*/}
		[ -f "$it" ] || continue
		if [ ! -e "$work/notebooks/$name" ] || cmp -s -- "$work/notebooks/$name" "$work/.original/$name"; then
			# Not by cp: what is copied must be writable.
			cat -- "$it" >"$work/.original/$name"
			cat -- "$it" >"$work/notebooks/$name"
		fi
	done
}

# find_temp: sees to it that programs can be built and run in the folder for
# temporary files, as each cell is one.
find_temp() {
	[ -z "${GOTMPDIR:-}" ] || runs_in "$GOTMPDIR" || unset GOTMPDIR
	runs_in "${TMPDIR:-/tmp}" && return
	local own=$tools/tmp
	if ! writable "$own" || ! runs_in "$own"; then
		fail temp "no program can be run in ${TMPDIR:-/tmp}, nor in $own: full, not writable, or mounted noexec" \
			"set TMPDIR to a folder where programs can be run"
	fi
	say temp "no program can be run in ${TMPDIR:-/tmp} (full, not writable, or mounted noexec): $own is used"
	export TMPDIR=$own
	# What killed kernels left.
	find "$own" -mindepth 1 -maxdepth 1 -mtime +1 -exec rm -rf -- {} +
}

# find_caches: sees to it that Go has caches that it can write.
find_caches() {
	local name folder own
	for name in GOCACHE GOMODCACHE; do
		folder=$(cd -- "$root" && go env "$name")
		case $folder in /*) ! writable "$folder" || continue ;; esac
		if [ "$name" = GOMODCACHE ] && all_modules; then continue; fi
		own=$tools/cache/$name
		writable "$own" || fail go "its cache cannot be written: $name is ${folder:-not set}" "set $name to a folder that can be written"
		say go "$name is ${folder:-not set}, which cannot be written: $own is used"
		export "$name=$own"
		ours+=("$name")
	done
}

# all_modules: whether Go's module cache has all that is needed.
all_modules() {
	local it
	for it in "$root" "$root/scripts/gopls"; do
		GOPROXY=off go -C "$it" list -deps ./... tool >/dev/null 2>&1 || return 1
	done
}

# find_out: sets out to the folder that runs write to.
find_out() {
	out=${OVERLAP_OUT:-$work/data/out}
	writable "$out" || fail out "cannot write to $out" "free it, or set OVERLAP_OUT to a folder that can be written"
	out=$(cd -- "$out" && pwd -P)
}

# tell_places: tells the programs of the lab where to read and write, where that
# is not the usual place.
tell_places() {
	[ "$out" = "$root/data/out" ] || export OVERLAP_OUT=$out
	[ "$work" = "$root" ] || export OVERLAP_DATA=${OVERLAP_DATA:-$work/data}
}

# own_jupyter: keeps Jupyter's own files out of the home folder.
own_jupyter() {
	mkdir -p "$jupyter/own/ipython"
	export JUPYTER_CONFIG_DIR=$jupyter/own/config JUPYTER_DATA_DIR=$jupyter/own/data \
		JUPYTER_RUNTIME_DIR=$jupyter/own/runtime IPYTHONDIR=$jupyter/own/ipython
}

# lock: waits for another set-up of the same folder, where the system has locks.
lock() {
	command -v flock >/dev/null || return 0
	exec 9>"$tools/lock" || return 0
	flock -n 9 && return
	say setup "another one is at work in this folder; waiting for it"
	flock 9
}

# unlock: lets the next one go on.
unlock() { exec 9>&-; }
