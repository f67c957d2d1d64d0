package raster

import (
	"errors"
	"os"
	"syscall"

	"overlap/pkg/internal/fault"
)

// tooMany is said where no more files may be open at once.
const tooMany = "too many files are open; close some, raise the limit (ulimit -n), or read with fewer workers"

// crowded returns the error of a process that may not open n more files, or nil. GDAL says nothing where that is why
// it finds no nodata, mask or overview beside a file: it would go on without. What it keeps open of a file
// is still open after it, so that one free place then was free before.
func crowded(n int) error {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fault.Because(err, tooMany)
	} else if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	if n > 1 {
		return crowded(n - 1)
	}
	return nil
}

// handleFiles is how many files a handle may take, with a mask and overviews beside its file.
const handleFiles = 4
