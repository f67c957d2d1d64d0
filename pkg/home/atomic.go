package home

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all: a reader, or a run that is cut
// off, never sees half of it. It makes the folder where that is missing.
func WriteFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	remedy := func(err error) error {
		return fmt.Errorf("write %q: %w; free some space or set OVERLAP_OUT to a folder that can be written", path, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return remedy(err)
	}
	// O_CREATE with 0o666 rather than os.CreateTemp, whose files only their
	// owner can read: a workshop's plots are shared.
	tmp := filepath.Join(dir, fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return remedy(err)
	}
	_, err = f.Write(data)
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
