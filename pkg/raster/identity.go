package raster

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"overlap/pkg/internal/fault"
)

// An identity tells whether a file is the one that it was.
type identity struct {
	size int64
	time time.Time
	info os.FileInfo // for os.SameFile
	far  mark        // where it is not a file of the local system
}

func identify(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return identity{size: info.Size(), time: info.ModTime(), info: info}, nil
}

// still makes sure that path is the file that it was when the identity was taken. A change that
// keeps the length and the time of change goes unseen. Sure asks the server of a remote file once
// more, see [mark.still].
func (i identity) still(path string, sure bool) error {
	if i.info == nil {
		if !i.far.still(path, sure) {
			return errChanged
		}
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Because(fs.ErrNotExist, "the file was removed while it was read; what was read of it is not to be "+
			"trusted")
	} else if err != nil {
		return fault.Bare(err)
	}
	return i.same(identity{size: info.Size(), time: info.ModTime(), info: info})
}

func (i identity) same(o identity) error {
	switch {
	case !os.SameFile(i.info, o.info):
		return errReplaced
	case o.size != i.size || !o.time.Equal(i.time):
		return errChanged
	}
	return nil
}

var errReplaced = errors.New("the file was replaced by another while it was read; read it again")

var errChanged = errors.New("the file was changed while it was read; read it again when its writer is done")
