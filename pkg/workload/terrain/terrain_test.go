package terrain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"overlap/pkg/raster"

	"github.com/airbusgeo/godal"
	"pgregory.net/rapid"
)

// pixels reads a whole raster.
func pixels(t *testing.T, path string) (values []float32, width, height int) {
	t.Helper()
	ds, err := godal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	s := ds.Structure()
	values = make([]float32, s.SizeX*s.SizeY)
	if err := ds.Bands()[0].Read(0, 0, values, s.SizeX, s.SizeY); err != nil {
		t.Fatal(err)
	}
	return values, s.SizeX, s.SizeY
}

func TestTerrainValues(t *testing.T) {
	terrain := Terrain{Width: 700, Height: 900, Seed: 5}
	var want []float32
	for _, workers := range []int{1, 2, 7} {
		path := filepath.Join(t.TempDir(), "t.tif")
		if err := terrain.Write(t.Context(), path, Workers(workers)); err != nil {
			t.Fatal(err)
		}
		got, _, _ := pixels(t, path)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: other heights than with 1", workers)
		}
	}
	other, _, _ := pixels(t, terrainFile(t, "o.tif", Terrain{Width: 700, Height: 900, Seed: 6}))
	if slices.Equal(other, want) {
		t.Error("seeds 5 and 6 give the same heights")
	}
	small, w, h := pixels(t, terrainFile(t, "s.tif", Terrain{Width: 300, Height: 40, Seed: 5}))
	for y := range h {
		if !slices.Equal(small[y*w:(y+1)*w], want[y*700:y*700+w]) {
			t.Fatalf("row %d of a smaller terrain differs", y)
		}
	}
	for i, v := range want {
		if v != float32(int(v)) || v < base-2*relief*spread || v > base+2*relief*spread {
			t.Fatalf("height %v at %d", v, i)
		}
	}
}

// The heights are part of what a seed promises: if this fails on purpose,
// raise the number in generator.
func TestTerrainIsStable(t *testing.T) {
	s, err := raster.Read(t.Context(), terrainFile(t, "t.tif", Terrain{Width: 700, Height: 333, Seed: 1}))
	if err != nil {
		t.Fatal(err)
	}
	const want = "count=233100 nodata=0 notfinite=0 min=726 max=1073 sum=211089543 checksum=238a0c916319a000"
	if s.String() != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// A row is evaluated cell by cell; at is the textbook's way for one pixel.
func TestNoiseAgainstPlainPerlin(t *testing.T) {
	n := newNoise(77)
	at := func(o *octave, x, y int) float64 {
		period := float64(int(1) << o.shift)
		X, Y := float64(x+o.dx)/period, float64(y+o.dy)/period
		i, j := int(X), int(Y)
		u, v := X-float64(i), Y-float64(j)
		ease := func(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }
		dot := func(di, dj int) float64 {
			gx, gy := o.gradient(i+di, j+dj)
			return float64(gx)*(u-float64(di)) + float64(gy)*(v-float64(dj))
		}
		a := dot(0, 0) + ease(v)*(dot(0, 1)-dot(0, 0))
		b := dot(1, 0) + ease(v)*(dot(1, 1)-dot(1, 0))
		return float64(o.amp) * (a + ease(u)*(b-a))
	}
	row := make([]float32, 5000)
	for i := range n.oct {
		for _, y := range []int{0, 1, 255, 4096, 20323} {
			clear(row)
			n.oct[i].add(row, y)
			for x := 0; x < len(row); x += 37 {
				if want := at(&n.oct[i], x, y); float64(row[x])-want > 0.01 || want-float64(row[x]) > 0.01 {
					t.Fatalf("octave %d at %d, %d: %v, want %v", i, x, y, row[x], want)
				}
			}
		}
	}
}

func TestTerrainCompresses(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		info, err := raster.Inspect(terrainFile(t, "t.tif", Terrain{Width: 1024, Height: 1024, Seed: seed}))
		if err != nil {
			t.Fatal(err)
		}
		share := float64(info.FileBytes) / float64(info.Bytes())
		t.Logf("seed %d: %.1f %% of raw", seed, 100*share)
		if share < 0.15 || share > 0.20 {
			t.Errorf("seed %d: %.1f %% of raw, want 15 to 20", seed, 100*share)
		}
	}
}

func TestTerrainOfAnySize(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		terrain := Terrain{
			Width:  rapid.OneOf(rapid.Just(1), rapid.SampledFrom([]int{255, 256, 257}), rapid.IntRange(1, 300)).Draw(t, "width"),
			Height: rapid.OneOf(rapid.Just(1), rapid.SampledFrom([]int{255, 256, 257}), rapid.IntRange(1, 300)).Draw(t, "height"),
			Seed:   rapid.Uint64().Draw(t, "seed"),
			Level:  rapid.IntRange(0, 3).Draw(t, "level"),
		}
		path := filepath.Join(dir, "t.tif")
		if made, err := terrain.Ensure(context.Background(), path); err != nil || !made {
			t.Fatal(made, err)
		}
		if made, err := terrain.Ensure(context.Background(), path); err != nil || made {
			t.Fatal("not recognised", err)
		}
		row, n, want := make([]float32, terrain.Width), newNoise(terrain.Seed), raster.Stats{}
		var f raster.Folder
		for y := range terrain.Height {
			n.row(row, y)
			raster.Window[float32]{Y: y, Width: terrain.Width, Height: 1, Pixels: row, Stride: terrain.Width}.Fold(&f, &want)
		}
		if got, err := raster.Read(context.Background(), path); err != nil || got != want {
			t.Fatalf("%v, %v\nwant %v", got, err, want)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ok := Terrain{Width: 10, Height: 10}
	for _, c := range []struct {
		name    string
		terrain Terrain
		path    string
		want    string
	}{
		{"width 0", Terrain{Height: 10}, "t.tif", "0 x 10 pixels: width and height must be at least 1"},
		{"negative height", Terrain{Width: 10, Height: -1}, "t.tif", "10 x -1 pixels: width and height must be at least 1"},
		{"absurd width", Terrain{Width: 1 << 40, Height: 10}, "t.tif", "can be at most 65536"},
		{"absurd height", Terrain{Width: 1, Height: 65537}, "t.tif", "can be at most 65536"},
		{"level", Terrain{Width: 10, Height: 10, Level: 13}, "t.tif", "deflate level 13: give 1 to 12"},
		{"no folder", ok, "none/t.tif", "no such folder"},
		{"folder is a file", ok, "file/t.tif", "not a directory"},
		{"is a folder", ok, "", "is a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.path)
			err := c.terrain.Write(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), `raster: write "`) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			t.Log(err)
			if got := names(t, dir); got != "file" {
				t.Errorf("left behind: %s", got)
			}
		})
	}
}

func TestWriteReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	chmod(t, filepath.Dir(dir), 0o755)
	chmod(t, dir, 0o555)
	asNobody(t, func() {
		err := Terrain{Width: 10, Height: 10}.Write(context.Background(), filepath.Join(dir, "t.tif"))
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no permission to write in folder") {
			t.Errorf("got %v", err)
		}
	})
	if got := names(t, dir); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

// A limit on the length of files makes a write fail in the middle, as a full
// disk does.
func TestWriteFailsInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RASTER_TEST_SMALL_LIMIT="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if !strings.HasPrefix(string(out), "raster: write ") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("got %q", out)
	}
	if got := names(t, dir); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

func writeBeyondLimit(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	limit := &syscall.Rlimit{Cur: 300_000, Max: 300_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, limit); err != nil {
		fmt.Println(err)
		return 1
	}
	err := Terrain{Width: 1024, Height: 1024, Seed: 1, Level: 1}.Write(context.Background(), filepath.Join(dir, "t.tif"))
	fmt.Println(err)
	return 0
}

func TestWriteCancelled(t *testing.T) {
	for _, after := range []int{0, 256, 512} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			path := terrainFile(t, "t.tif", Terrain{Width: 20, Height: 20, Seed: 1}) // what is there must stay
			before, _ := os.ReadFile(path)
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough")
			if after == 0 {
				cancel(why)
			}
			err := Terrain{Width: 300, Height: 2000, Level: 1}.Write(ctx, path, OnProgress(func(done, total int) {
				if total != 2000 {
					t.Errorf("total %d", total)
				}
				if done >= after {
					cancel(why)
				}
			}))
			if !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
			if got := names(t, filepath.Dir(path)); got != "t.tif" {
				t.Errorf("folder holds %s", got)
			}
			if now, _ := os.ReadFile(path); !slices.Equal(now, before) {
				t.Error("the file that was there changed")
			}
		})
	}
}

func TestEnsure(t *testing.T) {
	terrain := Terrain{Width: 600, Height: 400, Seed: 4, Level: 1}
	whole, err := os.ReadFile(terrainFile(t, "t.tif", terrain))
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		b := slices.Clone(whole)
		b[at] ^= 1
		return b
	}
	for _, c := range []struct {
		name    string
		there   []byte
		terrain Terrain
		made    bool
	}{
		{"whole", whole, terrain, false},
		{"default level by its number", whole, Terrain{Width: 600, Height: 400, Seed: 4, Level: 1}, false},
		{"nothing", nil, terrain, true},
		{"empty", []byte{}, terrain, true},
		{"cut short", whole[:len(whole)/2], terrain, true},
		{"cut by a byte", whole[:len(whole)-1], terrain, true},
		{"longer by a byte", append(slices.Clone(whole), 0), terrain, true},
		{"without its last line", whole[:len(whole)-83], terrain, true},
		{"a bit of the head", flip(1), terrain, true},
		{"a bit of the middle", flip(len(whole) / 2), terrain, true},
		{"a bit of the last line", flip(len(whole) - 3), terrain, true},
		{"zeros at the end, as after a crash", append(slices.Clone(whole[:len(whole)/2]), make([]byte, len(whole)-len(whole)/2)...), terrain, true},
		{"another seed", whole, Terrain{Width: 600, Height: 400, Seed: 5, Level: 1}, true},
		{"another size", whole, Terrain{Width: 601, Height: 400, Seed: 4, Level: 1}, true},
		{"another level", whole, Terrain{Width: 600, Height: 400, Seed: 4, Level: 2}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.tif")
			if c.there != nil {
				if err := os.WriteFile(path, c.there, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if made, err := c.terrain.Ensure(t.Context(), path); err != nil || made != c.made {
				t.Fatalf("made %v, %v; want %v", made, err, c.made)
			}
			if made, err := c.terrain.Ensure(t.Context(), path); err != nil || made {
				t.Errorf("made again: %v, %v", made, err)
			}
			if got := names(t, filepath.Dir(path)); got != "t.tif" {
				t.Errorf("folder holds %s", got)
			}
		})
	}
}

func TestEnsureSparesOthersRasters(t *testing.T) {
	path := rasterFile(t, "dem.tif", godal.Int16, 40, 30, nil, func(x, y int) float64 { return 7 })
	before, _ := os.ReadFile(path)
	if _, err := (Terrain{Width: 10, Height: 10}).Ensure(t.Context(), path); err == nil || !strings.Contains(err.Error(), "was not made here") {
		t.Errorf("got %v", err)
	}
	if now, _ := os.ReadFile(path); !slices.Equal(now, before) {
		t.Error("it was changed")
	}
}

func TestStaleFiles(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{".t.tif.123.part", ".t.tif.456.part", ".u.tif.123.part"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("II"), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(path, old, old)
	}
	alive, err := os.Open(filepath.Join(dir, ".t.tif.456.part"))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := syscall.Flock(int(alive.Fd()), syscall.LOCK_SH); err != nil {
		t.Skip(err)
	}
	if err := (Terrain{Width: 10, Height: 10}).Write(t.Context(), filepath.Join(dir, "t.tif")); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, dir), ".t.tif.456.part .u.tif.123.part t.tif"; got != want {
		t.Errorf("folder holds %s\nwant %s", got, want)
	}
}
