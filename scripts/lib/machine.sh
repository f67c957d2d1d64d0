# What the machine must have: Go and Jupyter; for cells that read rasters
# also compilers and GDAL's headers.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# own_go: the Go settings that the lab needs, whatever the user's own are. What
# says where modules come from stays the user's.
own_go() {
	unset GOROOT # Go knows its own
	case ${GOPATH:-/} in /*) ;; *) unset GOPATH ;; esac
	case ${GOTOOLCHAIN:-} in go[0-9]*+*) ;; go[0-9]*) unset GOTOOLCHAIN ;; esac # one version, whatever go.mod asks for
	# A go.work that happens to lie above this folder is none of the lab's, and
	# not every user of a repository is its owner, whom git wants.
	export GOWORK=off GO111MODULE=on GOFLAGS=-buildvcs=false
}

# own_servers: keeps a proxy from standing between the lab and its servers, which
# are on this machine: GDAL would ask it for them.
own_servers() {
	local it=${no_proxy:-${NO_PROXY:-}}
	case $it in '*' | *127.0.0.1*) ;; *) it=${it:+$it,}localhost,127.0.0.1 ;; esac
	export no_proxy=$it NO_PROXY=$it
}

# ours: the variables that the lab sets for Go, and a kernel for its cells.
ours=()

# find_go: sets gobin to the folder of a go command that is new enough, wherever
# it stands on PATH or in the usual folders, and puts it first on PATH.
find_go() {
	local want it have why='there is no go command on PATH'
	own_go
	own_servers
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
			goversion=$have
			gobin=$(cd -- "$root" && "$it" env GOROOT)/bin
			PATH=$gobin:$PATH
			say go "go$have, ready"
			# A user's settings for another machine are none of the lab's.
			GOOS=$(go env GOHOSTOS) GOARCH=$(go env GOHOSTARCH)
			export GOOS GOARCH
			ours=(GOOS GOARCH)
			find_caches
			return
		fi
		why="$it is Go $have, the lab needs $want"
	done < <(
		type -ap go || true
		printf '%s\n' /usr/local/go/bin/go /usr/lib/go/bin/go /usr/lib/go-*/bin/go /opt/homebrew/bin/go "$HOME"/go/bin/go "$HOME"/sdk/go*/bin/go
	)
	fail go "$why" "install Go $want or newer from https://go.dev/dl/ (unpack it to /usr/local, put /usr/local/go/bin on PATH)"
}

# has_module NAME…: whether the Python that runs Jupyter here has the modules.
has_module() {
	"$python" - "$@" 2>/dev/null <<-'PY'
		import sys, importlib.util as u
		sys.exit(any(u.find_spec(m) is None for m in sys.argv[1:]))
	PY
}

# find_python: sets python to the Python that has Jupyter. Debian's comes
# first, whichever python3 is first on PATH.
find_python() {
	local p
	# Names and texts are in UTF-8, whatever the locale says.
	export PYTHONUTF8=1
	for p in /usr/bin/python3 "$(command -v python3 || true)" "$(command -v python || true)"; do
		if [ -z "$p" ] || [ ! -x "$p" ]; then continue; fi
		python=$p
		if runs_jupyter; then return 0; fi
		# What the user set for another Python may be what hides Jupyter from this.
		if runs_jupyter -E -s; then
			unset PYTHONPATH PYTHONHOME
			export PYTHONNOUSERSITE=1
			say python "$p runs Jupyter only without PYTHONPATH, PYTHONHOME and modules in the home folder: they are left out"
			return 0
		fi
	done
	python=/usr/bin/python3
	return 1
}

# runs_jupyter OPTION…: whether python, with its options, really loads what runs
# a notebook.
runs_jupyter() {
	"$python" "$@" -c 'import sys; assert sys.version_info >= (3, 10); import jupyter_client, nbclient, nbconvert, nbformat' >/dev/null 2>&1
}

# find_compilers: sets cc and cxx to the commands that Go calls, or to others
# where those are not there.
find_compilers() {
	local name it command
	for name in CC CXX; do
		command=$(go env "$name")
		if ! command -v "${command%% *}" >/dev/null; then
			for it in gcc,g++ clang,clang++ cc,c++; do
				if [ "$name" = CC ]; then it=${it%,*}; else it=${it#*,}; fi
				if command -v "$it" >/dev/null; then
					say packages "$name is $command, which is not there: $it is used"
					command=$it
					export "$name=$it"
					ours+=("$name")
					break
				fi
			done
		fi
		if [ "$name" = CC ]; then cc=$command; else cxx=$command; fi
	done
}

# builds LANGUAGE COMPILER FLAG…: whether the program on standard input compiles
# and links.
builds() {
	local command
	read -ra command <<<"$2"
	command -v "${command[0]}" >/dev/null &&
		"${command[@]}" -x "$1" - -x none -o "$tools/log/try" "${@:3}" >"$tools/log/try.log" 2>&1
}

# look: sets needs and wants to what is missing: for anything at all, and for
# the cells that read rasters. Each has one line a thing: the Debian packages
# that bring it, a tab, and what it is. Only what does not work counts: a GDAL
# or a Jupyter of the user's own is fine. It sets silent to the commands that Go
# would call and that cannot say what is missing.
look() {
	local config=${PKG_CONFIG:-pkg-config} flags
	needs='' wants='' gdalversion='' silent=PKG_CONFIG
	find_python || needs+=$'python3-nbclient jupyter-nbconvert\tthe Python packages nbclient and nbconvert\n'
	if ! has_module notebook && ! command -v jupyter-lab >/dev/null; then
		needs+=$'jupyter-notebook\tJupyter Notebook or JupyterLab\n'
	fi
	if [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -z "${SSL_CERT_FILE:-}" ] && [ -f /etc/debian_version ]; then
		needs+=$'ca-certificates\tcertificates for downloads\n'
	fi
	find_compilers
	builds c "$cc" <<<$'#include <stdlib.h>\nint main(void) { return 0; }' || {
		wants+=$'gcc libc6-dev\ta C compiler\n'
		silent+=' CC CXX'
	}
	builds c++ "$cxx" <<<$'#include <new>\nint main() { delete new int; }' || wants+=$'g++\ta C++ compiler\n'
	if ! "$config" --version >/dev/null 2>&1; then
		wants+=$'pkg-config\tpkg-config'"${PKG_CONFIG:+ (PKG_CONFIG is $PKG_CONFIG)}"$'\n'
		[ -e /usr/include/gdal/gdal.h ] || wants+=$'libgdal-dev\tthe headers of GDAL\n'
	elif ! gdalversion=$("$config" --modversion gdal 2>/dev/null); then
		wants+=$'libgdal-dev\tthe headers of GDAL (pkg-config does not find gdal.pc'
		wants+="${PKG_CONFIG_LIBDIR:+ with PKG_CONFIG_LIBDIR=$PKG_CONFIG_LIBDIR}${PKG_CONFIG_PATH:+ with PKG_CONFIG_PATH=$PKG_CONFIG_PATH})"$'\n'
	elif [ -z "$wants" ]; then
		read -ra flags <<<"$("$config" --cflags --libs gdal)"
		builds c++ "$cxx" "${flags[@]}" <<<$'#include <gdal.h>\n#if GDAL_VERSION_MAJOR < 3\n#error GDAL 3 is needed\n#endif\nint main() { return GDALGetDriverCount() != 0; }' ||
			wants+="libgdal-dev"$'\t'"a GDAL 3 that programs can be built with (of $gdalversion: $(grep -m 1 -i 'error\|undefined\|cannot' "$tools/log/try.log" | cut -c 1-120))"$'\n'
	fi
	# Also where the user builds everything else without a C compiler.
	[ -n "$wants" ] || export CGO_ENABLED=1
}

# things LINES: what they name, in words.
things() { printf '%s' "$1" | cut -f 2 | paste -sd , - | sed 's/,/, /g'; }

# by_hand: sets by_hand to the command that brings what is missing, and packages
# to their names. What is installed and does not work is installed again.
by_hand() {
	local it again=
	read -ra packages <<<"$(printf '%s%s' "$needs" "$wants" | cut -f 1 | tr '\n' ' ')"
	for it in "${packages[@]}"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$it" 2>/dev/null) in installed) again=--reinstall ;; esac
	done
	# A faster linker, where Debian keeps it in a package of its own.
	if ! command -v ld.gold >/dev/null && apt-cache show binutils-gold >/dev/null 2>&1; then packages+=(binutils-gold); fi
	[ -z "$again" ] || packages=("$again" "${packages[@]}")
	by_hand="apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
}

# has_apt: whether packages come by apt-get here.
has_apt() { [ -f /etc/debian_version ] && command -v apt-get >/dev/null; }

# missing WHAT REMEDY: says what is missing, and ends, unless everything but the
# reading of rasters works without, and that is enough.
missing() {
	if [ -n "$needs" ] || [ "$enough" = all ]; then fail packages "$1" "$2"; fi
	without_gdal="$1. To mend it: $2, then scripts/lab setup"
	say packages "$1; all but the cells that read rasters works"
	printf '          to mend it: %s\n' "$2"
}

# install_packages [all]: brings what is missing, or says exactly how. What only
# cells that read rasters need may be missing afterwards, except with all; then
# without_gdal tells what to do about it.
install_packages() {
	local enough=${1:-} packages by_hand as=() from=$SECONDS what log
	without_gdal=''
	look
	if [ -z "$needs$wants" ]; then
		say packages "nothing is missing"
		return
	fi
	what="missing: $(things "$needs$wants")"
	if ! has_apt; then
		missing "$what" "install these with the system's package manager"
		return
	fi
	by_hand
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
			missing "$what" "run as root: $by_hand"
			return
		fi
		as=(sudo)
		say packages "needs root for: apt-get install ${packages[*]}"
		sudo -v || {
			missing "sudo was refused; $what" "run as root: $by_hand"
			return
		}
	fi
	as+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
	say packages "installing $(printf '%s\n' "${packages[@]}" | grep -v '^--' | paste -sd ' ' -) (some minutes the first time)"
	for log in update install; do
		if [ "$log" = update ]; then set -- update; else set -- install -y --no-install-recommends "${packages[@]}"; fi
		quietly packages "${as[@]}" "$@" || {
			grep -q 'dpkg --configure -a' "$tools/log/packages.log" && by_hand="dpkg --configure -a && $by_hand"
			missing "apt-get $log did not work; $what" "run as root: $by_hand"
			return
		}
	done
	look
	if [ -z "$needs$wants" ]; then
		say packages "installed ($(since "$from"))"
	else
		by_hand
		missing "still missing: $(things "$needs$wants")" "run as root: $by_hand"
	fi
}
