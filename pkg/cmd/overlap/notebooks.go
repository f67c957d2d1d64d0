package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"overlap/pkg/cmd/internal/ipynb"
	"overlap/pkg/internal/home"
)

// findNotebooks returns the files of the notebooks of these names, or of all. A name may carry .ipynb
// or a path.
func (l *lab) findNotebooks(names ...string) ([]string, error) {
	dir := filepath.Join(l.work, "notebooks")
	all := filesIn(dir, ".ipynb")
	if len(names) == 0 {
		return all, nil
	}
	var found []string
	for _, name := range names {
		places := []string{name, filepath.Join(dir, name), filepath.Join(dir, name+".ipynb")}
		at := slices.IndexFunc(places, isFile)
		if at < 0 {
			fmt.Fprintf(l.log, "lab: there is no notebook %s; there are:\n", name)
			for _, path := range all {
				fmt.Fprintln(l.log, "  "+stem(path))
			}
			return nil, exit(2)
		}
		path, err := filepath.Abs(places[at])
		if err != nil {
			return nil, err
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		found = append(found, path)
	}
	return found, nil
}

// stem is the name of a notebook.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ipynb") }

// A ran is what execute.py reports of a notebook.
type ran struct {
	Labels   []string        `json:"labels"`   // of the cells with code, in their order
	Cells    []int           `json:"cells"`    // their places in the notebook
	Reached  int             `json:"reached"`  // how many were begun
	Late     int             `json:"late"`     // the place of the one that ran too long, or -1
	Limit    int             `json:"limit"`    // in seconds, that one was allowed
	Refused  bool            `json:"refused"`  // the others were not run, as the first needs GDAL
	Stopped  bool            `json:"stopped"`  // on request
	Problems []string        `json:"problems"` // with the file or the kernel
	Unsaved  []string        `json:"unsaved"`  // with what was to be written
	Notebook json.RawMessage `json:"notebook"` // as executed
}

// execute runs the notebooks headless, with everything that they make below out. Of each it leaves
// NAME.ipynb and NAME.html there, also where a cell failed: what was measured until then is not lost.
// It fails where a cell failed, wrote to stderr, showed nothing although it says it does, or shows
// fewer figures than its source makes.
func (l *lab) execute(out string, update bool, notebooks []string) error {
	figures, err := constructors(filepath.Join(l.root, "pkg", "chart"))
	if err != nil {
		return err
	}
	var failed []string
	done, stopped := 0, false
	for n, file := range notebooks {
		fmt.Fprintf(l.out, "notebook  %d of %d: %s\n", n+1, len(notebooks), stem(file))
		from := time.Now()
		problems, stop, err := l.executeOne(file, out, update, figures)
		if err != nil {
			return err
		}
		took := time.Since(from).Seconds()
		switch {
		case len(problems) == 0:
			fmt.Fprintf(l.out, "notebook  %s: done in %.0f s\n", stem(file), took)
		case stop:
			fmt.Fprintf(l.out, "notebook  %s: stopped after %.0f s\n", stem(file), took)
		default:
			fmt.Fprintf(l.out, "notebook  %s: FAILED after %.0f s\n", stem(file), took)
			failed = append(failed, stem(file))
		}
		for _, p := range problems {
			fmt.Fprintln(l.log, "          "+strings.ReplaceAll(p, "\n", "\n            "))
		}
		done++
		if stopped = stop; stop {
			break
		}
	}
	if stopped {
		fmt.Fprintf(l.out, "notebooks: %d passed, %d failed, 1 stopped, %d not run\n",
			done-len(failed)-1, len(failed), len(notebooks)-done)
		return exit(130)
	}
	fmt.Fprintf(l.out, "notebooks: %d passed, %d failed\n", done-len(failed), len(failed))
	if len(failed) > 0 {
		l.say("run", "FAILED: %s; what is wrong stands above. What they made until then is there all the same.",
			strings.Join(failed, ", "))
		return exit(1)
	}
	return nil
}

// executeOne executes one notebook, and returns what is wrong with it, and whether to stop.
func (l *lab) executeOne(file, out string, update bool, figures map[string]bool) (
	problems []string, stop bool, err error) {
	cmd := l.headless("execute.py", "--log", l.kernelLog(), "--out", out, file)
	cmd.Env = append(cmd.Env, "OVERLAP_OUT="+out)
	r, err := l.watch(cmd)
	if err != nil {
		return nil, false, fmt.Errorf("run %q: %w", file, err)
	}
	if len(r.Notebook) == 0 {
		return r.Problems, false, nil
	}
	n, err := ipynb.Read(r.Notebook)
	if err != nil {
		return nil, false, fmt.Errorf("run %q: %w", file, err)
	}
	name := filepath.Base(file)
	problems = append(r.Problems, r.faults(name, n, figures)...)
	if r.Refused {
		problems = append(problems, name+": the other cells were not run, as the first has what they need")
	}
	if r.Stopped {
		problems = append(problems, fmt.Sprintf(
			"%s: stopped on request in cell %d of %d; what was measured until then is kept in results as *-partial",
			name, r.Reached, len(r.Cells)))
	}
	problems = append(problems, r.Unsaved...)
	if update && len(problems) == 0 {
		problems = l.keep(file, filepath.Join(out, name), n)
	}
	return problems, r.Stopped, nil
}

// keep writes an executed notebook's outputs into the notebook itself, unless they tell of this
// machine.
func (l *lab) keep(file, executed string, n ipynb.Notebook) []string {
	name := filepath.Base(file)
	if traces := l.traces(n); len(traces) > 0 {
		for i, t := range traces {
			traces[i] = name + ": " + t + "; not kept in notebooks/"
		}
		return traces
	}
	text, err := os.ReadFile(executed)
	if err == nil {
		err = home.WriteFile(file, text)
	}
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", name, err)}
	}
	return nil
}

// faults is what is wrong with the cells that were run.
func (r ran) faults(name string, n ipynb.Notebook, figures map[string]bool) []string {
	var problems []string
	for at, i := range r.Cells[:r.Reached] {
		if r.Stopped && at+1 == r.Reached {
			break // what it says then is that it was stopped
		}
		found := faults(n.Cells[i], figures)
		if r.Late == i {
			found = append([]string{
				fmt.Sprintf("took longer than %d s and was interrupted (OVERLAP_CELL_TIMEOUT sets the limit)", r.Limit)}, found...)
		}
		for _, f := range found {
			problems = append(problems, fmt.Sprintf("%s, cell %d (%s): %s", name, at+1, r.Labels[at], f))
		}
	}
	return problems
}

// watch starts execute.py, whose lines go to the user, and waits for its report. Signals to stop reach
// it, too, which ends in its own time.
func (l *lab) watch(cmd *exec.Cmd) (r ran, err error) {
	report, writer, err := os.Pipe()
	if err != nil {
		return r, err
	}
	defer report.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = l.out, l.log, []*os.File{writer}
	err = cmd.Start()
	writer.Close()
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(report)
	if ended := cmd.Wait(); err == nil && len(text) == 0 {
		err = fmt.Errorf("nothing was reported: %w", ended)
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// runNotebooks is the command run.
func (l *lab) runNotebooks(args []string) error {
	from := time.Now()
	update := len(args) > 0 && args[0] == "--update"
	if update {
		args = args[1:]
	}
	if err := l.prepare(l.findOut); err != nil {
		return err
	}
	notebooks, err := l.ready(args)
	if err != nil {
		return err
	}
	if len(notebooks) == 0 {
		l.say("run", "there are no notebooks yet in notebooks/")
		return nil
	}
	err = l.execute(l.made, update, notebooks)
	l.say("run", "%s in all. Look at:", since(from))
	fmt.Fprintf(l.out, "          %s/*.html       the notebooks, to read\n", l.made)
	for _, made := range [][2]string{
		{"figures", "/     every figure as PNG, SVG and PDF"},
		{"results", "/     the measurements as CSV, JSON and for benchstat"}} {
		if info, err := os.Stat(filepath.Join(l.made, made[0])); err == nil && info.IsDir() {
			fmt.Fprintln(l.out, "          "+filepath.Join(l.made, made[0])+made[1])
		}
	}
	return err
}

// ready finds notebooks, and brings all that they need.
func (l *lab) ready(names []string) ([]string, error) {
	if err := l.findPlaces(); err != nil {
		return nil, err
	}
	notebooks, err := l.findNotebooks(names...)
	if err != nil {
		return nil, err
	}
	if err := l.setup(false); err != nil {
		return nil, err
	}
	return notebooks, l.makeData()
}

// latency measures how long a changed cell takes to answer.
func (l *lab) latency(names []string) error {
	notebooks, err := l.ready(names)
	if err != nil {
		return err
	}
	cmd := l.headless("latency.py", notebooks...)
	cmd.Stdout, cmd.Stderr = l.out, l.log
	return exitOf(cmd.Run())
}

// data is the command data.
func (l *lab) data(args []string) error {
	if err := l.setup(true); err != nil {
		return err
	}
	return l.makeData(args...)
}

// makeData makes the rasters that are missing; what is there stays.
func (l *lab) makeData(args ...string) error {
	if l.withoutGDAL != "" {
		l.say("data", "no rasters are made: GDAL is missing")
		return nil
	}
	path, err := l.buildCommand("./pkg/cmd/overlap-data", true)
	if err != nil {
		return err
	}
	// It tells on stderr what it makes, and nothing of what is there.
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stderr = l.root, l.log
	cmd.Env = append(os.Environ(), "OVERLAP_DATA="+l.dataFolder())
	said, err := cmd.Output()
	if err != nil {
		return fail("data", "it was not made", l.script()+" data")
	}
	l.say("data", "%s", strings.TrimSpace(string(said)))
	return nil
}

// open is Jupyter on the notebooks: JupyterLab where the user has it, else Notebook.
func (l *lab) open() error {
	if err := l.setup(false); err != nil {
		return err
	}
	command := []string{l.python, "-m", "notebook"}
	if exec.Command("jupyter-lab", "--version").Run() == nil {
		command = []string{"jupyter-lab"}
	} else if !l.hasModule("notebook") {
		return fail("jupyter", "neither JupyterLab nor Notebook starts", "apt-get install jupyter-notebook")
	}
	if os.Getuid() == 0 {
		command = append(command, "--allow-root")
	}
	if !hasDisplay() {
		command = append(command, "--no-browser")
		l.say("jupyter", "no browser here: open the address that Jupyter prints below")
	}
	if err := l.findOut(); err != nil {
		return err
	}
	l.tellPlaces()
	userHome := os.Getenv("HOME")
	if !writable(cmp.Or(os.Getenv("JUPYTER_CONFIG_DIR"), userHome+"/.jupyter"),
		cmp.Or(os.Getenv("JUPYTER_DATA_DIR"), userHome+"/.local/share/jupyter")) {
		l.say("jupyter", "its settings cannot be written to %s: they go to %s/own", userHome, l.jupyter)
		for _, setting := range l.ownJupyter() {
			name, value, _ := strings.Cut(setting, "=")
			os.Setenv(name, value)
		}
	}
	l.say("jupyter", "starting; Ctrl-C twice ends it")
	if err := os.Chdir(filepath.Join(l.work, "notebooks")); err != nil {
		return fail("jupyter", err.Error(), "make that folder readable")
	}
	return replace(command[0], command[1:]...)
}

// hasDisplay tells whether a browser could open.
func hasDisplay() bool {
	if runtime.GOOS == "darwin" {
		return true
	}
	if os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY") == "" {
		return false
	}
	return os.Getenv("BROWSER") != "" || slices.ContainsFunc([]string{"xdg-open", "x-www-browser", "firefox"}, hasCommand)
}
