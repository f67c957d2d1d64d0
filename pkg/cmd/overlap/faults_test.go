package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"overlap/pkg/cmd/internal/ipynb"
)

// Outputs as notebooks have them.

func stream(name string, text any) any {
	return map[string]any{"output_type": "stream", "name": name, "text": text}
}

func shown(data map[string]any) any {
	return map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": data}
}

func failed(lines ...string) any {
	if lines == nil {
		lines = []string{}
	}
	return map[string]any{"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": lines}
}

func words(text string) any { return shown(map[string]any{"text/plain": text}) }

func outputs(lists ...[]any) []any {
	var all []any
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// read makes a notebook of one cell and reads it.
func read(t *testing.T, source string, tags []string, outputs []any) ipynb.Notebook {
	t.Helper()
	text, err := json.Marshal(map[string]any{"cells": []any{map[string]any{
		"cell_type": "code", "source": source, "metadata": map[string]any{"tags": tags}, "outputs": outputs,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	n, err := ipynb.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const figure = "notebook.Show(chart.Speedup(result))"

var (
	picture = shown(map[string]any{"image/png": "iVBORw0KGgo=", "text/plain": "a figure"})
	exits   = []any{stream("stderr", "exit status 2\n"), failed("exit status 2")}
	panics  = append([]any{stream("stderr", "panic: "), stream("stderr", "boom\n\ngoroutine 1 [running]:\nmain.main()\n")}, exits...)
)

// One row a case: the cell, and a word of each fault in its order.
type faultCase struct {
	name, source string
	outputs      []any
	want         []string
}

func checkFaults(t *testing.T, rows []faultCase, tags ...string) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := faults(read(t, row.source, tags, row.outputs).Cells[0], map[string]bool{"Speedup": true, "Trials": true})
			if len(got) != len(row.want) {
				t.Fatalf("faults %q, want %q", got, row.want)
			}
			for i, want := range row.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("fault %q, want one with %q", got[i], want)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	numbers := ""
	for i := range 50 {
		numbers += fmt.Sprintln(i)
	}
	checkFaults(t, []faultCase{
		{"nothing wrong", "x := 1", nil, nil},
		{"stdout is no fault", "", []any{stream("stdout", "fine\n")}, nil},
		{"error", "", []any{failed("exit status 1")}, []string{"error: exit status 1"}},
		{"error without a traceback", "", []any{failed()}, []string{"error: exit status 1"}},
		{"stderr", "", []any{stream("stderr", "a warning\n")}, []string{"on stderr: a warning"}},
		{"stderr as lines", "", []any{stream("stderr", []string{"a ", "warning\n"})}, []string{"on stderr: a warning"}},
		{"white space on stderr", "", []any{stream("stderr", " \n")}, nil},
		{"stderr comes first", "", []any{stream("stderr", "why\n"), failed("exit status 1")}, []string{"on stderr: why", "error"}},
		{"colours go", "", []any{failed("\x1b[7mred\x1b[0m")}, []string{"error: red"}},
		{"the end of a long message", "", []any{stream("stderr", numbers)}, []string{"…\n38\n"}},
		{"figure there", figure, []any{picture}, nil},
		{"figure missing", figure, []any{words("no figure")}, []string{"1 figure(s) made by its source, 0 shown"}},
		{"one of two missing", figure + "\n" + figure, []any{picture}, []string{"2 figure(s) made by its source, 1 shown"}},
		{"figure in a comment", "// " + figure, nil, nil},
		{"no constructor", "data := chart.ChromeTrace(r)", nil, nil},
		{"empty display", "", []any{words(" ")}, []string{"an empty display"}},
		{"display of nothing", "", []any{shown(map[string]any{})}, []string{"an empty display"}},
		{"shows nothing", `notebook.Text("hello")`, nil, []string{"showed nothing"}},
		{"no GDAL", figure, []any{failed("# overlap/pkg/raster\nGDAL cannot be used here, and …\nMissing: a C compiler.")},
			[]string{"GDAL cannot be used here, and …\nMissing: a C compiler."}},
		{"shows something", `notebook.Text("hello")`, []any{words("hello")}, nil},
		{"shows JSON", "", []any{shown(map[string]any{"application/json": map[string]any{"a": 1}})}, nil},
	})
}

func TestFaultsOfWhatMayRaise(t *testing.T) {
	line := stream("stderr", "a log line\n")
	checkFaults(t, []faultCase{
		{"error", "", []any{failed("exit status 1")}, nil},
		{"does not compile", "", []any{failed("# main", "declared and not used: x")}, nil},
		{"why, and the error", "", outputs([]any{stream("stderr", "it went wrong\n")}, exits), nil},
		{"panic", "", panics, nil},
		{"no error, but stderr", "", []any{line}, []string{"on stderr: a log line"}},
		{"stderr before something shown", "", outputs([]any{line, words("hello")}, exits), []string{"on stderr: a log line"}},
		{"stderr before stdout and a panic", "", outputs([]any{line, stream("stdout", "out\n")}, panics), []string{"on stderr: a log line"}},
		{"stderr right before a panic", "", outputs([]any{line}, panics), []string{"on stderr: a log line"}},
		{"stderr after the error", "", outputs(exits, []any{line}), []string{"on stderr: a log line"}},
		{"figure there", figure, outputs([]any{picture}, exits), nil},
		{"figure missing", figure, exits, []string{"1 figure(s) made by its source, 0 shown"}},
		{"empty display", "", outputs([]any{words("")}, exits), []string{"an empty display"}},
	}, "raises-exception")
	for _, text := range faults(read(t, "", []string{"raises-exception"}, outputs([]any{line}, panics)).Cells[0], nil) {
		if strings.Contains(text, "boom") {
			t.Errorf("a panic's own words: %q", text)
		}
	}
}

func TestConstructors(t *testing.T) {
	names, err := constructors("../../chart")
	if err != nil || !names["Speedup"] || !names["Trials"] || names["ChromeTrace"] {
		t.Errorf("constructors %v, %v", names, err)
	}
}

func TestTraces(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	l := &lab{root: "/srv/overlap"}
	for text, want := range map[string]string{
		"fine":                    "",
		"in /srv/overlap/data":    "the outputs of cell 1 hold the repository's path",
		"in /home/somebody/x":     "the outputs of cell 1 hold the home folder",
		"/tmp/overlap-1/main.go:": "the outputs of cell 1 hold a temporary file's path",
	} {
		for _, out := range []any{words(text), stream("stdout", []string{text}), failed(text)} {
			if got := strings.Join(l.traces(read(t, "", nil, []any{out})), "; "); got != want {
				t.Errorf("%q of %v: %q", text, out, got)
			}
		}
	}
}
