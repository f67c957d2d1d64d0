package raster_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

// libtiff takes about half of the tiles that are damaged like this for whole.
func TestDamageIsNoticed(t *testing.T) {
	rough := func(x, y int) float64 { return float64((x*x*31 + y*17 + x*y) % 9973) }
	for name, path := range map[string]string{
		"float32":     rasterFile(t, "a.tif", godal.Float32, 256, 256, nil, rough, "TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128", "COMPRESS=DEFLATE"),
		"edges":       rasterFile(t, "a.tif", godal.Float32, 200, 200, nil, rough, "TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128", "COMPRESS=DEFLATE"),
		"predictor 2": rasterFile(t, "a.tif", godal.UInt16, 256, 256, nil, rough, "TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128", "COMPRESS=DEFLATE", "PREDICTOR=2"),
		"predictor 3": rasterFile(t, "a.tif", godal.Float32, 256, 256, nil, rough, "TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128", "COMPRESS=DEFLATE", "PREDICTOR=3"),
		"strips":      rasterFile(t, "a.tif", godal.Float32, 256, 250, nil, rough, "BLOCKYSIZE=60", "COMPRESS=DEFLATE"),
	} {
		t.Run(name, func(t *testing.T) {
			want, err := Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Handle(path)
			if err != nil {
				t.Fatal(err)
			}
			column, row := min(1, h.Across()-1), 1
			var at, n int64
			at, n = h.Extent(column, row)
			h.Close()
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			quiet := 0
			for range 20 {
				bad := append([]byte(nil), whole...)
				from := at + 2 + r.Int64N(n-8)
				for i := range min(int64(20), at+n-4-from) {
					bad[from+i] = byte(r.Uint32())
				}
				path := filepath.Join(t.TempDir(), "bad.tif")
				if err := os.WriteFile(path, bad, 0o644); err != nil {
					t.Fatal(err)
				}
				b, err := ReadBands(t.Context(), path, ReadWorkers(2))
				var block *BlockError
				if !errors.As(err, &block) || block.Column != column || block.Row != row || b.Complete() || b.Read != b.Blocks-1 {
					t.Fatalf("%v, %d of %d", err, b.Read, b.Blocks)
				}
				if got := b.Total(); got.Count >= want.Count || got.Count == 0 {
					t.Fatal(got)
				}
				// Reading of whole rasters leaves it to GDAL.
				if h, err := Handle(path); err == nil {
					if h.FoldWhole(t.Context()) == nil {
						quiet++
					}
					h.Close()
				}
			}
			t.Logf("GDAL noticed %d of 20", 20-quiet)
		})
	}
}

func TestReadManyKeepsTheOthers(t *testing.T) {
	dir := t.TempDir()
	var files []string
	var want []Stats
	for i := range 6 {
		path := filepath.Join(dir, string(rune('a'+i)))
		if err := (Terrain{Width: 600, Height: 600, Seed: uint64(i), Level: 1}).Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		s, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		files, want = append(files, path), append(want, s)
	}
	damage(t, files[2])
	if err := os.Remove(files[4]); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 8} {
		results, err := ReadMany(t.Context(), files, ReadWorkers(workers))
		if err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), files[2]) || !strings.Contains(err.Error(), "8 of 9 blocks could be read") {
			t.Errorf("%d workers: %v", workers, err)
		}
		for i, want := range []string{2: "incomplete: 8 of 9 blocks\nraster: read ", 3: "blocks of 256 x 256, DEFLATE, ", 4: "raster: open "} {
			if s := results[i].String(); !strings.Contains(s, want) || !strings.Contains(s, files[i]) || strings.Contains(s, "count=") != (i != 4) {
				t.Errorf("%d workers: %s", workers, s)
			}
		}
		for i, r := range results {
			bad := i == 2 || i == 4
			if r.Path != files[i] || (r.Err != nil) != bad || r.Complete() == bad || !bad && r.Total() != want[i] {
				t.Errorf("%d workers: %+v", workers, r)
			}
		}
		if n := descriptors(t, dir); n != 0 {
			t.Errorf("%d workers: %d files left open", workers, n)
		}
	}
	if results, err := ReadMany(t.Context(), nil); !errors.Is(err, ErrNoFiles) || results != nil {
		t.Error(results, err)
	}
}

// The answer of a run of which a part is missing says so, in every way to read.
func TestPartialAnswerIsMarked(t *testing.T) {
	path, err := filepath.Abs("testdata/damaged-lzw.tif")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []workload{WholeReads(path, path), WindowReads(path, path).With(TaskBytes(1)), WindowReads(path, path).OneHandle(), CollectReads(path, path), ThreadReads(path, path)} {
		_, spec := w.Spec()
		for name, run := range map[string]func([]sched.Task) error{
			"damaged":   func(tasks []sched.Task) error { return together(t.Context(), 2, tasks) },
			"not begun": func([]sched.Task) error { return nil },
		} {
			tasks, finish, err := w.Tasks(2)
			if err != nil {
				t.Fatal(err)
			}
			if err := run(tasks); (err != nil) != (name == "damaged") {
				t.Error(err)
			}
			if a, err := finish(); err != nil || !strings.HasPrefix(a, "incomplete, ") || !strings.Contains(a, fmt.Sprintf(" of %d tasks: count=", len(tasks))) {
				t.Errorf("%v, %s: %q, %v", spec, name, a, err)
			}
		}
	}
}

// A file that is cut while it is read is an error, also where its blocks lie as pixels in it.
func TestCutWhileRead(t *testing.T) {
	for name, options := range map[string][]string{
		"not compressed": {"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"},
		"deflate":        {"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64", "COMPRESS=DEFLATE"},
		"by GDAL":        {"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64", "COMPRESS=LZW"},
		"strips":         {"BLOCKYSIZE=1"},
	} {
		path := rasterFile(t, "a.tif", godal.Float32, 1024, 1024, nil, func(x, y int) float64 { return float64((x*7 + y*y) % 9973) }, options...)
		var once sync.Once
		err := Stream(t.Context(), []string{path}, func(Window[float32]) error {
			once.Do(func() {
				if err := os.Truncate(path, 100_000); err != nil {
					t.Error(err)
				}
			})
			return nil
		}, TaskBytes(1), ReadWorkers(3))
		says(t, err, path)
		if err != nil && !strings.Contains(err.Error(), "damaged or cut short") && !strings.Contains(err.Error(), "while it was read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChangedFile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"touched":  {func(p string) error { return os.Chtimes(p, time.Time{}, time.Now().Add(time.Hour)) }, "changed while it was read"},
		"longer":   {func(p string) error { return os.Truncate(p, 1<<20) }, "changed while it was read"},
		"removed":  {os.Remove, "removed while it was read"},
		"replaced": {func(p string) error { os.WriteFile(p+"x", nil, 0o644); return os.Rename(p+"x", p) }, "replaced by another while it was read"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range []func(...string) workload{
				func(f ...string) workload { return WholeReads(f...) },
				func(f ...string) workload { return WindowReads(f...) },
				func(f ...string) workload { return CollectReads(f...) },
			} {
				path := terrainFile(t, "t.tif", Terrain{Width: 300, Height: 300, Seed: 1, Level: 1})
				tasks, finish, err := w(path).Tasks(1)
				if err != nil {
					t.Fatal(err)
				}
				if err := together(t.Context(), 2, tasks); err != nil {
					t.Fatal(err)
				}
				if err := c.change(path); err != nil {
					t.Fatal(err)
				}
				if _, err := finish(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("%v; want %q", err, c.want)
				}
			}
		})
	}
	// Between the opening of one handle and that of the next.
	path := terrainFile(t, "t.tif", Terrain{Width: 300, Height: 300, Seed: 1, Level: 1})
	hs := NewPool([]string{path}, 2)
	err := hs.With(t.Context(), 0, func(*OpenFile) error {
		if err := (Terrain{Width: 300, Height: 300, Seed: 2, Level: 1}).Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		return hs.With(t.Context(), 0, func(*OpenFile) error { return nil })
	})
	if err == nil || !strings.Contains(err.Error(), "replaced by another") {
		t.Errorf("got %v", err)
	}
	hs.End()
	if n := descriptors(t, filepath.Dir(path)); n != 0 {
		t.Errorf("%d files left open", n)
	}
}
