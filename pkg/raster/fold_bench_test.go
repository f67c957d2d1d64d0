package raster

import (
	"math"
	"testing"
	"unsafe"
)

// hill is a height in whole metres, as those of the lab's terrain.
func hill(x, y int) float32 {
	return float32(math.Round(1000 + 700*math.Sin(float64(x)/97)*math.Cos(float64(y)/61) + 3*math.Sin(float64(x*y))))
}

func BenchmarkFold(b *testing.B) {
	const tile = 256
	pixels := make([]float32, tile*tile)
	for i := range pixels {
		pixels[i] = hill(i%tile, i/tile)
	}
	for _, c := range []struct {
		name   string
		nodata float64
	}{{"plain", -9999}, {"nodata-in-range", 1000.5}} {
		b.Run(c.name, func(b *testing.B) {
			var f folder
			none := newNodata(f32, true, c.nodata, 0)
			b.SetBytes(int64(4 * len(pixels)))
			for b.Loop() {
				var s Stats
				f.fold(&s, f32, none, unsafe.Pointer(&pixels[0]), tile, 0, 0, tile, tile, nil)
			}
		})
	}
}
