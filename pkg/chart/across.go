package chart

import (
	"fmt"
	"math"
	"strings"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Across draws how many times as fast the second of two results is as the first, variant by variant,
// with 95 % intervals: see [lab.CompareAcross]. Where the two have several sizes in common, each is a
// row. A difference that was not shown is drawn hollow.
func Across(x lab.Across) *Figure {
	f := newFigure("Across", x.Name)
	return guarded(f, func() {
		if x.A == nil || x.B == nil || len(x.Comparisons) == 0 {
			f.fail("there is nothing to compare; look at the error of CompareAcross")
			return
		}
		acrossFigure(f, x)
	})
}

func acrossFigure(f *Figure, x lab.Across) {
	a, b := ink.Printable(x.AName), ink.Printable(x.BName)
	f.slug = slug(joined(x.Name, x.AName, "and", x.BName), "across", "")
	sizes := map[int]bool{}
	for _, c := range x.Comparisons {
		sizes[c.Size] = true
	}
	f.title = fmt.Sprintf("%s: %s against %s", ink.Printable(x.Name), b, a)
	looks := looksOf(x.A, x.A.Variants)
	c := &rows{xUnit: 1, from: 1, refs: []reference{{value: 1, label: "1 = " + a, solid: true}}}
	var values []float64
	var said []string
	least, last, intervals := math.MaxInt, "", 0
	comparisons, more := firstFew(x.Comparisons, 2*mostVariants)
	for _, cmp := range comparisons {
		name := ink.Printable(cmp.Variant)
		if len(sizes) > 1 {
			name += ", " + sized(x.A, cmp.Size)
		}
		w := row{name: name, look: looks[cmp.Variant], value: times(cmp.Speedup.Median),
			space: len(sizes) > 1 && last != "" && last != fmt.Sprint(cmp.Size)}
		last = fmt.Sprint(cmp.Size)
		w.est = estimateOf(cmp.Speedup, 0)
		w.plain = cmp.Difference != lab.Faster && cmp.Difference != lab.Slower
		values = append(values, w.est.mid, w.est.lo, w.est.hi)
		if cmp.Speedup.Interval() {
			intervals++
		}
		least = min(least, cmp.Speedup.N)
		c.rows = append(c.rows, w)
		if w.plain {
			said = append(said, fmt.Sprintf("%s %s (%s)", name, times(cmp.Speedup.Median), cmp.Difference))
		} else {
			said = append(said, name+" "+w.est.said(times))
		}
	}
	c.x = ratioScale(values, 1)
	c.xLabel = "times as fast as " + a + c.x.note()
	how := fmt.Sprintf("bars: 95 %% confidence interval, of %s or more each", text.Counted(least, "trials"))
	switch {
	case intervals == 0:
		how = fmt.Sprintf("too few trials for intervals (%d are needed)", lab.MinRepeats)
	case intervals < len(comparisons):
		how = fmt.Sprintf("bars: 95 %% confidence interval, none below %d trials", lab.MinRepeats)
	}
	f.subtitle = fmt.Sprintf("How many times as fast %s is; %s. Hollow: no difference shown.", b, how)
	f.caption = strings.TrimSpace(acrossConditions(x) + "\n" + firstOf(len(c.rows), more, "comparison"))
	f.fit(len(c.rows), rowHeight)
	f.alt = fmt.Sprintf("Dot chart of how many times as fast as %s %s is: %s.", a, b, enumerate(said))
	f.body = c.draw
}

// acrossConditions is the caption: where and when the two were measured, and what makes them bear less
// than they seem to.
func acrossConditions(x lab.Across) string {
	var lines []string
	for _, side := range []struct {
		name string
		r    *lab.Result
	}{{x.AName, x.A}, {x.BName, x.B}} {
		line := ink.Printable(side.name) + ": " + ink.Printable(side.r.Machine.String())
		if !side.r.Started.IsZero() {
			line += ", " + side.r.Started.Format("2 January 2006")
		}
		if side.r.Interrupted {
			line += ", stopped before its last round"
		}
		lines = append(lines, line)
	}
	for _, w := range x.Warnings {
		switch w.Kind {
		case lab.WarnOtherWork, lab.WarnOtherAnswer:
			lines = append(lines, ink.Printable(w.Text))
		}
	}
	if x.A.Quick || x.B.Quick {
		lines = append(lines, "At least one is a quick run, which shows that everything works and nothing about speed.")
	}
	return strings.Join(lines, "\n")
}
