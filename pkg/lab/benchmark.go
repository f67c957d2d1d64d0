package lab

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// Benchmark returns the measured trials in Go's benchmark format
// (golang.org/design/14313-benchmark-format), one line each. benchstat compares the variants with
// -col /variant: it puts columns and rows in the order in which they first appear, so lines are by
// size and variant, not by when they ran. Parameters that differ between variants are left out, as
// benchstat compares nothing across them, and so is a figure that the system did not give.
func (r *Result) Benchmark() ([]byte, error) {
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out)
	variants := slices.Clone(r.Variants)
	for _, t := range r.Trials {
		if !slices.Contains(variants, t.Variant) { // in a file from elsewhere
			variants = append(variants, t.Variant)
		}
	}
	var trials []Trial
	for _, size := range r.Sizes {
		for _, v := range variants {
			trials = append(trials, r.Of(v, size)...)
		}
	}
	kind, params := r.shared()
	names := nameWords(variants)
	for _, t := range trials {
		result := &benchfmt.Result{
			Name:  benchfmt.Name(fmt.Sprintf("%s/variant=%s/size=%d", benchmarkWord(r.Name), names[t.Variant], t.Size)),
			Iters: 1,
		}
		value := func(v float64, unit string) {
			result.Values = append(result.Values, benchfmt.Value{Value: v, Unit: unit})
		}
		nanoseconds := func(d time.Duration, unit string) { // written as such, and read in seconds
			result.Values = append(result.Values, benchfmt.Value{Value: d.Seconds(), Unit: unit + "sec/op",
				OrigValue: float64(d.Nanoseconds()), OrigUnit: unit + "ns/op"})
		}
		nanoseconds(t.Wall, "")
		if t.Has(probe.CPUTime) {
			nanoseconds(t.CPU(), "cpu-")
		}
		if t.Has(probe.PeakMemory) {
			value(float64(t.PeakMemory), "peak-B")
		}
		if text.Finite(t.InFlightMean) {
			value(t.InFlightMean, "in-flight")
		}
		for _, c := range [][2]string{
			{"goos", goos(r)}, {"goarch", r.Machine.Arch}, {"cpu", r.Machine.CPU}, {"go", r.Machine.Go},
			{"cpus", float(r.Machine.Usable.Count)}, {"versions", versions(r.Machine.Versions)},
			{"unit", r.Unit}, {"workload", kind}, {"params", versions(params)}, {"seed", fmt.Sprint(r.Seed)},
		} {
			if value := strings.Join(strings.Fields(c[1]), " "); value != "" { // on one line
				result.SetConfig(c[0], value)
				result.Config[len(result.Config)-1].File = true // to be written, not known from the run
			}
		}
		if err := w.Write(result); err != nil {
			return nil, fmt.Errorf("lab: write %q in benchmark format: %w", r.Name, err)
		}
	}
	return out.Bytes(), nil
}

// shared returns what the variants' workloads have in common.
func (r *Result) shared() (kind string, params map[string]string) {
	for i, s := range r.Specs {
		if i == 0 {
			kind, params = s.Kind, maps.Clone(s.Params)
			continue
		}
		if s.Kind != kind {
			kind = ""
		}
		maps.DeleteFunc(params, func(name, value string) bool { return s.Params[name] != value })
	}
	return kind, params
}

// goos returns the system as Go names it; the kernel's line begins with it.
func goos(r *Result) string {
	name, _, _ := strings.Cut(strings.ToLower(r.Machine.Kernel), " ")
	return name
}

// benchmarkWord makes a benchmark's name: "Count primes" is "CountPrimes".
func benchmarkWord(title string) string {
	var b strings.Builder
	other := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	for word := range strings.FieldsFuncSeq(title, other) {
		letters := []rune(word)
		b.WriteString(string(unicode.ToUpper(letters[0])) + string(letters[1:]))
	}
	if b.Len() == 0 {
		return "Experiment"
	}
	return b.String()
}

// nameWords makes of each variant's name a part of a benchmark's name, in which spaces end the name
// and slashes the part. Where that makes two alike, the second has #01 after it, as with Go's
// tests.
func nameWords(variants []string) map[string]string {
	words, taken := map[string]string{}, map[string]bool{}
	for _, v := range variants {
		plain := strings.Map(func(c rune) rune {
			if unicode.IsSpace(c) || c == '/' || !unicode.IsPrint(c) {
				return '_'
			}
			return c
		}, v)
		word := plain
		for i := 1; taken[word]; i++ {
			word = fmt.Sprintf("%s#%02d", plain, i)
		}
		words[v], taken[word] = word, true
	}
	return words
}

// versions returns "GDAL 3.6.2, PROJ 9.1" in the names' order.
func versions(m map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+" "+m[k])
	}
	return strings.Join(parts, ", ")
}
