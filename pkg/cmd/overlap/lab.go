package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"overlap/pkg/internal/home"
)

// A lab is the repository on this machine, as far as the steps so far have found out about it. What
// they find also goes into the environment of this process, and so of all that it starts.
type lab struct {
	out, log io.Writer // what it says, and what goes wrong
	self     string    // this program

	// Where things go (place.go).
	root    string // the repository
	work    string // the folder of notebooks, data and outputs: root, or one of the user's own
	tools   string
	jupyter string
	made    string // what runs write

	// What the machine has (machine.go, packages.go).
	goVersion   string
	goRoot      string
	ours        []string // variables that the lab sets for Go, and a kernel for its cells
	python      string   // the Python that has Jupyter
	cc, cxx     string
	gdalVersion string
	needs       []thing  // what is missing for anything at all
	wants       []thing  // what is missing for the cells that read rasters
	silent      []string // commands of Go's that cannot say what is missing
	withoutGDAL string   // what to do about GDAL where the lab does without, else ""
	cellFlags   string   // the GOFLAGS of cells
}

func newLab(out, log io.Writer) (*lab, error) {
	root, err := home.Root()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	return &lab{out: out, log: log, self: self, root: root}, err
}

// say tells one line about a step.
func (l *lab) say(step, format string, args ...any) {
	fmt.Fprintf(l.out, "%-9s %s\n", step, fmt.Sprintf(format, args...))
}

// A failure is a step that did not work, and what would mend it.
type failure struct {
	step, what string
	remedies   []string
}

func fail(step, what string, remedies ...string) error { return &failure{step, what, remedies} }

func (f *failure) Error() string {
	text := fmt.Sprintf("%-9s FAILED: %s", f.step, f.what)
	for _, r := range f.remedies {
		text += "\n          to mend it: " + r
	}
	return text
}

// An exit ends the command with a status, of which all is said already.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitOf is the status that a command ended with, as an error of this one.
func exitOf(err error) error {
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() > 0 {
		return exit(ended.ExitCode())
	}
	return err
}

// quoted returns a path as a shell takes it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// script is how a user starts the lab again.
func (l *lab) script() string { return quoted(filepath.Join(l.root, "scripts", "lab")) }

// goCommand runs in the repository, wherever the user stands.
func (l *lab) goCommand(args ...string) *exec.Cmd {
	return exec.Command("go", append([]string{"-C", l.root}, args...)...)
}

// byHand is a go command as one would type it.
func (l *lab) byHand(words string) string { return "go -C " + quoted(l.root) + " " + words }

// quietly runs a command with its output kept in a log, of which the end is shown only where the
// command fails.
func (l *lab) quietly(step string, cmd *exec.Cmd) error {
	path := filepath.Join(l.tools, "log", step+".log")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	if err = cmd.Run(); err == nil {
		return nil
	}
	text, _ := os.ReadFile(path) // without it nothing more can be said
	if len(text) == 0 {
		text = []byte(err.Error())
	}
	for _, line := range lastLines(string(text), 15) {
		fmt.Fprintln(l.log, "          | "+line)
	}
	fmt.Fprintf(l.log, "          (all of it: %s)\n", path)
	if strings.Contains(strings.ToLower(string(text)), "no space left") {
		fmt.Fprintln(l.log, "          a disk is full: free some space, then run this again (df -h shows which)")
	}
	return err
}

// lastLines returns the last n lines of a text, of equal ones that follow each other only one.
func lastLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}

// since says how long ago that was.
func since(from time.Time) string {
	d := int(time.Since(from).Seconds())
	if d < 120 {
		return fmt.Sprintf("%d s", d)
	}
	return fmt.Sprintf("%d min %d s", d/60, d%60)
}

// replace makes another program of this process, as the shell's exec does.
func replace(path string, args ...string) error {
	path, err := exec.LookPath(path)
	if err != nil {
		return err
	}
	return fmt.Errorf("start %q: %w", path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}

// prepare finds the places, and then takes steps, up to the first that fails.
func (l *lab) prepare(steps ...func() error) error {
	if err := l.findPlaces(); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
