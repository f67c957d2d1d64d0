package lab

import (
	"fmt"
	"slices"
	"strings"

	"overlap/pkg/internal/text"
)

// Workers returns a table of who ran the tasks of each variant at a size, in the first measured
// round: how many workers served, which numbers they had, and how many tasks ran at once. A
// scheduler without workers has "none". Numbers are those of the first [MaxSpans] tasks.
func (r *Result) Workers(size int) Table {
	t := Table{Head: []string{"variant", "tasks", "workers", "their numbers", "at once, at most"}}
	if r == nil {
		return t
	}
	t.Title = fmt.Sprintf("%s: who ran the %s", r.Name, text.Counted(size, r.Unit))
	for _, v := range r.Variants {
		trials := r.Of(v, size)
		if len(trials) == 0 {
			continue
		}
		first := trials[0]
		var ids []int
		for _, s := range first.Spans {
			if s.Worker > 0 && !slices.Contains(ids, s.Worker) {
				ids = append(ids, s.Worker)
			}
		}
		slices.Sort(ids)
		workers, numbers := "none", ""
		if first.Workers > 0 {
			workers, numbers = text.Count(first.Workers), ranges(ids)
		}
		t.Rows = append(t.Rows, []string{v, text.Count(first.Tasks), workers, numbers, text.Count(first.InFlightMax)})
	}
	return t
}

// ranges writes ascending numbers as "1–2, 5, 7–66".
func ranges(ids []int) string {
	var parts []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		part := fmt.Sprint(ids[i])
		if j > i {
			part += fmt.Sprintf("–%d", ids[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Which returns the table that answers "which for what": for each result, at its largest size, the
// variant with the shortest time, those that were not shown to be slower, and those that were, with
// how many times the shortest time they took. Where there are too few repeats to say, it says so.
func Which(results ...*Result) Table {
	t := Table{Title: "Which for what", Head: []string{"work", "shortest time", "not shown to be slower", "slower"}}
	for _, r := range results {
		if r == nil || len(r.Sizes) == 0 {
			continue
		}
		size := slices.Max(r.Sizes)
		best := ""
		for _, v := range r.Variants {
			if e := r.Time(v, size); e.N > 0 && (best == "" || e.Median < r.Time(best, size).Median) {
				best = v
			}
		}
		if best == "" {
			continue
		}
		against := r.Against(best)
		var equal, slower []string
		for _, v := range r.Variants {
			if v == best || r.Time(v, size).N == 0 {
				continue
			}
			switch c := against.Compare(v, size); c.Difference {
			case Slower:
				slower = append(slower, fmt.Sprintf("%s %.3g×", v, 1/c.Speedup.Median))
			case TooFewRepeats:
				equal = append(equal, v+" (too few repeats to say)")
			case TooShort:
				equal = append(equal, v+" ("+string(TooShort)+")")
			default:
				equal = append(equal, v)
			}
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s, %s", r.Name, text.Counted(size, r.Unit)),
			fmt.Sprintf("%s, %s", best, text.Duration(r.Time(best, size).Median)),
			strings.Join(equal, ", "), strings.Join(slower, ", "),
		})
	}
	if len(t.Rows) == 0 {
		t.Notes = append(t.Notes, "Nothing was measured.")
	}
	return t
}
