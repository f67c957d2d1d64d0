package tiff_test

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/airbusgeo/godal"
	"overlap/pkg/internal/tiff"
)

// What was closed gives errors, and no access to memory that was freed, also where it is closed while others read.
func TestReadAfterClose(t *testing.T) {
	path := kind{name: "deflate", dtype: godal.Float32, bands: 1, width: 300, height: 300, options: []string{"TILED=YES", "COMPRESS=DEFLATE"}}.write(t)
	f, err := tiff.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	room := pixelBytes(f.BlockBytes())
	d, err := tiff.NewDecoder()
	if errors.Is(err, tiff.ErrNoLibrary) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := d.Read(f, 0, room); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 3 {
		done.Go(func() {
			mine := pixelBytes(len(room))
			var err error
			for block := 0; err == nil; block = (block + 1) % f.Blocks() {
				err = d.Read(f, block, mine)
			}
			if !errors.Is(err, tiff.ErrClosed) {
				t.Errorf("while it is closed: %v", err)
			}
		})
	}
	d.Close()
	done.Wait()
	d.Close()
	if err := d.Read(f, 0, room); !errors.Is(err, tiff.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := new(tiff.Decoder).Read(f, 0, room); !errors.Is(err, tiff.ErrClosed) {
		t.Errorf("a decoder that NewDecoder has not made: %v", err)
	}

	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	open, err := tiff.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	var where *fs.PathError
	if err := open.Read(f, 0, room); !errors.Is(err, os.ErrClosed) || !errors.As(err, &where) {
		t.Errorf("of a closed file: %v", err)
	}
}
