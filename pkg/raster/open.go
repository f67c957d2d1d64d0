package raster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"overlap/pkg/internal/fault"
	"overlap/pkg/raster/internal/where"
)

// Inspect opens a raster file, says what it is, and closes it. An error names the file, the cause
// and what to do about it. Where the file opens, and its pixels cannot be read, there is an Info
// beside the error: its Parts name the rasters in a file that has none of its own.
func Inspect(path string) (Info, error) {
	forget(path)
	var info Info
	var err error
	onOwnThread([]string{path}, func() {
		var h *handle
		if h, err = open(path, access{}); err != nil {
			return
		}
		defer h.close()
		info = h.Info
		if err = h.usable(reading{}); err != nil {
			err = failed("open", path, err)
		}
	})
	return info, err
}

// open opens the file, which need not be one whose pixels can be read.
func open(path string, a access) (*handle, error) {
	file, err := where.File(path)
	if err != nil {
		return nil, failed("open", path, err)
	}
	siblings, err := where.Siblings(path, file)
	if err == nil && file != nil {
		err = sound(path, file)
	}
	var h *handle
	if err == nil {
		h, err = openHandle(where.OwnName(path, file), siblings, a)
	}
	if err != nil {
		forget(path) // else GDAL answers from memory when asked again, and without the reason
		err = explainFor(path, err)
		if full := where.NoMoreFiles(where.HandleFiles); full != nil {
			err = full
		}
		if file != nil {
			if errors.Is(err, where.ErrUnknown) {
				err = where.UnknownKind(path, file)
			}
			file.Close()
		} else if info, missing := os.Stat(path); missing == nil && info.IsDir() {
			err = where.ErrFolder
		}
		return nil, failed("open", path, err)
	}
	h.file = file
	if file == nil {
		h.id.far = firstMark(path, h.r.far)
	} else {
		h.id, err = identify(file)
		if err != nil {
			h.close()
			return nil, failed("open", path, fault.Bare(err))
		}
		h.FileBytes = h.id.size
	}
	if err := where.NoMoreFiles(1); err != nil {
		h.close()
		return nil, failed("open", path, err)
	}
	return h, nil
}

// openFor opens the file to read it as the options say.
func openFor(path string, rd reading, a access) (*handle, error) {
	h, err := open(path, a)
	if err != nil {
		return nil, err
	}
	err = h.choose(rd)
	if full := where.NoMoreFiles(1); full != nil {
		err = full
	}
	if err != nil {
		h.close()
		return nil, failed("open", path, err)
	}
	return h, nil
}

// isDamage reports whether an error is one of reading a part of a file: GDAL's, or damage that was
// found here. All others, such as too little memory, are not the file's.
func isDamage(err error) bool {
	var said *gdalFailure
	var known *knownDamage
	return errors.As(err, &said) || errors.As(err, &known)
}

// explain adds a remedy to GDAL's words where they are known. Errors of others are returned as they
// are.
func explain(err error) error {
	var gdals *gdalFailure
	if !errors.As(err, &gdals) {
		return err
	}
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n") // what follows are consequences
	switch low := strings.ToLower(said); {
	case strings.Contains(low, "not recognized as a supported file format"),
		strings.Contains(low, "not recognized as being in a supported file format"):
		return where.ErrUnknown
	case strings.Contains(low, "too many open files"):
		return fault.Because(syscall.EMFILE, where.TooMany)
	case strings.Contains(low, "missing codec"):
		return fmt.Errorf("this GDAL cannot decompress it (GDAL: %s); convert it where GDAL can, with gdal_translate "+
			"-co COMPRESS=DEFLATE", said)
	case strings.Contains(low, "does not exist in the file system"), strings.Contains(low, "no such file or directory"):
		return fault.Because(fs.ErrNotExist, fmt.Sprintf("no such file; check each part of the name (GDAL: %s)", said))
	case said == noReason:
		return errors.New("GDAL cannot read it and gives no reason; the file is probably damaged or cut short: copy or " +
			"make it again")
	case slices.ContainsFunc(signsOfDamage, func(sign string) bool { return strings.Contains(low, sign) }):
		return fmt.Errorf("the file is damaged or cut short; copy or make it again (GDAL: %s)", said)
	}
	return fmt.Errorf("GDAL: %s; see what the command gdalinfo says of it", said)
}

// knownDamage is damage that was found here, and not by GDAL.
type knownDamage struct{ err error }

func damaged(err error) error { return &knownDamage{err} }

func (e *knownDamage) Error() string {
	return fmt.Sprintf("the file is damaged or cut short; copy or make it again (%v)", e.err)
}
func (e *knownDamage) Unwrap() error { return e.err }

// signsOfDamage are parts of what GDAL and libtiff say of damaged files.
var signsOfDamage = []string{
	"tiffread", "tifffetch", "tifffill", "tiff directory", "tiff header",
	"partialread", "ireadblock", "decode", "decoding", "read error", "end of file",
	"decompression", "could not read tile", "failed to read scanline", "computed scanline size", "bad value",
}

// An opError is a failure with the operation and the file.
type opError struct {
	op, path string
	err      error
}

func failed(op, path string, err error) error { return &opError{op, path, err} }

func (e *opError) Error() string {
	return fmt.Sprintf("raster: %s %s: %v", e.op, where.Quoted(e.path), e.err)
}
func (e *opError) Unwrap() error { return e.err }
