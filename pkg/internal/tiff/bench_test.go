package tiff_test

import (
	"path/filepath"
	"testing"

	"overlap/pkg/workload/terrain"

	"github.com/airbusgeo/godal"
)

// BenchmarkBlocks reads all blocks of a terrain on one core, ours and GDAL's
// way, as it was stored with each predictor.
func BenchmarkBlocks(b *testing.B) {
	register()
	dir := b.TempDir()
	plain := filepath.Join(dir, "1.tif")
	const side = 2048
	if err := (terrain.Terrain{Width: side, Height: side, Seed: 1}).Write(b.Context(), plain); err != nil {
		b.Fatal(err)
	}
	for _, predictor := range []string{"1", "2", "3"} {
		path := plain
		if predictor != "1" {
			path = filepath.Join(dir, predictor+".tif")
			translate(b, plain, path, "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR="+predictor, "-co", "TILED=YES")
		}
		b.Run("predictor="+predictor+"/of=this", func(b *testing.B) {
			f, d := open(b, path), decoder(b)
			block := make([]byte, f.BlockBytes())
			b.SetBytes(side * side * 4)
			for b.Loop() {
				for i := range f.Blocks() {
					if err := d.Read(f, i, block); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("predictor="+predictor+"/of=GDAL", func(b *testing.B) {
			block := make([]float32, 256*256)
			b.SetBytes(side * side * 4)
			for b.Loop() {
				ds, err := godal.Open(path) // anew, for GDAL keeps blocks
				if err != nil {
					b.Fatal(err)
				}
				band := ds.Bands()[0]
				for i := range (side / 256) * (side / 256) {
					if err := band.Read(i%(side/256)*256, i/(side/256)*256, block, 256, 256); err != nil {
						b.Fatal(err)
					}
				}
				ds.Close()
			}
		})
	}
}

func translate(tb testing.TB, from, to string, switches ...string) {
	tb.Helper()
	ds, err := godal.Open(from)
	if err != nil {
		tb.Fatal(err)
	}
	defer ds.Close()
	out, err := ds.Translate(to, switches)
	if err != nil {
		tb.Fatal(err)
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
}
