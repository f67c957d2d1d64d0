package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Published draws published figures beside ours, both as how many times as
// fast as the baseline the variants were: a published variant's median time
// against the published baseline's, ours as [lab.Result.Speedup]. match names
// for each published variant the variant of ours that stands for it; one of
// them has to be the result's baseline. A published variant without a match, or
// whose match was not measured, is drawn alone.
func Published(r *lab.Result, size int, p []lab.PublishedRow, match map[string]string) *Figure {
	f := newFigure("Published", nameOf(r))
	return guarded(f, func() {
		v := viewOf(f, r)
		if v == nil || !v.at(f, size) {
			return
		}
		publishedFigure(f, v, size, p, match)
	})
}

func publishedFigure(f *Figure, v *view, size int, p []lab.PublishedRow, match map[string]string) {
	if len(p) > 0 {
		v.slug(f, p[0].Experiment+" "+against(v.Result))
	}
	if len(p) == 0 {
		f.fail("there are no published figures; look at the error of ReadPublished")
		return
	}
	var names []string
	ms := map[string][]float64{}
	speedups := map[string][]float64{}
	conditions, experiment := "", ""
	var absent []string // of our variants
	for _, row := range p {
		if !slices.Contains(names, row.Variant) {
			names = append(names, row.Variant)
		}
		if row.Milliseconds > 0 && text.Finite(row.Milliseconds) {
			ms[row.Variant] = append(ms[row.Variant], row.Milliseconds)
		}
		if row.Speedup > 0 && text.Finite(row.Speedup) {
			speedups[row.Variant] = append(speedups[row.Variant], row.Speedup)
		}
		if conditions == "" {
			conditions = row.Conditions
		}
		experiment = row.Experiment
	}
	base := ""
	match = maps.Clone(match)
	for _, published := range sortedKeys(match) {
		if !slices.Contains(names, published) {
			f.fail("match names the published variant %q, and %q has none of that name; it has %s", published, experiment, quoted(names))
			return
		}
		if ours := match[published]; !slices.Contains(v.variants, ours) {
			delete(match, published)
			absent = append(absent, ink.Printable(ours))
		} else if ours == v.Baseline && base == "" {
			base = published
		}
	}
	if base == "" && len(speedups) == 0 {
		f.fail("no published variant stands for our baseline %q among the variants measured, %s; add one to match, of %s", v.Baseline, quoted(v.variants), quoted(names))
		return
	}
	c := &rows{xUnit: 1, from: 1}
	var values []float64
	var said []string
	most := 0
	names, more := firstFew(names, mostVariants)
	for _, name := range names {
		if name == base {
			continue
		}
		ratio := lab.Median(speedups[name])
		if math.IsNaN(ratio) {
			ratio = lab.Median(ms[base]) / lab.Median(ms[name])
			most = max(most, len(ms[name]))
		}
		none := estimate{mid: math.NaN(), lo: math.NaN(), hi: math.NaN()}
		theirs := row{name: ink.Printable(name) + ", published", plain: true, est: none, value: "unknown", space: true}
		if ratio > 1e-9 && ratio < 1e9 { // beyond, it is a slip
			theirs.est.mid, theirs.value = ratio, times(ratio)
			values = append(values, ratio)
		}
		c.rows = append(c.rows, theirs)
		say := fmt.Sprintf("%s published %s", ink.Printable(name), theirs.value)
		if ours, ok := match[name]; ok {
			compared := v.Compare(ours, size)
			e := compared.Speedup
			here := row{name: ink.Printable(ours) + ", here", look: v.looks[ours], est: none, value: "unknown"}
			if e.N > 0 && text.Finite(e.Median) {
				here.est.mid, here.value = e.Median, times(e.Median)
				values = append(values, e.Median)
				if e.Interval() {
					here.est.lo, here.est.hi = e.Lo, e.Hi
					values = append(values, e.Lo, e.Hi)
				}
			}
			c.rows = append(c.rows, here)
			ratio := here.value
			if text.Finite(here.est.mid) {
				ratio = ratioSaid(here.est, compared.Difference)
			}
			say += fmt.Sprintf(", %s here %s", ink.Printable(ours), ratio)
		}
		said = append(said, say)
	}
	if len(values) == 0 {
		f.fail("nothing is left to compare with the baseline; match at least one more published variant")
		return
	}
	c.refs = []reference{{value: 1, label: "1 = baseline", solid: true}}
	show := []float64{1}
	if n := v.cpus(); n > 1 {
		c.refs = append(c.refs, reference{value: n, label: cpusText(n) + " here"})
		show = append(show, n)
	}
	c.x = ratioScale(values, show...)
	baseline := fmt.Sprintf("“%s” here", ink.Printable(v.Baseline))
	if base != "" {
		baseline = fmt.Sprintf("“%s” where published, “%s” here", ink.Printable(base), ink.Printable(v.Baseline))
	}
	c.xLabel = "times as fast as the baseline" + c.x.note()
	f.title = fmt.Sprintf("%s: published and here", v.name())
	f.subtitle = "How many times as fast as the baseline: " + baseline + "."
	theirs := "as published"
	if most > 1 {
		theirs = fmt.Sprintf("published, median of up to %d runs", most)
	}
	var used []lab.Estimate
	for _, name := range names {
		if ours, ok := match[name]; ok && ours != v.Baseline {
			used = append(used, v.Compare(ours, size).Speedup)
		}
	}
	f.subtitle += fmt.Sprintf(" Hollow: %s.", theirs)
	if len(used) > 0 {
		f.subtitle += fmt.Sprintf(" Filled: %s.", strings.Replace(statistic(used), "median of", "median ratio of", 1)) + v.noise()
	}
	if conditions != "" {
		f.caption = "Published: " + ink.Printable(strings.TrimRight(conditions, ". ")) + ". "
	}
	f.caption += "Hardware and software differ: compare which variants gain, not how much."
	if len(absent) > 0 {
		f.caption += " Not measured here: " + enumerate(absent) + "."
	}
	if s := firstOf(len(names), more, "published variant"); s != "" {
		f.caption += " " + s
	}
	f.caption += "\nHere: " + v.sized(size) + " · " + v.conditions()
	f.alt = fmt.Sprintf("Dot chart of published speedups beside ours, baseline %s: %s.", baseline, enumerate(said))
	f.fit(len(c.rows)+len(names)/2, rowHeight)
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

func quoted(names []string) string {
	var q []string
	for _, n := range names {
		q = append(q, strconv.Quote(n))
	}
	return enumerate(q)
}
