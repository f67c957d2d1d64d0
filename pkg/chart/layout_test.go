package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
)

// texts is a canvas that keeps where each text is drawn.
type texts struct {
	w, h  vg.Length
	at    [6]float64 // from drawing to page: x' = a x + c y + e, y' = b x + d y + f
	stack [][6]float64
	boxes []textBox
}

type textBox struct {
	text           string
	x0, y0, x1, y1 float64
}

func newTexts(w, h vg.Length) *texts { return &texts{w: w, h: h, at: [6]float64{1, 0, 0, 1, 0, 0}} }

func (c *texts) Size() (w, h vg.Length)             { return c.w, c.h }
func (c *texts) SetLineWidth(vg.Length)             {}
func (c *texts) SetLineDash([]vg.Length, vg.Length) {}
func (c *texts) SetColor(color.Color)               {}
func (c *texts) Stroke(vg.Path)                     {}
func (c *texts) Fill(vg.Path)                       {}
func (c *texts) DrawImage(vg.Rectangle, image.Image) {
}
func (c *texts) Push() { c.stack = append(c.stack, c.at) }
func (c *texts) Pop() {
	c.at = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}
func (c *texts) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	m := c.at
	c.at[0], c.at[1] = m[0]*cos+m[2]*sin, m[1]*cos+m[3]*sin
	c.at[2], c.at[3] = m[2]*cos-m[0]*sin, m[3]*cos-m[1]*sin
}
func (c *texts) Translate(p vg.Point) {
	x, y := float64(p.X), float64(p.Y)
	c.at[4] += c.at[0]*x + c.at[2]*y
	c.at[5] += c.at[1]*x + c.at[3]*y
}
func (c *texts) Scale(x, y float64) {
	c.at[0], c.at[1] = c.at[0]*x, c.at[1]*x
	c.at[2], c.at[3] = c.at[2]*y, c.at[3]*y
}

func (c *texts) FillString(f font.Face, p vg.Point, s string) {
	e := f.Extents()
	w := float64(f.Width(s))
	b := textBox{text: s, x0: math.Inf(1), y0: math.Inf(1), x1: math.Inf(-1), y1: math.Inf(-1)}
	// A letter without ascender or descender needs less; that much may overlap.
	for _, q := range [][2]float64{{0, 0}, {w, 0}, {0, float64(e.Ascent) * 0.7}, {w, float64(e.Ascent) * 0.7}} {
		x, y := float64(p.X)+q[0], float64(p.Y)+q[1]
		px, py := c.at[0]*x+c.at[2]*y+c.at[4], c.at[1]*x+c.at[3]*y+c.at[5]
		b.x0, b.x1, b.y0, b.y1 = min(b.x0, px), max(b.x1, px), min(b.y0, py), max(b.y1, py)
	}
	c.boxes = append(c.boxes, b)
}

// faults returns what of the texts covers another or leaves the page.
func (c *texts) faults() []string {
	var out []string
	for i, a := range c.boxes {
		if a.x0 < 0 || a.y0 < 0 || a.x1 > float64(c.w) || a.y1 > float64(c.h) {
			out = append(out, fmt.Sprintf("%q leaves the page: %.0f,%.0f to %.0f,%.0f of %.0f x %.0f", a.text, a.x0, a.y0, a.x1, a.y1, float64(c.w), float64(c.h)))
		}
		for _, b := range c.boxes[:i] {
			if min(a.x1, b.x1)-max(a.x0, b.x0) > 0.5 && min(a.y1, b.y1)-max(a.y0, b.y0) > 0.5 {
				out = append(out, fmt.Sprintf("%q covers %q", a.text, b.text))
			}
		}
	}
	return out
}

// all makes each figure that a result with the times of its tasks allows.
func all(r *lab.Result) map[string]*Figure {
	out := every(r)
	size := r.Sizes[len(r.Sizes)-1]
	out["InFlight"], out["Lanes"] = InFlight(r, size), Lanes(r, r.Variants[0], size)
	expected := map[string]Range{}
	for i, name := range r.Variants {
		if i%3 < 2 { // some have none
			expected[name] = Range{time.Duration(i) * time.Millisecond, time.Duration(i+4) * 10 * time.Millisecond}
		}
	}
	out["Expected"] = Expected(r, size, expected, "a model of waiting")
	for name, r := range map[string]*lab.Result{"Across": r, "Across of one": r.Only(size)} {
		if x, err := lab.CompareAcross(r, r, "the old machine", "a new one"); err == nil {
			out[name] = Across(x)
		}
	}
	return out
}

// keepsApart reports whatever of a figure's texts covers another or leaves the page.
func keepsApart(t *testing.T, f *Figure) {
	t.Helper()
	c := newTexts(f.width, f.height)
	if _, err := f.draw(c); err != nil {
		t.Fatal(err)
	}
	if len(c.boxes) < 5 {
		t.Fatalf("only %d texts", len(c.boxes))
	}
	for _, fault := range c.faults() {
		t.Error(fault)
	}
}

// No text covers another or is cut off, whatever the names, the theme and the
// size.
func TestTextsKeepApart(t *testing.T) {
	for _, n := range []int{1, 3, 12} {
		for _, letters := range []int{5, 60} {
			for name, page := range all(manyLike(n, letters)) {
				for _, size := range []Size{Page, Slide, Card} {
					f := page.In(Dark, size)
					t.Run(fmt.Sprintf("%s/%d names of %d letters/%s", name, n, letters, size), func(t *testing.T) {
						if f.Err() != nil {
							if n > 1 && (n < 12 && name != "Across" || size == Page) {
								t.Fatal(f.Err())
							}
							t.Skip(f.Err()) // one has nothing to be compared with; many may need a page
						}
						keepsApart(t, f)
					})
				}
			}
		}
	}
}

// calling returns a result with the variants, of which each takes some times as
// long as the first.
func calling(unit string, sizes []int, variants ...string) *lab.Result {
	return withSpans(synthetic("Names", unit, sizes, 6, variants, func(v, n int) float64 { return 0.01 * float64(n) * float64(v%7+1) }))
}

// Names and units that hardly fit are broken or shortened, and never run into
// anything.
func TestHardTextsKeepApart(t *testing.T) {
	var forty, twenty []string
	for i := range 40 {
		forty = append(forty, fmt.Sprintf("%02d-%s", i, strings.Repeat("long name of a bar ", 5)[:42]))
	}
	for i := range 20 {
		twenty = append(twenty, fmt.Sprintf("entry number %d", i))
	}
	sentence := strings.Repeat("schedulers that have very long names ", 5)
	unbroken := calling(strings.Repeat("u", 80), []int{1, 10}, strings.Repeat("x", 120), strings.Repeat("y", 120), strings.Repeat("가", 120))
	unbroken.Name = strings.Repeat("z", 200)
	wide := withSpans(synthetic("Wide", "tasks", []int{1, 10}, 6, []string{"fast", "slow", "slower"}, func(v, n int) float64 { return float64(n) * math.Pow(1e7, float64(v)) * 1e-6 }))
	for name, r := range map[string]*lab.Result{
		"40 names of 45 letters":         calling("tasks", []int{1, 10}, forty...),
		"3 names of 120 letters":         calling("tasks", []int{1, 10}, "0 "+sentence[:118], "1 "+sentence[:118], "2 "+sentence[:118]),
		"20 names":                       calling("tasks", []int{1, 10, 100}, twenty...),
		"words longer than a line":       unbroken,
		"a microsecond beside some days": wide,
		"many scripts":                   calling("작업자 수", []int{1, 2}, "가상 스레드", "שלום עולם (1)", "日本語の名前", "👩‍👧 & <b>", "مرحبا", "été"),
		"no unit":                        calling("", []int{1, 2}, "a", "b"),
	} {
		for kind, f := range all(r) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				if f.Err() != nil {
					t.Fatal(f.Err())
				}
				keepsApart(t, f)
			})
		}
	}
}

// Names that differ only in what is left out of them do not look alike.
func TestShortenedNamesDiffer(t *testing.T) {
	middle := func(s string) string {
		return strings.Repeat("reading by tiles ", 6) + s + strings.Repeat(" in a pool of workers", 6)
	}
	f := Times(calling("tasks", []int{1}, middle("one"), middle("two"), "short", middle("two")+"!"))
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	drawn := strings.Join(drawnTexts(t, f), "\n")
	for _, want := range []string{"1: reading", "2: reading", "short"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %q in %q", want, drawn)
		}
	}
	if strings.Contains(drawn, "3: ") || strings.Contains(drawn, "4: ") {
		t.Errorf("a name that differs has a number: %q", drawn)
	}
}

// The recorder sees what it is for.
func TestFaultsOfTexts(t *testing.T) {
	k := ink.Light.Kit()
	c := newTexts(100, 100)
	k.Letters.Draw(c, "first", k.Text, vg.Point{X: 10, Y: 50})
	k.Letters.Draw(c, "second", k.Text, vg.Point{X: 20, Y: 52})
	turned := k.Text
	turned.Rotation = math.Pi / 2
	k.Letters.Draw(c, "a long text upwards that leaves", turned, vg.Point{X: 80, Y: 5})
	if got := c.faults(); len(got) != 2 {
		t.Errorf("faults: %q, want that second covers first and the long one leaves", got)
	}
}

func TestIn(t *testing.T) {
	page := Times(primesLike(10))
	for _, c := range []struct {
		theme Theme
		size  Size
		base  string
		w, h  int // dots; 0 for those of the page
	}{
		{Light, Page, "", 0, 0},
		{Dark, Page, "-dark", 0, 0},
		{Light, Slide, "-slide", 1920, 1080},
		{Dark, Slide, "-slide-dark", 1920, 1080},
		{Dark, Card, "-card-dark", 1200, 630},
	} {
		f := page.In(c.theme, c.size)
		_, w, h, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		if c.w == 0 {
			_, c.w, c.h, _ = page.PNG()
			c.w, c.h = 2*c.w, 2*c.h
		}
		if f.slug+f.variant != page.Slug()+c.base || 2*w != c.w || 2*h != c.h {
			t.Errorf("%s %s: %s, %d x %d dots; want %s%s, %d x %d", c.theme, c.size, f.slug+f.variant, 2*w, 2*h, page.Slug(), c.base, c.w, c.h)
		}
	}
	if back := page.In(Dark, Card).In(Light, Card); back.slug+back.variant != page.Slug()+"-card" {
		t.Errorf("base %q", back.slug+back.variant)
	}
	back := page.In(Dark, Slide).In(Light, Page)
	_, w, h, err := back.PNG()
	_, pw, ph, _ := page.PNG()
	if err != nil || back.slug+back.variant != page.Slug() || w != pw || h != ph {
		t.Errorf("of the page's name and not of its size: %s, %d x %d, %v; want %d x %d", back.slug+back.variant, w, h, err, pw, ph)
	}
	for _, f := range []*Figure{page.In("sepia", Page), page.In(Light, "stamp"), InFlight(nil, 1).In(Dark, Slide), (*Figure)(nil).In(Dark, Page)} {
		if f.Err() == nil {
			t.Error("no error")
		}
	}
}

func TestAcross(t *testing.T) {
	a, b := rastersLike(8), rastersLike(8)
	b.Machine.CPU = "Another CPU"
	for i := range b.Trials {
		if b.Trials[i].Variant == b.Variants[1] {
			b.Trials[i].Wall /= 2
		}
	}
	for name, sizes := range map[string][]int{"one size": {5}, "all sizes": a.Sizes} {
		x, err := lab.CompareAcross(a.Only(sizes...), b.Only(sizes...), "", "")
		if err != nil {
			t.Fatal(err)
		}
		f := Across(x)
		if err := f.Err(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"2.00×", "1.00× (no difference shown)", "Another CPU"} {
			if !strings.Contains(f.Alt(), want) {
				t.Errorf("%s: the text alternative lacks %q: %s", name, want, f.Alt())
			}
		}
		keepsApart(t, f)
	}
	// A picture travels alone: its caption says what makes it bear less.
	c := primesLike(5)
	c.Machine.CPU, c.Quick, c.Interrupted = "Quick CPU", true, true
	for i := range c.Trials {
		c.Trials[i].Answer = "another"
	}
	x, err := lab.CompareAcross(primesLike(8), c, "", "")
	if err != nil {
		t.Fatal(err)
	}
	f := Across(x)
	for _, want := range []string{"30 November 2026", "stopped before its last round", "quick run", "different answers"} {
		if !strings.Contains(f.Caption(), want) {
			t.Errorf("the caption lacks %q: %s", want, f.Caption())
		}
	}
	if !strings.Contains(f.subtitle, "too few trials for intervals (6 are needed)") {
		t.Errorf("the subtitle of 8 and 5 trials: %s", f.subtitle)
	}
	if !strings.Contains(f.Alt(), "(another answer)") {
		t.Errorf("the text alternative: %s", f.Alt())
	}
	if Across(lab.Across{}).Err() == nil {
		t.Error("nothing to compare, and no error")
	}
}
