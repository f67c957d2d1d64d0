package chart

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/chart/internal/ink/pdf"
	"overlap/pkg/chart/internal/ink/pdf/pdftest"
)

// pdfPlaced is a canvas that keeps where each text begins and, as it is measured
// for the layout, ends.
type pdfPlaced struct {
	*texts
	got []pdftest.Text
}

// FillString implements vg.Canvas.
func (c *pdfPlaced) FillString(f font.Face, at vg.Point, s string) {
	x, y, w := float64(at.X), float64(at.Y), float64(f.Width(s))
	m := c.at
	t := pdftest.Text{Text: s, X0: m[0]*x + m[2]*y + m[4], Y0: m[1]*x + m[3]*y + m[5]}
	t.X1, t.Y1 = t.X0+m[0]*w, t.Y0+m[1]*w
	c.got = append(c.got, t)
}

// pdfFigures are figures of all kinds, also with names in Korean.
func pdfFigures() map[string]*Figure {
	out := map[string]*Figure{}
	korean := rastersLike(6)
	korean.Name = "래스터 읽기: Ä, µ, μ, ±, − und ×"
	for i, v := range korean.Variants {
		name := v + " 읽기"
		for j := range korean.Trials {
			if korean.Trials[j].Variant == v {
				korean.Trials[j].Variant = name
			}
		}
		korean.Variants[i] = name
	}
	korean.Baseline = korean.Variants[0]
	for k, f := range every(korean) {
		out["Korean, "+k] = f
	}
	out["slide"], out["card"] = Times(primesLike(6)).In(Dark, Slide), Trials(rastersLike(6)).In(Light, Card)
	verdicts := verdictFigures()
	out["running"], out["lives"] = verdicts["running/eight"], verdicts["lives/many"]
	return out
}

func TestPDFTextIsTextWhereItWasMeasured(t *testing.T) {
	for name, f := range pdfFigures() {
		t.Run(name, func(t *testing.T) {
			data, err := f.PDF()
			if err != nil {
				t.Fatal(err)
			}
			const most = 100 << 10
			if len(data) > most {
				t.Errorf("%d bytes, want at most %d", len(data), most)
			}
			want := &pdfPlaced{texts: newTexts(f.width, f.height)}
			if _, err := f.draw(want); err != nil {
				t.Fatal(err)
			}
			r := pdftest.Read(t, data)
			got, _ := r.Texts()
			pdftest.SameTexts(t, got, want.got)
			for _, font := range r.Fonts() {
				if !regexp.MustCompile(`^/[A-Z]{6}\+[-\w]+-Identity-H$`).MatchString(font.Base) {
					t.Errorf("%s is not named as a part of a font", font.Base)
				}
				if len(font.Widths) != len(font.Letters)+1 || len(font.Letters) == 0 {
					t.Errorf("%s: %d widths of %d letters and the one for missing ones", font.Base, len(font.Widths), len(font.Letters))
				}
			}
		})
	}
}

// onPDFAndPlaced draws on a page and on a canvas that keeps where texts are.
func onPDFAndPlaced(t *testing.T, drawing func(vg.Canvas, *ink.Letters)) (*pdftest.File, []pdftest.Text) {
	t.Helper()
	page, want := pdf.New(400, 200), &pdfPlaced{texts: newTexts(400, 200)}
	drawing(page, ink.NewLetters())
	drawing(want, ink.NewLetters())
	data, err := page.File("title", "alt")
	if err != nil {
		t.Fatal(err)
	}
	return pdftest.Read(t, data), want.got
}

func TestPDFTextTurnsWithTheCanvas(t *testing.T) {
	r, want := onPDFAndPlaced(t, func(c vg.Canvas, l *ink.Letters) {
		for i, angle := range []float64{0, math.Pi / 2, -math.Pi / 2, 0.3} {
			style := ink.Light.Kit().Text
			style.Rotation = angle
			l.Draw(c, "AVATAR To 0.5×", style, vg.Point{X: vg.Length(50 + 60*i), Y: 80})
		}
		c.Push()
		c.Translate(vg.Point{X: 10, Y: 20})
		c.Rotate(1)
		c.Scale(2, 3)
		c.Translate(vg.Point{X: 5, Y: 5})
		l.Draw(c, "turned twice", ink.Light.Kit().Small, vg.Point{X: 5, Y: 10})
		c.Pop()
		l.Draw(c, "back", ink.Light.Kit().Small, vg.Point{X: 5, Y: 10})
	})
	got, _ := r.Texts()
	pdftest.SameTexts(t, got, want)
}

func TestPDFKeepsSpacesBetweenFonts(t *testing.T) {
	r, _ := onPDFAndPlaced(t, func(c vg.Canvas, l *ink.Letters) {
		l.Draw(c, "소수 tasks", ink.Light.Kit().Text, vg.Point{X: 10, Y: 80})
	})
	got := ""
	texts, _ := r.Texts()
	for _, piece := range texts {
		got += piece.Text
	}
	if !strings.HasSuffix(got, " tasks") {
		t.Errorf("the texts are %q", got)
	}
}

func TestPDFTellsWhatItIs(t *testing.T) {
	r := rastersLike(6)
	r.Name = `소수 (a\b) ×` + "\n"
	f := Times(r)
	data, err := f.PDF()
	if err != nil {
		t.Fatal(err)
	}
	in := pdftest.Read(t, data)
	info := in.Value(in.Trailer, "Info")
	figure := in.Value(in.Value(in.Catalog(), "StructTreeRoot"), "K")
	for what, got := range map[string][2]string{
		"title":            {in.Literal(in.Value(info, "Title")), f.Title()},
		"subject":          {in.Literal(in.Value(info, "Subject")), ink.Printable(f.Alt())},
		"text alternative": {in.Literal(in.Value(figure, "Alt")), ink.Printable(f.Alt())},
		"kind":             {in.Value(figure, "S"), "/Figure"},
		"language":         {in.Literal(in.Value(in.Catalog(), "Lang")), "en"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %q, want %q", what, got[0], got[1])
		}
	}
	if content := in.Stream(in.Value(in.Page(), "Contents")); !strings.HasPrefix(content, "/Figure << /MCID 0 >> BDC\n") || !strings.HasSuffix(content, "\nEMC\n") {
		t.Errorf("the page is not marked as the figure: %.40q", content)
	}
	again, err := Times(r).PDF()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same figure gives other bytes, %v", err)
	}
	if bytes.Contains(data, []byte("Date")) {
		t.Error("there is a date")
	}
}

func TestPDFOfWhatIsNoNumber(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		f := Times(rastersLike(6))
		f.body = func(c draw.Canvas, _ *ink.Kit) { c.Rotate(v) }
		if _, err := f.PDF(); err == nil || !strings.Contains(err.Error(), "no number to draw at") {
			t.Errorf("%v: %v", v, err)
		}
	}
}
