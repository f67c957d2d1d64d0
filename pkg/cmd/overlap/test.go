package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A tester runs checks, all of them, also after one failed, so that one run tells everything.
type tester struct {
	*lab
	scratch string // what the checks write
	passed  int
	failed  []string
}

// A check of the repository, and the runs that it is part of.
type check struct {
	name string
	runs string // words of: all, quick, elsewhere, browser
	run  func(*tester) error
}

var checks = []check{
	{"gofmt", "all quick", (*tester).formatted},
	{"vet", "all quick", func(t *tester) error { return t.runs(t.goCommand("vet", "./...")) }},
	{"staticcheck", "all quick", func(t *tester) error {
		return t.runs(exec.Command(filepath.Join(t.tools, "bin", "staticcheck"), "./..."))
	}},
	{"shellcheck", "all quick", (*tester).scriptsChecked},
	{"notebook checks", "all quick", func(t *tester) error {
		return t.runs(exec.Command(t.python, "-B", "scripts/lib/cells_test.py"))
	}},
	{"go test", "quick", (*tester).quickTest},
	{"go test", "all", func(t *tester) error {
		return t.goTest(filepath.Join(t.scratch, "go"), "-race", "-timeout", "30m", "./...")
	}},
	{"pinned figures", "all", func(t *tester) error {
		return t.goTest(filepath.Join(t.scratch, "go"), "-run", "TestPins", "./pkg/chart")
	}},
	{"notebooks", "all", (*tester).notebooksRun},
	{"results", "all", func(t *tester) error { return t.tagged("made", "TestResults", "./pkg/cmd/overlap") }},
	{"export", "all", func(t *tester) error { return t.tagged("made", "TestPosts", "./pkg/cmd/overlap") }},
	{"results in pandas", "all", func(t *tester) error {
		return t.runs(exec.Command(t.python, "-B", "scripts/lib/results_load.py", filepath.Join(t.scratch, "results")))
	}},
	{"set-up elsewhere", "all elsewhere", func(t *tester) error {
		return t.tagged("elsewhere", "TestElsewhere", "./pkg/cmd/overlap")
	}},
	{"notebooks in a browser", "all browser", (*tester).pagesTested},
}

// leftOut are the packages that the quick run does not test, as they measure.
var leftOut = []string{"overlap/pkg/cmd/overlap-peers", "overlap/pkg/verdict/corpus"}

// test is everything that must hold: with --quick what one wants to know at every change, with
// --elsewhere or --browser only that one check.
func (l *lab) test(args []string) error {
	runs := "all"
	switch words := strings.Join(args, " "); words {
	case "":
	case "--quick", "--elsewhere", "--browser":
		runs = strings.TrimPrefix(words, "--")
	default:
		fmt.Fprintln(l.log, "usage: scripts/test [--quick | --elsewhere | --browser]")
		return exit(2)
	}
	if err := l.setup(true); err != nil {
		return err
	}
	if err := os.Chdir(l.root); err != nil {
		return err
	}
	l.bringForTests(runs)
	scratch, err := os.MkdirTemp("", "overlap-test.")
	if err != nil {
		return err
	}
	t := &tester{lab: l, scratch: scratch}
	for _, c := range checks {
		if slices.Contains(strings.Fields(c.runs), runs) {
			t.check(c)
		}
	}
	if runs == "quick" {
		l.say("test",
			"quick: left out are the race detector, long tests, notebooks and what they leave, set-up "+
				"elsewhere, a browser, and %s",
			strings.Join(leftOut, ", "))
	}
	if len(t.failed) == 0 {
		os.RemoveAll(scratch) // what stays harms nothing
	} else {
		l.say("test", "failed: %s; what the notebooks made is in %s", strings.Join(t.failed, " "), scratch)
	}
	fmt.Fprintf(l.out, "checks: %d passed, %d failed\n", t.passed, len(t.failed))
	if len(t.failed) > 0 {
		return exit(1)
	}
	return nil
}

// check runs one check and counts it.
func (t *tester) check(c check) {
	from := time.Now()
	t.say("test", "%s …", c.name)
	if err := c.run(t); err != nil {
		var ended *exec.ExitError
		var said exit
		if !errors.As(err, &ended) && !errors.As(err, &said) { // what failed has said why
			fmt.Fprintln(t.log, err)
		}
		t.failed = append(t.failed, c.name)
		t.say("test", "%s: FAILED (%s)", c.name, since(from))
		return
	}
	t.passed++
	t.say("test", "%s: ok (%s)", c.name, since(from))
}

// runs runs a command whose output the user sees.
func (t *tester) runs(cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = t.out, t.log
	return cmd.Run()
}

// forTests are what the checks need beyond set-up, so that none passes by leaving something out.
var forTests = []thing{
	{"shellcheck", "shellcheck"},
	{"git", "git"},
	{"poppler-utils", "pdftotext"},
	{"gdal-bin", "gdal_translate"},
	{"python3-pandas", "pandas"},
	{"python3-numpy", "numpy"},
	{"python3-gdal", "osgeo.gdal"},
	{"python3-rasterio", "rasterio"},
	{"locales", "/usr/share/i18n/locales/de_DE"},
}

var browserThing = thing{"chromium", "Chromium"}

// bringForTests installs what the checks need and is missing.
func (l *lab) bringForTests(runs string) {
	if runs != "browser" {
		l.bring("packages", forTests, hasThing)
	}
	if runs == "all" || runs == "browser" {
		l.bring("browser", []thing{browserThing}, func(thing) bool { return findBrowser() != "" })
		if path := findBrowser(); path != "" {
			version, _ := exec.Command(path, "--version").Output() // it answered before
			l.say("browser", "%s, ready", strings.TrimSpace(string(version)))
		}
	}
}

// hasThing tells whether a file, a module of Debian's own Python, whose packages are not on another
// one's path, or a command is there.
func hasThing(t thing) bool {
	switch {
	case strings.HasPrefix(t.what, "/"):
		return isFile(t.what)
	case strings.HasPrefix(t.packages, "python3-"):
		return exec.Command("/usr/bin/python3", "-c", "import "+t.what).Run() == nil
	}
	return hasCommand(t.what)
}

// findBrowser finds a Chromium that starts, or "".
func findBrowser() string {
	for _, it := range []string{os.Getenv("OVERLAP_BROWSER"), "chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if path, err := exec.LookPath(it); err == nil && exec.Command(path, "--version").Run() == nil {
			return path
		}
	}
	return ""
}

func (t *tester) formatted() error {
	list, err := exec.Command("gofmt", "-l", "pkg").Output()
	if err != nil {
		return fmt.Errorf("gofmt: %s", lastWords(err))
	}
	if len(list) > 0 {
		return fmt.Errorf("not formatted (gofmt -w mends it):\n%s", list)
	}
	return nil
}

func (t *tester) scriptsChecked() error {
	if !hasCommand("shellcheck") {
		return errors.New("there is no shellcheck here (Debian's package shellcheck)")
	}
	scripts, err := filepath.Glob("scripts/lib/*.sh")
	for _, name := range []string{"lab", "test", "kotlin", "peers", "fixtures", "strangers"} {
		scripts = append(scripts, filepath.Join("scripts", name))
	}
	return errors.Join(err, t.runs(exec.Command("shellcheck", append(scripts, "-x", ".ci/run")...)))
}

func (t *tester) goTest(out string, args ...string) error {
	cmd := t.goCommand(append([]string{"test"}, args...)...)
	cmd.Env = append(os.Environ(), "OVERLAP_OUT="+out)
	return t.runs(cmd)
}

// quickTest writes to one folder each time, so that Go knows which tests have passed already.
func (t *tester) quickTest() error {
	list, err := t.goCommand("list", "./...").Output()
	if err != nil {
		return err
	}
	packages := slices.DeleteFunc(strings.Fields(string(list)), func(p string) bool { return slices.Contains(leftOut, p) })
	return t.goTest(filepath.Join(t.tools, "quick"), append([]string{"-short", "-timeout", "5m"}, packages...)...)
}

// tagged runs tests that a build tag keeps out of go test ./...
func (t *tester) tagged(tag, name, pkg string) error {
	if err := t.runs(t.goCommand("vet", "-tags", tag, pkg)); err != nil {
		return err
	}
	cmd := t.goCommand("test", "-tags", tag, "-run", name, "-count", "1", "-timeout", "30m", pkg)
	cmd.Env = append(os.Environ(), "OVERLAP_DATA="+t.dataFolder(),
		"OVERLAP_TEST_TOOLS="+t.tools, "OVERLAP_TEST_MADE="+t.scratch,
		"OVERLAP_BROWSER="+findBrowser(), "OVERLAP_JUPYTER="+t.jupyter)
	return t.runs(cmd)
}

func (t *tester) notebooksRun() error {
	notebooks, err := t.findNotebooks()
	if err != nil || len(notebooks) == 0 {
		return errors.Join(err, errors.New("there are no notebooks"))
	}
	if err := t.makeData(); err != nil {
		return err
	}
	defer os.Setenv("OVERLAP_QUICK", os.Getenv("OVERLAP_QUICK"))
	os.Setenv("OVERLAP_QUICK", "1")
	return t.execute(t.scratch, false, notebooks)
}

// pagesTested runs the tests that drive Jupyter in a browser.
func (t *tester) pagesTested() error {
	switch {
	case findBrowser() == "":
		return errors.New("there is no Chromium here; install it or Google Chrome (OVERLAP_BROWSER says where it is)")
	case !t.hasModule("notebook"):
		return errors.New("there is no Jupyter Notebook here (Debian's package jupyter-notebook)")
	}
	return t.tagged("browser", "", "./pkg/notebook/browser")
}
