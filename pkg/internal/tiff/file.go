package tiff

import (
	"errors"
	"fmt"
	"os"
)

// A File is an open TIFF. Any number of goroutines may read its blocks at once, each with a
// [Decoder] of its own.
type File struct {
	Layout
	f      *os.File
	size   uint64
	name   string
	others bool // f is the caller's to close
}

// Open opens a TIFF and reads its first directory. The file may still be one whose blocks cannot be
// read: see [Layout.Supported].
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tiff: %w", err) // it has the operation and the path
	}
	l, size, err := parseFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("tiff: open %q: %w", path, err)
	}
	return &File{Layout: *l, f: f, size: uint64(size), name: path}, nil
}

func parseFile(f *os.File) (*Layout, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is not a file")
	}
	l, err := Parse(f, info.Size())
	return l, info.Size(), err
}

// Over returns the TIFF of this layout in an open file of size bytes, which stays the caller's to
// close.
func (l *Layout) Over(f *os.File, size int64) *File {
	return &File{Layout: *l, f: f, size: uint64(max(0, size)), name: f.Name(), others: true}
}

// Close closes a file that [Open] has opened. No block may be being read.
func (f *File) Close() error {
	if f.others {
		return nil
	}
	return f.f.Close()
}
