package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"overlap/pkg/home"
)

// format is the version of the JSON file. A file of another version is refused
// rather than read wrongly.
const format = 1

// OutDir returns the folder that runs write to: see [home.Out].
func OutDir() (string, error) { return home.Out() }

// key identifies what a result measured, so that a later cell finds it. The
// seed is left out, as it is chosen anew where none is given, and so is all
// that was measured.
func (r *Result) key() string {
	id := struct {
		Name, Unit, Baseline string
		Variants             []string
		Specs                []Spec
		Sizes                []int
		Repeats              int
	}{r.Name, r.Unit, r.Baseline, r.Variants, r.Specs, r.Sizes, r.Repeats}
	text, err := json.Marshal(id)
	if err != nil {
		panic(err) // only strings, ints and maps of strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// Base returns the name of the result's files without folder and extension:
// "count-primes-1f3a5b7c", the same for every run of the same experiment.
func (r *Result) Base() string {
	if slug := slug(r.Name); slug != "" {
		return slug + "-" + r.key()
	}
	return r.key()
}

// slug makes a file's name of a title: letters and digits of any language,
// joined by hyphens, at most 60 letters.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) })
	letters := []rune(strings.Join(words, "-"))
	return strings.Trim(string(letters[:min(len(letters), 60)]), "-")
}

// Save writes the result into a folder: as JSON, to load again; as CSV with
// one row a trial, for pandas and R; and in Go's benchmark format, for
// benchstat. It returns the files' paths. A run of the same experiment
// replaces them. Each file is written whole or not at all.
func (r *Result) Save(dir string) (paths []string, err error) {
	var errs []error
	for _, f := range []struct {
		extension string
		encode    func() ([]byte, error)
	}{
		{".json", r.JSON}, {".csv", r.CSV}, {".bench.txt", r.Benchmark},
	} {
		path := filepath.Join(dir, r.Base()+f.extension)
		data, err := f.encode()
		if err == nil {
			err = home.WriteFile(path, data)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		paths = append(paths, path)
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

// LoadFile reads a result that was saved as JSON.
func LoadFile(path string) (*Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("lab: load a result: %w", err)
	}
	r := new(Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("lab: load %q: not a result of this lab: %w", path, err)
	}
	if r.Format != format {
		return nil, fmt.Errorf("lab: load %q: the file has format %d and this version reads %d; run the experiment again", path, r.Format, format)
	}
	return r, nil
}

// Load finds the stored result of an experiment with the same name, variants,
// sizes and repeats. Cells of a notebook are programs of their own and share
// no variables: what one cell has run, another loads. It is an error that
// wraps fs.ErrNotExist where there is none yet.
func (e Experiment) Load() (*Result, error) {
	p, err := e.plan()
	if err != nil {
		return nil, err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	r, err := LoadFile(filepath.Join(dir, p.newResult().Base()+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lab: %q has no stored result for these variants, sizes and repeats; run the cell that measures it first: %w", e.Name, fs.ErrNotExist)
	}
	return r, err
}

func (p *plan) dir() (string, error) {
	if p.Dir != "" {
		return p.Dir, nil
	}
	out, err := OutDir()
	return filepath.Join(out, "results"), err
}

func (x *execution) save() error {
	dir, err := x.dir()
	if err == nil {
		_, err = x.result.Save(dir)
	}
	return err
}

func (x *execution) saveJSON() error {
	x.saved = x.begun.Add(x.result.Elapsed)
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
