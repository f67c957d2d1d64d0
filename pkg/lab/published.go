package lab

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"overlap/pkg/internal/text"
)

// A PublishedRow is one figure that somebody else published.
type PublishedRow struct {
	Experiment   string
	Variant      string
	Run          int
	Milliseconds float64 // 0 where only a ratio was published
	Speedup      float64 // over the published baseline, where only that was published
	Conditions   string  // what was run and on what, as far as that is known
}

// ReadPublished reads the published figures of an experiment from a CSV file with the columns
// experiment, variant, run, milliseconds and conditions, and, if there is one, speedup, for what
// was published only as a ratio.
func ReadPublished(path, experiment string) (rows []PublishedRow, err error) {
	defer func() {
		if err != nil {
			rows, err = nil, fmt.Errorf("lab: reading published figures of %q from %q: %w", experiment, path, err)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read
	in := csv.NewReader(file)
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first line has to name the columns")
	}
	if err != nil {
		return nil, err
	}
	column := map[string]int{}
	for i, name := range head {
		column[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range []string{"experiment", "variant", "run", "milliseconds", "conditions"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("the first line names no column %q", name)
		}
	}
	var others []string
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		get := func(name string) string {
			if i, ok := column[name]; ok {
				return strings.TrimSpace(record[i])
			}
			return ""
		}
		if of := get("experiment"); of != experiment {
			if !slices.Contains(others, of) {
				others = append(others, of)
			}
			continue
		}
		row, err := publishedRow(get)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d%w", line, err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no row is of it; experiments there: %s", strings.Join(others, ", "))
	}
	return rows, nil
}

// publishedRow reads a row, of whose columns get returns the text. Its error goes on after the
// line.
func publishedRow(get func(column string) string) (row PublishedRow, err error) {
	number := func(column string) (v float64) {
		s := get(column)
		if s == "" || err != nil {
			return 0
		}
		v, bad := strconv.ParseFloat(s, 64)
		if bad != nil || !text.Finite(v) || v <= 0 {
			err = fmt.Errorf(": %s is %q; give a number above 0", column, s)
		}
		return v
	}
	row = PublishedRow{Experiment: get("experiment"), Variant: get("variant"), Conditions: get("conditions"),
		Milliseconds: number("milliseconds"), Speedup: number("speedup")}
	if err == nil && row.Milliseconds == 0 && row.Speedup == 0 {
		err = errors.New(" has neither milliseconds nor a speedup")
	}
	if s := get("run"); s != "" && err == nil {
		if row.Run, err = strconv.Atoi(s); err != nil {
			err = fmt.Errorf(": run is %q; give a whole number", s)
		}
	}
	return row, err
}

// PublishedTable returns every published run beside every one of ours at a size, in milliseconds.
// match is as for the figure of both.
func PublishedTable(r *Result, size int, p []PublishedRow, match map[string]string) Table {
	t := Table{Head: []string{"published", "its runs, ms", "here", "our rounds, ms"}}
	if r == nil {
		return t
	}
	t.Title = r.Name + ": every run, published and here"
	for i, row := range p {
		if slices.ContainsFunc(p[:i], func(earlier PublishedRow) bool { return earlier.Variant == row.Variant }) {
			continue
		}
		var theirs, ours []string
		for _, run := range p {
			if run.Variant == row.Variant && run.Milliseconds > 0 {
				theirs = append(theirs, text.Count(int(math.Round(run.Milliseconds))))
			}
		}
		for _, trial := range r.Of(match[row.Variant], size) {
			ours = append(ours, text.Count(int(math.Round(trial.Wall.Seconds()*1e3))))
		}
		t.Rows = append(t.Rows,
			[]string{row.Variant, strings.Join(theirs, "  "), match[row.Variant], strings.Join(ours, "  ")})
	}
	return t
}
