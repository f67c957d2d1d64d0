package text

import (
	"fmt"
	"slices"
	"strings"
)

// A Table is text in rows and columns. A column of figures is set to the right.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string // each as long as Head
	Notes []string   // sentences below the table
}

// String returns the table as lines of text with aligned columns.
func (t Table) String() string {
	widths, numeric := make([]int, len(t.Head)), make([]bool, len(t.Head))
	for i := range t.Head {
		numeric[i] = t.Numeric(i) // looks at every row
	}
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row[:min(len(row), len(widths))] {
			widths[i] = max(widths[i], columns(inLine(cell)))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "%s\n", t.Title)
	}
	line := func(row []string) {
		var l strings.Builder
		for i, cell := range row[:min(len(row), len(widths))] {
			cell = inLine(cell)
			pad := strings.Repeat(" ", widths[i]-columns(cell))
			if numeric[i] {
				l.WriteString(pad + cell + "  ")
			} else {
				l.WriteString(cell + pad + "  ")
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(t.Head)
	for _, row := range t.Rows {
		line(row)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	return b.String()
}

// Select returns the table with only the named columns, in the order named. A name that is no
// column's is left out and told in a note.
func (t Table) Select(columns ...string) Table {
	s := Table{Title: t.Title, Rows: make([][]string, len(t.Rows)), Notes: slices.Clone(t.Notes)}
	for _, name := range columns {
		i := slices.Index(t.Head, name)
		if i < 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("There is no column %q; the columns are %q.", name, t.Head))
			continue
		}
		s.Head = append(s.Head, name)
		for r, row := range t.Rows {
			s.Rows[r] = append(s.Rows[r], row[i])
		}
	}
	return s
}

// Numeric reports whether every cell of a column begins with a digit or a sign, or says n/a: such a
// column is set to the right.
func (t Table) Numeric(column int) bool {
	return len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(row []string) bool {
		return column >= len(row) ||
			row[column] != "n/a" && !strings.ContainsAny(row[column][:min(1, len(row[column]))], "0123456789+-.−")
	})
}
