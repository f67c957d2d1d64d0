package where

import (
	"errors"
	"os"
	"syscall"

	"overlap/pkg/internal/fault"
)

// TooMany is said where no more files may be open at once.
const TooMany = "too many files are open; close some, raise the limit (ulimit -n), or read with fewer workers"

// NoMoreFiles returns the error of a process that may not open n more files, or nil. GDAL says nothing
// where that is why it finds no nodata, mask or overview beside a file: it would go on without.
// What it keeps open of a file is still open after it, so that one free place then was free before.
func NoMoreFiles(n int) error {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fault.Because(err, TooMany)
	} else if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	if n > 1 {
		return NoMoreFiles(n - 1)
	}
	return nil
}

// HandleFiles is how many files a handle may take, with a mask and overviews beside its file.
const HandleFiles = 4
