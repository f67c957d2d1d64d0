package raster

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// An identity tells whether a file is the one that it was.
type identity struct {
	size int64
	time time.Time
	info os.FileInfo // for os.SameFile
}

func identify(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return identity{info.Size(), info.ModTime(), info}, nil
}

// still makes sure that path is the file that it was when the identity was
// taken. A change that keeps the length and the time of change goes unseen.
func (i identity) still(path string) error {
	if i.info == nil {
		return nil // not a file of the local system
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return because(fs.ErrNotExist, "the file was removed while it was read; what was read of it is not to be trusted")
	} else if err != nil {
		return bare(err)
	}
	return i.same(identity{info.Size(), info.ModTime(), info})
}

func (i identity) same(o identity) error {
	switch {
	case !os.SameFile(i.info, o.info):
		return errors.New("the file was replaced by another while it was read; read it again")
	case o.size != i.size || !o.time.Equal(i.time):
		return errors.New("the file was changed while it was read; read it again when its writer is done")
	}
	return nil
}
