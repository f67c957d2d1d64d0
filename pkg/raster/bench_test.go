package raster_test

import (
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

// BenchmarkRead reads two of the lab's default rasters in every way. MB are
// those of the pixels in memory.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	var files []string
	for _, f := range Data(dir, 2, false) {
		if err := f.Terrain.Write(b.Context(), f.Path); err != nil {
			b.Fatal(err)
		}
		files = append(files, f.Path)
	}
	const pixels = 2 * 3072 * 2048
	for _, c := range []struct {
		name    string
		work    workload
		workers int
	}{
		{"whole/1", WholeReads(files...), 1},
		{"whole/2", WholeReads(files...), 2},
		{"whole-huge/1", WholeReads(files...).HugePages(), 1},
		{"whole-huge/2", WholeReads(files...).HugePages(), 2},
		{"collect/2", CollectReads(files...), 2},
		{"windows/1", WindowReads(files...), 1},
		{"windows/2", WindowReads(files...), 2},
		{"windows/16", WindowReads(files...), 16},
		{"windows-1-block/2", WindowReads(files...).With(TaskBytes(1)), 2},
		{"windows-one-handle/2", WindowReads(files...).OneHandle(), 2},
		{"windows-open-each/2", WindowReads(files...).OpenEach(), 2},
		{"windows-gdal-threads/2", WindowReads(files...).GDALThreads(0), 2},
		{"gdal-threads/1", ThreadReads(files...), 1},
		{"gdal-threads/2", ThreadReads(files...), 2},
	} {
		b.Run(c.name, func(b *testing.B) {
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
			b.ReportMetric(4*pixels/1e6*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
		})
	}
	b.Run("stream/2", func(b *testing.B) {
		for b.Loop() {
			if err := Stream(b.Context(), files, func(Window[float32]) error { return nil }, ReadWorkers(2)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(4*pixels/1e6*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
	})
	b.Run("load/2", func(b *testing.B) {
		for b.Loop() {
			for _, f := range files {
				if _, err := Load[float32](b.Context(), f, 1, ReadWorkers(2)); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(4*pixels/1e6*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
	})
}

// BenchmarkLayouts reads the same pixels as files store them.
func BenchmarkLayouts(b *testing.B) {
	const side = 2048
	dem, err := Load[float32](b.Context(), terrainFile(b, "t.tif", Terrain{Width: side, Height: side, Seed: 1}), 1)
	if err != nil {
		b.Fatal(err)
	}
	heights := dem.Pixels
	at := func(x, y int) float64 { return float64(heights[y*side+x]) }
	for _, c := range []struct {
		name    string
		dtype   godal.DataType
		options []string
	}{
		{"float32", godal.Float32, []string{"TILED=YES", "COMPRESS=DEFLATE"}},
		{"float32-predictor-2", godal.Float32, []string{"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=2"}},
		{"float32-predictor-3", godal.Float32, []string{"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"}},
		{"float32-strips", godal.Float32, []string{"COMPRESS=DEFLATE", "BLOCKYSIZE=1"}},
		{"float32-none", godal.Float32, []string{"TILED=YES"}},
		{"float64", godal.Float64, []string{"TILED=YES", "COMPRESS=DEFLATE"}},
		{"int16", godal.Int16, []string{"TILED=YES", "COMPRESS=DEFLATE"}},
		{"int16-none", godal.Int16, []string{"TILED=YES"}},
		{"byte-none", godal.Byte, []string{"TILED=YES"}},
	} {
		path := rasterFile(b, "a.tif", c.dtype, side, side, nil, at, c.options...)
		info, err := Inspect(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Read(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(info.Bytes())/1e6*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
		})
	}
}
