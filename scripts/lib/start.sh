# Finds Go, builds the lab's command, pkg/cmd/overlap, which takes a moment where nothing in it has
# changed, and hands over to it. All the rest is done there.

# shellcheck shell=bash
set -euo pipefail
unset CDPATH # cd would follow it, and print
[ -n "${HOME:-}" ] || export HOME=~

root=$(dirname -- "$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)")
root=$(dirname -- "$root")

# fail STEP WHAT REMEDY: says what went wrong and what would mend it, and ends.
fail() {
	printf '%-9s FAILED: %s\n          to mend it: %s\n' "$@" >&2
	exit 1
}

# check_root: refuses the few folder names that PATH and go.work cannot hold, or Jupyter.
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

# own_go: the Go settings that the lab needs, whatever the user's own are. What says where modules
# come from stays the user's.
own_go() {
	unset GOROOT # Go knows its own
	case ${GOPATH:-/} in /*) ;; *) unset GOPATH ;; esac
	case ${GOTOOLCHAIN:-} in go[0-9]*+*) ;; go[0-9]*) unset GOTOOLCHAIN ;; esac # one version, whatever go.mod asks for
	# A go.work that happens to lie above this folder is none of the lab's, and
	# not every user of a repository is its owner, whom git wants.
	export GOWORK=off GO111MODULE=on GOFLAGS=-buildvcs=false OVERLAP_ROOT=$root
}

# find_go: puts a go command that is new enough first on PATH, wherever it stands there or in the
# usual folders, and sets cache to the folder of its build cache.
find_go() {
	local want it have why='there is no go command on PATH'
	want=$(sed -n 's/^go  *//p' "$root/go.mod")
	while read -r it; do
		[ -x "$it" ] || continue
		# In the repository, where Go may get the version that go.mod asks for.
		have=$(cd -- "$root" && "$it" env GOVERSION 2>&1) || {
			case $why in there*) why="$it does not work: $(printf '%s\n' "$have" | head -n 3 | paste -sd ' ' -)" ;; esac
			continue
		}
		have=${have#go}
		have=${have%% *}
		if [ "$(printf '%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ]; then
			# A user's settings for another machine are none of the lab's.
			{ read -r it && read -r GOOS && read -r GOARCH && read -r cache; } < <(cd -- "$root" && "$it" env GOROOT GOHOSTOS GOHOSTARCH GOCACHE)
			PATH=$it/bin:$PATH
			export GOOS GOARCH
			return
		fi
		why="$it is Go $have, the lab needs $want"
	done < <(
		type -ap go || true
		printf '%s\n' /usr/local/go/bin/go /usr/lib/go/bin/go /usr/lib/go-*/bin/go /opt/homebrew/bin/go "$HOME"/go/bin/go "$HOME"/sdk/go*/bin/go
	)
	fail go "$why" "install Go $want or newer from https://go.dev/dl/ (unpack it to /usr/local, put /usr/local/go/bin on PATH)"
}

# build TOOLS: builds the command in that folder, and tells whether it starts there: not so where
# the folder cannot be written, is full, or is mounted noexec.
build() {
	local it=$cache
	mkdir -p "$1/bin" "$1/tmp" 2>/dev/null || return 1
	case $it in /*) mkdir -p "$it" 2>/dev/null && [ -w "$it" ] || it= ;; *) it= ;; esac
	[ -e "$1/bin/overlap" ] || printf '%-9s %s\n' start "compiling the lab's command (up to a minute the first time)" >&2
	said=$(CGO_ENABLED=0 GOCACHE=${it:-$1/cache/GOCACHE} GOTMPDIR=$1/tmp go -C "$root" build -o "$1/bin/overlap" ./pkg/cmd/overlap 2>&1) || return 1
	"$1/bin/overlap" starts 2>/dev/null
}

# start WORD…: what the command is to do, in the repository or, where that cannot be written, in a
# folder of the user's own, and nobody else's, as anybody can make one in /tmp.
start() {
	local name it said='' cache=''
	check_root
	own_go
	find_go
	! build "$root/.tools" || exec "$root/.tools/bin/overlap" "$@"
	name=$(basename -- "$root")-$(printf '%s\n' "$root" | cksum | cut -d ' ' -f 1)
	for it in "${XDG_DATA_HOME:-$HOME/.local/share}/overlap" "${TMPDIR:-/tmp}/overlap-$(id -u)"; do
		case $it in /*) ;; *) continue ;; esac
		if ! (umask 077 && mkdir -p -- "$it") 2>/dev/null || [ ! -O "$it" ]; then continue; fi
		! build "$it/$name/.tools" || exec "$it/$name/.tools/bin/overlap" "$@"
	done
	fail folder "the lab's command cannot be built in $root/.tools, nor below $HOME or ${TMPDIR:-/tmp}: ${said:-they cannot be written}" \
		"make one of them writable, or set XDG_DATA_HOME to a folder that can be written"
}
