package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args     []string
		status   int
		out, log string
	}{
		{[]string{"starts"}, 0, "", ""},
		{[]string{"help"}, 0, "usage: scripts/lab ", ""},
		{[]string{"--help"}, 0, "OVERLAP_QUICK=1 ", ""},
		{[]string{"fly"}, 2, "", `lab: there is no command "fly"` + "\nusage: "},
		{[]string{"open", "primes"}, 2, "", `lab: open takes no arguments, not "primes"`},
		{[]string{"setup", "all", "now"}, 2, "", `lab: setup takes no arguments, not "all now"`},
		{[]string{"check", "-v"}, 2, "", `lab: check takes no arguments, not "-v"`},
		{[]string{"run", "primes", "--update"}, 2, "", "lab: --update goes before the names"},
		{[]string{"run", "--fast"}, 2, "", "lab: run does not know --fast"},
		{[]string{"data", "--full", "5"}, 2, "", `lab: data takes only --full, not "--full 5"`},
		{[]string{"export"}, 2, "", "lab: export needs the name of a notebook or of a result"},
		{[]string{"compare", "a"}, 2, "", "lab: compare needs two results: JSON files, or names of stored ones"},
		{[]string{"test", "--fast"}, 2, "", "usage: scripts/test [--quick | --elsewhere | --browser]"},
	} {
		var out, log strings.Builder
		status := run(c.args, &out, &log)
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(log.String(), c.log) || c.log == "" && log.Len() > 0 {
			t.Errorf("%q: status %d, out %q, log %q", c.args, status, &out, &log)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
		says string
	}{
		{nil, 0, ""},
		{exit(130), 130, ""},
		{errors.New("broken"), 1, "broken\n"},
		{fail("go", "there is none", "get one", "or two"), 1, "go        FAILED: there is none\n          to mend it: get one\n          to mend it: or two\n"},
		{exitOf(exec.Command("sh", "-c", "exit 3").Run()), 3, ""},
	} {
		var log strings.Builder
		if got := status(c.err, &log); got != c.want || log.String() != c.says {
			t.Errorf("%v: status %d, %q", c.err, got, &log)
		}
	}
}

// testLab is a lab in a repository of the test's own.
func testLab(t *testing.T) (*lab, *strings.Builder) {
	t.Helper()
	root, said := filepath.Join(t.TempDir(), "a [b]* c"), &strings.Builder{}
	for _, dir := range []string{"data/more", "data/rasters", "notebooks"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o777))
	}
	for _, name := range []string{"data/published.csv", "data/rasters/one.tif", "notebooks/naps.ipynb", "notebooks/primes.ipynb"} {
		must(t, os.WriteFile(filepath.Join(root, name), []byte(name), 0o666))
	}
	return &lab{out: said, log: said, root: root}, said
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlaces(t *testing.T) {
	l, said := testLab(t)
	must(t, l.findPlaces())
	if l.work != l.root || l.tools != filepath.Join(l.root, ".tools") || said.Len() > 0 || !writable(filepath.Join(l.root, "data/out")) {
		t.Errorf("work %q, tools %q, said %q", l.work, l.tools, said)
	}
	t.Setenv("OVERLAP_OUT", "/dev/null/no")
	if err := l.findOut(); err == nil || !strings.Contains(err.Error(), "set OVERLAP_OUT to a folder that can be written") {
		t.Errorf("out: %v", err)
	}
	t.Setenv("OVERLAP_OUT", "")
	must(t, l.findOut())
	t.Setenv("OVERLAP_DATA", "")
	l.tellPlaces()
	if os.Getenv("OVERLAP_OUT") != "" || os.Getenv("OVERLAP_DATA") != "" {
		t.Error("the usual places are told")
	}
}

// A folder that cannot be used is left as it is, also by root, for whom a file stands in the way.
func TestPlacesElsewhere(t *testing.T) {
	l, said := testLab(t)
	must(t, os.WriteFile(filepath.Join(l.root, ".jupyter"), nil, 0o666))
	user := t.TempDir()
	t.Setenv("XDG_DATA_HOME", user)
	t.Setenv("OVERLAP_OUT", "")
	t.Setenv("OVERLAP_DATA", "")
	must(t, l.findPlaces())
	name, err := exec.Command("sh", "-c", `printf '%s-%s' "$(basename "$1")" "$(printf '%s\n' "$1" | cksum | cut -d ' ' -f 1)"`, "sh", l.root).Output()
	must(t, err)
	if want := filepath.Join(user, "overlap", string(name)); l.work != want || !strings.Contains(said.String(), "cannot be written: everything goes to "+want) {
		t.Errorf("work %q, want %q; said %q", l.work, want, said)
	}
	for path, want := range map[string]string{"data/published.csv": "data/published.csv", "data/rasters/one.tif": "data/rasters/one.tif", "notebooks/naps.ipynb": "notebooks/naps.ipynb"} {
		if text, err := os.ReadFile(filepath.Join(l.work, path)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	must(t, l.findOut())
	l.tellPlaces()
	if os.Getenv("OVERLAP_OUT") != l.made || os.Getenv("OVERLAP_DATA") != filepath.Join(l.work, "data") {
		t.Errorf("told %q, %q", os.Getenv("OVERLAP_OUT"), os.Getenv("OVERLAP_DATA"))
	}
	// What the user changed stays, what the course changed comes.
	must(t, os.WriteFile(filepath.Join(l.work, "notebooks/naps.ipynb"), []byte("mine"), 0o666))
	for _, name := range []string{"naps", "primes"} {
		must(t, os.WriteFile(filepath.Join(l.root, "notebooks", name+".ipynb"), []byte("theirs"), 0o666))
	}
	must(t, l.bringWork())
	for name, want := range map[string]string{"naps": "mine", "primes": "theirs"} {
		if text, err := os.ReadFile(filepath.Join(l.work, "notebooks", name+".ipynb")); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", "/dev/null/no")
	t.Setenv("TMPDIR", "/dev/null/no")
	l.work = ""
	if err := l.findPlaces(); err == nil || !strings.Contains(err.Error(), "can hold what is made") {
		t.Errorf("nowhere to go: %v", err)
	}
}

func TestTemp(t *testing.T) {
	l, said := testLab(t)
	l.tools = filepath.Join(l.root, ".tools")
	old := filepath.Join(l.tools, "tmp", "old")
	must(t, os.MkdirAll(old, 0o777))
	must(t, os.Chtimes(old, time.Time{}, time.Now().AddDate(0, 0, -3)))
	t.Setenv("TMPDIR", "/dev/null/no")
	t.Setenv("GOTMPDIR", "/dev/null/no")
	must(t, l.findTemp())
	if _, err := os.Stat(old); err == nil {
		t.Error("what an old kernel left is there")
	}
	if os.Getenv("TMPDIR") != filepath.Dir(old) || os.Getenv("GOTMPDIR") != "" || !strings.Contains(said.String(), "no program can be run in /dev/null/no") {
		t.Errorf("TMPDIR %q, GOTMPDIR %q, said %q", os.Getenv("TMPDIR"), os.Getenv("GOTMPDIR"), said)
	}
}

func TestLock(t *testing.T) {
	l, said := testLab(t)
	must(t, l.findPlaces())
	unlock, second := l.lock(), make(chan bool)
	other := *l
	var told strings.Builder
	other.out = &told
	go func() {
		other.lock()()
		close(second)
	}()
	select {
	case <-second:
		t.Error("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	unlock()
	<-second
	if said.Len() > 0 || !strings.Contains(told.String(), "waiting for it") {
		t.Errorf("the first said %q, the second %q", said, &told)
	}
}

func TestStamps(t *testing.T) {
	l, _ := testLab(t)
	must(t, l.findPlaces())
	file := filepath.Join(l.root, "data/published.csv")
	first := fingerprint(file, "a text")
	if fresh(l.tools, "step", first) {
		t.Error("done before it was done")
	}
	l.stamp("step", first)
	if !fresh(l.tools, "step", first) || first != fingerprint(file, "a text") {
		t.Error("not done, or of another fingerprint")
	}
	must(t, os.WriteFile(file, []byte("other"), 0o666))
	for name, other := range map[string]string{"file": fingerprint(file, "a text"), "text": fingerprint(file, "another text"), "cut": fingerprint(file, "a tex", "t")} {
		if other == first || fresh(l.tools, "step", other) {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
}

func TestKernel(t *testing.T) {
	l, _ := testLab(t)
	must(t, l.findPlaces())
	l.self = filepath.Join(l.tools, "bin/overlap")
	l.goRoot, l.cellFlags, l.ours = "/go", "-buildvcs=false '-ldflags=-s -w'", []string{"GOOS", "GOCACHE"}
	t.Setenv("GOOS", "linux")
	t.Setenv("GOCACHE", "/cache <&>")
	for i, want := range []bool{true, false} {
		if changed, err := l.writeKernels(true); changed != want || err != nil {
			t.Errorf("written %d times: changed %v, %v", i+1, changed, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(l.jupyter, "kernels/overlap/kernel.json"))
	must(t, err)
	want := `{
 "argv": [
  "ROOT/.tools/bin/gonb",
  "--kernel",
  "{connection_file}",
  "-raw_error=true",
  "-go_work=ROOT",
  "-extra_log=ROOT/.jupyter/kernel.log"
 ],
 "display_name": "Go (overlap)",
 "language": "go",
 "interrupt_mode": "signal",
 "env": {
  "CGO_ENABLED": "1",
  "GO111MODULE": "on",
  "GOCACHE": "/cache <&>",
  "GOFLAGS": "-buildvcs=false '-ldflags=-s -w'",
  "GOOS": "linux",
  "GOROOT": "/go",
  "GOTOOLCHAIN": "local",
  "GOWORK": "auto",
  "OVERLAP_ROOT": "ROOT",
  "OVERLAP_SIEVE": "ROOT/.tools/bin/overlap",
  "PATH": "ROOT/.tools/bin:ROOT/.tools/lsp:/go/bin:${PATH}"
 },
 "metadata": {
  "debugger": false
 }
}
`
	if got := strings.ReplaceAll(string(text), l.root, "ROOT"); got != want {
		t.Errorf("the kernel:\n%s", got)
	}
	l.withoutGDAL, l.silent = "missing: all", []string{"PKG_CONFIG", "CC"}
	if changed, err := l.writeKernels(false); !changed || err != nil {
		t.Errorf("without GDAL: changed %v, %v", changed, err)
	}
	if changed, err := l.writeKernels(true); !changed || err != nil {
		t.Errorf("without GDAL: changed %v, %v", changed, err)
	}
	text, err = os.ReadFile(filepath.Join(l.jupyter, "headless/kernels/overlap/kernel.json"))
	must(t, err)
	var spec kernelSpec
	must(t, json.Unmarshal(text, &spec))
	if spec.Env["CC"] != `"`+l.tools+`/without-gdal"` || spec.Env["PATH"] != l.tools+"/bin:/go/bin:${PATH}" {
		t.Errorf("without GDAL: %v", spec.Env)
	}
}

func TestFindNotebooks(t *testing.T) {
	l, said := testLab(t)
	l.work = l.root
	dir := filepath.Join(l.root, "notebooks")
	naps, primes := filepath.Join(dir, "naps.ipynb"), filepath.Join(dir, "primes.ipynb")
	t.Chdir(dir)
	for _, c := range []struct{ names, want []string }{
		{nil, []string{naps, primes}},
		{[]string{"primes"}, []string{primes}},
		{[]string{"primes.ipynb", "naps"}, []string{primes, naps}},
		{[]string{"../notebooks/naps.ipynb", primes}, []string{naps, primes}},
	} {
		if got, err := l.findNotebooks(c.names...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v", c.names, got, err)
		}
	}
	if _, err := l.findNotebooks("nap"); !errors.Is(err, exit(2)) || said.String() != "lab: there is no notebook nap; there are:\n  naps\n  primes\n" {
		t.Errorf("%v, %q", err, said)
	}
}

func TestQuietly(t *testing.T) {
	l, said := testLab(t)
	must(t, l.findPlaces())
	must(t, l.quietly("step", exec.Command("echo", "fine")))
	if said.Len() > 0 {
		t.Errorf("it said %q", said)
	}
	script := "for i in $(seq 30); do echo line $i; echo line $i; done; echo no space left on device; exit 3"
	err := l.quietly("step", exec.Command("sh", "-c", script))
	if !errors.Is(exitOf(err), exit(3)) || strings.Count(said.String(), "| line 30\n") != 1 || strings.Contains(said.String(), "line 10\n") ||
		!strings.Contains(said.String(), "(all of it: "+l.tools+"/log/step.log)") || !strings.Contains(said.String(), "a disk is full") {
		t.Errorf("%v, %s", err, said)
	}
}

func TestSince(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 119 * time.Second: "119 s", 125 * time.Second: "2 min 5 s"} {
		if got := since(time.Now().Add(-d)); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}

func TestProxies(t *testing.T) {
	for before, want := range map[string]string{"": "localhost,127.0.0.1", "intra": "intra,localhost,127.0.0.1", "*": "*", "127.0.0.1,x": "127.0.0.1,x"} {
		t.Setenv("no_proxy", before)
		t.Setenv("NO_PROXY", "")
		ownServers()
		if os.Getenv("no_proxy") != want || os.Getenv("NO_PROXY") != want {
			t.Errorf("%q: %q, %q", before, os.Getenv("no_proxy"), os.Getenv("NO_PROXY"))
		}
	}
}

func TestPackages(t *testing.T) {
	l := &lab{needs: []thing{{"a b", "one"}}, wants: []thing{{"c", "another"}}}
	if named(l.missing()) != "one, another" || strings.Join(packagesOf(l.missing()), " ") != "a b c" ||
		asRoot([]string{"a", "b"}) != "apt-get update && apt-get install -y --no-install-recommends a b" {
		t.Errorf("%q, %q", named(l.missing()), packagesOf(l.missing()))
	}
	said := &strings.Builder{}
	l = &lab{out: said, wants: []thing{{"c", "another"}}}
	if err := l.goWithout(false, "missing: another", "run as root: x"); err != nil || l.withoutGDAL != "missing: another. To mend it: run as root: x, then scripts/lab setup" ||
		!strings.Contains(said.String(), "all but the cells that read rasters works\n          to mend it: run as root: x") {
		t.Errorf("%v, %q, %q", err, l.withoutGDAL, said)
	}
	if err := l.goWithout(true, "missing: another", "run as root: x"); err == nil || !strings.Contains(err.Error(), "packages  FAILED: missing: another") {
		t.Errorf("with all: %v", err)
	}
}
