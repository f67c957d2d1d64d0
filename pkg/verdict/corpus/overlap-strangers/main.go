// Command overlap-strangers runs concurrent code that no one here wrote under verdict.Watch as it is:
//
//	scripts/strangers [--runs N] [--only WORD]
//
// For each snippet, a test, example or benchmark of a well-known module at one version, it prints the
// verdict, the numbers that decided, and whether a careful reader of the code agrees: yes,
// acceptable, milder ("cannot tell") or NO (strangers.tsv). A table at the end sums up. The modules
// come from Go's module cache or proxy, and each is watched in a copy below --copies; nothing of
// theirs is kept in this repository. Timing decides, so a disagreement is no failure: the status is 0
// where all that could be had ran, 77 where no module could be had, and 1 otherwise.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"overlap/pkg/internal/home"
)

//go:embed strangers.tsv
var table string

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// A snippet is a row of the table.
type snippet struct {
	at       string // module@version
	pkg      string // the package's folder in the module
	kind     string // example, test or benchmark
	function string
	rounds   string // of a benchmark
	again    bool   // whether Watch may run it again
	folder   string // to run it in, "-" for the package's own
	right    string // the right verdicts, the best first, between slashes
	judged   string // why
}

func snippets() []snippet {
	var out []snippet
	for line := range strings.Lines(table) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") && len(f) == 10 {
			out = append(out, snippet{f[0] + "@" + f[1], f[2], f[3], f[4], f[5], f[6] == "again", f[7], f[8], f[9]})
		}
	}
	return out
}

// agrees tells how a verdict stands to the judgement.
func (s snippet) agrees(kind string) string {
	right := strings.Split(s.right, "/")
	switch {
	case kind == right[0]:
		return "yes"
	case slices.Contains(right, kind):
		return "acceptable"
	case kind == "cannot tell":
		return "milder"
	}
	return "NO"
}

func run(args []string, out, log io.Writer) int {
	flags := flag.NewFlagSet("strangers", flag.ContinueOnError)
	flags.SetOutput(log)
	runs := flags.Int("runs", 1, "how often each snippet runs")
	only := flags.String("only", "", "only snippets with this `word` in the names of their module and function")
	copies := flags.String("copies", ".tools/strangers", "the `folder` of copies, which is made anew")
	if err := flags.Parse(args); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 || *runs < 1 {
		fmt.Fprintln(log, "strangers: --runs must be 1 or more, and nothing follows the flags; see scripts/strangers --help")
		return 2
	}
	w, err := newWatcher(*copies, *runs, out)
	if err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	defer w.log.Close()
	matched := false
	for _, s := range snippets() {
		if strings.Contains(s.at+" "+s.function, *only) {
			matched = true
			w.watch(s)
		}
	}
	if !matched {
		fmt.Fprintf(log, "strangers: no snippet has %s in its name; strangers.tsv has them\n", *only)
		return 1
	}
	return w.sumUp()
}

// A watcher runs snippets and counts how the verdicts stand to the judgements.
type watcher struct {
	copies, root          string
	runs                  int
	out                   io.Writer
	log                   *os.File
	had, watched, broken  int
	agreed, mild, against int
	summary               string
}

// newWatcher makes the folder of copies anew: an earlier one may be half done.
func newWatcher(copies string, runs int, out io.Writer) (*watcher, error) {
	root, err := home.Root()
	if err != nil {
		return nil, err
	}
	if copies, err = filepath.Abs(copies); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(copies); err != nil {
		return nil, fmt.Errorf("strangers: %w", err)
	}
	if err := os.MkdirAll(copies, 0o777); err != nil {
		return nil, fmt.Errorf("strangers: %w", err)
	}
	log, err := os.Create(filepath.Join(copies, "log"))
	if err != nil {
		return nil, fmt.Errorf("strangers: %w", err)
	}
	return &watcher{copies: copies, root: root, runs: runs, out: out, log: log}, nil
}

func (w *watcher) watch(s snippet) {
	fmt.Fprintf(w.out, "\n%s  %s  %s\n  read:     %s\n  right:    %s\n",
		s.at, s.pkg, s.function, s.judged, strings.ReplaceAll(s.right, "/", " | "))
	copied, err := w.module(s.at)
	if err != nil {
		fmt.Fprintf(w.out, "  not watched: the module could not be had; once, a network is needed\n")
		fmt.Fprintln(w.log, err)
		return
	}
	w.had++
	binary, err := w.build(copied, s)
	if err != nil {
		fmt.Fprintf(w.out, "  FAILED: it does not build: see %s\n", w.log.Name())
		fmt.Fprintln(w.log, err)
		w.broken++
		return
	}
	dir := filepath.Dir(binary)
	if rest, ok := strings.CutPrefix(s.folder, "GOROOT/"); ok {
		dir = filepath.Join(goRoot(), rest)
	}
	var verdicts []string
	for n := range w.runs {
		if verdict, ok := w.once(s, binary, dir, n == 0); ok {
			verdicts = append(verdicts, verdict)
		}
	}
	w.summary += s.at + " " + s.function + "\n" + counted(verdicts)
}

// counted lists texts with how often each is there, the most frequent first.
func counted(texts []string) string {
	slices.Sort(texts)
	var lines []string
	for i := 0; i < len(texts); {
		n := i
		for n < len(texts) && texts[n] == texts[i] {
			n++
		}
		lines = append(lines, fmt.Sprintf("  %7d %s\n", n-i, texts[i]))
		i = n
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	return strings.Join(lines, "")
}

// once runs a snippet once, and returns the verdict and how it stands to the judgement.
func (w *watcher) once(s snippet, binary, dir string, first bool) (string, bool) {
	load := "?"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(text), " ")
	}
	report := filepath.Join(w.copies, "report")
	os.Remove(report) // of the run before
	cmd := exec.Command(binary, "-test.run", "^TestUnderWatch_"+s.function+"$", "-test.v", "-test.timeout", "120s")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w.log, w.log
	cmd.Env = append(os.Environ(), "STRANGER_REPORT="+report)
	ended := cmd.Run() // a test of theirs may well fail
	text, err := os.ReadFile(report)
	f := strings.Split(string(text), "\n")
	if err != nil || len(f) < 8 {
		fmt.Fprintf(w.out, "  FAILED: nothing was reported: see %s\n", w.log.Name())
		fmt.Fprintln(w.log, ended, err)
		w.broken++
		return "", false
	}
	kind, by, wall, numbers, says, try, notes, failed := f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
	agreement := s.agrees(kind)
	switch agreement {
	case "NO":
		w.against++
	case "milder":
		w.mild++
	default:
		w.agreed++
	}
	w.watched++
	if by != "" {
		kind += ", by " + by
	}
	fmt.Fprintf(w.out, "  verdict:  %s  [%s]\n            %s s, load %s; %s\n", kind, agreement, wall, load, numbers)
	if first || agreement == "NO" {
		fmt.Fprintf(w.out, "            %s %s\n", says, try)
		if notes != "" {
			fmt.Fprintf(w.out, "            note: %s\n", notes)
		}
	}
	if failed != "no" {
		fmt.Fprintf(w.out, "            its own result: %s\n", failed)
	}
	return fmt.Sprintf("%s [%s]", kind, agreement), true
}

func (w *watcher) sumUp() int {
	fmt.Fprintf(w.out, "\nRuns  Verdict\n%s", w.summary)
	fmt.Fprintf(w.out, "\n%d snippets could be had; of %d runs %d agree, %d are milder (\"cannot tell\"), %d disagree; %d failed\n",
		w.had, w.watched, w.agreed, w.mild, w.against, w.broken)
	switch {
	case w.had == 0:
		return 77
	case w.broken > 0:
		return 1
	}
	return 0
}
