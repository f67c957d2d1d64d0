package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlap/pkg/cmd/internal/ipynb"
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
	p := post{name: name, from: path, title: name,
		again: []string{"scripts/lab run " + name, "scripts/lab export " + name}}
	if shown.title != "" {
		p.title = shown.title
	}
	missing := func(what string, err error) (post, error) {
		if errors.Is(err, fs.ErrNotExist) {
			return post{}, fmt.Errorf("export: %s was shown in %q, and its files are not in %q; run it again: "+
				"scripts/lab run %s", what, path, made, name)
		}
		return post{}, err
	}
	for _, one := range shown.parts {
		part := part{heading: one.heading, words: one.words}
		if one.figure != "" {
			if part.figure, err = saved(filepath.Join(made, "figures"), one.figure); err != nil {
				return missing("the figure "+one.figure, err)
			}
		}
		p.parts = append(p.parts, part)
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
	if !shown.figures() {
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
// metadata of outputs, and what it says of them in Markdown.
type shown struct {
	title   string
	parts   []shownPart
	results []string
}

// A shownPart is a figure, by name, or words, below a heading of the notebook
// where it is the first of it.
type shownPart struct{ heading, figure, words string }

func (s *shown) figures() bool {
	return slices.ContainsFunc(s.parts, func(p shownPart) bool { return p.figure != "" })
}

func read(path string) (shown, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return shown{}, fmt.Errorf("export: %w", err)
	}
	file, err := ipynb.Read(data)
	if err != nil {
		return shown{}, fmt.Errorf("export: %q is %w", path, err)
	}
	var s shown
	heading := ""
	for _, c := range file.Cells {
		if c.Type == "markdown" {
			title, last := headings(string(c.Source))
			s.title = cmp.Or(s.title, title)
			heading = cmp.Or(last, heading)
		}
		for _, o := range c.Outputs {
			if r := o.Metadata.Result; r != "" && !slices.Contains(s.results, r) {
				s.results = append(s.results, r)
			}
			part := shownPart{heading, o.Metadata.Figure, string(o.Data["text/markdown"])}
			again := func(p shownPart) bool { return p.figure == part.figure }
			if part.figure == "" && part.words == "" || part.figure != "" && slices.ContainsFunc(s.parts, again) {
				continue
			}
			s.parts = append(s.parts, part)
			heading = ""
		}
	}
	return s, nil
}

// headings returns the first heading of a cell if it is one for the whole
// notebook, and the last of those below, without their marks.
func headings(markdown string) (title, last string) {
	for line := range strings.Lines(markdown) {
		text := strings.TrimLeft(line, "#")
		switch level := len(line) - len(text); {
		case level == 0 || !strings.HasPrefix(text, " "):
		case level == 1:
			title = cmp.Or(title, strings.TrimSpace(text))
		default:
			last = strings.TrimSpace(text)
		}
	}
	return title, last
}
