//go:build elsewhere

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"overlap/pkg/internal/home"
)

// TestElsewhere tests the set-up on machines that are not as this one: scripts/lab as a user runs it,
// in a copy of the repository and with an environment made for it. It takes a minute or two, and
// needs the tools that set-up has built; scripts/test --elsewhere runs it.
func TestElsewhere(t *testing.T) {
	e := newElsewhere(t)
	for _, part := range []struct {
		name string
		run  func(elsewhere)
	}{
		{"as usual", elsewhere.asUsual},
		{"old Go", elsewhere.oldGo},
		{"locales", elsewhere.locales},
		{"odd settings", elsewhere.oddSettings},
		{"read-only", elsewhere.readOnly},
		{"no caches", elsewhere.noCaches},
		{"no compiler", elsewhere.noCompiler},
		{"no GDAL", elsewhere.noGDAL},
		{"two at once", elsewhere.twoAtOnce},
		{"moved", elsewhere.moved},
	} {
		t.Run(part.name, func(t *testing.T) {
			e := e
			e.T = t
			part.run(e)
		})
	}
}

// An elsewhere is a copy of the repository and what stands around it.
type elsewhere struct {
	*testing.T
	place, copy  string
	mini, raster string // notebooks of one cell: with a figure, and reading a raster
	gobin, data  string
	caches       []string
	plain        []string // what makes root a user whom permissions bind
}

func newElsewhere(t *testing.T) elsewhere {
	root, err := home.Root()
	must(t, err)
	tools := cmp.Or(os.Getenv("OVERLAP_TEST_TOOLS"), filepath.Join(root, ".tools"))
	place, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", place).Run() }) // so that it can be removed
	e := elsewhere{
		T: t, place: place,
		copy:   filepath.Join(place, "동시성 실습", "a%2Fb 1"), // what breaks flags of compilers, kernels and addresses
		mini:   filepath.Join(place, "mini.ipynb"),
		raster: filepath.Join(place, "raster.ipynb"),
		data:   cmp.Or(os.Getenv("OVERLAP_DATA"), filepath.Join(root, "data")),
	}
	for _, name := range []string{"home", "bin"} {
		must(t, os.Mkdir(filepath.Join(place, name), 0o777))
	}
	e.copyRepository(root, tools)
	// No packages are installed for a test.
	for _, name := range []string{"apt-get", "sudo"} {
		e.program("bin/"+name, "echo 'no network here' >&2\nexit 1\n")
	}
	env, err := (&lab{root: root}).goEnv("GOROOT", "GOCACHE", "GOMODCACHE")
	must(t, err)
	e.gobin, e.caches = filepath.Join(env[0], "bin"), []string{"GOCACHE=" + env[1], "GOMODCACHE=" + env[2]}
	if os.Getuid() == 0 { // what root may write whatever its permissions is no test of them
		e.plain = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search"}
	}
	e.notebook(e.mini, `"overlap/pkg/chart" "overlap/pkg/lab" "overlap/pkg/notebook" "overlap/pkg/sched" "overlap/pkg/workload/primes"`, `
result, err := lab.Experiment{
    Name: "Mini", Workload: primes.Repeats{Limit: 1000}, Sizes: []int{10}, Repeats: 2,
    Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()},
}.Run(notebook.Context())
notebook.Show(chart.Trials(result), err)`)
	e.notebook(e.raster, `"path/filepath" "overlap/pkg/notebook" "overlap/pkg/raster" "overlap/pkg/workload/reads/fileserver" "overlap/pkg/workload/terrain"`, `
dir := notebook.Must(terrain.Dir())
file := filepath.Base(notebook.Must(terrain.Files(notebook.Context(), dir, 1, false, nil))[0])
far := notebook.Must(fileserver.Start(notebook.Context(), fileserver.Files{Dir: dir}))
defer far.Close()
notebook.Text("%v", notebook.Must(raster.Inspect(filepath.Join(dir, file))))
notebook.Text("%v", notebook.Must(raster.Inspect(far.URL()+"/"+file)))`)
	return e
}

// command runs a command that must work.
func (e elsewhere) command(dir string, words ...string) string {
	e.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		e.Fatalf("%q: %v\n%s", words, err, said)
	}
	return string(said)
}

// copyRepository makes what a clone would have, and the tools that are built.
func (e elsewhere) copyRepository(root, tools string) {
	must(e.T, os.MkdirAll(e.copy, 0o777))
	e.command(root, "cp", "-R", ".gitignore", "go.mod", "go.sum", "notebooks", "pkg", "scripts", e.copy)
	for _, dir := range []string{"data", ".tools/bin", ".tools/lsp", ".tools/stamp"} {
		must(e.T, os.MkdirAll(filepath.Join(e.copy, dir), 0o777))
	}
	e.command(root, "cp", "-R", "data/olinda", "data/published.csv", filepath.Join(e.copy, "data"))
	e.command(e.copy, "git", "init", "-q", ".")
	e.command(e.copy, "git", "add", "-A")
	e.command(e.copy, "git", "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-qm", "a copy")
	for _, name := range toolNames {
		must(e.T, os.Symlink(filepath.Join(tools, name), filepath.Join(e.copy, ".tools", name)))
	}
	e.command(root, "cp", filepath.Join(tools, "stamp", "tools"), filepath.Join(e.copy, ".tools", "stamp"))
}

// program writes a shell script into the place.
func (e elsewhere) program(name, text string) {
	must(e.T, os.MkdirAll(filepath.Dir(filepath.Join(e.place, name)), 0o777))
	must(e.T, os.WriteFile(filepath.Join(e.place, name), []byte("#!/bin/sh\n"+text), 0o777))
}

// notebook writes a notebook of one cell.
func (e elsewhere) notebook(file, imports, body string) {
	source := "%noautoget\nimport (\n" + strings.ReplaceAll(imports, " ", "\n") + "\n)\n\n%%" + body
	text, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{},
		"cells": []any{map[string]any{"cell_type": "code", "id": "one", "metadata": map[string]any{},
			"source": source, "outputs": []any{}, "execution_count": nil}},
	})
	must(e.T, err)
	must(e.T, os.WriteFile(file, text, 0o666))
}

// lab starts scripts/lab of the copy, with nothing in its environment but the settings, NAME=VALUE,
// and what every user has. Its status must be as wanted.
func (e elsewhere) lab(want int, settings []string, words ...string) said {
	e.Helper()
	env := slices.Concat([]string{
		"HOME=" + filepath.Join(e.place, "home"), "PATH=" + e.path("/usr/local/bin:/usr/bin:/bin"), "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"OVERLAP_DATA=" + e.data, "OVERLAP_QUICK=1",
	}, e.caches, settings)
	args := slices.Concat(e.plain, []string{"env", "-i"}, env, []string{"bash", "scripts/lab"}, words)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = e.copy
	log, err := os.Create(e.log())
	must(e.T, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	if cmd.ProcessState == nil {
		e.Errorf("%q: %v", args, err)
		return said{e.T, ""}
	}
	text, err := os.ReadFile(e.log())
	if err != nil {
		e.Error(err)
	}
	if status := cmd.ProcessState.ExitCode(); status != want {
		e.Errorf("status %d, not %d, of %q with %q:\n%s", status, want, words, settings, text)
	}
	return said{e.T, string(text)}
}

// log is where that goes.
func (e elsewhere) log() string { return filepath.Join(e.place, "log") }

// path is a PATH with what the test has and these folders.
func (e elsewhere) path(rest string) string {
	return filepath.Join(e.place, "bin") + ":" + e.gobin + ":" + rest
}

// said is what the lab said.
type said struct {
	*testing.T
	text string
}

func (s said) says(words ...string) {
	s.Helper()
	for _, w := range words {
		if !strings.Contains(s.text, w) {
			s.Errorf("no %q in:\n%s", w, s.text)
		}
	}
}

func (s said) saysNot(word string) {
	s.Helper()
	if strings.Contains(s.text, word) {
		s.Errorf("%q in:\n%s", word, s.text)
	}
}

// has tells whether a file is there that has something in it.
func (e elsewhere) has(path string) {
	e.Helper()
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		e.Errorf("%s: %v, or it is empty", path, err)
	}
}

// made are the files of a run below a folder whose names begin and end so; there must be some.
func (e elsewhere) made(work, dir, begins, ends string) []string {
	e.Helper()
	paths := slices.DeleteFunc(filesIn(filepath.Join(work, "data/out", dir), ends), func(path string) bool {
		return !strings.HasPrefix(filepath.Base(path), begins)
	})
	if len(paths) == 0 {
		e.Fatalf("a run left no %s/%s*%s", dir, begins, ends)
	}
	return paths
}

func (e elsewhere) same(path, with string) {
	e.Helper()
	a, err := os.ReadFile(path)
	b, err2 := os.ReadFile(with)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		e.Errorf("%s is not %s (%v, %v)", path, with, err, err2)
	}
}

func (e elsewhere) asUsual() {
	e.lab(0, nil, "run", e.mini, e.raster).says("2 passed, 0 failed")
	e.has(filepath.Join(e.copy, "data/out/mini.html"))
	s := e.lab(0, nil, "check")
	s.says("a cell runs in it")
	s.saysNot("MISSING")
}

// Languages and encodings other than a test's: one whose numbers have commas, and one that is not
// UTF-8.
func (e elsewhere) locales() {
	dir := filepath.Join(e.place, "locales")
	must(e.T, os.Mkdir(dir, 0o777))
	for _, l := range [][]string{{"de_DE", "UTF-8"}, {"ko_KR", "EUC-KR"}} {
		// Where the system has no sources of locales, they are ones that are not there.
		exec.Command("localedef", "-i", l[0], "-f", l[1], filepath.Join(dir, l[0]+"."+l[1])).Run()
	}
	e.lab(0, []string{"LOCPATH=" + dir, "LC_ALL=de_DE.UTF-8"}, "run", e.mini)
	for _, table := range e.made(e.copy, "results", "mini-", ".csv") {
		e.command("/", "grep", "-qE", `^Mini,([^,]*,)+0\.[0-9]+`, table)
	}
	e.lab(0, []string{"LOCPATH=" + dir, "LC_ALL=ko_KR.EUC-KR"}, "check")
}

// What users have set for other work.
func (e elsewhere) oddSettings() {
	odd := []string{"GOFLAGS=-mod=vendor", "GO111MODULE=off", "GOWORK=/dev/null/no", "GOROOT=/dev/null/no", "GOPATH=relative", "GOBIN=/dev/null/no",
		"GOOS=plan9", "GOARCH=mips", "GOTOOLCHAIN=go1.99.0", "CGO_ENABLED=0", "CC=nosuchcc", "CXX=nosuchcxx", "GOTMPDIR=/dev/null/no",
		"TMPDIR=/dev/null/no", "CDPATH=.", "PYTHONHOME=/dev/null/no", "LC_ALL=C", "work=/dev/null/no", "root=/dev/null/no",
		"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9"}
	e.lab(0, odd, "export", "mini-")
	e.lab(0, odd, "run", e.mini, e.raster).says("2 passed, 0 failed",
		"no program can be run in /dev/null/no", "CC is nosuchcc, which is not there")
}

// A folder of a course that learners may only read: all goes to their own.
func (e elsewhere) readOnly() {
	if _, err := exec.LookPath("setpriv"); err != nil && e.plain != nil {
		e.Skip(err)
	}
	before := e.command(e.copy, "find", ".")
	e.command(e.copy, "chmod", "-R", "a-w", e.copy)
	s := e.lab(0, []string{"GOFLAGS=-mod=readonly"}, "run", e.mini)
	s.says("cannot be written: everything goes to "+filepath.Join(e.place, "home"), "tools     those in")
	own := filesIn(filepath.Join(e.place, "home/.local/share/overlap"), "")
	if len(own) != 1 {
		e.Fatalf("folders of the user's own: %q", own)
	}
	s.says(filepath.Join(own[0], "data/out") + "/")
	e.has(filepath.Join(own[0], "data/out/mini.html"))
	e.made(own[0], "figures", "mini-", ".svg")
	if after := e.command(e.copy, "find", "."); after != before {
		e.Errorf("new in a read-only folder: before\n%safter\n%s", before, after)
	}
	if changed := e.command(e.copy, "git", "status", "--short"); changed != "" {
		e.Errorf("changed in a read-only folder:\n%s", changed)
	}
	// A notebook that a learner changed stays; one that was not follows the course.
	notebooks := filepath.Join(e.copy, "notebooks")
	e.command("/", "cp", e.mini, filepath.Join(own[0], "notebooks/primes.ipynb"))
	e.command("/", "chmod", "-R", "u+w", notebooks)
	e.command(notebooks, "cp", e.mini, "rasters.ipynb")
	e.command(notebooks, "cp", e.raster, "primes.ipynb")
	e.command("/", "chmod", "-R", "a-w", notebooks)
	e.lab(0, nil, "check")
	e.same(filepath.Join(own[0], "notebooks/primes.ipynb"), e.mini)
	e.same(filepath.Join(own[0], "notebooks/rasters.ipynb"), e.mini)
	e.command("/", "chmod", "-R", "u+w", e.copy)
	e.command(e.copy, "git", "checkout", "-q", "notebooks")
}

// hidden is a PATH with everything but these.
func (e elsewhere) hidden(names ...string) string {
	bin, err := os.MkdirTemp(e.place, "without.")
	must(e.T, err)
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/local/bin"} {
		entries, _ := os.ReadDir(dir) // one may be missing
		for _, entry := range entries {
			is := func(pattern string) bool { ok, _ := filepath.Match(pattern, entry.Name()); return ok }
			if !entry.IsDir() && !slices.ContainsFunc(names, is) {
				os.Symlink(filepath.Join(dir, entry.Name()), filepath.Join(bin, entry.Name())) // the first of a name counts
			}
		}
	}
	return "PATH=" + e.path(bin)
}

func (e elsewhere) noCompiler() {
	path := []string{e.hidden("*gcc*", "*g++*", "*clang*", "cc", "c++", "c[89]9*")}
	e.lab(1, path, "run", e.mini, e.raster).says("missing: a C compiler, a C++ compiler",
		"all but the cells that read rasters works", "1 passed, 1 failed", "GDAL cannot be used here")
	s := e.lab(1, path, "check")
	if hasApt() {
		s.says("gcc libc6-dev g++")
	}
}

func (e elsewhere) noGDAL() {
	without := []string{"PKG_CONFIG_LIBDIR=/dev/null/no", "PKG_CONFIG_PATH="}
	s := e.lab(1, without, "run", "rasters", e.mini)
	s.says("the headers of GDAL", "1 passed, 1 failed", "the other cells were not run")
	if hasApt() {
		s.says("libgdal-dev")
	}
	e.lab(1, []string{e.hidden("pkg-config*", "pkgconf*")}, "check").says("MISSING: pkg-config;")
	e.lab(1, without, "data").says("FAILED: ")
}

// A home folder that cannot be written, or that another hides: no modules, no caches. What is missing
// is named before any notebook is opened.
func (e elsewhere) noCaches() {
	e.caches = nil
	e.lab(1, []string{"HOME=/dev/null/no"}, "check").says("GOCACHE is /dev/null/no",
		"MISSING: the modules are not in ", "scripts/lab' setup")
}

func (e elsewhere) oldGo() {
	e.program("old/go", "[ \"$*\" = \"env GOVERSION\" ] || exit 1\necho go1.19.8\n")
	path := "PATH=" + filepath.Join(e.place, "old") + ":" + e.path("/usr/bin:/bin")
	e.lab(0, []string{path}, "check").saysNot("1.19")
}

// Two set-ups of one folder: the later one waits, and says so.
func (e elsewhere) twoAtOnce() {
	tools := filepath.Join(e.copy, ".tools")
	os.Remove(filepath.Join(tools, "stamp/warm"))
	os.Remove(filepath.Join(e.copy, ".jupyter/kernels/overlap/kernel.json"))
	file, err := os.OpenFile(filepath.Join(tools, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	must(e.T, err)
	defer file.Close()
	must(e.T, syscall.Flock(int(file.Fd()), syscall.LOCK_EX))
	os.Remove(e.log())
	done := make(chan said, 1)
	go func() { done <- e.lab(0, nil, "setup") }()
	for from := time.Now(); time.Since(from) < time.Minute; time.Sleep(100 * time.Millisecond) {
		if text, err := os.ReadFile(e.log()); err == nil && strings.Contains(string(text), "waiting for it") {
			break
		}
	}
	must(e.T, syscall.Flock(int(file.Fd()), syscall.LOCK_UN))
	(<-done).says("waiting for it")
	e.lab(0, nil, "check")
}

func (e elsewhere) moved() {
	moved := filepath.Join(e.place, "moved")
	must(e.T, os.Rename(e.copy, moved))
	e.copy = moved
	s := e.lab(1, nil, "check")
	s.says(fmt.Sprintf("MISSING: Jupyter knows no kernel %q of now", "Go (overlap)"))
	s.saysNot("MISSING: not built")
}
