package main

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"strings"

	"overlap/pkg/cmd/internal/ipynb"
)

// This file says what is wrong with an executed notebook. Jupyter itself calls much of it fine.

var (
	constructor = regexp.MustCompile(`(?m)^func ([A-Z]\w*)\([^\n]*\) \*Figure\b`)
	comment     = regexp.MustCompile(`//[^\n]*`)
	chartCall   = regexp.MustCompile(`\bchart\.(\w+)\(`)
	showCall    = regexp.MustCompile(`\bnotebook\.(Show|Text)\(`)
	panicked    = regexp.MustCompile(`(?m)^(panic|fatal error): `)
	colour      = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// constructors are the names of package chart's functions that make a figure.
func constructors(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	for _, file := range filesIn(dir, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, found := range constructor.FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
	}
	return names, nil
}

// refusedGDAL is what a cell that needs GDAL was told where set-up found none, "" otherwise.
func refusedGDAL(c ipynb.Cell) string {
	for _, o := range c.Outputs {
		if at := strings.Index(o.Said(), "GDAL cannot be used here"); at >= 0 {
			return strings.TrimSpace(o.Said()[at:])
		}
	}
	return ""
}

// faults is everything wrong with the cell's outputs, in words. figures names the functions that
// make one.
func faults(c ipynb.Cell, figures map[string]bool) []string {
	if refused := refusedGDAL(c); refused != "" {
		return []string{refused}
	}
	expected := c.Tagged("raises-exception")
	var own map[int]string
	if expected {
		own = beforeErrors(c.Outputs)
	}
	var found []string
	pictures, said := 0, ""
	for i, o := range c.Outputs {
		switch {
		case o.Type == "error" && !expected:
			found = append(found, "error: "+theEnd(cmp.Or(o.Said(), o.ErrorValue, o.ErrorName)))
		case o.Type == "stream" && o.Name == "stderr":
			text, of := own[i]
			if !of {
				text = string(o.Text)
			}
			said += text
		case o.Type == "display_data" || o.Type == "execute_result":
			if _, is := o.Data["image/png"]; is {
				pictures++
			}
			all := ""
			for _, data := range o.Data {
				all += string(data)
			}
			if strings.TrimSpace(all) == "" {
				found = append(found, "an empty display")
			}
		}
	}
	if strings.TrimSpace(said) != "" {
		found = append([]string{"on stderr: " + theEnd(said)}, found...)
	}
	code, made := comment.ReplaceAllString(string(c.Source), ""), 0
	for _, call := range chartCall.FindAllStringSubmatch(code, -1) {
		if figures[call[1]] {
			made++
		}
	}
	if pictures < made {
		found = append(found, fmt.Sprintf("%d figure(s) made by its source, %d shown", made, pictures))
	} else if showCall.MatchString(code) && len(c.Outputs) == 0 {
		found = append(found, "showed nothing")
	}
	return found
}

// beforeErrors is what is left of the stderr that an error wrote itself, by its place in the outputs.
// A program that ends with an error has said why right before, in outputs that nothing else stands
// between. Where it panicked, only what follows the word is the error's.
func beforeErrors(outputs []ipynb.Output) map[int]string {
	left := map[int]string{}
	for at, o := range outputs {
		if o.Type != "error" {
			continue
		}
		start, text := at, ""
		for start > 0 && outputs[start-1].Type == "stream" && outputs[start-1].Name == "stderr" {
			start--
			text = string(outputs[start].Text) + text
			left[start] = ""
		}
		if panic := panicked.FindStringIndex(text); panic != nil {
			left[start] = text[:panic[0]]
		}
	}
	return left
}

// theEnd is the end of a long message, without colours.
func theEnd(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(colour.ReplaceAllString(text, "")), "\n")
	if len(lines) > most {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	return strings.Join(lines, "\n")
}

// traces is what in the outputs would tell where, or by whom, the notebook was run.
func (l *lab) traces(n ipynb.Notebook) []string {
	words := [][2]string{
		{l.root, "the repository's path"}, {os.Getenv("HOME"), "the home folder"}, {"/tmp/", "a temporary file's path"}}
	if u, err := user.Current(); err == nil && u.Username != "root" {
		words = append(words, [2]string{u.Username, "the user's name"})
	}
	var found []string
	for i, c := range n.Cells {
		text := ""
		for _, o := range c.Outputs {
			text += string(o.Text) + strings.Join(o.Traceback, "")
			for kind, data := range o.Data {
				if strings.HasPrefix(kind, "text/") {
					text += string(data)
				}
			}
		}
		for _, w := range words {
			if len(w[0]) > 1 && strings.Contains(text, w[0]) {
				found = append(found, fmt.Sprintf("the outputs of cell %d hold %s", i+1, w[1]))
			}
		}
	}
	return found
}
