package raster

import (
	"path/filepath"
	"testing"
)

// BenchmarkRead reads two of the lab's default rasters. Bytes are those of the
// pixels in memory.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	var files []string
	for _, f := range Data(dir, 2, false) {
		if err := f.Terrain.Write(b.Context(), f.Path); err != nil {
			b.Fatal(err)
		}
		files = append(files, f.Path)
	}
	b.Logf("files in %s", filepath.Base(dir))
	for _, c := range []struct {
		name    string
		work    workload
		workers int
	}{
		{"whole/1", WholeReads(files...), 1},
		{"whole/2", WholeReads(files...), 2},
		{"whole-huge/1", WholeReads(files...).HugePages(), 1},
		{"whole-huge/2", WholeReads(files...).HugePages(), 2},
		{"windows/1", WindowReads(files...), 1},
		{"windows/2", WindowReads(files...), 2},
		{"windows/16", WindowReads(files...), 16},
		{"windows-1-block/2", WindowReads(files...).TaskBytes(1), 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(2 * 4 * defaultWidth * defaultHeight)
			for b.Loop() {
				tasks, finish, err := c.work.Tasks(2)
				if err != nil {
					b.Fatal(err)
				}
				if err := together(b.Context(), c.workers, tasks); err != nil {
					b.Fatal(err)
				}
				if _, err := finish(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFold(b *testing.B) {
	pixels := make([]float32, tile*tile)
	n := newNoise(1)
	for y := range tile {
		n.row(pixels[y*tile:(y+1)*tile], y)
	}
	for _, c := range []struct {
		name   string
		nodata float64
	}{{"plain", -9999}, {"nodata-in-range", 1000.5}} {
		b.Run(c.name, func(b *testing.B) {
			f := newFolder(tile, c.nodata, true)
			b.SetBytes(int64(4 * len(pixels)))
			for b.Loop() {
				var s Stats
				f.fold32(&s, pixels, 0, 0, tile, tile, tile)
			}
		})
	}
}

func BenchmarkTerrainRow(b *testing.B) {
	row, n := make([]float32, 4096), newNoise(1)
	b.SetBytes(int64(4 * len(row)))
	for b.Loop() {
		n.row(row, 17)
	}
}
