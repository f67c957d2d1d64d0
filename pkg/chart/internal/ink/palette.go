package ink

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// mostColors is how many colours an indexed PNG can have, and mostFrequent how many of them are those
// with most dots, where there are more.
const (
	mostColors   = 256
	mostFrequent = 96
)

// indexed returns a picture with at most 256 colours, which as a PNG takes less than half the room and
// less time to encode. A picture with no more colours stays as it is. Of others, the shades at the rims
// of letters and marks are most; the rarest of them give way to their nearest.
func indexed(from *image.RGBA) *image.Paletted {
	counts := countColors(from)
	chosen := choosePalette(counts)
	palette := make(color.Palette, len(chosen))
	index := make(map[uint32]uint8, len(counts))
	for i, c := range chosen {
		palette[i] = color.RGBA{uint8(c), uint8(c >> 8), uint8(c >> 16), uint8(c >> 24)}
		index[c] = uint8(i)
	}
	for _, c := range counts {
		if _, ok := index[c.color]; !ok {
			index[c.color] = nearest(chosen, c.color)
		}
	}
	to := image.NewPaletted(from.Rect, palette)
	var last uint32
	var lastIndex uint8
	known := false
	for y := range from.Rect.Dy() {
		row, out := from.Pix[y*from.Stride:], to.Pix[y*to.Stride:]
		for x := range from.Rect.Dx() {
			if c := dot(row[4*x:]); !known || c != last { // most dots are as the one before
				last, lastIndex, known = c, index[c], true
			}
			out[x] = lastIndex
		}
	}
	return to
}

// dot returns the four bytes of a dot as one number.
func dot(p []uint8) uint32 {
	_ = p[3]
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

type colorCount struct {
	color uint32
	n     int
}

// countColors returns the colours of a picture, those with most dots first.
func countColors(from *image.RGBA) []colorCount {
	counts := map[uint32]int{}
	for y := range from.Rect.Dy() {
		row := from.Pix[y*from.Stride:]
		for x, end := 0, from.Rect.Dx(); x < end; {
			c, n := dot(row[4*x:]), 1
			for x+n < end && dot(row[4*(x+n):]) == c {
				n++
			}
			counts[c] += n
			x += n
		}
	}
	all := make([]colorCount, 0, len(counts))
	for c, n := range counts {
		all = append(all, colorCount{c, n})
	}
	slices.SortFunc(all, func(a, b colorCount) int { return cmp.Or(b.n-a.n, cmp.Compare(a.color, b.color)) })
	return all
}

// choosePalette returns all colours if they are few. Else it returns the most frequent ones, and then
// one by one whichever of the others is farthest from all of these, so that none is replaced by one
// that looks different.
func choosePalette(counts []colorCount) []uint32 {
	var chosen []uint32
	for i := 0; i < len(counts) && (i < mostFrequent || len(counts) <= mostColors); i++ {
		chosen = append(chosen, counts[i].color)
	}
	rest := counts[len(chosen):]
	far := make([]int, len(rest))
	for i, c := range rest {
		far[i] = distance(c.color, chosen[nearest(chosen, c.color)])
	}
	for len(rest) > 0 && len(chosen) < mostColors {
		at := 0
		for i, d := range far {
			if d > far[at] {
				at = i
			}
		}
		next := rest[at].color
		chosen = append(chosen, next)
		for i, c := range rest {
			far[i] = min(far[i], distance(c.color, next))
		}
	}
	return chosen
}

func nearest(chosen []uint32, c uint32) (at uint8) {
	least := -1
	for i, p := range chosen {
		if d := distance(c, p); least < 0 || d < least {
			at, least = uint8(i), d
		}
	}
	return at
}

// distance is the square of how far two colours are apart in red, green, blue and opacity.
func distance(a, b uint32) (d int) {
	for range 4 {
		by := int(a&255) - int(b&255)
		d += by * by
		a, b = a>>8, b>>8
	}
	return d
}
