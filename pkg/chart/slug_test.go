package chart

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"overlap/pkg/lab"
)

func TestSlug(t *testing.T) {
	for name, tc := range map[string]struct{ title, want string }{
		"plain":       {"Primes", "primes-times"},
		"signs":       {"  Raster reads: 5 × 300 MB / whole ", "raster-reads-5-300-mb-whole-times"},
		"Korean":      {"소수 세기", "소수-세기-times"},
		"empty":       {"", "times"},
		"only signs":  {"../..", "times"},
		"not UTF-8":   {"a\xff\xfeb", "ab-times"},
		"path inside": {"a/../../etc/passwd", "a-etc-passwd-times"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slug(tc.title, "times", ""); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	long := strings.Repeat("긴 이름 ", 100)
	if got := slug(long, "times", "vs x"); !strings.HasSuffix(got, "-times") {
		t.Errorf("a long title hides the kind: %q", got)
	}
	if slug("a", "times", "vs "+long+"a") == slug("a", "times", "vs "+long+"b") {
		t.Error("long baselines that differ at the end have one slug")
	}
	if slug(long+"a", "times", "") == slug(long+"b", "times", "") {
		t.Error("long titles that differ at the end have one slug")
	}
}

// Signs that names differ in, which files' names cannot have, tell their files
// apart; ways to write the same letters, which some disks take for one, do not.
func TestSlugsOfNamesThatDifferInSigns(t *testing.T) {
	for _, names := range [][2]string{{"C++", "C#"}, {"a + b", "a b"}, {"🚀", "🎉"}, {"100 %", "100"}, {"x < y", "x > y"}} {
		if a, b := slug(names[0], "times", ""), slug(names[1], "times", ""); a == b {
			t.Errorf("%q and %q have one slug, %q", names[0], names[1], a)
		}
	}
	for _, names := range [][2]string{{"Primes", "PRIMES"}, {"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"}, {"été", "e\u0301te\u0301"}, {"a, b", "a b"}} {
		if a, b := slug(names[0], "times", ""), slug(names[1], "times", ""); a != b {
			t.Errorf("%q and %q have the slugs %q and %q", names[0], names[1], a, b)
		}
	}
}

func TestSlugIsAFileName(t *testing.T) {
	// What Windows keeps for devices, whatever comes after a dot.
	for _, name := range []string{"con", "PRN", "aux", "nul", "com1", "lpt9", "nul.txt", ""} {
		if s, _, _ := strings.Cut(slug(name, "times", ""), "."); strings.EqualFold(s, name) || s == "" {
			t.Errorf("%q has the slug %q", name, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := slug(rapid.String().Draw(t, "title"), "in-flight", rapid.String().Draw(t, "apart"))
		if len(s) > maxSlug || !utf8.ValidString(s) || strings.ContainsAny(s, "/\\:*?\"<>| \x00") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "-") {
			t.Fatalf("slug %q", s)
		}
	})
}

func TestSizesSlug(t *testing.T) {
	for name, tc := range map[string]struct {
		sizes []int
		unit  string
		want  string
	}{
		"one":       {[]int{500}, "tasks", "500-tasks"},
		"thousands": {[]int{10_000}, "tasks", "10000-tasks"},
		"all":       {[]int{3, 1, 2}, "rasters", "1-to-3-rasters"},
		"two":       {[]int{1, 2}, "rasters", "1-to-2-rasters"},
		"gaps":      {[]int{1, 10, 100, 1000}, "tasks", "1-10-100-1000-tasks"},
		"many":      {[]int{1, 2, 4, 8, 16, 32, 64, 128}, "pages", "8-sizes-1-to-128-fa8b45a6-pages"},
		"no unit":   {[]int{7}, "", "7"},
		"none":      {nil, "tasks", "tasks"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sizesSlug(tc.sizes, tc.unit); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOtherSizesHaveAnotherSlug(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfNDistinct(rapid.IntRange(1, 40), 1, 10, rapid.ID)
		a, b := slices.Sorted(slices.Values(sizes.Draw(t, "a"))), slices.Sorted(slices.Values(sizes.Draw(t, "b")))
		if !slices.Equal(a, b) && sizesSlug(a, "tasks") == sizesSlug(b, "tasks") {
			t.Fatalf("%v and %v have one slug, %q", a, b, sizesSlug(a, "tasks"))
		}
	})
}

func TestFiguresHaveSlugsOfTheirOwn(t *testing.T) {
	r := synthetic("Prime counts", "tasks", []int{500, 10_000}, 6, []string{"sequential", "event loop", "pool(1)", "pool (1)", "pool(2)"}, func(_, n int) float64 { return float64(n) })
	for i := range r.Trials {
		r.Trials[i].Spans = []lab.Span{{Start: 1, End: 5}}
	}
	rows := []lab.PublishedRow{{Experiment: "primes-10000x10000", Variant: "x", Speedup: 2}}
	others := []lab.PublishedRow{{Experiment: "another", Variant: "x", Speedup: 2}}
	loop := r.Against("event loop")
	seen := map[string]bool{}
	for _, tc := range []struct {
		f    *Figure
		want string
	}{
		{Times(r), "prime-counts-500-10000-tasks-times"},
		{Times(r.Only(500)), "prime-counts-500-tasks-times"},
		{Trials(r), "prime-counts-10000-tasks-trials"},
		{Trials(r.Only(500)), "prime-counts-500-tasks-trials"},
		{Speedup(r), "prime-counts-500-10000-tasks-speedup"},
		{Speedup(r.Only(500)), "prime-counts-500-tasks-speedup"},
		{Speedup(loop), "prime-counts-500-10000-tasks-speedup-vs-event-loop"},
		{Speedup(loop.Only(500)), "prime-counts-500-tasks-speedup-vs-event-loop"},
		{Speedup(r.Against("pool (1)").Only(500)), "prime-counts-500-tasks-speedup-vs-pool-1-4"},
		{Published(r, 500, rows, nil), "prime-counts-500-tasks-published-primes-10000x10000"},
		{Published(r, 10_000, rows, nil), "prime-counts-10000-tasks-published-primes-10000x10000"},
		{Published(loop, 500, rows, nil), "prime-counts-500-tasks-published-primes-10000x10000-vs-event-loop"},
		{Published(loop, 500, others, nil), "prime-counts-500-tasks-published-another-vs-event-loop"},
		{Lanes(r, "pool(1)", 500), "prime-counts-pool-1-500-tasks-lanes"},
		{Lanes(r, "pool (1)", 500), "prime-counts-pool-1-4-500-tasks-lanes"},
		{Lanes(r, "pool(2)", 500), "prime-counts-pool-2-500-tasks-lanes"},
		{Lanes(r, "pool(2)", 10_000), "prime-counts-pool-2-10000-tasks-lanes"},
		{InFlight(r, 500), "prime-counts-500-tasks-in-flight"},
		{InFlight(r, 500, "event loop"), "prime-counts-event-loop-500-tasks-in-flight"},
		{InFlight(r, 500, "event loop", "pool(2)"), "prime-counts-event-loop-and-pool-2-500-tasks-in-flight"},
	} {
		if tc.f.Err() != nil || tc.f.Slug() != tc.want {
			t.Errorf("slug %q, want %q (%v)", tc.f.Slug(), tc.want, tc.f.Err())
		}
		if seen[tc.f.Slug()] || len(tc.f.Slug()) >= 100 {
			t.Errorf("slug %q is there twice or too long", tc.f.Slug())
		}
		seen[tc.f.Slug()] = true
	}
}
