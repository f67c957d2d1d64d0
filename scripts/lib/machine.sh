# What the machine must have: Go, compilers, git, GDAL's headers, Jupyter.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# check_root: refuses the few folder names that PATH and go.work cannot hold.
check_root() {
	case $root in
	*[:,\"\$\{\}\\]* | *\`* | *$'\n'*)
		fail folder "the repository's folder is $root; a name with : , \" \$ { } \\ or \` cannot stand in PATH or go.work" \
			"move the repository to a folder without these characters"
		;;
	esac
}

# find_go: sets gobin to the folder of a go command that is new enough, and
# puts it first on PATH.
find_go() {
	local want have
	want=$(sed -n 's/^go  *//p' "$root/go.mod")
	local get="install Go $want or newer from https://go.dev/dl/ (unpack it to /usr/local, put /usr/local/go/bin on PATH)"
	if ! command -v go >/dev/null && [ -x /usr/local/go/bin/go ]; then PATH=/usr/local/go/bin:$PATH; fi
	command -v go >/dev/null || fail go "there is no go command on PATH" "$get"
	have=$(cd -- "$root" && go env GOVERSION 2>&1) || fail go "$(go version): $have" "$get"
	have=${have#go}
	have=${have%% *}
	if [ "$(printf '%s\n' "$want" "$have" | sort -V | head -n 1)" != "$want" ]; then
		fail go "this is Go $have, the lab needs $want" "$get"
	fi
	goversion=$have
	gobin=$(cd -- "$root" && go env GOROOT)/bin
	PATH=$gobin:$PATH
	say go "go$have, ready"
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
	for p in /usr/bin/python3 "$(command -v python3 || true)" "$(command -v python || true)"; do
		if [ -z "$p" ] || [ ! -x "$p" ]; then continue; fi
		python=$p
		if has_module nbclient nbconvert nbformat jupyter_client; then return 0; fi
	done
	python=/usr/bin/python3
	return 1
}

# have_compiler c|c++: whether there is one.
have_compiler() {
	case $1 in
	c) command -v "${CC:-cc}" >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ;;
	c++) command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ;;
	esac
}

# missing: one line for each thing that is not there: the Debian packages that
# bring it, a tab, and what it is. Only what is really missing: a GDAL or a
# Jupyter of the user's own counts.
missing() {
	command -v git >/dev/null || printf 'git\tgit\n'
	have_compiler c || printf 'gcc libc6-dev\ta C compiler\n'
	have_compiler c++ || printf 'g++\ta C++ compiler\n'
	if ! command -v pkg-config >/dev/null; then
		printf 'pkg-config\tpkg-config\n'
		[ -e /usr/include/gdal/gdal.h ] || printf 'libgdal-dev\tthe headers of GDAL\n'
	elif ! pkg-config --exists gdal; then
		printf 'libgdal-dev\tthe headers of GDAL (pkg-config gdal)\n'
	fi
	if ! find_python; then
		printf 'python3-nbclient jupyter-nbconvert\tthe Python packages nbclient and nbconvert\n'
	fi
	if ! has_module notebook && ! command -v jupyter-lab >/dev/null; then
		printf 'jupyter-notebook\tJupyter Notebook or JupyterLab\n'
	fi
	if [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -z "${SSL_CERT_FILE:-}" ] && [ -f /etc/debian_version ]; then
		printf 'ca-certificates\tcertificates, for downloads\n'
	fi
}

# install_packages: brings what is missing, or says exactly how.
install_packages() {
	local list names what as=() from=$SECONDS
	list=$(missing)
	if [ -z "$list" ]; then
		say packages "nothing is missing"
		return
	fi
	what=$(printf '%s\n' "$list" | cut -f 2 | paste -sd , - | sed 's/,/, /g')
	if [ ! -f /etc/debian_version ] || ! command -v apt-get >/dev/null; then
		fail packages "missing: $what" "install these with the system's package manager, then run this again"
	fi
	read -ra names <<<"$(printf '%s\n' "$list" | cut -f 1 | tr '\n' ' ')"
	# A faster linker, where Debian keeps it in a package of its own.
	if ! command -v ld.gold >/dev/null && apt-cache show binutils-gold >/dev/null 2>&1; then names+=(binutils-gold); fi
	local by_hand="apt-get update && apt-get install -y --no-install-recommends ${names[*]}"
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
			fail packages "missing: $what" "run as root: $by_hand"
		fi
		as=(sudo)
		say packages "needs root for: apt-get install ${names[*]}"
		sudo -v || fail packages "sudo was refused; missing: $what" "run as root: $by_hand"
	fi
	as+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
	say packages "installing ${names[*]} (some minutes the first time)"
	quietly packages "${as[@]}" update || fail packages "apt-get update did not work" "$by_hand"
	quietly packages "${as[@]}" install -y --no-install-recommends "${names[@]}" ||
		fail packages "apt-get install did not work" "$by_hand"
	list=$(missing)
	[ -z "$list" ] || fail packages "still missing: $(printf '%s\n' "$list" | cut -f 2 | paste -sd , -)" "$by_hand"
	say packages "installed ($(since "$from"))"
}
