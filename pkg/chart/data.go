package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// A view is a result, checked and arranged for drawing.
type view struct {
	*lab.Result
	variants []string // that have measured trials, in the result's order
	sizes    []int    // likewise, ascending
	asked    []int    // the sizes that the figure is about, measured or not
	more     int      // variants left out because there are too many: see limit
	looks    map[string]ink.Look
	compared map[compared]lab.Comparison // so far: see Compare
}

// compared is what [view.Compare] compares with the baseline.
type compared struct {
	variant string
	size    int
}

// ofResult makes a figure of what was measured of a result.
func ofResult(constructor string, r *lab.Result, build func(f *Figure, v *view)) *Figure {
	name := ""
	if r != nil {
		name = r.Name
	}
	f := newFigure(constructor, name)
	return guarded(f, func() {
		if v := viewOf(f, r); v != nil {
			build(f, v)
		}
	})
}

// viewOf checks a result for the figure f; nil means that it cannot be drawn and the figure has an
// error.
func viewOf(f *Figure, r *lab.Result) *view {
	if r == nil {
		f.fail("%s", noResult)
		return nil
	}
	f.source = r.Files()
	v := &view{Result: r, asked: r.Sizes, compared: map[compared]lab.Comparison{}}
	measured := map[string]bool{}
	sizes := map[int]bool{}
	others := map[int]bool{}
	for _, t := range r.Trials {
		if t.Round > 0 && !slices.Contains(r.Sizes, t.Size) {
			others[t.Size] = true
		} else if t.Round > 0 {
			measured[t.Variant] = true
			sizes[t.Size] = true
		}
	}
	if len(measured) == 0 {
		if len(others) > 0 {
			f.fail("nothing was measured at the sizes %s; sizes measured: %s", list(r.Sizes), list(sortedKeys(others)))
			return nil
		}
		why := "the result has no measured trial; run the experiment for at least one whole round"
		if len(r.Failures) > 0 {
			why += ", and see why variants failed: " + r.Failures[0].Variant + ": " + r.Failures[0].Reason
		}
		f.fail("%s", why)
		return nil
	}
	// Looks follow from all names of the experiment, so that a figure of an interrupted run has the
	// colours that the whole one will have.
	names := slices.Clone(r.Variants)
	for _, t := range r.Trials {
		if !slices.Contains(names, t.Variant) {
			names = append(names, t.Variant)
		}
	}
	v.looks = looksOf(r, names)
	for _, n := range names {
		if measured[n] && !slices.Contains(v.variants, n) {
			v.variants = append(v.variants, n)
		}
	}
	v.sizes = sortedKeys(sizes)
	return v
}

// at leaves only one size in the view. It reports false, and the figure has an error, where nothing was
// measured at it.
func (v *view) at(f *Figure, size int) bool {
	if !slices.Contains(v.sizes, size) {
		f.fail("nothing was measured at size %d; sizes measured: %s", size, list(v.sizes))
		return false
	}
	v.sizes, v.asked = []int{size}, []int{size}
	v.variants = slices.DeleteFunc(slices.Clone(v.variants), func(n string) bool { return len(v.Of(n, size)) == 0 })
	return true
}

// mostVariants is how many variants a figure draws. More would be a strip of paper, and a picture too
// large to be opened.
const mostVariants = 60

// limit leaves as many variants in the view as can be drawn.
func (v *view) limit() {
	v.variants, v.more = firstFew(v.variants, mostVariants)
}

// firstFew returns the first of what a figure is about, at most so many, and how many more there are.
func firstFew[T any](all []T, most int) (drawn []T, more int) {
	drawn = all[:min(len(all), most)]
	return drawn, len(all) - len(drawn)
}

// firstOf is the part of a caption that says how many were left out, which is none as a rule.
func firstOf(drawn, more int, what string) string {
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("Drawn are the first %s of %s; the table has all.", text.Count(drawn),
		text.Counted(drawn+more, what+"s"))
}

// slug names the figure after the experiment and the sizes that it is about.
func (v *view) slug(f *Figure, apart string) {
	f.slug = slug(v.Name+" "+sizesSlug(v.asked, v.Unit), strings.ToLower(f.name), apart)
}

// name returns what the experiment is called.
func (v *view) name() string {
	if n := strings.TrimSpace(ink.Printable(v.Name)); n != "" {
		return n
	}
	return "Experiment"
}

// sized names one size of the view.
func (v *view) sized(size int) string { return sized(v.Result, size) }

// unitOf returns what sizes of a result count.
func unitOf(r *lab.Result) string {
	if u := strings.TrimSpace(ink.Printable(r.Unit)); u != "" {
		return u
	}
	return "size"
}

// sized names one size: "10,000 tasks".
func sized(r *lab.Result, size int) string {
	if unitOf(r) == "size" {
		return "size " + text.Count(size)
	}
	return text.Counted(size, unitOf(r))
}

// sizeRange names all sizes: "1 to 5 rasters".
func (v *view) sizeRange() string {
	if len(v.sizes) == 1 {
		return v.sized(v.sizes[0])
	}
	lo := text.Count(v.sizes[0])
	return strings.Replace(lo+" to "+v.sized(v.sizes[len(v.sizes)-1]), lo+" to size ", "size "+lo+" to ", 1)
}

// cpus returns how many CPUs the process could use, 0 if that is not known.
func (v *view) cpus() float64 {
	if n := plausible(v.Machine.Usable.Count); n > 0 {
		return n
	}
	return plausible(float64(v.Machine.Logical))
}

// plausible returns a number of CPUs that a machine can have, or 0.
func plausible(cpus float64) float64 {
	if cpus >= 0.01 && cpus <= 1e6 {
		return cpus
	}
	return 0
}

func cpusText(n float64) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%.4g CPUs", n)
}

// statistic says what points and bars are: "median of 10 rounds, bars: 95 % confidence interval".
func statistic(es []lab.Estimate) string {
	lo, hi := math.MaxInt, 0
	with, without := 0, 0
	for _, e := range es {
		if e.N == 0 {
			continue
		}
		lo, hi = min(lo, e.N), max(hi, e.N)
		if e.Interval() {
			with++
		} else {
			without++
		}
	}
	rounds := text.Count(hi) + " rounds"
	if lo != hi {
		rounds = text.Count(lo) + " to " + rounds
	}
	switch {
	case hi == 0:
		return "nothing measured"
	case hi == 1:
		return "a single round, which has no confidence interval"
	case with == 0:
		return fmt.Sprintf("median of %s, too few for a confidence interval (%d are needed)", rounds, lab.MinRepeats)
	case without > 0:
		return fmt.Sprintf("median of %s; bars: 95 %% confidence interval, none below %d rounds", rounds, lab.MinRepeats)
	}
	return fmt.Sprintf("median of %s; bars: 95 %% confidence interval", rounds)
}

// conditions is the last part of a caption: what was measured, where and when.
func (v *view) conditions() string {
	lines := []string{machineLine(v.Machine, v.cpus(), v.Started)}
	if s := quick(v.Result); s != "" {
		lines = append(lines, s)
	}
	if v.Interrupted {
		lines = append(lines, "The run was stopped before the end of its "+text.Counted(v.Repeats, "rounds")+".")
	}
	for _, s := range []string{v.failed(), firstOf(len(v.variants), v.more, "variant")} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// quick is the part of a caption that tells of a run that was cut short on purpose.
func quick(r *lab.Result) string {
	if !r.Quick {
		return ""
	}
	return "From a quick run, which shows that everything works and nothing about speed."
}

// noise is the part of a caption that tells how far apart two runs of the same code can be, at the size
// where that is most.
func (v *view) noise() string {
	most, sizes := 0.0, 0
	for _, size := range v.sizes {
		if floor, ok := v.NoiseFloor(size); ok && text.Finite(floor) {
			most = max(most, floor)
			sizes++
		}
	}
	if sizes == 0 {
		return ""
	}
	atMost := ""
	if sizes > 1 {
		atMost = " at most"
	}
	return fmt.Sprintf(" Noise floor: %s %%%s.", tenths(100*most), atMost)
}

// Compare is the result's, worked out once: it goes through all trials, and a figure asks for the
// ratio, for what it shows and for what it lacks.
func (v *view) Compare(variant string, size int) lab.Comparison {
	of := compared{variant, size}
	c, ok := v.compared[of]
	if !ok {
		c = v.Result.Compare(variant, size)
		v.compared[of] = c
	}
	return c
}

// zeros is the part of a caption that names what has no ratio because a time was 0: less than the clock
// can tell.
func (v *view) zeros() string {
	var all []string
	for _, size := range v.sizes {
		for _, name := range v.variants {
			if name != v.Baseline && v.Compare(name, size).Difference == lab.TooShort {
				at := ""
				if len(v.sizes) > 1 {
					at = " at " + v.sized(size)
				}
				all = append(all, ink.Printable(name)+at)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Left out, as a time was 0: " + enumerate(all) + "."
}

// tenths writes a number to a tenth, and a whole one without.
func tenths(v float64) string { return strings.TrimSuffix(decimal(v, 1), ".0") }

// failed names what could not be measured at the sizes of the view.
func (v *view) failed() string {
	var all []string
	for _, f := range v.Failures {
		if slices.Contains(v.asked, f.Size) {
			all = append(all, ink.Printable(f.Variant)+" at "+v.sized(f.Size))
		}
	}
	if len(all) == 0 {
		return ""
	}
	const most = 3
	if n := len(all) - most; n > 0 {
		all = append(all[:most], fmt.Sprintf("%d more", n))
	}
	return "Failed and measured no further: " + strings.Join(all, "; ") + "."
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func list(ns []int) string {
	var s []string
	for _, n := range ns {
		s = append(s, text.Count(n))
	}
	const most = 12
	if len(s) > most {
		s = append(s[:most], "…")
	}
	return strings.Join(s, ", ")
}

// fit makes the figure large enough for n lines of text beside the data.
func (f *Figure) fit(n int, line vg.Length) {
	if n <= 3 && line >= rowHeight {
		f.height = flatHeight
	}
	const around = 150 // title, caption and axis
	f.need = vg.Length(n)*line + around
	if f.need > f.height {
		f.width, f.height = wideWidth, max(wideHeight, f.need)
	}
}

const noResult = "there is no result; look at the error of the experiment's Run or Load"
