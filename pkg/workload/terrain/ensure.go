package terrain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/airbusgeo/godal"

	"overlap/pkg/internal/fault"
	"overlap/pkg/raster"
)

// A file of terrain ends with a line of text, after the last byte that the TIFF directory speaks
// of. It says what the file is, how long it is without the line, and the CRC-32C of those bytes. So
// a file that was cut short, damaged or changed is told from a whole one without decoding it, and a
// copy carries its own proof. Readers of TIFF do not look there.
//
// Change generator whenever the same Terrain gives other bytes or heights: files made before are
// then made again.
const (
	generator = "overlap-terrain 1"
	sealLimit = 256 // no seal is longer
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// label says what a terrain is. It is the file's TIFF description too.
func (t Terrain) label() string {
	return fmt.Sprintf("%s: %d x %d, seed %d, level %d", generator, t.Width, t.Height, t.Seed, t.level())
}

func (t Terrain) seal(length int64, sum uint32) string {
	return fmt.Sprintf("\n%s, %d bytes, crc32c %08x\n", t.label(), length, sum)
}

// seal appends the line to a file and puts it on the disk.
func seal(path string, t Terrain) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fault.Bare(err)
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	length, err := io.CopyBuffer(sum, onlyReader{f}, make([]byte, 1<<20))
	if err != nil {
		return fault.Bare(err)
	}
	if _, err := f.WriteString(t.seal(length, sum.Sum32())); err != nil {
		return fault.Bare(err)
	}
	if err := f.Chmod(0o644); err != nil {
		return fault.Bare(err)
	}
	if err := f.Sync(); err != nil {
		return fault.Bare(err)
	}
	return fault.Bare(f.Close())
}

type onlyReader struct{ io.Reader } // hides WriteTo, which would use a small buffer of its own

// made reports whether path is this terrain, whole and unchanged.
func (t Terrain) made(ctx context.Context, path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	// The line's own length depends only on what it says.
	tail := make([]byte, min(sealLimit, info.Size()))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return false, nil
	}
	at := bytes.LastIndex(tail, []byte("\n"+generator))
	if at < 0 {
		return false, nil
	}
	length := info.Size() - int64(len(tail)-at)
	sum, buf := uint32(0), make([]byte, 1<<20)
	for left := length; left > 0; {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		n := min(left, int64(len(buf)))
		if _, err := io.ReadFull(f, buf[:n]); err != nil {
			return false, nil
		}
		sum = crc32.Update(sum, castagnoli, buf[:n])
		left -= n
	}
	return string(tail[at:]) == t.seal(length, sum), nil
}

// Ensure makes the file at path this terrain, and reports whether it had to be made. A file made
// before stays if it is whole: its length and a checksum of all its bytes are compared, which takes
// about as long as reading it. One that is damaged, cut short, or of other parameters is made
// again, and so is what GDAL cannot open. A raster that was not made here is left alone, and is an
// error.
func (t Terrain) Ensure(ctx context.Context, path string, opts ...WriteOption) (made bool, err error) {
	if err := t.check(); err != nil {
		return false, fmt.Errorf("raster: make %q: %w", path, err)
	}
	whole, err := t.made(ctx, path)
	if err != nil {
		return false, fmt.Errorf("raster: make %q: %w", path, err)
	}
	if whole {
		return false, nil
	}
	if foreign(path) {
		return false, fmt.Errorf("raster: make %q: %w", path, errors.New("a raster that was not made here has this "+
			"name; move it away or choose another folder"))
	}
	if err := t.Write(ctx, path, opts...); err != nil {
		return false, err
	}
	return true, nil
}

// foreign reports whether path is a raster that opens and does not say that it is a terrain, of any
// version and parameters.
func foreign(path string) bool {
	if info, _ := raster.Inspect(path); info.Driver == "" {
		return false
	}
	ds, err := godal.Open(path, godal.ErrLogger(heed))
	if err != nil {
		return false
	}
	defer ds.Close()
	name, _, _ := strings.Cut(generator, " ")
	return !strings.HasPrefix(ds.Metadata("TIFFTAG_IMAGEDESCRIPTION"), name)
}
