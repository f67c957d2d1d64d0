package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlap/pkg/lab"
)

// ofNotebook returns the post about an executed notebook: the figures and
// results that its cells showed, in their order, from the files that the run
// left.
func ofNotebook(made, path string) (post, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
	shown, err := read(path)
	if err != nil {
		return post{}, err
	}
	p := post{name: name, from: path, title: name, again: []string{"scripts/lab run " + name, "scripts/lab export " + name}}
	if shown.title != "" {
		p.title = shown.title
	}
	missing := func(what string, err error) (post, error) {
		if errors.Is(err, fs.ErrNotExist) {
			return post{}, fmt.Errorf("export: %s was shown in %q, and its files are not in %q; run it again: scripts/lab run %s", what, path, made, name)
		}
		return post{}, err
	}
	for _, slug := range shown.figures {
		f, err := saved(filepath.Join(made, "figures"), slug)
		if err != nil {
			return missing("the figure "+slug, err)
		}
		p.figures = append(p.figures, f)
	}
	var results []*lab.Result
	for _, base := range shown.results {
		r, err := lab.LoadFile(filepath.Join(made, "results", base+".json"))
		if err != nil {
			return missing("the result "+base, err)
		}
		results = append(results, r)
		p.note(r, len(shown.results) > 1)
		if err := p.add(r); err != nil {
			return post{}, err
		}
	}
	p.about = conditions(results)
	if len(p.figures) == 0 {
		return post{}, fmt.Errorf("export: %q shows no figures of this lab; run it first: scripts/lab run %s", path, name)
	}
	return p, nil
}

// conditions says where and when results were measured: once where that is the
// same for all of them, and else of each.
func conditions(results []*lab.Result) []string {
	var all, each []string
	for _, r := range results {
		on := measuredOn(r)
		if !slices.Contains(all, on) {
			all = append(all, on)
		}
		each = append(each, r.Name+": "+on)
	}
	if len(all) > 1 {
		return each
	}
	return all
}

// What a notebook showed, by the notes that package notebook leaves in the
// metadata of outputs.
type shown struct {
	title            string
	figures, results []string
}

func read(path string) (shown, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return shown{}, fmt.Errorf("export: %w", err)
	}
	var file struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Source  text   `json:"source"`
			Outputs []struct {
				Metadata struct {
					Figure string `json:"overlap_figure"`
					Result string `json:"overlap_result"`
				} `json:"metadata"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return shown{}, fmt.Errorf("export: %q is not a notebook: %w", path, err)
	}
	var s shown
	seen := map[string]bool{}
	for _, c := range file.Cells {
		if c.Type == "markdown" && s.title == "" {
			line, _, _ := strings.Cut(string(c.Source), "\n")
			if t, ok := strings.CutPrefix(line, "# "); ok {
				s.title = strings.TrimSpace(t)
			}
		}
		for _, o := range c.Outputs {
			if f := o.Metadata.Figure; f != "" && !seen["f"+f] {
				seen["f"+f] = true
				s.figures = append(s.figures, f)
			}
			if r := o.Metadata.Result; r != "" && !seen["r"+r] {
				seen["r"+r] = true
				s.results = append(s.results, r)
			}
		}
	}
	return s, nil
}

// text is a string that notebooks also write as a list of lines.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}
