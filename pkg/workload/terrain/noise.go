package terrain

// The terrain is gradient noise in ten octaves (fractional Brownian motion with H = 1: each octave
// has half the period and half the height of the one before), as Ken Perlin described it: "An image
// synthesizer", SIGGRAPH 1985, with the fade curve of "Improving noise", SIGGRAPH 2002. Speckle and
// the rounding to whole metres make the result compress as survey data does.
const (
	longest  = 4096 // pixels between the gradients of the first octave
	octaves  = 10   // periods 4096, 2048 ... 8
	relief   = 1500 // metres, the first octave's amplitude
	base     = 1000 // metres, the mean height
	speckle  = 1.8  // metres, the greatest deviation of a single pixel
	spread   = 1.2  // gradients are drawn from a square of side 2*spread
	fraction = 1 << 24
)

// noise evaluates terrain row by row. A value depends on the seed and on its column and row only. A
// noise is read-only after newNoise, so any number of goroutines can share it.
type noise struct {
	seed uint64
	oct  [octaves]octave
}

// octave is one period of the noise, with its tables for the pixels of a cell.
type octave struct {
	shift  uint      // the period is 1<<shift pixels
	dx, dy int       // moves the octave's lattice, or the nodes of all octaves would meet and show
	amp    float32   // metres
	salt   uint64    // what tells this octave's gradients from those of the others
	u      []float32 // place within the cell, 0 to 1
	fade   []float32 // the weight of the cell's right side there
}

func newNoise(seed uint64) *noise {
	n := &noise{seed: mix(seed + 1)}
	for i := range n.oct {
		period := longest >> i
		o := &n.oct[i]
		o.salt = mix(n.seed + uint64(i)*golden)
		o.dx = int(o.salt>>8) & (period - 1)
		o.dy = int(o.salt>>32) & (period - 1)
		o.amp = relief * float32(period) / longest
		for 1<<o.shift < period {
			o.shift++
		}
		o.u = make([]float32, period)
		o.fade = make([]float32, period)
		for j := range period {
			o.u[j] = float32(j) / float32(period)
			o.fade[j] = fade(o.u[j])
		}
	}
	return n
}

// fade is 6t^5 - 15t^4 + 10t^3. The conversions here and below keep the compiler from fusing a
// multiplication with an addition, which would round differently on other processors.
func fade(t float32) float32 {
	a := float32(t*6) - 15
	b := float32(t*a) + 10
	return float32(float32(t*t)*t) * b
}

// row fills dst with the heights of row y, from column 0 on.
func (n *noise) row(dst []float32, y int) {
	clear(dst)
	for i := range n.oct {
		n.oct[i].add(dst, y)
	}
	key := mix(n.seed ^ uint64(y)*golden)
	for x, v := range dst {
		r := mix(key + uint64(x)*golden)
		v += float32(r>>40)*(2*speckle/fraction) - speckle
		// An int32 conversion truncates; the offset makes it round.
		dst[x] = float32(int32(v+(base+16384.5)) - 16384)
	}
}

// add adds the octave to a row. Along a row, the noise of a cell is a blend between two straight
// lines, one for the nodes at its left side and one for those at its right, so that a node costs
// two numbers a row and a pixel a few operations.
func (o *octave) add(dst []float32, y int) {
	mask := 1<<o.shift - 1
	j, v := (y+o.dy)>>o.shift, o.u[(y+o.dy)&mask]
	below := o.fade[(y+o.dy)&mask]
	x := o.dx
	l0, l1 := o.node(x>>o.shift, j, v, below)
	for len(dst) > 0 {
		from := x & mask
		cell := min(mask+1-from, len(dst))
		r0, r1 := o.node(x>>o.shift+1, j, v, below)
		u, f, seg := o.u[from:from+cell], o.fade[from:from+cell], dst[:cell]
		r := r0 - r1 // the right line at u = 0: its slope is taken from its own node
		for k := range seg {
			left := l0 + float32(l1*u[k])
			seg[k] += left + float32(f[k]*(r+float32(r1*u[k])-left))
		}
		l0, l1 = r0, r1
		dst, x = dst[cell:], x+cell
	}
}

// node returns the line that the gradients of column i give row v of cell row j: its height at the
// node, and its slope for one cell's width.
func (o *octave) node(i, j int, v, below float32) (height, slope float32) {
	ax, ay := o.gradient(i, j)
	bx, by := o.gradient(i, j+1)
	a := float32(ay * v)
	b := float32(by * (v - 1))
	height = o.amp * (a + float32(below*(b-a)))
	slope = o.amp * (ax + float32(below*(bx-ax)))
	return height, slope
}

func (o *octave) gradient(i, j int) (x, y float32) {
	h := mix(o.salt ^ uint64(uint32(i))<<32 ^ uint64(uint32(j)))
	return float32(int32(h)) * (spread / (1 << 31)), float32(int32(h>>32)) * (spread / (1 << 31))
}

const golden = 0x9e3779b97f4a7c15 // 2^64 / the golden ratio, odd

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014): every bit of x moves every bit of the result.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
