package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// every makes each figure that a result allows.
func every(r *lab.Result) map[string]*Figure {
	out := map[string]*Figure{"Times": Times(r), "Speedup": Speedup(r), "Trials": Trials(r)}
	size := 0
	if r != nil && len(r.Sizes) > 0 {
		size = r.Sizes[len(r.Sizes)-1]
	}
	one := r.Only(size)
	out["Times of one"], out["Speedup of one"], out["Trials of one"] = Times(one), Speedup(one), Trials(one)
	var rows []lab.PublishedRow
	match := map[string]string{}
	if r != nil {
		for i, v := range r.Variants {
			rows = append(rows, lab.PublishedRow{Experiment: "e", Variant: "their " + v, Milliseconds: float64(100 * (i + 1))})
			match["their "+v] = v
		}
	}
	out["Published"] = Published(r, size, rows, match)
	return out
}

func TestSVGHoldsTheLabels(t *testing.T) {
	for name, f := range every(primesLike(10)) {
		t.Run(name, func(t *testing.T) {
			data, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			text, root := readSVG(t, data)
			for _, v := range []string{"goroutines", "event loop", "await each goroutines", "threads"} {
				if !strings.Contains(text, v) {
					t.Errorf("no label %q in %q", v, text)
				}
			}
			if !strings.Contains(text, f.Title()) || !strings.Contains(text, "Xeon") {
				t.Errorf("title or caption missing in %q", text)
			}
			if root["role"] != "img" {
				t.Errorf("the root has role %q", root["role"])
			}
			for _, want := range []string{"<title ", "<desc ", "sans-serif", "textLength"} {
				if !bytes.Contains(data, []byte(want)) {
					t.Errorf("no %s", want)
				}
			}
		})
	}
}

// readSVG checks that data is well-formed and returns its text, title and
// description aside, and the root's attributes.
func readSVG(t *testing.T, data []byte) (text string, root map[string]string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	var b strings.Builder
	var in []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), root
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			in = append(in, tok.Name.Local)
			if root == nil {
				root = map[string]string{}
				for _, a := range tok.Attr {
					root[a.Name.Local] = a.Value
				}
			}
		case xml.EndElement:
			in = in[:len(in)-1]
		case xml.CharData:
			if len(in) > 0 && in[len(in)-1] == "text" {
				b.Write(tok)
				b.WriteByte('\n')
			}
		}
	}
}

func TestPNGHasTwiceTheDensity(t *testing.T) {
	for name, f := range map[string]*Figure{"normal": Times(rastersLike(6)), "wide": Times(manyLike(12, 20)), "flat": Speedup(rastersLike(6).Only(5))} {
		t.Run(name, func(t *testing.T) {
			data, w, h, err := f.PNG()
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			size := img.Bounds().Size()
			if size.X != 2*w || size.Y != 2*h {
				t.Errorf("%v dots for %d by %d CSS pixels", size, w, h)
			}
			if !bytes.Contains(data, []byte("pHYs")) {
				t.Error("no pHYs chunk")
			}
		})
	}
}

func TestOddInput(t *testing.T) {
	trial := func(v string, size, round int, wall time.Duration) lab.Trial {
		return lab.Trial{Variant: v, Size: size, Round: round, Usage: probe.Usage{Wall: wall}}
	}
	result := func(trials ...lab.Trial) *lab.Result {
		r := &lab.Result{Name: "odd", Unit: "tasks", Variants: []string{"a", "b"}, Baseline: "a", Repeats: 1, Trials: trials}
		for _, trial := range trials {
			if !slices.Contains(r.Sizes, trial.Size) {
				r.Sizes = append(r.Sizes, trial.Size)
			}
		}
		return r
	}
	for name, tc := range map[string]struct {
		r    *lab.Result
		errs []string // figures that must have an error
	}{
		"no result":    {nil, []string{"Times", "Speedup", "Trials", "Published"}},
		"empty":        {&lab.Result{}, []string{"Times", "Speedup", "Trials", "Published"}},
		"only warm-up": {result(trial("a", 1, 0, 1)), []string{"Times", "Speedup", "Trials", "Published"}},
		"one trial":    {result(trial("a", 1, 1, time.Second)), []string{"Speedup"}},
		"one each":     {result(trial("a", 1, 1, time.Second), trial("b", 1, 1, time.Minute)), nil},
		"zero times":   {result(trial("a", 1, 1, 0), trial("b", 1, 1, 0)), []string{"Speedup"}},
		"one zero":     {result(trial("a", 1, 1, 0), trial("a", 2, 1, 1), trial("b", 1, 1, time.Hour), trial("b", 2, 1, 5)), nil},
		"negative":     {result(trial("a", 1, 1, -time.Second), trial("b", 1, 1, time.Second)), []string{"Speedup"}},
		"greatest":     {result(trial("a", 1, 1, math.MaxInt64), trial("b", 1, 1, 1)), nil},
		"odd sizes":    {result(trial("a", -3, 1, 5), trial("a", 0, 1, 7), trial("b", math.MaxInt, 1, 9), trial("b", 0, 1, 9)), []string{"Published"}},
		"equal":        {synthetic("e", "x", []int{1, 2}, 6, []string{"a", "b"}, func(int, int) float64 { return 0 }), []string{"Speedup"}},
		"wide ratios":  {synthetic("e", "x", []int{1, 2}, 6, []string{"a", "b"}, func(v, _ int) float64 { return math.Pow(1e8, float64(v)) * 1e-6 }), nil},
		"odd names":    {synthetic("<&>\x00\"'\n% %d %s", "\xff", []int{1, 2}, 6, []string{"", "<b>&\x01\xff", "%d \u2028 \t"}, func(int, int) float64 { return 1 }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, f := range every(tc.r) {
				pngErr := f.Err()
				if kind == "Times" && strings.HasPrefix(name, "odd") { // drawing is the same, and encoding slow
					_, _, _, pngErr = f.PNG()
				}
				svg, svgErr := f.SVG()
				_, pdfErr := f.PDF()
				if f.Err() != nil {
					if !strings.HasPrefix(f.Err().Error(), "chart: ") || strings.Contains(f.Err().Error(), "mistake in package chart") {
						t.Errorf("%s: %v", kind, f.Err())
					}
					if pngErr == nil || svgErr == nil || pdfErr == nil {
						t.Errorf("%s: drawn in spite of %v", kind, f.Err())
					}
				} else if err := errors.Join(pngErr, svgErr, pdfErr); err != nil {
					t.Errorf("%s: %v", kind, err)
				} else {
					readSVG(t, svg)
				}
				if slices.Contains(tc.errs, kind) && f.Err() == nil {
					t.Errorf("%s: no error", kind)
				}
				if !slices.Contains(tc.errs, strings.TrimSuffix(kind, " of one")) && !strings.HasSuffix(kind, " of one") && f.Err() != nil {
					t.Errorf("%s: %v", kind, f.Err())
				}
				if f.Alt() == "" || f.Slug() == "" {
					t.Errorf("%s: alt %q, slug %q", kind, f.Alt(), f.Slug())
				}
			}
		})
	}
}

func TestAnyResultIsDrawnOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &lab.Result{Name: rapid.String().Draw(t, "name"), Unit: rapid.String().Draw(t, "unit"), Variants: rapid.SliceOfN(rapid.String(), 0, 14).Draw(t, "variants")}
		r.Machine.Usable.Count = rapid.Float64().Draw(t, "cpus")
		if len(r.Variants) == 0 {
			r.Variants = []string{"a"}
		}
		r.Baseline = rapid.SampledFrom(r.Variants).Draw(t, "baseline")
		sizes := rapid.SliceOfN(rapid.Int(), 1, 12).Draw(t, "sizes")
		for range rapid.IntRange(0, 40).Draw(t, "trials") {
			r.Trials = append(r.Trials, lab.Trial{
				Variant: rapid.SampledFrom(r.Variants).Draw(t, "variant"), Size: rapid.SampledFrom(sizes).Draw(t, "size"), Round: rapid.IntRange(0, 8).Draw(t, "round"),
				Usage: probe.Usage{Wall: time.Duration(rapid.Int64().Draw(t, "wall"))},
			})
		}
		for kind, f := range every(r) {
			if err := f.Err(); err != nil && strings.Contains(err.Error(), "mistake in package chart") {
				t.Fatalf("%s: %v", kind, err)
			}
		}
	})
}

func TestCaptionsSayWhatIsMissing(t *testing.T) {
	one := Times(primesLike(1)).Caption()
	if !strings.Contains(one, "ingle round") || strings.Contains(one, "95 %") {
		t.Errorf("one round: %q", one)
	}
	three := Times(primesLike(3)).Caption()
	if !strings.Contains(three, "too few for a confidence interval") {
		t.Errorf("three rounds: %q", three)
	}
	ten := Times(primesLike(10)).Caption()
	for _, want := range []string{"edian of 10 rounds", "95 % confidence interval", "2 CPUs", "Go 1.26.8", "30 November 2026", "GDAL 3.6.2"} {
		if !strings.Contains(ten, want) {
			t.Errorf("no %q in %q", want, ten)
		}
	}
	stopped := primesLike(6)
	stopped.Interrupted = true
	stopped.Failures = []lab.Failure{{Variant: "threads", Size: 10000, Reason: "too many"}}
	got := Times(stopped).Caption()
	for _, want := range []string{"stopped before the end of its 6 rounds", "Failed and measured no further: threads at 10,000 tasks"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if c := Trials(primesLike(6)).Caption(); !strings.Contains(c, "Hollow: warm-up, not counted") {
		t.Errorf("trials: %q", c)
	}
}

func TestUnknownSize(t *testing.T) {
	for name, f := range map[string]*Figure{
		"Times": Times(rastersLike(2).Only(77)), "Speedup": Speedup(rastersLike(2).Only(77)), "Trials": Trials(rastersLike(2).Only(77)),
		"Published": Published(rastersLike(2), 77, []lab.PublishedRow{{Variant: "x", Milliseconds: 1}}, nil),
	} {
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), "77") || !strings.Contains(err.Error(), "1, 2, 3, 4, 5") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFiguresDrawTheSizesOfTheResult(t *testing.T) {
	r := rastersLike(6)
	r.Failures = []lab.Failure{{Variant: "pool(2), tiles", Size: 5, Reason: "too many"}}
	for _, tc := range []struct {
		name, title, slug string
		f                 *Figure
	}{
		{"all times", "Raster reads: time for 1 to 5 rasters", "raster-reads-1-to-5-rasters-times", Times(r)},
		{"some times", "Raster reads: time for 2 to 4 rasters", "raster-reads-2-to-4-rasters-times", Times(r.Only(4, 2, 3))},
		{"with a gap", "Raster reads: time for 1 to 4 rasters", "raster-reads-1-2-4-rasters-times", Times(r.Only(1, 2, 4))},
		{"one time", "Raster reads: time for 3 rasters", "raster-reads-3-rasters-times", Times(r.Only(3))},
		{"one speedup", "Raster reads: speedup over sequential, whole, 3 rasters", "raster-reads-3-rasters-speedup", Speedup(r.Only(3))},
		{"trials", "Raster reads: every trial, 5 rasters", "raster-reads-5-rasters-trials", Trials(r)},
		{"trials of some", "Raster reads: every trial, 4 rasters", "raster-reads-4-rasters-trials", Trials(r.Only(4, 1))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.f.Err() != nil || tc.f.Title() != tc.title || tc.f.Slug() != tc.slug {
				t.Errorf("title %q, slug %q, error %v; want %q and %q", tc.f.Title(), tc.f.Slug(), tc.f.Err(), tc.title, tc.slug)
			}
			all := strings.Contains(tc.name, "all") || tc.name == "trials"
			if got := strings.Contains(tc.f.Caption(), "at 5 rasters"); got != all {
				t.Errorf("tells of a failure at 5 rasters: %v, want %v", got, all)
			}
		})
	}
}

func TestSizesWithoutAUnit(t *testing.T) {
	r := withSpans(synthetic("No unit", " ", []int{1, 5}, 6, []string{"a", "b"}, func(_, n int) float64 { return float64(n) }))
	for name, f := range all(r) {
		if f.Err() != nil || strings.HasSuffix(f.Title(), " ") || !strings.Contains(f.Title()+f.Caption()+f.Alt(), "size ") && !strings.HasPrefix(name, "Across of") {
			t.Errorf("%s: %v, title %q, alt %q", name, f.Err(), f.Title(), f.Alt())
		}
	}
	if title := Lanes(r, "a", 1).Title(); title != "No unit: a, size 1" {
		t.Errorf("title %q", title)
	}
	if title := InFlight(withSpans(primesLike(6).Only(10_000)), 10_000).Title(); title != "Primes below 10,000: tasks in flight, 10,000 tasks" {
		t.Errorf("title %q", title)
	}
}

func TestCaptionsTellTheNoiseFloor(t *testing.T) {
	trial := func(size, round int, control bool, wall time.Duration) lab.Trial {
		return lab.Trial{Variant: "a", Size: size, Round: round, Control: control, Usage: probe.Usage{Wall: wall}}
	}
	r := &lab.Result{Name: "n", Unit: "tasks", Variants: []string{"a", "b"}, Baseline: "a", Sizes: []int{1, 2}, Repeats: 1, Trials: []lab.Trial{
		trial(1, 1, false, 1000), trial(1, 1, true, 1030), trial(2, 1, false, 1000), trial(2, 1, true, 1126),
		{Variant: "b", Size: 1, Round: 1, Usage: probe.Usage{Wall: 500}}, {Variant: "b", Size: 2, Round: 1, Usage: probe.Usage{Wall: 500}},
	}}
	published := []lab.PublishedRow{{Experiment: "e", Variant: "x", Milliseconds: 2}, {Experiment: "e", Variant: "y", Milliseconds: 1}}
	match := map[string]string{"x": "a", "y": "b"}
	without := r.Only(1)
	without.Trials = slices.DeleteFunc(slices.Clone(r.Trials), func(t lab.Trial) bool { return t.Control })
	for _, tc := range []struct {
		name, want string // empty for nothing
		f          *Figure
	}{
		{"speedup at one size", "Noise floor: 3 %.", Speedup(r.Only(1))},
		{"the other", "Noise floor: 12.6 %.", Speedup(r.Only(2))},
		{"the larger of both", "Noise floor: 12.6 % at most.", Speedup(r)},
		{"published", "Noise floor: 12.6 %.", Published(r, 2, published, match)},
		{"no control", "", Speedup(without)},
		{"published, no control", "", Published(without, 1, published, match)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tc.f.Caption()
			if tc.f.Err() != nil || !strings.Contains(c, tc.want) || tc.want == "" && strings.Contains(c, "oise") {
				t.Errorf("%v, caption %q, want %q", tc.f.Err(), c, tc.want)
			}
		})
	}
}

func TestCaptionsTellAQuickRun(t *testing.T) {
	r := primesLike(6)
	i := slices.IndexFunc(r.Trials, func(t lab.Trial) bool { return t.Variant == "pool(2)" && t.Round == 1 })
	r.Trials[i].Spans = []lab.Span{{Worker: 1, Start: 0, End: time.Second}}
	r.Trials[i].Tasks = 1
	all := func() map[string]*Figure {
		out := every(r)
		out["Lanes"], out["InFlight"] = Lanes(r, "pool(2)", 10000), InFlight(r, 10000, "pool(2)")
		return out
	}
	for _, quick := range []bool{false, true} {
		r.Quick = quick
		for kind, f := range all() {
			if got := strings.Contains(f.Caption(), "quick run"); got != quick || f.Err() != nil {
				t.Errorf("%s with Quick %v: %v, caption %q", kind, quick, f.Err(), f.Caption())
			}
		}
	}
}

func TestFiguresAreRenderedOnce(t *testing.T) {
	f := Times(rastersLike(6))
	var drawn atomic.Int32
	body := f.body
	f.body = func(c draw.Canvas, k *ink.Kit) { drawn.Add(1); body(c, k) }
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			data, w, h, err := f.PNG()
			if err != nil || w == 0 || h == 0 || !bytes.HasPrefix(data, []byte("\x89PNG")) {
				t.Errorf("%d bytes, %d by %d, %v", len(data), w, h, err)
			}
			clear(data) // the caller's own
			if data, err := f.SVG(); err != nil || !bytes.Contains(data, []byte("<svg")) {
				t.Errorf("SVG of %d bytes, %v", len(data), err)
			}
			if data, err := f.PDF(); err != nil || !bytes.HasPrefix(data, []byte("%PDF")) {
				t.Errorf("PDF of %d bytes, %v", len(data), err)
			}
		})
	}
	wg.Wait()
	paths, err := f.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(paths[0])
	if shown, _, _, _ := f.PNG(); err != nil || !bytes.Equal(saved, shown) {
		t.Errorf("what is saved is not what is shown, %v", err)
	}
	if n := drawn.Load(); n != 3 {
		t.Errorf("drawn %d times for three formats", n)
	}
}

func TestSave(t *testing.T) {
	f := Times(primesLike(6))
	dir := filepath.Join(t.TempDir(), "새 폴더", "figures")
	paths, err := f.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 4 {
		t.Fatalf("wrote %q", paths)
	}
	again, err := f.Save(dir) // replaces
	if err != nil || !slices.Equal(paths, again) {
		t.Fatalf("again: %q, %v", again, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 {
		t.Errorf("something is left beside the figures: %v", files)
	}
	text, err := os.ReadFile(filepath.Join(dir, f.Slug()+".txt"))
	if err != nil || !strings.Contains(string(text), f.Alt()) {
		t.Errorf("text alternative: %q, %v", text, err)
	}
}

// A figure that is saved several times at once, as by two cells, is whole.
func TestSaveAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	want, err := Times(rastersLike(6)).Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		f := Times(rastersLike(6))
		wg.Go(func() {
			if _, err := f.Save(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(want) {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range want {
		a, err := os.ReadFile(path)
		b, bErr := os.ReadFile(filepath.Join(dir, filepath.Base(path)))
		if err != nil || bErr != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes, %v, %v", filepath.Base(path), len(a), len(b), err, bErr)
		}
	}
}

func TestSaveWhereItCannot(t *testing.T) {
	f := Times(primesLike(6))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save(file); err == nil || !strings.Contains(err.Error(), f.Slug()) {
		t.Errorf("a file as the folder: %v", err)
	}
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Save(dir); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a read-only folder: %v", err)
		}
	}
	if _, err := Times(nil).Save(t.TempDir()); err == nil {
		t.Error("a figure with an error was saved")
	}
}

func TestMissingLettersAreTold(t *testing.T) {
	onlyFontsIn(t, t.TempDir())
	r := primesLike(6)
	r.Name = "소수"
	f := Times(r)
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	if w := strings.Join(f.Warnings(), "\n"); !strings.Contains(w, "소") || !strings.Contains(w, "fonts-nanum") {
		t.Errorf("warnings: %q", w)
	}
	if w := Times(primesLike(6)).Warnings(); len(w) > 0 {
		t.Errorf("warnings without need: %q", w)
	}
}

func TestZeroFigure(t *testing.T) {
	f := new(Figure)
	_, _, _, png := f.PNG()
	_, svg := f.SVG()
	_, pdf := f.PDF()
	_, save := f.Save(t.TempDir())
	for kind, err := range map[string]error{"Err": f.Err(), "PNG": png, "SVG": svg, "PDF": pdf, "Save": save} {
		if err == nil || !strings.Contains(err.Error(), "an empty Figure") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
