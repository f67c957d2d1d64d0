package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

// A table gathers the verdicts of all runs.
type table struct {
	options
	out, log  io.Writer
	programs  []corpus.Program
	confusion corpus.Confusion
	given     map[string][]string // by program: the verdicts, as "kind (by)"
	worst     map[string]corpus.Outcome
	misses    []string
	left      []string // runs that could not be made, and why
	load      *hogs
	again     int // runs that were thrown away
	failed    bool
}

func (t *table) add(p corpus.Program, run int, v verdict.Verdict, err error) {
	if errors.Is(err, errNoGroup) || errors.Is(err, errBusy) {
		t.left = append(t.left, fmt.Sprintf("left out: %s, run %d: %v", p.Name, run, err))
		return
	}
	l := line{Program: p.Name, Run: run, Hogs: t.hogs, Right: p.Right, Given: v.Kind, By: v.By, Text: v.Text}
	if err != nil {
		l.Error = err.Error()
		t.failed = true
		fmt.Fprintf(t.log, "%s: %v\n", p.Name, err)
	} else {
		l.Outcome = t.confusion.Add(p, v.Kind)
		t.note(p, run, v, l.Outcome)
	}
	if t.json {
		t.writeLine(l)
	}
	if t.record != "" && err == nil {
		if err := corpus.Record(p, t.hogs, run, v).Save(t.record); err != nil {
			fmt.Fprintln(t.log, err)
			t.failed = true
		}
	}
}

func (t *table) note(p corpus.Program, run int, v verdict.Verdict, outcome corpus.Outcome) {
	if t.given == nil {
		t.given = map[string][]string{}
		t.worst = map[string]corpus.Outcome{}
	}
	given := string(v.Kind)
	if v.By != "" {
		given += " (" + v.By + ")"
	}
	t.given[p.Name] = append(t.given[p.Name], given)
	if outcome == corpus.Right {
		return
	}
	if t.worst[p.Name] != corpus.Wrong {
		t.worst[p.Name] = outcome
	}
	miss := fmt.Sprintf("%s: %s, run %d: %s\n  right is %s, because: %s\n  given: %s", outcome, p.Name, run, given, join(p.Right), p.Why, v.Text)
	for _, n := range v.Numbers {
		miss += fmt.Sprintf("\n    %s: %s", n.Name, n.Text)
	}
	for _, n := range v.Notes {
		miss += "\n    note: " + n
	}
	t.misses = append(t.misses, miss)
}

func (t *table) print() {
	for _, p := range t.programs {
		if t.given[p.Name] == nil {
			continue
		}
		mark := ""
		if o := t.worst[p.Name]; o != "" {
			mark = "  <- " + string(o)
		}
		fmt.Fprintf(t.out, "%-28s right: %s\n%-28s given: %s%s\n", p.Name, join(p.Right), "", counted(t.given[p.Name]), mark)
	}
	for _, miss := range t.misses {
		fmt.Fprintf(t.out, "\n%s\n", miss)
	}
	fmt.Fprintf(t.out, "\n%s", &t.confusion)
	if t.again > 0 {
		fmt.Fprintf(t.out, "runs made again because of other processes: %d\n", t.again)
	}
	for _, line := range t.left {
		fmt.Fprintln(t.out, line)
	}
}

func join(kinds []verdict.Kind) string {
	texts := make([]string, len(kinds))
	for i, k := range kinds {
		texts[i] = string(k)
	}
	return strings.Join(texts, " | ")
}

// counted says how often each text is there, in the order of the first time.
func counted(texts []string) string {
	var order []string
	count := map[string]int{}
	for _, s := range texts {
		if count[s]++; count[s] == 1 {
			order = append(order, s)
		}
	}
	for i, s := range order {
		order[i] = fmt.Sprintf("%d × %s", count[s], s)
	}
	return strings.Join(order, ", ")
}
