package raster_test

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

// A kindRow is a row of testdata/truth.json: a file, and what a right reader
// finds in it. scripts/fixtures makes the files and computes the values, from
// the arrays that it writes and not with this package.
type kindRow struct {
	File, What string
	// Where the file is right:
	Driver        string
	Width, Height int
	Block         [2]int
	Compression   string
	Predictor     int  // of TIFF
	Interleaved   bool // by pixel
	Georeferenced bool
	Warns         bool
	Parts         int // rasters in the file, where there are several
	Bands         []kindTruth
	All           *kindTruth // of several bands together
	Overviews     []struct {
		Width, Height int
		kindTruth
	}
	Within float64 // how far another decoder's pixels may be off, 0 for not at all
	Needs  string  // a codec, driver or type that not every GDAL has
	MD5    string  // of a file that is not among the fixtures
	// Where it is not:
	Fails string     // "open" or "read"
	Says  string     // what the error has to say
	At    *[2]int    // column and row of the block that cannot be read
	Band  int        // where the block holds one band of several
	Rest  *kindTruth // of all other blocks
	Quiet bool       // GDAL takes the block for whole
}

// kindTruth is what is right for one band, or for several together.
type kindTruth struct {
	Type                                 string
	Count, NoData, Masked, NaN, Infinite int64
	Min, Max, Sum                        float64
	MD5                                  string // of the pixels in their own type, little-endian
	Mask                                 string // what says which are valid
	Declared                             *string
	Scale, Offset                        *float64
	Scaled                               []float64 // least, greatest and mean
}

func kindRows(t *testing.T) []kindRow {
	t.Helper()
	text, err := os.ReadFile("testdata/truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []kindRow
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("testdata/truth.json has no rows")
	}
	for i, k := range all {
		if k.Fails == "" && k.All == nil {
			all[i].All = &k.Bands[0]
		}
	}
	return all
}

// path returns where a kind's file is, and skips the test where it, or what is
// needed to read it, is not on this machine.
func (k kindRow) path(t *testing.T) string {
	t.Helper()
	setup()
	if why := k.lacks(); why != "" {
		t.Skip(why)
	}
	if name, ok := strings.CutPrefix(k.File, "proj:"); ok {
		path := projFile(t, name)
		if sum := fileMD5(t, path); sum != k.MD5 {
			t.Skipf("%s is of another version than the values", path)
		}
		return path
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if name, ok := strings.CutPrefix(k.File, "/vsizip/"); ok {
		return "/vsizip/" + filepath.Join(here, name)
	}
	return filepath.Join(here, k.File)
}

// lacks says what of the file's needs GDAL does not have here.
func (k kindRow) lacks() string {
	switch k.Needs {
	case "":
		return ""
	case "Int64":
		var major, minor int
		fmt.Sscanf(Version(), "%d.%d", &major, &minor)
		if major < 3 || major == 3 && minor < 5 {
			return "GDAL " + Version() + " has no integers of 64 bits; 3.5 has"
		}
		return ""
	case "AAIGrid", "GTX", "Zarr", "netCDF":
		if _, ok := godal.RasterDriver(godal.DriverName(k.Needs)); !ok {
			return "this GDAL has no driver " + k.Needs
		}
		return ""
	}
	tiff, ok := godal.RasterDriver(godal.GTiff)
	if !ok || !strings.Contains(tiff.Metadata("DMD_CREATIONOPTIONLIST"), "<Value>"+k.Needs+"</Value>") {
		return "this GDAL has no codec " + k.Needs
	}
	return ""
}

func projFile(t *testing.T, name string) string {
	t.Helper()
	path, err := Geoid()
	if err != nil || filepath.Base(path) != name {
		t.Skipf("there is no %s here: %v", name, err)
	}
	return path
}

func fileMD5(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := md5.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// differ says in what statistics differ from the right ones, "" if in nothing.
// A pixel may be off by within, as another JPEG decoder's may.
func (v kindTruth) differ(s Stats, within float64) string {
	far := func(a, b, by float64) bool { return !(math.Abs(a-b) <= by) }
	var list []string
	say := func(what string, got, want any) { list = append(list, fmt.Sprintf("%s %v, not %v", what, got, want)) }
	for _, n := range []struct {
		what      string
		got, want int64
	}{{"count", s.Count, v.Count}, {"nodata", s.NoData, v.NoData}, {"masked", s.Masked, v.Masked}, {"not finite", s.NotFinite, v.NaN + v.Infinite}} {
		if n.got != n.want {
			say(n.what, n.got, n.want)
		}
	}
	if far(s.Min, v.Min, within) {
		say("min", s.Min, v.Min)
	}
	if far(s.Max, v.Max, within) {
		say("max", s.Max, v.Max)
	}
	if far(s.Sum(), v.Sum, within*float64(v.Count)) {
		say("sum", s.Sum(), v.Sum)
	}
	return strings.Join(list, "; ")
}

// Every kind of file is described right, and has the right values band by band
// and altogether.
func TestKinds(t *testing.T) {
	for _, k := range kindRows(t) {
		if k.Fails != "" {
			continue
		}
		t.Run(k.File, func(t *testing.T) {
			path := k.path(t)
			info, err := Inspect(path)
			if err != nil {
				t.Fatal(err)
			}
			k.described(t, info)
			bands, err := ReadBands(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range bands.Stats {
				if text := bands.String(); !strings.Contains(text, s.String()) || strings.Contains(text, "incomplete") {
					t.Errorf("%s: said as %s", k.What, text)
				}
			}
			if len(bands.Stats) != len(k.Bands) {
				t.Fatalf("%s: %d bands, not %d", k.What, len(bands.Stats), len(k.Bands))
			}
			for i, want := range k.Bands {
				if why := want.differ(bands.Stats[i], k.Within); why != "" {
					t.Errorf("%s: band %d: %s", k.What, i+1, why)
				}
				if want.Scaled == nil {
					continue
				}
				low, high, mean := bands.Stats[i].Scaled(*want.Scale, *want.Offset)
				for j, got := range []float64{low, high, mean} {
					if math.Abs(got-want.Scaled[j]) > 1e-9 {
						t.Errorf("%s: band %d: scaled %v, %v, %v, not %v", k.What, i+1, low, high, mean, want.Scaled)
						break
					}
				}
			}
			s, err := Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if why := k.All.differ(s, k.Within); why != "" {
				t.Errorf("%s: altogether: %s", k.What, why)
			}
		})
	}
}

// described compares what the file says of itself.
func (k kindRow) described(t *testing.T, info Info) {
	t.Helper()
	check := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s is %v, not %v", k.What, what, got, want)
		}
	}
	check("format", info.Driver, k.Driver)
	check("size", Size{info.Width, info.Height}, Size{k.Width, k.Height})
	check("block", Size{info.BlockWidth, info.BlockHeight}, Size{k.Block[0], k.Block[1]})
	check("compression", info.Compression, k.Compression)
	check("georeferenced", info.Georeferenced, k.Georeferenced)
	check("warns", len(info.Warnings) > 0, k.Warns)
	check("rasters in the file", len(info.Parts), k.Parts)
	check("says that it has no georeferencing", strings.Contains(info.String(), "no georeferencing"), !k.Georeferenced)
	if k.Predictor > 0 { // of a TIFF
		check("predictor", info.Predictor, k.Predictor)
		check("interleaved by pixel", info.PixelInterleaved, k.Interleaved)
	}
	var sizes []Size
	for _, o := range k.Overviews {
		sizes = append(sizes, Size{o.Width, o.Height})
	}
	check("overviews", info.Overviews, sizes)
	check("number of bands", info.Bands, len(k.Bands))
	if len(info.Layers) != len(k.Bands) {
		t.Fatalf("%s: %d layers, not %d", k.What, len(info.Layers), len(k.Bands))
	}
	types := func(name string) string { // GDAL has Float16 since 3.11, and gives it as Float32 before
		if name == "Float16" {
			return "Float32"
		}
		return name
	}
	check("type", types(info.Type), k.Bands[0].Type)
	for i, want := range k.Bands {
		l := info.Layers[i]
		band := fmt.Sprintf(" of band %d", i+1)
		check("type"+band, types(l.Type), want.Type)
		check("mask"+band, l.Mask, want.Mask)
		check("has nodata"+band, l.HasNoData, want.Declared != nil)
		if want.Declared != nil {
			nodata, err := strconv.ParseFloat(*want.Declared, 64)
			if err != nil {
				t.Fatal(err)
			}
			check("nodata"+band, l.NoData, nodata)
		}
		scale, offset := 1.0, 0.0
		if want.Scale != nil {
			scale, offset = *want.Scale, *want.Offset
		}
		check("scale"+band, l.Scale, scale)
		check("offset"+band, l.Offset, offset)
	}
}

// kindWays are the ways to read, with more and fewer tasks and workers.
func kindWays(overview int, files ...string) map[string]func(context.Context) (string, error) {
	all := map[string]func(context.Context) (string, error){}
	add := func(name string, w workload, workers ...int) {
		for _, n := range workers {
			all[fmt.Sprintf("%s, %d at once", name, n)] = func(ctx context.Context) (string, error) { return kindTried(ctx, w, len(files), n) }
		}
	}
	add("whole", WholeReads(files...).With(Overview(overview)), 1, 3)
	add("whole in huge pages", WholeReads(files...).With(Overview(overview)).HugePages(), 1)
	add("windows", WindowReads(files...).With(Overview(overview)), 1, 3, 8)
	add(byGDAL, WindowReads(files...).With(Overview(overview)).ByGDAL(), 1, 3)
	add("windows of a block", WindowReads(files...).With(Overview(overview)).With(TaskBytes(1)), 1, 3, 8)
	add("collected", CollectReads(files...).With(Overview(overview)), 1, 3, 8)
	add(oneAtATime, WindowReads(files...).With(Overview(overview)).OneHandle(), 3)
	add("windows, opened for each", WindowReads(files...).With(Overview(overview)).OpenEach(), 3)
	add(threadSafely, WindowReads(files...).With(Overview(overview)).ThreadSafe(), 1, 3)
	add(gdalThreads+" in windows", WindowReads(files...).With(Overview(overview)).GDALThreads(2), 2)
	add("collected by blocks", CollectReads(files...).With(Overview(overview)).With(TaskBytes(1)), 1, 3, 8)
	if overview == 0 {
		all[gdalThreads] = func(ctx context.Context) (string, error) { return kindTried(ctx, ThreadReads(files...), len(files), 2) }
	}
	return all
}

const (
	byGDAL       = "windows by GDAL"
	oneAtATime   = "windows, one handle"
	threadSafely = "windows, thread-safe"
)

// notHere reports whether a way to read was refused that not every GDAL can go with every file.
func notHere(way string, err error) bool {
	return (strings.HasPrefix(way, gdalThreads) || strings.HasPrefix(way, threadSafely)) && errors.Is(err, ErrUnsupported)
}

// gdalThreads is the way that not every GDAL can go with every file.
const gdalThreads = "GDAL's threads"

// kindTried runs a workload, with all of its errors handed on.
func kindTried(ctx context.Context, w workload, size, workers int) (string, error) {
	tasks, finish, err := w.Tasks(size)
	if err != nil {
		return "", err
	}
	err = together(ctx, workers, tasks)
	a, err2 := finish()
	return a, cmp.Or(err, err2)
}

// All ways to read find the same in every kind of file, and that is right.
func TestKindsEveryWay(t *testing.T) {
	for _, k := range kindRows(t) {
		if k.Fails != "" {
			continue
		}
		t.Run(k.File, func(t *testing.T) {
			path := k.path(t)
			s, err := Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			want := combine([]Stats{s}).String()
			if why := k.All.differ(s, k.Within); why != "" {
				t.Errorf("%s: %s", k.What, why)
			}
			for name, read := range kindWays(0, path) {
				if got, err := read(t.Context()); notHere(name, err) {
					continue // said, and not crashed
				} else if err != nil {
					t.Errorf("%s, %s: %v", k.What, name, err)
				} else if got != want {
					t.Errorf("%s, %s:\ngot  %s\nwant %s", k.What, name, got, want)
				}
			}
		})
	}
}

// Overviews are the raster at a reduced size, read in every way.
func TestKindsReduced(t *testing.T) {
	n := 0
	for _, k := range kindRows(t) {
		for i, want := range k.Overviews {
			n++
			t.Run(fmt.Sprint(k.File, " ", want.Width), func(t *testing.T) {
				path := k.path(t)
				s, err := Read(t.Context(), path, Overview(i+1))
				if err != nil {
					t.Fatal(err)
				}
				if why := want.differ(s, k.Within); why != "" {
					t.Errorf("%s: overview %d: %s", k.What, i+1, why)
				}
				line := combine([]Stats{s}).String()
				for name, read := range kindWays(i+1, path) {
					if got, err := read(t.Context()); notHere(name, err) {
						continue
					} else if err != nil || got != line {
						t.Errorf("%s: overview %d, %s: %v\ngot  %s\nwant %s", k.What, i+1, name, err, got, line)
					}
				}
			})
		}
	}
	if n == 0 {
		t.Error("no kind has overviews")
	}
}

// The pixels themselves, in their own type.
func TestKindsPixels(t *testing.T) {
	for _, k := range kindRows(t) {
		if k.Fails != "" || k.Within > 0 {
			continue
		}
		t.Run(k.File, func(t *testing.T) {
			path := k.path(t)
			for i, want := range k.Bands {
				if got, valid, err := loadedAs(t, path, i+1, want.Type); err != nil {
					t.Errorf("%s: band %d: %v", k.What, i+1, err)
				} else if got != want.MD5 {
					t.Errorf("%s: band %d has other pixels (%s, not %s)", k.What, i+1, got, want.MD5)
				} else if valid != want.Count {
					t.Errorf("%s: band %d has %d valid pixels, not %d", k.What, i+1, valid, want.Count)
				}
			}
		})
	}
}

// loadedAs loads a band in a type and returns the sum of its pixels' bytes, and how many of them are valid.
func loadedAs(t *testing.T, path string, band int, dtype string) (string, int64, error) {
	switch dtype {
	case "Byte":
		return loadedMD5[uint8](t, path, band)
	case "Int8":
		return loadedMD5[int8](t, path, band)
	case "UInt16":
		return loadedMD5[uint16](t, path, band)
	case "Int16":
		return loadedMD5[int16](t, path, band)
	case "UInt32":
		return loadedMD5[uint32](t, path, band)
	case "Int32":
		return loadedMD5[int32](t, path, band)
	case "UInt64":
		return loadedMD5[uint64](t, path, band)
	case "Int64":
		return loadedMD5[int64](t, path, band)
	case "Float32":
		return loadedMD5[float32](t, path, band)
	case "Float64":
		return loadedMD5[float64](t, path, band)
	}
	return "", 0, fmt.Errorf("the test knows no type %s", dtype)
}

func loadedMD5[T Pixel](t *testing.T, path string, band int) (string, int64, error) {
	a, err := Load[T](t.Context(), path, band)
	if err != nil {
		return "", 0, err
	}
	if len(a.Pixels) != a.Width*a.Height {
		return "", 0, fmt.Errorf("%d pixels for %d x %d", len(a.Pixels), a.Width, a.Height)
	}
	h := md5.New()
	if err := binary.Write(h, binary.LittleEndian, a.Pixels); err != nil {
		return "", 0, err
	}
	var valid atomic.Int64
	err = Stream(t.Context(), []string{path}, func(w Window[T]) error {
		for y := range w.Height {
			for x := range w.Width {
				if w.Valid(x, y) {
					valid.Add(1)
				}
			}
		}
		return nil
	}, OnlyBands(band))
	return hex.EncodeToString(h.Sum(nil)), valid.Load(), err
}

// What cannot be read is an error that names the file, the cause, and the block
// where it is one block, whatever the way to read; nothing stays open.
func TestKindsThatFail(t *testing.T) {
	for _, k := range append(kindRows(t), kindRow{File: "folder.tif", What: "a folder", Fails: "open", Says: "is a directory"}) {
		if k.Fails == "" {
			continue
		}
		t.Run(k.File, func(t *testing.T) {
			path := k.path(t)
			if k.File == "folder.tif" {
				path = filepath.Join(t.TempDir(), k.File)
				if err := os.Mkdir(path, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Inspect(path)
			if (err != nil) != (k.Fails == "open") {
				t.Errorf("%s: Inspect: %v", k.What, err)
			}
			check := func(way string, err error) {
				t.Helper()
				if err == nil {
					t.Errorf("%s, %s: no error", k.What, way)
					return
				}
				if msg := err.Error(); !strings.HasPrefix(msg, "raster: ") || !strings.Contains(msg, fmt.Sprintf("%q: ", path)) || !strings.Contains(msg, k.Says) {
					t.Errorf("%s, %s: %v; want it to name the file and say %q", k.What, way, err, k.Says)
				}
				if k.At == nil {
					return
				}
				if e, ok := errors.AsType[*BlockError](err); !ok {
					t.Errorf("%s, %s: %v; want it to be a BlockError", k.What, way, err)
				} else if got, want := []int{e.Column, e.Row, e.Band, e.X, e.Y}, []int{k.At[0], k.At[1], k.Band, k.At[0] * k.Block[0], k.At[1] * k.Block[1]}; !slices.Equal(got, want) {
					t.Errorf("%s, %s: %v; column, row, band, X and Y are %v, not %v", k.What, way, err, got, want)
				}
			}
			if k.Fails == "open" {
				check("Inspect", err)
			}
			for _, workers := range []int{1, 3, 8} {
				for _, bytes := range []int{1, defaultTaskBytes} {
					way := fmt.Sprintf("ReadBands by %d bytes, %d at once", bytes, workers)
					b, err := ReadBands(t.Context(), path, ReadWorkers(workers), TaskBytes(bytes))
					check(way, err)
					if k.Rest == nil {
						continue
					}
					if why := k.Rest.differ(b.Total(), 0); why != "" || b.Complete() || b.Read != b.Blocks-1 {
						t.Errorf("%s, %s: the rest: %d of %d blocks; %s", k.What, way, b.Read, b.Blocks, why)
					}
				}
			}
			for name, read := range kindWays(0, path) {
				_, err := read(t.Context())
				switch {
				case notHere(name, err):
				case k.Quiet && (strings.HasPrefix(name, gdalThreads) || strings.HasPrefix(name, threadSafely) || strings.HasPrefix(name, "whole") || strings.HasPrefix(name, byGDAL)):
				default:
					check(name, err)
				}
			}
			if n := descriptors(t, filepath.Dir(path)); n != 0 {
				t.Errorf("%s: %d files left open", k.What, n)
			}
		})
	}
}

// All kinds in one batch, the damaged ones among them: each failure is told,
// and all other files are read.
func TestKindsTogether(t *testing.T) {
	var here []kindRow
	var files []string
	for _, k := range kindRows(t) {
		if k.lacks() == "" && !strings.HasPrefix(k.File, "proj:") {
			here, files = append(here, k), append(files, k.path(t))
		}
	}
	var good []string
	var want []Stats
	for _, workers := range []int{1, 3, 8} {
		results, err := ReadMany(t.Context(), files, ReadWorkers(workers))
		if err == nil || len(results) != len(files) {
			t.Fatalf("%d results for %d files, %v", len(results), len(files), err)
		}
		good, want = nil, nil
		for i, k := range here {
			r := results[i]
			switch {
			case r.Path != files[i]:
				t.Errorf("result %d is of %s, not %s", i, r.Path, files[i])
			case k.Fails != "" && (r.Err == nil || !strings.Contains(err.Error(), r.Err.Error())):
				t.Errorf("%s: %s: %v; it must be told", k.File, k.What, r.Err)
			case k.Fails == "" && r.Err != nil:
				t.Errorf("%s: %s: %v", k.File, k.What, r.Err)
			case k.Fails == "":
				if why := k.All.differ(r.Total(), k.Within); why != "" {
					t.Errorf("%s: %s: %s", k.File, k.What, why)
				}
				good, want = append(good, files[i]), append(want, r.Total())
			}
		}
	}
	line := combine(want).String()
	for name, read := range kindWays(0, good...) {
		if got, err := read(t.Context()); notHere(name, err) {
			continue
		} else if err != nil || got != line {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, line)
		}
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if n := descriptors(t, dir); n != 0 {
		t.Errorf("%d files left open", n)
	}
}
