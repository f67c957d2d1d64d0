package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"overlap/pkg/chart/internal/ink/pdf/pdftest"
)

var builtIn = font.NewCache(liberation.Collection())

// sans returns a sans-serif face of a size in points.
func sans(size vg.Length) font.Face {
	return builtIn.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// written returns a page as a program that reads it sees it.
func written(t *testing.T, c *Canvas) *pdftest.File {
	t.Helper()
	data, err := c.File("", "")
	if err != nil {
		t.Fatal(err)
	}
	return pdftest.Read(t, data)
}

// What a PDF cannot have is an error of the file, and never a panic.
func TestWhatAPDFCannotHave(t *testing.T) {
	square := vg.Rectangle{Max: vg.Point{X: 1, Y: 1}}
	arc := func(angle float64) vg.Path { return vg.Path{{Type: vg.ArcComp, Radius: 1, Angle: angle}} }
	for name, tc := range map[string]struct {
		want string
		draw func(*Canvas)
	}{
		"no number":             {"NaN is no number", func(c *Canvas) { c.Rotate(math.NaN()) }},
		"an infinite place":     {"+Inf is no number", func(c *Canvas) { c.Translate(vg.Point{X: vg.Length(math.Inf(1))}) }},
		"an infinite dash":      {"-Inf is no number", func(c *Canvas) { c.SetLineDash([]vg.Length{vg.Length(math.Inf(-1))}, 0) }},
		"letters of no size":    {"NaN is no number", func(c *Canvas) { c.FillString(sans(vg.Length(math.NaN())), vg.Point{}, "a") }},
		"a text without font":   {"no font", func(c *Canvas) { c.FillString(font.Face{Font: font.Font{Size: 10}}, vg.Point{}, "a") }},
		"an arc without end":    {"turn by +Inf", func(c *Canvas) { c.Fill(arc(math.Inf(1))) }},
		"an arc of any angle":   {"turn by 1e+300", func(c *Canvas) { c.Fill(arc(1e300)) }},
		"a curve of no control": {"not 0", func(c *Canvas) { c.Fill(vg.Path{{Type: vg.CurveComp}}) }},
		"a curve of three":      {"not 3", func(c *Canvas) { c.Fill(vg.Path{{Type: vg.CurveComp, Control: make([]vg.Point, 3)}}) }},
		"an unknown part":       {"type 99", func(c *Canvas) { c.Fill(vg.Path{{Type: 99}}) }},
		"Pop alone":             {"without a Push", func(c *Canvas) { c.Pop() }},
		"no picture":            {"without dots", func(c *Canvas) { c.DrawImage(square, nil) }},
		"an empty picture":      {"without dots", func(c *Canvas) { c.DrawImage(square, image.NewGray(image.Rectangle{})) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(100, 100)
			tc.draw(c)
			c.Fill(square.Path()) // what comes after does not take the error away
			if data, err := c.File("", ""); err == nil || data != nil || !strings.HasPrefix(err.Error(), "pdf: ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%d bytes, %v", len(data), err)
			}
		})
	}
	for _, size := range []vg.Length{vg.Length(math.NaN()), vg.Length(math.Inf(1))} {
		if _, err := New(100, size).File("", ""); err == nil {
			t.Errorf("no error of a page %v high", size)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.0001: "0", 1.5: "1.5", -2: "-2", 100: "100", 1e7: "10000000", 0.0004: "0", 0.1234: "0.123"} {
		var f faults
		if got := f.number(v, 3); got != want || f.err != nil {
			t.Errorf("%v: %q, want %q, %v", v, got, want, f.err)
		}
	}
}

func TestTextsOutsideOfThePage(t *testing.T) {
	for _, s := range []string{"", "plain", `((\`, "é", "𝒜"} {
		data, err := New(100, 100).File(s, s+"!")
		if err != nil {
			t.Fatal(err)
		}
		in := pdftest.Read(t, data)
		info := in.Value(in.Trailer, "Info")
		for name, want := range map[string]string{"Title": s, "Subject": s + "!"} {
			if got := in.Literal(in.Value(info, name)); got != want {
				t.Errorf("%s: %q comes back as %q", name, want, got)
			}
		}
	}
}

// Texts stand where turning, moving and stretching the canvas puts them, and
// what is pushed comes back.
func TestTextsMoveWithTheCanvas(t *testing.T) {
	const s = "AVATAR To"
	face := sans(10)
	w := float64(face.Width(s))
	c := New(400, 200)
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 3)
	c.Translate(vg.Point{X: 5, Y: 5})
	c.FillString(face, vg.Point{X: 5, Y: 10}, s)
	c.Pop()
	c.FillString(face, vg.Point{X: 5, Y: 10}, s)
	got, _ := written(t, c).Texts()
	pdftest.SameTexts(t, got, []pdftest.Text{
		{Text: s, X0: 10 - 45, Y0: 20 + 20, X1: 10 - 45, Y1: 20 + 20 + 2*w},
		{Text: s, X0: 5, Y0: 10, X1: 5 + w, Y1: 10},
	})
}

func TestKeepsLettersThatLookAlikeOrAreMissing(t *testing.T) {
	face := sans(10)
	// Micro sign and mu can share a glyph, and so do all letters that a font
	// has not.
	s := "µμ ΔA𝒜\U0010FFFDé𝒜" + upTo(0x250)
	c := New(100, 100)
	c.FillString(face, vg.Point{X: 1, Y: 1}, s)
	c.FillString(face, vg.Point{X: 1, Y: 1}, "")
	face.Font.Size = 0
	c.FillString(face, vg.Point{X: 1, Y: 1}, "nothing")
	got, _ := written(t, c).Texts()
	if len(got) != 1 || got[0].Text != s {
		t.Errorf("texts %v, want %q", got, s)
	}
}

func TestColours(t *testing.T) {
	c := New(100, 100)
	band := color.NRGBA{0xd5, 0x5e, 0x00, 0x40}
	square := vg.Rectangle{Max: vg.Point{X: 50, Y: 50}}
	c.SetColor(band)
	c.Push()
	c.SetColor(color.RGBA{0x20, 0x10, 0x00, 0x40}) // multiplied by its alpha
	c.Fill(square.Path())
	c.Pop()
	c.Fill(square.Path())
	c.SetColor(nil)
	c.FillString(sans(10), vg.Point{}, "black")
	r := written(t, c)
	_, got := r.Texts()
	want := []color.NRGBA{{0x7f, 0x3f, 0, 0x40}, band, {0, 0, 0, 255}}
	if len(got) != len(want) {
		t.Fatalf("%d fills, want %d", len(got), len(want))
	}
	for i, w := range want {
		for k, v := range []uint8{w.R, w.G, w.B, w.A} {
			if math.Abs(got[i][k]*255-float64(v)) > 0.5 {
				t.Errorf("fill %d: %.1f of %v, want %v", i, got[i], got[i][k]*255, w)
			}
		}
	}
	if !strings.Contains(r.Page(), "/CS /DeviceRGB") {
		t.Error("colours are not blended as red, green and blue")
	}
}

func TestPaths(t *testing.T) {
	point := func(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }
	var (
		line   = vg.Path{{Type: vg.MoveComp, Pos: point(1, 2)}, {Type: vg.LineComp, Pos: point(3, 4.5)}}
		curves = vg.Path{{Type: vg.MoveComp, Pos: point(0, 0)}, {Type: vg.CurveComp, Pos: point(6, 0), Control: []vg.Point{point(3, 3)}}, {Type: vg.CurveComp, Pos: point(9, 9), Control: []vg.Point{point(7, 1), point(8, 2)}}, {Type: vg.CloseComp}}
		noMove = vg.Path{{Type: vg.LineComp, Pos: point(5, 6)}, {Type: vg.LineComp, Pos: point(7, 8)}}
	)
	for _, tc := range []struct {
		name, want string
		draw       func(vg.Canvas)
	}{
		{"line", "1 2 m\n3 4.5 l\nS\n", func(c vg.Canvas) { c.Stroke(line) }},
		{"curves", "0 0 m\n2 2 4 2 6 0 c\n7 1 8 2 9 9 c\nh\nf\n", func(c vg.Canvas) { c.Fill(curves) }},
		{"nowhere to go on from", "5 6 m\n5 6 l\n7 8 l\nS\n", func(c vg.Canvas) { c.Stroke(noMove) }},
		{"no path", "", func(c vg.Canvas) { c.Fill(nil) }},
		{"line without width", "q\nQ\n1 2 m\n3 4.5 l\nS\n", func(c vg.Canvas) {
			c.Push()
			c.SetLineWidth(0)
			c.Stroke(line)
			c.Pop()
			c.Stroke(line)
		}},
		{"dashes", "[4 2 ] 1 d\n[] 0 d\n", func(c vg.Canvas) { c.SetLineDash([]vg.Length{4, 2}, 1); c.SetLineDash(nil, 0) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := New(100, 100)
			start := c.content.Len()
			tc.draw(c)
			if got := c.content.String()[start:]; got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestArcsStayOnTheirCircle(t *testing.T) {
	for _, angle := range []float64{2 * math.Pi, -1.3, 0.1, 0} {
		c := New(100, 100)
		start := c.content.Len()
		c.Stroke(vg.Path{{Type: vg.ArcComp, Pos: vg.Point{X: 30, Y: 40}, Radius: 20, Start: 0.5, Angle: angle}})
		var at []float64
		turned := 0.
		for line := range strings.Lines(c.content.String()[start:]) {
			var n []float64
			for _, s := range strings.Fields(line) {
				if v, err := strconv.ParseFloat(s, 64); err == nil {
					n = append(n, v)
				}
			}
			if len(n) == 6 {
				for _, u := range []float64{0.2, 0.5, 0.8, 1} {
					v := 1 - u
					x := v*v*v*at[0] + 3*u*v*v*n[0] + 3*u*u*v*n[2] + u*u*u*n[4]
					y := v*v*v*at[1] + 3*u*v*v*n[1] + 3*u*u*v*n[3] + u*u*u*n[5]
					if off := math.Hypot(x-30, y-40) - 20; math.Abs(off) > 0.002 {
						t.Errorf("an arc of %.1f is %.4f from its circle", angle, off)
					}
				}
				turned += math.Remainder(math.Atan2(n[5]-40, n[4]-30)-math.Atan2(at[1]-40, at[0]-30), 2*math.Pi)
			}
			if len(n) >= 2 {
				at = n[len(n)-2:]
			}
		}
		if math.Abs(turned-angle) > 0.001 {
			t.Errorf("an arc of %.3f turns by %.3f", angle, turned)
		}
	}
}

func TestImages(t *testing.T) {
	img := image.NewNRGBA(image.Rect(5, 5, 7, 6)) // two dots that do not begin at 0
	img.SetNRGBA(5, 5, color.NRGBA{1, 2, 3, 255})
	img.SetNRGBA(6, 5, color.NRGBA{200, 100, 50, 128})
	c := New(100, 100)
	c.SetColor(color.NRGBA{0, 0, 0, 10}) // has no say in it
	start := c.content.Len()
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 40, Y: 30}}, img)
	if got, want := c.content.String()[start:], "q\n/A255 gs\n30 0 0 10 10 20 cm\n/I1 Do\nQ\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := written(t, c)
	picture := r.Value(r.Page(), "I1")
	if got, want := r.Stream(picture), "\x01\x02\x03\xc8\x64\x32"; got != want {
		t.Errorf("dots %x, want %x", got, want)
	}
	if got, want := r.Stream(r.Value(picture, "SMask")), "\xff\x80"; got != want {
		t.Errorf("alphas %x, want %x", got, want)
	}
}

// Where Poppler is installed, another program is asked what it sees.
func TestAsPopplerSeesIt(t *testing.T) {
	for _, tool := range []string{"pdftotext", "pdffonts", "pdftoppm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	const s = "AVATAR To 0.5× µ ± − é"
	drawing := func(c vg.CanvasSizer) {
		c.SetColor(color.White)
		c.Fill(vg.Rectangle{Max: vg.Point{X: 200, Y: 100}}.Path())
		for i, band := range []color.NRGBA{{0xd5, 0x5e, 0, 0x40}, {0, 0x72, 0xb2, 0x80}, {0, 0x9e, 0x73, 0xc0}} {
			x := vg.Length(10 + 20*i) // they overlap
			c.SetColor(band)
			c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: 10}, Max: vg.Point{X: x + 30, Y: 50}}.Path())
		}
		c.SetColor(color.Black)
		c.FillString(sans(13), vg.Point{X: 10, Y: 70}, s)
	}
	c := New(200, 100)
	drawing(c)
	path := filepath.Join(t.TempDir(), "page.pdf")
	data, err := c.File("", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil || complaints.Len() > 0 {
			t.Errorf("%s: %v, %s", name, err, complaints.Bytes())
		}
		return string(out)
	}
	if got := run("pdftotext", path, "-"); !strings.Contains(got, s) {
		t.Errorf("the text is %q, want %q", got, s)
	}
	fonts := strings.Split(strings.TrimSpace(run("pdffonts", path)), "\n")[2:]
	if len(fonts) != 1 || !regexp.MustCompile(` yes yes yes `).MatchString(fonts[0]) {
		t.Errorf("want a font that is embedded, a part, and has its letters named: %q", fonts)
	}
	seen, err := png.Decode(strings.NewReader(run("pdftoppm", "-r", "72", "-png", "-singlefile", path)))
	if err != nil {
		t.Fatal(err)
	}
	want := vgimg.NewWith(vgimg.UseWH(200, 100), vgimg.UseDPI(72))
	drawing(want)
	for x := 5; x < 100; x += 10 { // in the middle of what has one colour
		a, b := color.RGBAModel.Convert(seen.At(x, 70)).(color.RGBA), color.RGBAModel.Convert(want.Image().At(x, 70)).(color.RGBA)
		for i, v := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
			if max(v, -v) > 3 {
				t.Errorf("at %d: %v, want %v (%d)", x, a, b, i)
			}
		}
	}
}
