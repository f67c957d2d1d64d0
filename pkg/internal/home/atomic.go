package home

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// written tells the temporary files of one process apart.
var written atomic.Int64

// WriteFile writes a file whole or not at all: a reader, or a run that is cut
// off, never sees half of it, however many write it at once. It makes the
// folder where that is missing. Its error names the path and what to do.
func WriteFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	remedy := func(err error) error {
		return fmt.Errorf("write %q: %w; free some space, or have it written elsewhere (OVERLAP_OUT=FOLDER does)", path, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return remedy(err)
	}
	// O_CREATE with 0o666 rather than os.CreateTemp, whose files only their
	// owner can read: a workshop's plots are shared.
	tmp := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d", filepath.Base(path), os.Getpid(), written.Add(1)))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return remedy(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // or a power cut after the rename could leave an empty file
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return remedy(err)
	}
	return nil
}
