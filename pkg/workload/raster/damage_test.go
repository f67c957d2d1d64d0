package raster

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airbusgeo/godal"
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
			h, err := openFor(path, reading{}, access{})
			if err != nil {
				t.Fatal(err)
			}
			column, row := min(1, h.across-1), 1
			var at, n int64
			fmt.Sscan(h.item(h.firstBand(), fmt.Sprintf("BLOCK_OFFSET_%d_%d", column, row), "TIFF"), &at)
			fmt.Sscan(h.item(h.firstBand(), fmt.Sprintf("BLOCK_SIZE_%d_%d", column, row), "TIFF"), &n)
			h.close()
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
				if h, err := openFor(path, reading{}, access{}); err == nil {
					h.scratch = new(scratch)
					if h.foldWhole(t.Context(), path, false) == nil {
						quiet++
					}
					h.close()
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

func TestMatch(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.tif", "a.tif", "[x]*.tif"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Match(filepath.Join(dir, "[x]*.tif"), filepath.Join(dir, "?.tif"))
	if err != nil || len(files) != 3 || filepath.Base(files[1]) != "a.tif" {
		t.Error(files, err)
	}
	for pattern, want := range map[string]string{"none-*.tif": "matches no file", "a[": "syntax error"} {
		if _, err := Match(filepath.Join(dir, pattern)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), pattern) {
			t.Error(err)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "none-*.tif")); err == nil || !strings.Contains(err.Error(), "Match") {
		t.Error(err)
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
	hs := newHandles([]string{path}, 2, reading{})
	h, err := hs.take(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Terrain{Width: 300, Height: 300, Seed: 2, Level: 1}).Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := hs.take(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "replaced by another") {
		t.Errorf("got %v", err)
	}
	hs.give(0, h)
	hs.end()
	if n := descriptors(t, filepath.Dir(path)); n != 0 {
		t.Errorf("%d files left open", n)
	}
}
