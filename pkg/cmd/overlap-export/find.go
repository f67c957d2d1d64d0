package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overlap/pkg/internal/home"
	"overlap/pkg/lab"
)

// find returns the post about a notebook or a result.
func find(made, name string) (post, error) {
	if strings.HasSuffix(name, ".json") {
		return ofResultFile(name)
	}
	if path, ok := notebook(made, name); ok {
		return ofNotebook(made, path)
	}
	if strings.HasSuffix(name, ".ipynb") {
		return post{}, fmt.Errorf("export: there is no notebook %q; it must have been run, with scripts/lab run", name)
	}
	if path, ok := resultFile(made, name); ok {
		return ofResultFile(path)
	}
	return post{}, fmt.Errorf("export: there is no notebook and no result %q; "+
		"there are the notebooks %s and the results %s", name, listed(notebooks()), listed(results(made)))
}

// notebook finds the executed form of a notebook: of what the last run left and
// what the repository has, the one that was changed last and shows figures, or
// just the one that was changed last where none does.
func notebook(made, name string) (string, bool) {
	base := strings.TrimSuffix(filepath.Base(name), ".ipynb")
	places := []string{filepath.Join(made, base+".ipynb")}
	if strings.HasSuffix(name, ".ipynb") {
		if filepath.Dir(name) != "." {
			places = []string{name}
		} else {
			places = append([]string{name}, places...)
		}
	}
	if root, err := home.Root(); err == nil {
		places = append(places, filepath.Join(root, "notebooks", base+".ipynb"))
	}
	best, changed, shows := "", time.Time{}, false
	for _, p := range places {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		is, err := read(p) // what cannot be read is told when nothing else is there
		figures := err == nil && is.figures()
		if best == "" || figures && !shows || figures == shows && info.ModTime().After(changed) {
			best, changed, shows = p, info.ModTime(), figures
		}
	}
	return best, best != ""
}

// resultFile finds a stored result by the name of its file or the beginning of
// it, if only one begins so.
func resultFile(made, name string) (string, bool) {
	name = strings.TrimSuffix(name, ".json")
	var found []string
	for _, r := range results(made) {
		if r == name {
			found = []string{r}
			break
		}
		if strings.HasPrefix(r, name) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return filepath.Join(made, "results", found[0]+".json"), true
}

func results(made string) []string {
	paths, _ := filepath.Glob(filepath.Join(made, "results", "*.json")) // the pattern is well-formed
	return bases(paths, ".json")
}

func notebooks() []string {
	root, err := home.Root()
	if err != nil {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	return bases(paths, ".ipynb")
}

func bases(paths []string, ext string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, strings.TrimSuffix(filepath.Base(p), ext))
	}
	slices.Sort(out)
	return out
}

func listed(names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	return strings.Join(names, ", ")
}

// load reads a result by path or by the name of a stored one.
func load(made, name string) (*lab.Result, error) {
	r, err := lab.LoadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if path, ok := resultFile(made, name); ok {
			return lab.LoadFile(path)
		}
		return nil, fmt.Errorf("there is no result %q; there are %s, or give the path of a JSON file",
			name, listed(results(made)))
	}
	return r, err
}
