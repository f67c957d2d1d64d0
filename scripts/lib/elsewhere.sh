# The set-up on machines that are not as this one: the test of scripts/lab as a
# user runs it, in a copy of the repository and with an environment made for it.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# elsewhere_tested: runs everything below, in about a minute, and fails where
# something was not as it must be.
elsewhere_tested() {
	if ! command -v git >/dev/null; then
		say test "there is no git here (Debian's package git)"
		return 77
	fi
	local place=$scratch/elsewhere copy log wrong=0 caches plain=() mini raster it
	# What breaks flags of compilers, kernels and addresses.
	copy="$place/동시성 실습/a%2Fb 1"
	log=$place/log
	mkdir -p "$copy" "$place/home" "$place/bin"
	copy_repository
	# No packages are installed for a test.
	printf '#!/bin/sh\necho "no network here" >&2\nexit 1\n' >"$place/bin/apt-get"
	cp "$place/bin/apt-get" "$place/bin/sudo"
	chmod +x "$place/bin"/*
	caches=("GOCACHE=$(go env GOCACHE)" "GOMODCACHE=$(go env GOMODCACHE)")
	# What root may write whatever its permissions is no test of them.
	[ "$(id -u)" -ne 0 ] || plain=(setpriv "--bounding-set=-dac_override,-dac_read_search")
	mini=$place/mini.ipynb raster=$place/raster.ipynb
	make_notebooks
	for it in as_usual old_go locales odd_settings read_only no_caches no_compiler no_gdal two_at_once moved; do
		"elsewhere_$it"
	done
	chmod -R u+w "$place"
	[ "$wrong" -eq 0 ]
}

# copy_repository: what a clone would have, and the tools that are built.
copy_repository() {
	cp -R .gitignore go.mod go.sum notebooks pkg scripts "$copy"
	mkdir -p "$copy/data" "$copy/.tools"/{bin,lsp,stamp}
	cp -R data/olinda data/published.csv "$copy/data"
	(cd "$copy" && git init -q . && git add -A && git -c user.name=test -c user.email=test@localhost commit -qm "a copy")
	ln -s "$tools"/bin/{gonb,goimports,staticcheck,benchstat} "$copy/.tools/bin/"
	ln -s "$tools/lsp/gopls" "$copy/.tools/lsp/"
	cp "$tools/stamp/tools" "$copy/.tools/stamp/"
}

# make_notebooks: a notebook with a figure and one that reads a raster, each of
# one cell.
make_notebooks() {
	"$python" - "$mini" "$raster" <<-'PY'
		import sys
		from nbformat import v4, write

		packages = 'import (\n\t"overlap/pkg/chart"\n\t"overlap/pkg/lab"\n\t"overlap/pkg/notebook"\n\t"overlap/pkg/sched"\n\t"overlap/pkg/workload/primes"\n)'
		run = """result, err := lab.Experiment{
		    Name: "Mini", Workload: primes.Repeats{Limit: 1000}, Sizes: []int{10}, Repeats: 2,
		    Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()},
		}.Run(notebook.Context())
		notebook.Show(chart.Trials(result), err)"""
		read = """dir := notebook.Must(raster.Dir())
		file := filepath.Base(notebook.Must(raster.Files(notebook.Context(), dir, 1, false, nil))[0])
		far := notebook.Must(fileserver.Start(notebook.Context(), fileserver.Files{Dir: dir}))
		defer far.Close()
		notebook.Text("%v", notebook.Must(raster.Inspect(filepath.Join(dir, file))))
		notebook.Text("%v", notebook.Must(raster.Inspect(far.URL()+"/"+file)))"""
		raster = 'import (\n\t"path/filepath"\n\n\t"overlap/pkg/notebook"\n\t"overlap/pkg/workload/raster"\n\t"overlap/pkg/workload/raster/fileserver"\n)'
		for file, imports, body in (sys.argv[1], packages, run), (sys.argv[2], raster, read):
		    write(v4.new_notebook(cells=[v4.new_code_cell(f"%noautoget\n{imports}\n\n%%\n{body}")]), file)
	PY
}

# lab SETTING… COMMAND…: scripts/lab of the copy, with nothing in its environment
# but the settings, NAME=VALUE, and what every user has. Its output is in log.
lab() {
	local settings=()
	while [[ ${1:-} == *=* ]]; do
		settings+=("$1")
		shift
	done
	(cd "$copy" && exec "${plain[@]}" env -i HOME="$place/home" PATH="$place/bin:$gobin:/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8 TMPDIR="${TMPDIR:-/tmp}" \
		OVERLAP_DATA="$work/data" OVERLAP_QUICK=1 "${caches[@]}" "${settings[@]}" bash scripts/lab "$@") >"$log" 2>&1 </dev/null
}

# must WHAT STATUS COMMAND…: whether the command ends with the status, 0 or 1;
# what lab said is shown where not.
must() {
	local what=$1 want=$2 status=0
	shift 2
	"$@" || status=$?
	[ "$status" -ne "$want" ] || return 0
	printf 'elsewhere, %s: status %d, not %d, of: %s\n' "$what" "$status" "$want" "$*" >&2
	sed 's/^/  | /' "$log" >&2
	wrong=$((wrong + 1))
}

# says TEXT: whether lab said it.
says() { grep -qF -- "$1" "$log"; }

elsewhere_as_usual() {
	must "a path with spaces, Korean and %" 0 lab run "$mini" "$raster"
	must "a path with spaces, Korean and %" 0 says "2 passed, 0 failed"
	must "a path with spaces, Korean and %" 0 test -s "$copy/data/out/mini.html"
	must "all there" 0 lab check
	must "all there" 0 says "a cell runs in it"
	must "all there" 1 says MISSING
}

# Languages and encodings other than a test's: one whose numbers have commas, and
# one that is not UTF-8.
elsewhere_locales() {
	mkdir -p "$place/locales"
	# Where the system has no sources of locales, they are ones that are not there.
	{ localedef -i de_DE -f UTF-8 "$place/locales/de_DE.UTF-8" && localedef -i ko_KR -f EUC-KR "$place/locales/ko_KR.EUC-KR"; } >/dev/null 2>&1 || true
	must "numbers with commas" 0 lab LOCPATH="$place/locales" LC_ALL=de_DE.UTF-8 run "$mini"
	must "numbers with commas" 0 grep -qE '^Mini,([^,]*,)+0\.[0-9]+' "$copy"/data/out/results/mini-*.csv
	must "another encoding" 0 lab LOCPATH="$place/locales" LC_ALL=ko_KR.EUC-KR check
}

# What users have set for other work.
elsewhere_odd_settings() {
	local odd
	odd=(GOFLAGS=-mod=vendor GO111MODULE=off GOWORK=/dev/null/no GOROOT=/dev/null/no GOPATH=relative GOBIN=/dev/null/no GOOS=plan9 GOARCH=mips GOTOOLCHAIN=go1.99.0
		CGO_ENABLED=0 CC=nosuchcc CXX=nosuchcxx GOTMPDIR=/dev/null/no TMPDIR=/dev/null/no CDPATH=. PYTHONHOME=/dev/null/no LC_ALL=C work=/dev/null/no
		http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9)
	must "odd settings, an export" 0 lab "${odd[@]}" export mini-
	must "odd settings" 0 lab "${odd[@]}" run "$mini" "$raster"
	must "odd settings" 0 says "2 passed, 0 failed"
	must "odd settings" 0 says "no program can be run in /dev/null/no"
	must "odd settings" 0 says "CC is nosuchcc, which is not there"
}

# A folder of a course that learners may only read: all goes to their own.
elsewhere_read_only() {
	local own before after
	command -v setpriv >/dev/null || [ ${#plain[@]} -eq 0 ] || return 0
	before=$(find "$copy" | sort)
	chmod -R a-w "$copy"
	must "read-only" 0 lab GOFLAGS=-mod=readonly run "$mini"
	must "read-only" 0 says "cannot be written: everything goes to $place/home"
	must "read-only" 0 says "tools     those in"
	own=$(find "$place/home/.local/share/overlap" -mindepth 1 -maxdepth 1)
	must "read-only" 0 says "$own/data/out/"
	must "read-only" 0 test -s "$own/data/out/mini.html"
	must "read-only" 0 test -n "$(find "$own/data/out/figures" -name 'mini-*.svg' | head -n 1)"
	after=$(find "$copy" | sort)
	must "nothing new in a read-only folder" 0 test "$before" = "$after"
	must "nothing changed in a read-only folder" 0 test -z "$(git -C "$copy" status --short)"
	# A notebook that a learner changed stays; one that was not follows the course.
	must "copies can be changed" 0 cp "$mini" "$own/notebooks/primes.ipynb"
	chmod -R u+w "$copy/notebooks"
	cp "$mini" "$copy/notebooks/rasters.ipynb"
	cp "$raster" "$copy/notebooks/primes.ipynb"
	chmod -R a-w "$copy/notebooks"
	must "read-only again" 0 lab check
	must "a learner's change stays" 0 cmp -s "$mini" "$own/notebooks/primes.ipynb"
	must "a course's change comes" 0 cmp -s "$mini" "$own/notebooks/rasters.ipynb"
	chmod -R u+w "$copy"
	git -C "$copy" checkout -q notebooks
}

# hidden NAME…: a PATH with everything but these.
hidden() {
	local bin it
	bin=$(mktemp -d "$place/without.XXXXXX")
	find /usr/bin/ /bin/ /usr/local/bin/ -maxdepth 1 ! -type d -exec ln -sf -t "$bin" -- {} + 2>/dev/null
	for it in "$@"; do find "$bin" -name "$it" -exec rm -f -- {} +; done
	printf '%s\n' "$place/bin:$gobin:$bin"
}

elsewhere_no_compiler() {
	local path
	path=$(hidden '*gcc*' '*g++*' '*clang*' cc c++ 'c[89]9*')
	must "no compiler" 1 lab PATH="$path" run "$mini" "$raster"
	must "no compiler" 0 says "missing: a C compiler, a C++ compiler"
	must "no compiler" 0 says "all but the cells that read rasters works"
	must "no compiler" 0 says "1 passed, 1 failed"
	must "no compiler, a raster" 0 says "GDAL cannot be used here"
	must "no compiler, a check" 1 lab PATH="$path" check
	! has_apt || must "no compiler, a check" 0 says "gcc libc6-dev g++"
}

elsewhere_no_gdal() {
	must "no gdal.pc" 1 lab PKG_CONFIG_LIBDIR=/dev/null/no PKG_CONFIG_PATH= run rasters "$mini"
	must "no gdal.pc" 0 says "the headers of GDAL"
	must "no gdal.pc" 0 says "1 passed, 1 failed"
	must "no gdal.pc, the notebook of rasters" 0 says "the other cells were not run"
	! has_apt || must "no gdal.pc" 0 says "libgdal-dev"
	must "no pkg-config" 1 lab PATH="$(hidden 'pkg-config*' 'pkgconf*')" check
	must "no pkg-config" 0 says "MISSING: pkg-config;"
	must "no GDAL, the data" 1 lab PKG_CONFIG_LIBDIR=/dev/null/no PKG_CONFIG_PATH= data
	must "no GDAL, the data" 0 says "FAILED: "
}

# A home folder that cannot be written, or that another hides: no modules, no
# caches. What is missing is named before any notebook is opened.
elsewhere_no_caches() {
	local caches=()
	must "a home folder that is not there" 1 lab HOME=/dev/null/no check
	must "a home folder that is not there" 0 says "GOCACHE is /dev/null/no"
	must "a home folder that is not there" 0 says "MISSING: the modules are not in "
	must "a home folder that is not there" 0 says "scripts/lab' setup"
}

elsewhere_old_go() {
	mkdir -p "$place/old"
	printf '#!/bin/sh\n[ "$*" = "env GOVERSION" ] || exit 1\necho go1.19.8\n' >"$place/old/go"
	chmod +x "$place/old/go"
	must "an old Go first on PATH" 0 lab PATH="$place/old:$place/bin:$gobin:/usr/bin:/bin" check
	must "an old Go first on PATH" 1 says 1.19
}

# Two set-ups of one folder: the later one waits, and says so.
elsewhere_two_at_once() {
	command -v flock >/dev/null || return 0
	local other lock=$copy/.tools/lock
	rm -f "$copy/.tools/stamp/warm" "$copy/.jupyter/kernels/overlap/kernel.json" "$log"
	# The one at work ends when the other waits, or never does.
	(flock 9 && for _ in {1..600}; do ! says "waiting for it" 2>/dev/null || break; sleep 0.1; done) 9>>"$lock" &
	other=$!
	while flock -n "$lock" true; do sleep 0.1; done
	must "two at once" 0 lab setup
	must "two at once" 0 says "waiting for it"
	must "two at once" 0 wait "$other"
	must "two at once" 0 lab check
}

elsewhere_moved() {
	mv "$copy" "$place/moved"
	copy=$place/moved
	must "moved" 1 lab check
	must "moved" 0 says 'MISSING: Jupyter knows no kernel "Go (overlap)" of now'
	must "moved" 1 says "MISSING: not built"
}
