package raster

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

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

// drawPixels draws pixels of a type, of a kind that is easy to add exactly, or not.
func drawPixels[T Pixel](t *rapid.T, n int) []T {
	var bytes []byte
	switch rapid.SampledFrom([]string{"small", "any", "few"}).Draw(t, "values") {
	case "any":
		bytes = rapid.SliceOfN(rapid.Byte(), 8*n, 8*n).Draw(t, "bytes")
	case "few":
		bytes = rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 127, 128, 255}), 8*n, 8*n).Draw(t, "bytes")
	default:
		p := make([]T, n)
		for i, v := range rapid.SliceOfN(rapid.IntRange(-100, 100), n, n).Draw(t, "ints") {
			p[i] = T(v)
		}
		return p
	}
	p := make([]T, n)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), n*kindFor[T]().bytes()), bytes)
	return p
}

// checkFold folds pixels of one type at once, one by one, and by blocks in any order.
func checkFold[T Pixel](t *rapid.T) {
	w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
	if rapid.Bool().Draw(t, "wide") {
		w, h = rapid.IntRange(250, 270).Draw(t, "w"), 1
	}
	k := kindFor[T]()
	p := drawPixels[T](t, w*h)
	if k == f32 && rapid.Bool().Draw(t, "floats") {
		copy(p, any(values(t, w*h)).([]T))
	}
	value := rapid.SampledFrom([]float64{-100, 0, 1, math.NaN(), math.Inf(-1), 255}).Draw(t, "nodata")
	whole := int64(0)
	if value == value && math.Abs(value) < 1e9 {
		whole = int64(value)
	}
	none := newNodata(k, rapid.Bool().Draw(t, "has nodata"), value, whole)
	var mask []byte
	if rapid.Bool().Draw(t, "masked") {
		mask = rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 255}), w*h, w*h).Draw(t, "mask")
	}

	var want Stats // a pixel at a time
	var f folder
	f.fold(new(Stats), k, none, unsafe.Pointer(&p[0]), w, 0, 0, w, h, nil) // makes the keys
	var sum, one exact
	counted := int64(0)
	for y := range h {
		var m []byte
		if mask != nil {
			m = mask[y*w : (y+1)*w]
		}
		f.slowly(&want, k, none, unsafe.Pointer(&p[y*w]), w, 0, y, m)
		for x := range w {
			v := p[y*w+x]
			if f := float64(v); m != nil && m[x] == 0 || f-f != 0 || none.has && (k < f32 && int64(v) == none.whole || f == none.value || k == f32 && float32(f) == float32(none.value)) {
				continue
			}
			counted++
			if k == u64 {
				one.add(float64(uint64(v) >> 32 << 32))
				one.add(float64(uint64(v) & math.MaxUint32))
			} else if k == i64 {
				one.add(float64(int64(v) >> 32 << 32))
				one.add(float64(int64(v) & math.MaxUint32))
			} else {
				one.add(float64(v))
			}
		}
	}
	sum.merge(&one)
	if want.Count != counted || want.sum != sum {
		t.Fatalf("count %d, sum %v; want %d, %v", want.Count, want.Sum(), counted, sum.float64())
	}
	var all Stats
	f.fold(&all, k, none, unsafe.Pointer(&p[0]), w, 0, 0, w, h, mask)
	if all != want {
		t.Fatalf("at once %v\nby pixel %v", all, want)
	}

	// Blocks, in any order, merged in any order.
	bw, bh := rapid.IntRange(1, w).Draw(t, "bw"), rapid.IntRange(1, h).Draw(t, "bh")
	var parts []Stats
	for y := 0; y < h; y += bh {
		for x := 0; x < w; x += bw {
			var s Stats
			across, down := min(bw, w-x), min(bh, h-y)
			var m []byte
			for r := 0; mask != nil && r < down; r++ {
				m = append(m, mask[(y+r)*w+x:][:across]...)
			}
			new(folder).fold(&s, k, none, unsafe.Pointer(&p[y*w+x]), w, x, y, across, down, m)
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
	if n := want.Count + want.NoData + want.NotFinite + want.Masked; n != int64(w*h) {
		t.Fatalf("%d of %d pixels counted", n, w*h)
	}
}

func TestFoldOrder(t *testing.T) {
	for name, check := range map[string]func(*rapid.T){
		"uint8": checkFold[uint8], "int8": checkFold[int8], "uint16": checkFold[uint16], "int16": checkFold[int16],
		"uint32": checkFold[uint32], "int32": checkFold[int32], "uint64": checkFold[uint64], "int64": checkFold[int64],
		"float32": checkFold[float32], "float64": checkFold[float64],
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, check) })
	}
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
	for i := range p {
		p[i] = hill(i%w, i/w)
	}
	sum := func() uint64 {
		var s Stats
		new(folder).fold(&s, f32, nodata{}, unsafe.Pointer(&p[0]), w, 0, 0, w, h, nil)
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

// No pixel may have a key of 0 by its place: a change of it alone would not show.
func TestChecksumSeesEveryPixel(t *testing.T) {
	var f folder
	for _, k := range []kind{u8, i8, u16, i16, u32, i32, u64, i64, f32, f64} {
		for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {63, 63}, {1, 1}, {2, 1}, {70_000, 0}, {0, 70_000}, {70_000, 70_000}} {
			var zero, one Stats
			pixel := uint64(0)
			f.fold(&zero, k, nodata{}, unsafe.Pointer(&pixel), 1, at[0], at[1], 1, 1, nil)
			pixel = 0x0101010101010101
			f.fold(&one, k, nodata{}, unsafe.Pointer(&pixel), 1, at[0], at[1], 1, 1, nil)
			if zero.Checksum == one.Checksum {
				t.Errorf("%s at %v: 0 and another value have the checksum %x", kinds[k].name, at, zero.Checksum)
			}
		}
	}
	const side = 512
	bytes := make([]byte, side*side)
	for i := range bytes {
		bytes[i] = 1
		var s Stats
		f.fold(&s, u8, nodata{}, unsafe.Pointer(&bytes[i]), 1, i%side, i/side, 1, 1, nil)
		if s.Checksum == 0 {
			t.Errorf("column %d, row %d", i%side, i/side)
		}
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
