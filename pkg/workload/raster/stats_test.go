package raster

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// values draws float32 values of a kind that is easy, or not, to add exactly.
func values(t *rapid.T, n int) []float32 {
	kinds := map[string]*rapid.Generator[float32]{
		"metres":     rapid.Map(rapid.IntRange(-500, 9000), func(i int) float32 { return float32(i) }),
		"zeros":      rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1))}),
		"few":        rapid.SampledFrom([]float32{-9999, 0, 1, 2.5, float32(math.Copysign(0, -1))}),
		"any":        rapid.Map(rapid.Uint32(), math.Float32frombits),
		"subnormals": rapid.Map(rapid.Uint32Max(1<<24), math.Float32frombits),
		"extremes":   rapid.SampledFrom([]float32{math.MaxFloat32, -math.MaxFloat32, 1, 1e-30, 3e38, float32(math.Inf(1)), float32(math.NaN())}),
	}
	kind := rapid.SampledFrom([]string{"metres", "zeros", "few", "any", "subnormals", "extremes"}).Draw(t, "kind")
	return rapid.SliceOfN(kinds[kind], n, n).Draw(t, "values")
}

func TestFoldOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
		if rapid.Bool().Draw(t, "wide") {
			w, h = rapid.IntRange(250, 270).Draw(t, "w"), 1
		}
		p := values(t, w*h)
		nodata := rapid.SampledFrom([]float64{-9999, 0, 1, math.NaN(), math.Inf(-1)}).Draw(t, "nodata")
		has := rapid.Bool().Draw(t, "has nodata")

		var want Stats // a pixel at a time
		f := newFolder(w, nodata, has)
		for y := range h {
			f.slow32(&want, p[y*w:(y+1)*w], 0, y)
		}
		var whole Stats
		f.fold32(&whole, p, 0, 0, w, h, w)
		if whole != want {
			t.Fatalf("at once %v\nby pixel %v", whole, want)
		}

		// Blocks, in any order, merged in any order.
		bw, bh := rapid.IntRange(1, w).Draw(t, "bw"), rapid.IntRange(1, h).Draw(t, "bh")
		var parts []Stats
		for y := 0; y < h; y += bh {
			for x := 0; x < w; x += bw {
				var s Stats
				newFolder(w, nodata, has).fold32(&s, p[y*w+x:], x, y, min(bw, w-x), min(bh, h-y), w)
				parts = append(parts, s)
			}
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			r.Shuffle(len(parts), func(a, b int) { parts[a], parts[b] = parts[b], parts[a] })
			parts[i].Merge(parts[len(parts)-1])
			parts = parts[:len(parts)-1]
		}
		if parts[0] != want {
			t.Fatalf("by blocks %v\nby pixel %v", parts[0], want)
		}
		if parts[0].String() != want.String() {
			t.Fatal("equal Stats, other strings")
		}
		if n := want.Count + want.NoData + want.NotFinite; n != int64(w*h) {
			t.Fatalf("%d of %d pixels counted", n, w*h)
		}
	})
}

func TestSumIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Map(rapid.Uint64(), math.Float64frombits)).Draw(t, "list")
		var e exact
		want := new(big.Float).SetPrec(4000)
		for _, v := range list {
			if v-v == 0 {
				e.add(v)
				want.Add(want, new(big.Float).SetFloat64(v))
			}
		}
		if w, _ := want.Float64(); e.float64() != w {
			t.Fatalf("got %v, want %v", e.float64(), w)
		}
	})
}

func TestChecksumSeesChanges(t *testing.T) {
	const w, h = 64, 64
	p := make([]float32, w*h)
	n := newNoise(1)
	for y := range h {
		n.row(p[y*w:(y+1)*w], y)
	}
	sum := func() uint64 {
		var s Stats
		newFolder(w, 0, false).fold32(&s, p, 0, 0, w, h, w)
		return s.Checksum
	}
	want := sum()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		i, j := r.IntN(len(p)), r.IntN(len(p))
		if p[i] == p[j] {
			continue
		}
		p[i], p[j] = p[j], p[i]
		if sum() == want {
			t.Errorf("pixels %d and %d changed places unseen", i, j)
		}
		p[i], p[j] = p[j], p[i]
		old := p[i]
		p[i] = math.Float32frombits(math.Float32bits(old) ^ 1<<r.IntN(32))
		if sum() == want {
			t.Errorf("pixel %d changed unseen", i)
		}
		p[i] = old
	}
	// Rectangles whose corners change by +d, -d, -d, +d: what a sum of row
	// and column numbers would not see.
	for range 2000 {
		x1, y1, x2, y2 := r.IntN(w-1), r.IntN(h-1), w-1, h-1
		corners := []int{y1*w + x1, y1*w + x2, y2*w + x2, y2*w + x1}
		for i, at := range corners {
			p[at] += float32(1 - 2*(i%2))
		}
		if sum() == want {
			t.Errorf("rectangle %d, %d unseen", x1, y1)
		}
		for i, at := range corners {
			p[at] -= float32(1 - 2*(i%2))
		}
	}
	if sum() != want {
		t.Error("the pixels are as before, the checksum is not")
	}
}

func TestEmptyStats(t *testing.T) {
	var s Stats
	if !math.IsNaN(s.Mean()) || s.Sum() != 0 {
		t.Error(s)
	}
	o := Stats{Count: 2, Min: 3, Max: 5}
	s.Merge(o)
	o.Merge(Stats{})
	if s != o || s.Min != 3 {
		t.Errorf("%v, %v", s, o)
	}
}
