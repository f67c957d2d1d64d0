package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Published draws published figures beside ours, both as how many times as fast as the baseline the
// variants were: a published variant's median time against the published baseline's, ours as
// [lab.Result.Speedup]. match names for each published variant the variant of ours that stands for it;
// one of them has to be the result's baseline. A published variant without a match, or whose match was
// not measured, is drawn alone.
func Published(r *lab.Result, size int, p []lab.PublishedRow, match map[string]string) *Figure {
	return ofResult("Published", r, func(f *Figure, v *view) {
		if v.at(f, size) {
			publishedFigure(f, v, gather(p), match)
		}
	})
}

// published are the figures of one experiment by variant.
type published struct {
	experiment, conditions string
	variants               []string
	ms, speedups           map[string][]float64
}

func gather(rows []lab.PublishedRow) published {
	p := published{ms: map[string][]float64{}, speedups: map[string][]float64{}}
	for _, row := range rows {
		if !slices.Contains(p.variants, row.Variant) {
			p.variants = append(p.variants, row.Variant)
		}
		if row.Milliseconds > 0 && text.Finite(row.Milliseconds) {
			p.ms[row.Variant] = append(p.ms[row.Variant], row.Milliseconds)
		}
		if row.Speedup > 0 && text.Finite(row.Speedup) {
			p.speedups[row.Variant] = append(p.speedups[row.Variant], row.Speedup)
		}
		p.conditions, p.experiment = cmp.Or(p.conditions, row.Conditions), row.Experiment
	}
	return p
}

// matched finds the published baseline, "" where only ratios are, and takes from match what was not
// measured here. The figure has an error where nothing can be compared.
func (p published) matched(f *Figure, v *view, match map[string]string) (base string, absent []string) {
	for _, variant := range sortedKeys(match) {
		if !slices.Contains(p.variants, variant) {
			f.fail("match names the published variant %q, and %q has none of that name; it has %s",
				variant, p.experiment, quoted(p.variants))
			return "", nil
		}
		if ours := match[variant]; !slices.Contains(v.variants, ours) {
			delete(match, variant)
			absent = append(absent, ink.Printable(ours))
		} else if ours == v.Baseline && base == "" {
			base = variant
		}
	}
	if base == "" && len(p.speedups) == 0 {
		f.fail("no published variant stands for our baseline %q among the variants measured, %s; "+
			"add one to match, of %s", v.Baseline, quoted(v.variants), quoted(p.variants))
	}
	return base, absent
}

// row returns a row of what was published of a variant.
func (p published) row(variant, base string) row {
	w := row{name: ink.Printable(variant) + ", published", plain: true, est: nothing, value: "unknown", space: true}
	ratio := lab.Median(p.speedups[variant])
	if math.IsNaN(ratio) {
		ratio = lab.Median(p.ms[base]) / lab.Median(p.ms[variant])
	}
	if ratio > 1e-9 && ratio < 1e9 { // beyond, it is a slip
		w.est.mid, w.value = ratio, times(ratio)
	}
	return w
}

func publishedFigure(f *Figure, v *view, p published, match map[string]string) {
	if len(p.variants) == 0 {
		f.fail("there are no published figures; look at the error of ReadPublished")
		return
	}
	v.slug(f, p.experiment+" "+against(v.Result))
	match = maps.Clone(match)
	base, absent := p.matched(f, v, match)
	if f.err != nil {
		return
	}
	c := &rows{xUnit: 1, from: 1, refs: []reference{{value: 1, label: "1 = baseline", solid: true}}}
	var values []float64
	var said []string
	var used []lab.Estimate
	most := 0
	names, more := firstFew(p.variants, mostVariants)
	for _, name := range names {
		if name == base {
			continue
		}
		if len(p.speedups[name]) == 0 {
			most = max(most, len(p.ms[name]))
		}
		theirs := p.row(name, base)
		c.rows = append(c.rows, theirs)
		values = append(values, theirs.est.mid)
		say := fmt.Sprintf("%s published %s", ink.Printable(name), theirs.value)
		if ours, ok := match[name]; ok {
			compared := v.Compare(ours, v.sizes[0])
			here := row{name: ink.Printable(ours) + ", here", look: v.looks[ours], est: nothing, value: "unknown"}
			ratio := here.value
			if e := compared.Speedup; e.N > 0 && text.Finite(e.Median) {
				here.est, here.value = estimateOf(e, 0), times(e.Median)
				ratio = ratioSaid(here.est, compared.Difference)
			}
			if ours != v.Baseline {
				used = append(used, compared.Speedup)
			}
			c.rows = append(c.rows, here)
			values = append(values, here.est.mid, here.est.lo, here.est.hi)
			say += fmt.Sprintf(", %s here %s", ink.Printable(ours), ratio)
		}
		said = append(said, say)
	}
	if lo, _ := bounds(values); math.IsNaN(lo) {
		f.fail("nothing is left to compare with the baseline; match at least one more published variant")
		return
	}
	show := []float64{1}
	if n := v.cpus(); n > 1 {
		c.refs, show = append(c.refs, reference{value: n, label: cpusText(n) + " here"}), append(show, n)
	}
	c.x = ratioScale(values, show...)
	c.xLabel = "times as fast as the baseline" + c.x.note()
	baseline := fmt.Sprintf("“%s” here", ink.Printable(v.Baseline))
	if base != "" {
		baseline = fmt.Sprintf("“%s” where published, %s", ink.Printable(base), baseline)
	}
	theirs := "as published"
	if most > 1 {
		theirs = fmt.Sprintf("published, median of up to %d runs", most)
	}
	f.title = fmt.Sprintf("%s: published and here", v.name())
	f.subtitle = fmt.Sprintf("How many times as fast as the baseline: %s. Hollow: %s.", baseline, theirs)
	if len(used) > 0 {
		ratios := strings.Replace(statistic(used), "median of", "median ratio of", 1)
		f.subtitle += fmt.Sprintf(" Filled: %s.", ratios) + v.noise()
	}
	f.caption = p.caption(v, absent, firstOf(len(names), more, "published variant"))
	f.alt = fmt.Sprintf("Dot chart of published speedups beside ours, baseline %s: %s.", baseline, enumerate(said))
	f.fit(len(c.rows)+len(names)/2, rowHeight)
	f.body = c.draw
}

// caption says under what conditions both were measured, and what is missing.
func (p published) caption(v *view, absent []string, cut string) (s string) {
	if p.conditions != "" {
		s = "Published: " + ink.Printable(strings.TrimRight(p.conditions, ". ")) + ". "
	}
	s += "Hardware and software differ: compare which variants gain, not how much."
	if len(absent) > 0 {
		s += " Not measured here: " + enumerate(absent) + "."
	}
	if cut != "" {
		s += " " + cut
	}
	return s + "\nHere: " + v.sizeRange() + " · " + v.conditions()
}

func quoted(names []string) string {
	var q []string
	for _, n := range names {
		q = append(q, strconv.Quote(n))
	}
	return enumerate(q)
}
