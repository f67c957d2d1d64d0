package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlap/pkg/probe"
)

// A Table is text in rows and columns. A column of figures is set to the
// right.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string // each as long as Head
	Notes []string   // sentences below the table
}

// Table returns a row for each variant at each size: medians, what they show
// against the baseline, and what the machine did: "CPU used" is
// [probe.Usage.Utilisation], "CPU wanted" [probe.Usage.Demand], both not given for
// less than a millisecond. A single size stands in the title instead of a column.
func (r *Result) Table() Table {
	if r == nil {
		return Table{Notes: []string{"There is no result."}}
	}
	t := Table{
		Title: r.Name,
		Head: []string{r.Unit, "variant", "time", "95 % interval", "speed against " + r.Baseline, "shows",
			"in flight", "CPU used", "CPU wanted", "OS switches a task", "page faults", "peak memory"},
	}
	if len(r.Sizes) == 1 {
		t.Title += ", " + Counted(r.Sizes[0], r.Unit)
		t.Head = t.Head[1:]
	}
	if least, most := r.rounds(); least < most {
		t.Notes = append(t.Notes, fmt.Sprintf("Medians of %d to %d rounds on %s.", least, most, r.Machine))
	} else if most == 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("One round on %s.", r.Machine))
	} else if most > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Medians of %d rounds on %s.", most, r.Machine))
	}
	for _, v := range r.Variants {
		if rule := r.Rules[v]; rule != "" {
			t.Notes = append(t.Notes, v+": "+rule+".")
		}
	}
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			if row := r.row(v, size); row != nil {
				t.Rows = append(t.Rows, row[len(row)-len(t.Head):])
			}
		}
		if floor, ok := r.NoiseFloor(size); ok && r.Time(r.Baseline, size).N >= MinRepeats {
			t.Notes = append(t.Notes, fmt.Sprintf("Noise floor at %s: %.1f %% (between two runs of the baseline in the same round).", Counted(size, r.Unit), 100*floor))
		}
	}
	return t
}

// rounds returns how many rounds stand behind the figures, at least and at
// most.
func (r *Result) rounds() (least, most int) {
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			if n := len(r.Of(v, size)); n > 0 {
				most = max(most, n)
				if least == 0 || n < least {
					least = n
				}
			}
		}
	}
	return least, most
}

// leastForCPU is the shortest time, in seconds, of which the table says how much
// of the CPUs it used: to read that takes some 20 µs, in which the scheduler's
// other threads may still run.
const leastForCPU = 1e-3

func (r *Result) row(variant string, size int) []string {
	time := r.Time(variant, size)
	if time.N == 0 {
		return nil
	}
	median := func(figure func(Trial) float64) float64 { return r.Estimate(variant, size, figure).Median }
	c := r.Compare(variant, size)
	speed, shows := c.Speedup.String(), string(c.Difference)
	if variant == r.Baseline {
		speed, shows = "1", "baseline"
	}
	interval := "n/a"
	if time.Interval() {
		interval = Duration(time.Lo) + " – " + Duration(time.Hi)
	}
	// A figure that the system did not give is not 0.
	measured := func(text string, needs ...string) string {
		for _, t := range r.Of(variant, size) {
			if ifHas(t, text, needs...) == "" {
				return "n/a"
			}
		}
		return text
	}
	ofCPUs := func(share func(Trial) float64, needs ...string) string {
		if time.Median < leastForCPU {
			return "n/a"
		}
		return measured(percent(median(share)), needs...)
	}
	return []string{
		Count(size), variant, Duration(time.Median), interval, speed, shows,
		fmt.Sprintf("%.2f", median(func(t Trial) float64 { return t.InFlightMean })),
		ofCPUs(func(t Trial) float64 { return t.Utilisation() }, probe.CPUTime),
		ofCPUs(func(t Trial) float64 { return t.Demand() }, probe.CPUTime, probe.RunDelay),
		measured(fmt.Sprintf("%.2f", median(func(t Trial) float64 { return float64(t.Voluntary+t.Involuntary) / float64(max(1, t.Tasks)) })), probe.CPUTime),
		measured(Count(int(median(func(t Trial) float64 { return float64(t.MinorFaults + t.MajorFaults) }))), probe.CPUTime),
		measured(fmt.Sprintf("%.0f MB", median(func(t Trial) float64 { return float64(t.PeakMemory) })/1e6), probe.PeakMemory),
	}
}

// Count writes a whole number with commas between thousands: "10,000".
func Count(n int) string {
	digits := strconv.Itoa(n)
	start := len(digits) % 3
	if n < 0 {
		start = 1 + (len(digits)-1)%3
	}
	var b strings.Builder
	b.WriteString(digits[:start])
	for i := start; i < len(digits); i += 3 {
		if i > 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteString(digits[i : i+3])
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// Duration writes a number of seconds with three digits and a unit that suits
// it: "12.3 ms". Micro is the Greek letter, which more fonts have.
func Duration(seconds float64) string {
	switch abs := math.Abs(seconds); {
	case !finite(seconds):
		return "n/a"
	case abs == 0:
		return "0 s"
	case abs < 1e-6:
		return digits(seconds*1e9) + " ns"
	case abs < 1e-3:
		return digits(seconds*1e6) + " μs"
	case abs < 1:
		return digits(seconds*1e3) + " ms"
	default:
		return digits(seconds) + " s"
	}
}

// digits writes three digits, or all of a larger number's whole part.
func digits(x float64) string {
	if math.Abs(x) >= 99.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
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

// Select returns the table with only the named columns, in the order named.
// A name that is no column's is left out and told in a note.
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

// Numeric reports whether every cell of a column begins with a digit or a
// sign, or says n/a: such a column is set to the right.
func (t Table) Numeric(column int) bool {
	return len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(row []string) bool {
		return column >= len(row) || row[column] != "n/a" && !strings.ContainsAny(row[column][:min(1, len(row[column]))], "0123456789+-.−")
	})
}
