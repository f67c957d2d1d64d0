package tiff_test

import (
	stdbytes "bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/airbusgeo/godal"
	"overlap/pkg/internal/tiff"
)

func decoder(tb testing.TB) *tiff.Decoder {
	tb.Helper()
	d, err := tiff.NewDecoder()
	if errors.Is(err, tiff.ErrNoLibrary) {
		tb.Skip(err)
	} else if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(d.Close)
	return d
}

func open(tb testing.TB, path string) *tiff.File {
	tb.Helper()
	f, err := tiff.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

// TestSameBytesAsGDAL compares every pixel of every kind.
func TestSameBytesAsGDAL(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			path, size := k.write(t), bytes(k.dtype)
			f, d := open(t, path), decoder(t)
			if f.Width != k.width || f.Height != k.height || f.Samples != k.bands || f.Bits != 8*size {
				t.Fatalf("%+v", f.Layout)
			}
			ds, err := godal.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer ds.Close()
			perBand, bandsInBlock := f.Across()*f.Down(), k.bands
			if f.Separate {
				bandsInBlock = 1
			}
			block := make([]byte, f.BlockBytes())
			for i := range f.Blocks() {
				if err := d.Read(f, i, block); err != nil {
					t.Fatal(err)
				}
				x, y := i%f.Across()*f.BlockWidth, i%perBand/f.Across()*f.BlockHeight
				w, h := min(f.BlockWidth, k.width-x), min(f.BlockHeight, k.height-y)
				for b := range bandsInBlock {
					band := b
					if f.Separate {
						band = i / perBand
					}
					want := make([]byte, w*h*size)
					readInto(t, ds.Bands()[band], k.dtype, want, x, y, w, h)
					for r := range h {
						for c := range w {
							at := ((r*f.BlockWidth+c)*bandsInBlock + b) * size
							got, should := block[at:at+size], want[(r*w+c)*size:][:size]
							if !stdbytes.Equal(got, should) {
								t.Fatalf("block %d, band %d, column %d, row %d: %x, GDAL gives %x", i, band, c, r, got, should)
							}
						}
					}
				}
			}
		})
	}
}

// readInto reads a window with GDAL into the bytes of its own type.
func readInto(tb testing.TB, band godal.Band, t godal.DataType, p []byte, x, y, w, h int) {
	tb.Helper()
	var err error
	n, at := w*h, unsafe.Pointer(&p[0])
	switch t {
	case godal.Byte:
		err = band.Read(x, y, p, w, h)
	case godal.UInt16:
		err = band.Read(x, y, unsafe.Slice((*uint16)(at), n), w, h)
	case godal.Int16:
		err = band.Read(x, y, unsafe.Slice((*int16)(at), n), w, h)
	case godal.UInt32:
		err = band.Read(x, y, unsafe.Slice((*uint32)(at), n), w, h)
	case godal.Int32:
		err = band.Read(x, y, unsafe.Slice((*int32)(at), n), w, h)
	case godal.Float32:
		err = band.Read(x, y, unsafe.Slice((*float32)(at), n), w, h)
	case godal.Float64:
		err = band.Read(x, y, unsafe.Slice((*float64)(at), n), w, h)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

var float3 = kind{"", godal.Float32, 1, 600, 500, []string{"COMPRESS=DEFLATE", "PREDICTOR=3", "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"}}

// TestManyAtOnce reads the blocks of one file from several goroutines.
func TestManyAtOnce(t *testing.T) {
	f := open(t, float3.write(t))
	want := make([][]byte, f.Blocks())
	d := decoder(t)
	for i := range want {
		want[i] = make([]byte, f.BlockBytes())
		if err := d.Read(f, i, want[i]); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		d := decoder(t)
		wg.Go(func() {
			block := make([]byte, f.BlockBytes())
			for i := range want {
				i = (i*7 + g) % len(want)
				if err := d.Read(f, i, block); err != nil {
					t.Error(err)
				} else if !stdbytes.Equal(block, want[i]) {
					t.Errorf("block %d differs", i)
				}
			}
		})
	}
	wg.Wait()
}

// TestDamageIsNoticed changes single bytes of the blocks' data: the checksum
// tells each.
func TestDamageIsNoticed(t *testing.T) {
	path := float3.write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(t)
	block := []byte(nil)
	for i := range open(t, path).Blocks() {
		damaged := stdbytes.Clone(whole)
		at := int(tiff.Offset(open(t, path), i)) + 2 + i*13%200
		damaged[at] ^= 1 << (i % 8)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		if block == nil {
			block = make([]byte, f.BlockBytes())
		}
		if err := d.Read(f, i, block); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("block %d with a changed byte: %v", i, err)
		}
		if err := d.Read(f, (i+1)%f.Blocks(), block); err != nil {
			t.Errorf("the block after it: %v", err)
		}
	}
}

func TestShortFile(t *testing.T) {
	path := float3.write(t)
	f := open(t, path)
	if err := os.Truncate(path, 2000); err != nil {
		t.Fatal(err)
	}
	d, block := decoder(t), make([]byte, f.BlockBytes())
	if err := d.Read(f, f.Blocks()-1, block); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("a file that was cut while it was open: %v", err)
	}
	if f, err := tiff.Open(path); err == nil {
		defer f.Close()
		if err := d.Read(f, f.Blocks()-1, block); err == nil {
			t.Error("a block beyond the end of the file was read")
		}
	}
}

func TestLeftOut(t *testing.T) {
	register()
	path := filepath.Join(t.TempDir(), "a.tif")
	ds, err := godal.Create(godal.GTiff, path, 1, godal.Float32, 512, 512, godal.CreationOption("SPARSE_OK=TRUE", "TILED=YES", "COMPRESS=DEFLATE"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ds.Bands()[0].Write(256, 0, make([]float32, 1), 1, 1); err != nil {
		t.Fatal(err)
	}
	ds.Close()
	f := open(t, path)
	if f.Stored(0) != 0 {
		t.Fatal("the block is there")
	}
	if err := decoder(t).Read(f, 0, make([]byte, f.BlockBytes())); !errors.Is(err, tiff.ErrLeftOut) {
		t.Errorf("a block that was left out: %v", err)
	}
}

func TestWhatIsNotSupported(t *testing.T) {
	for _, c := range []struct {
		option, says string
		dtype        godal.DataType
	}{
		{"COMPRESS=LZW", "compression 5", godal.Byte},
		{"COMPRESS=PACKBITS", "compression 32773", godal.Byte},
		{"NBITS=12", "12 bits", godal.UInt16},
		{"NBITS=16", "floating-point samples of 16 bits", godal.Float32},
		{"NBITS=1", "1 bits", godal.Byte},
		{"COMPRESS=NONE", "sample format 6", godal.CFloat32},
	} {
		t.Run(c.option, func(t *testing.T) {
			f := open(t, kind{"", c.dtype, 1, 64, 64, []string{c.option}}.write(t))
			if err := f.Supported(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if err := decoder(t).Read(f, 0, make([]byte, 1<<16)); err == nil {
				t.Error("a block was read all the same")
			}
		})
	}
}

func TestWrongUse(t *testing.T) {
	f, d := open(t, float3.write(t)), decoder(t)
	block := make([]byte, f.BlockBytes()+8)
	for name, err := range map[string]error{
		"block -1":            d.Read(f, -1, block),
		"one block too far":   d.Read(f, f.Blocks(), block),
		"too little room":     d.Read(f, 0, block[:100]),
		"room at odd address": d.Read(f, 0, block[1:]),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no TIFF at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(dir, "missing.tif")} {
		if f, err := tiff.Open(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("the error does not name the file: %v", err)
		}
	}
}

func TestNothingAllocated(t *testing.T) {
	f, d := open(t, float3.write(t)), decoder(t)
	block := make([]byte, f.BlockBytes())
	read := func() {
		for i := range f.Blocks() {
			if err := d.Read(f, i, block); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(3, read); n != 0 {
		t.Errorf("%v allocations in %d blocks", n, f.Blocks())
	}
}

// tiffOf returns a TIFF of bytes of one strip with that data, by hand.
func tiffOf(t *testing.T, width, height int, data []byte) string {
	t.Helper()
	file := []byte{'I', 'I', 42, 0, 8, 0, 0, 0, 9, 0}
	const directory = 2 + 9*12 + 4
	for _, tag := range [][2]int{{256, width}, {257, height}, {258, 8}, {259, 8}, {262, 1}, {273, 8 + directory}, {277, 1}, {278, height}, {279, len(data)}} {
		file = binary.LittleEndian.AppendUint16(file, uint16(tag[0]))
		file = append(file, 4, 0, 1, 0, 0, 0) // one LONG
		file = binary.LittleEndian.AppendUint32(file, uint32(tag[1]))
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := os.WriteFile(path, append(append(file, 0, 0, 0, 0), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMoreThanABlock has a strip that inflates to more than belongs there. libtiff
// lets it pass, and so it must be, if its checksum is right.
func TestMoreThanABlock(t *testing.T) {
	pixels := pixelBytes(40)
	var z stdbytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(pixels)
	w.Close()
	d, got := decoder(t), make([]byte, 20)
	if err := d.Read(open(t, tiffOf(t, 10, 2, z.Bytes())), 0, got); err != nil || !stdbytes.Equal(got, pixels[:20]) {
		t.Errorf("%v, %v", got, err)
	}
	register()
	ds, err := godal.Open(tiffOf(t, 10, 2, z.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	want := make([]byte, 20)
	if err := ds.Bands()[0].Read(0, 0, want, 10, 2); err != nil || !stdbytes.Equal(want, got) {
		t.Errorf("GDAL: %v, %v", want, err)
	}
	bad := stdbytes.Clone(z.Bytes())
	bad[len(bad)-1]++
	if err := d.Read(open(t, tiffOf(t, 10, 2, bad)), 0, got); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("with a wrong checksum: %v", err)
	}
	z.Reset()
	w.Reset(&z)
	w.Write(pixels[:19])
	w.Close()
	if err := d.Read(open(t, tiffOf(t, 10, 2, z.Bytes())), 0, got); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a byte too few: %v", err)
	}
	z.Reset()
	w.Reset(&z)
	w.Write(make([]byte, 20*100))
	w.Close()
	if err := d.Read(open(t, tiffOf(t, 10, 2, z.Bytes())), 0, got); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a hundred times too many: %v", err)
	}
}

// Old writers counted the bytes of blocks without compression wrong, and the pixels are there all the same.
func TestPlainBlockSaidToBeLonger(t *testing.T) {
	pixels := pixelBytes(20)
	file, err := os.ReadFile(tiffOf(t, 10, 2, pixels))
	if err != nil {
		t.Fatal(err)
	}
	for at, set := range map[uint16]uint32{259: 1, 279: 5000} {
		for i := 10; ; i += 12 {
			if binary.LittleEndian.Uint16(file[i:]) == at {
				binary.LittleEndian.PutUint32(file[i+8:], set)
				break
			}
		}
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 20)
	if err := decoder(t).Read(open(t, path), 0, got); err != nil || !stdbytes.Equal(got, pixels) {
		t.Errorf("%v, %v", got, err)
	}
	register()
	ds, err := godal.Open(path, godal.ErrLogger(func(category godal.ErrorCategory, _ int, said string) error {
		if category < godal.CE_Failure { // it warns of the wrong number
			return nil
		}
		return errors.New(said)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	want := make([]byte, 20)
	if err := ds.Bands()[0].Read(0, 0, want, 10, 2); err != nil || !stdbytes.Equal(want, pixels) {
		t.Errorf("GDAL: %v, %v", want, err)
	}
}

// A directory that tells of fewer strips than there are is damaged. One that tells of none leaves all out, and one that
// makes no sense is for others to refuse.
func TestCheckTable(t *testing.T) {
	check := func(name string, file []byte, damaged bool) {
		t.Helper()
		if err := tiff.CheckTable(stdbytes.NewReader(file), int64(len(file))); errors.Is(err, tiff.ErrTable) != damaged || (err != nil) != damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, k := range kinds() {
		file, err := os.ReadFile(k.write(t))
		if err != nil {
			t.Fatal(err)
		}
		check(k.name, file, false)
	}
	whole, err := os.ReadFile(tiffOf(t, 10, 2, pixelBytes(20)))
	if err != nil {
		t.Fatal(err)
	}
	// change sets the count and the value of a tag.
	change := func(file []byte, tag uint16, count, value uint32) []byte {
		file = stdbytes.Clone(file)
		for at := 10; ; at += 12 {
			if binary.LittleEndian.Uint16(file[at:]) == tag {
				binary.LittleEndian.PutUint32(file[at+4:], count)
				binary.LittleEndian.PutUint32(file[at+8:], value)
				return file
			}
		}
	}
	changeKind := func(file []byte, tag, kind uint16) []byte {
		file = stdbytes.Clone(file)
		for at := 10; ; at += 12 {
			if binary.LittleEndian.Uint16(file[at:]) == tag {
				binary.LittleEndian.PutUint16(file[at+2:], kind)
				return file
			}
		}
	}
	check("one strip of two rows", whole, false)
	check("two strips more", change(whole, 257, 1, 6), true)
	check("lengths of texts", changeKind(change(whole, 279, 1, 20), 279, 2), true)
	check("places of fractions", changeKind(whole, 273, 5), true)
	check("places beyond the end", change(change(whole, 278, 1, 1), 273, 2, 4_000_000), true)
	check("lengths beyond the end", change(change(change(whole, 278, 1, 1), 273, 2, 8), 279, 2, 4_000_000), true)
	check("two numbers in the file", change(change(change(whole, 278, 1, 1), 273, 2, 8), 279, 2, 8), false)
	check("lengths that nobody needs", change(change(whole, 259, 1, 1), 279, 1<<30, 8), false)
	check("strips of one row", change(whole, 278, 1, 1), true)
	check("no strip at all", change(whole, 273, 0, 0), false)
	check("no rows", change(whole, 257, 1, 0), false)
	check("a codec with tables of its own kind", change(change(whole, 257, 1, 6), 259, 1, 6), false)
	check("cut short", whole[:30], false)
	check("no TIFF", []byte("a text"), false)
}

func pixelBytes(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i * i)
	}
	return p
}

// TestOver reads by a layout through files that others have opened.
func TestOver(t *testing.T) {
	path := float3.write(t)
	f, d := open(t, path), decoder(t)
	want, got := make([]byte, f.BlockBytes()), make([]byte, f.BlockBytes())
	if err := d.Read(f, 3, want); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	other := f.Over(file, info.Size())
	if err := d.Read(other, 3, got); err != nil || !stdbytes.Equal(got, want) {
		t.Error("other pixels", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.Stat(); err != nil {
		t.Errorf("its file is closed: %v", err)
	}
}

func TestPick(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		const samples, pixels = 3, 7
		l := tiff.Layout{Samples: samples, Bits: bits}
		size := bits / 8
		block := pixelBytes(samples * pixels * size)
		dst := make([]byte, pixels*size)
		for s := range samples {
			l.Pick(dst, block, s)
			for i := range pixels {
				if got, want := dst[i*size:][:size], block[(i*samples+s)*size:][:size]; !stdbytes.Equal(got, want) {
					t.Errorf("%d bits, sample %d, pixel %d: %x, want %x", bits, s, i, got, want)
				}
			}
		}
		l.Pick(dst, block, samples) // no such sample: nothing happens
		l.Pick(nil, block, 0)
	}
}
