package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"overlap/pkg/internal/home"
	"overlap/pkg/sched"
)

// format is the version of the JSON file. A file of another version is refused rather than read
// wrongly.
const format = 1

// key identifies what a result measured, so that a later cell finds it. The seed is left out, as it
// is chosen anew where none is given, and so is all that was measured.
func (r *Result) key() string {
	specs := slices.Clone(r.Specs)
	for i := range specs {
		specs[i].Facts = sched.Facts{} // they follow from the scheduler and the machine
	}
	id := struct {
		Name, Unit, Baseline string
		Variants             []string
		Specs                []Spec
		Sizes                []int
		Repeats              int
		Quick                bool
	}{r.Name, r.Unit, r.Baseline, r.Variants, specs, r.Sizes, r.Repeats, r.Quick}
	text, err := json.Marshal(id)
	if err != nil {
		panic(err) // only strings, ints and maps of strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// Base returns the name of the result's files without folder and extension:
// "count-primes-1f3a5b7c", the same for every run of the same experiment. A result that is not
// complete has "-partial" after it, so that an interrupted run replaces no complete one.
func (r *Result) Base() string {
	if r.complete() {
		return r.base()
	}
	return r.base() + partial
}

// Files returns the base name of the files that the result was measured into or loaded from, also
// of a part of it that [Result.Only] or [Result.Against] gave. It is [Result.Base] of one that was
// not stored yet.
func (r *Result) Files() string {
	if r.files != "" {
		return r.files
	}
	return r.Base()
}

const partial = "-partial"

// complete reports whether everything was measured that was asked for.
func (r *Result) complete() bool { return !r.Interrupted && len(r.Failures) == 0 }

func (r *Result) base() string {
	if slug := slug(r.Name); slug != "" {
		return slug + "-" + r.key()
	}
	return r.key()
}

var extensions = []string{".json", ".csv", ".bench.txt"}

// slug makes a file's name of a title: letters and digits of any language, joined by hyphens, at
// most 60 letters and 180 bytes, so that the name with all that is added to it is no longer than
// file systems have it.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
	})
	letters := []rune(strings.Join(words, "-"))
	letters = letters[:min(len(letters), 60)]
	for len(string(letters)) > 180 {
		letters = letters[:len(letters)-1]
	}
	return strings.Trim(string(letters), "-")
}

// Save writes the result into a folder: as JSON, to load again; as CSV with one row a trial, for
// pandas and R; and in Go's benchmark format, for benchstat. It returns the files' paths. A run of
// the same experiment replaces them, and a complete one also removes what was left of an incomplete
// one. Each file is written whole or not at all.
func (r *Result) Save(dir string) (paths []string, err error) {
	var errs []error
	for i, encode := range []func() ([]byte, error){r.JSON, r.CSV, r.Benchmark} {
		path := filepath.Join(dir, r.Base()+extensions[i])
		data, err := encode()
		if err == nil {
			err = home.WriteFile(path, data)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		paths = append(paths, path)
		if r.complete() {
			_ = os.Remove(filepath.Join(dir, r.base()+partial+extensions[i])) // mostly there is none
		}
	}
	return paths, errors.Join(errs...)
}

// JSON returns the result in the form that [LoadFile] reads.
func (r *Result) JSON() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("lab: write %q as JSON: %w", r.Name, err)
	}
	return append(data, '\n'), nil
}

// loadAnother says what to do about a file that cannot be read.
const loadAnother = "give another file, or run the experiment that it is of again, which saves a new one"

// LoadFile reads a result that was saved as JSON.
func LoadFile(path string) (*Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("lab: load a result: %w", err)
	}
	r := new(Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("lab: load %q: not a whole result of this lab: %w; %s", path, err, loadAnother)
	}
	if r.Format != format {
		return nil, fmt.Errorf("lab: load %q: the file has format %d and this version reads %d; %s",
			path, r.Format, format, loadAnother)
	}
	r.addFacts()
	r.files = r.Base()
	return r, nil
}

// Load finds the stored result of an experiment with the same name, variants, sizes and repeats.
// Cells of a notebook are programs of their own and share no variables: what one cell has run,
// another loads. It returns the last complete run, and a warning where an incomplete one is newer;
// where only an incomplete run is stored it returns that one, whose Interrupted and Failures say
// so. It is an error that wraps fs.ErrNotExist where there is none yet.
func (e Experiment) Load() (*Result, error) {
	p, err := e.plan()
	if err != nil {
		return nil, err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(dir, p.blank.base())
	r, err := LoadFile(base + ".json")
	part, partErr := LoadFile(base + partial + ".json")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r, err = part, partErr
	case err == nil && partErr == nil && !part.Started.Before(r.Started):
		r.newer = part.Started
	}
	if err == nil && r.key() != p.blank.key() {
		return nil, fmt.Errorf("lab: %q holds another experiment than %q; remove it and run again", base+".json", e.Name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lab: %q has no stored result for sizes %d, %d repeats and the variants %q%s; "+
			"run the cell that measures it first: %w",
			e.Name, p.Sizes, p.Repeats, p.names(), others(dir, e.Name), fs.ErrNotExist)
	}
	return r, err
}

// others tells what stored results there are of the same name.
func others(dir, name string) string {
	var found []string
	files, _ := filepath.Glob(filepath.Join(escapeGlob(dir), escapeGlob(slug(name))+"-????????.json"))
	for _, file := range files {
		if r, err := LoadFile(file); err == nil && r.Name == name {
			found = append(found, fmt.Sprintf("sizes %d, %d repeats and %q", r.Sizes, r.Repeats, r.Variants))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return ", but one for " + strings.Join(found, ", and one for ")
}

var escapeGlob = strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace

func (p *plan) dir() (string, error) {
	if p.Dir != "" {
		return p.Dir, nil
	}
	out, err := home.Out()
	return filepath.Join(out, "results"), err
}

func (x *execution) save() error {
	dir, err := x.dir()
	if err == nil {
		_, err = x.result.Save(dir)
	}
	x.result.files = x.result.Base()
	return err
}

// ErrGivenUp as the cause of a context tells [Experiment.Run] that nobody will want what was
// measured until then. It wraps context.Canceled.
var ErrGivenUp = fmt.Errorf("lab: the run was given up for another: %w", context.Canceled)

// forget removes what was stored of a run that was given up.
func (x *execution) forget() {
	dir, err := x.dir()
	if err != nil || !x.stored || x.result.complete() || len(x.result.Resumed) > 0 {
		return
	}
	// What cannot be removed is found as an interrupted run, which it is.
	_ = os.Remove(filepath.Join(dir, x.result.Base()+".json"))
}

func (x *execution) saveJSON() error {
	x.saved = time.Now()
	dir, err := x.dir()
	if err != nil {
		return err
	}
	data, err := x.result.JSON()
	if err != nil {
		return err
	}
	return home.WriteFile(filepath.Join(dir, x.result.Base()+".json"), data)
}
