package raster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/airbusgeo/godal"
)

// Info is what a raster file says of itself. Type, blocks and nodata are those
// of the first band.
type Info struct {
	Driver                  string // GDAL's short name of the format, such as "GTiff"
	Width, Height           int    // pixels
	Bands                   int
	Type                    string // GDAL's name of the pixel type, such as "Float32"
	BlockWidth, BlockHeight int    // pixels; the file stores whole blocks
	Compression             string // such as "DEFLATE", or "none"
	NoData                  float64
	HasNoData               bool
	FileBytes               int64 // 0 where it is not a file of the local system

	dtype   int // the type as GDAL's number
	size    int // bytes a pixel
	complex bool
}

// Bytes returns how many bytes the pixels of one band take in memory.
func (i Info) Bytes() int64 { return int64(i.Width) * int64(i.Height) * int64(i.size) }

// String returns one line such as
// "GTiff 3072 x 2048, 1 band of Float32 in blocks of 256 x 256, DEFLATE, 4.3 MB (17 % of 25.2 MB)".
func (i Info) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d x %d, ", i.Driver, i.Width, i.Height)
	if i.Bands == 1 {
		b.WriteString("1 band")
	} else {
		fmt.Fprintf(&b, "%d bands", i.Bands)
	}
	fmt.Fprintf(&b, " of %s in blocks of %d x %d, ", i.Type, i.BlockWidth, i.BlockHeight)
	if i.Compression == "none" {
		b.WriteString("not compressed")
	} else {
		b.WriteString(i.Compression)
	}
	if i.HasNoData {
		fmt.Fprintf(&b, ", nodata %v", i.NoData)
	}
	if raw := i.Bytes() * int64(i.Bands); i.FileBytes > 0 && raw > 0 {
		fmt.Fprintf(&b, ", %s (%.0f %% of %s)", megabytes(i.FileBytes), 100*float64(i.FileBytes)/float64(raw), megabytes(raw))
	}
	return b.String()
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Inspect opens a raster file, says what it is, and closes it. An error names
// the file, the cause and what to do about it.
func Inspect(path string) (Info, error) {
	h, err := open(path)
	if err != nil {
		return Info{}, err
	}
	defer h.close()
	return h.Info, nil
}

// open opens the file and makes sure that its first band can be read.
func open(path string) (*handle, error) {
	size, err := check(path)
	if err != nil {
		return nil, failed("open", path, err)
	}
	h, err := openHandle(path)
	if err != nil {
		return nil, failed("open", path, explain(err))
	}
	h.FileBytes = size
	if err := h.usable(); err != nil {
		h.close()
		return nil, failed("open", path, err)
	}
	return h, nil
}

// check finds what the system can say about a path better than GDAL: GDAL
// calls most of it "not recognized as a supported file format".
func check(path string) (size int64, err error) {
	if path == "" {
		return 0, errors.New("the name is empty; give the path of a file")
	}
	if strings.HasPrefix(path, "/vsi") {
		return 0, nil // one of GDAL's own file systems
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, because(fs.ErrNotExist, "no such file; check the name, or make the lab's own files with scripts/lab data")
	case errors.Is(err, fs.ErrPermission):
		return 0, because(fs.ErrPermission, "no permission to look into its folder; ask its owner, or see chmod")
	case err != nil:
		return 0, fmt.Errorf("%w; check each part of the path", bare(err))
	case info.IsDir():
		return 0, errors.New("is a directory; give the path of a file")
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeDevice == 0: // to open a pipe would wait for its writer
		return 0, errors.New("is a pipe or socket; give the path of a file")
	case info.Mode().IsRegular() && info.Size() == 0:
		return 0, errors.New("the file is empty; copy or make it again")
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return 0, because(fs.ErrPermission, "no permission to read it; ask its owner, or see chmod")
	} else if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return 0, because(bare(err), "too many files are open; raise the limit (ulimit -n), or read with fewer workers")
	} else if err != nil {
		return 0, fmt.Errorf("%w; see whether another program can read it", bare(err))
	}
	return info.Size(), f.Close()
}

// explain adds a remedy to GDAL's words where they are known.
func explain(err error) error {
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n") // what follows are consequences
	switch low := strings.ToLower(said); {
	case strings.Contains(low, "not recognized as a supported file format"),
		strings.Contains(low, "not recognized as being in a supported file format"):
		return errors.New("not recognised as a supported raster format: it is another kind of file, or its start is damaged; " +
			"see what it holds with the command \"file\"")
	case slices.ContainsFunc(signsOfDamage, func(sign string) bool { return strings.Contains(low, sign) }):
		return fmt.Errorf("the file is damaged or cut short; copy or make it again (GDAL: %s)", said)
	}
	return fmt.Errorf("GDAL: %s; see what the command gdalinfo says of it", said)
}

// signsOfDamage are parts of what GDAL and libtiff say of damaged files.
var signsOfDamage = []string{
	"tiffread", "tifffetch", "tifffill", "tiff directory", "tiff header", "partialread", "ireadblock", "decode", "decoding", "read error", "end of file",
}

// usable says why the first band cannot be folded into [Stats], if so.
func (i Info) usable() error {
	switch {
	case i.Bands == 0:
		return errors.New("it has no bands: it holds several rasters; name one of them (the command gdalinfo lists them)")
	case i.complex:
		return fmt.Errorf("its pixels are complex numbers (%s); only real pixel types can be read", i.Type)
	case i.Width < 1 || i.Height < 1 || i.BlockWidth < 1 || i.BlockHeight < 1:
		return errors.New("it has no pixels")
	}
	return nil
}

// An opError is a failure with the operation and the file.
type opError struct {
	op, path string
	err      error
}

func failed(op, path string, err error) error { return &opError{op, path, err} }

func (e *opError) Error() string { return fmt.Sprintf("raster: %s %q: %v", e.op, e.path, e.err) }
func (e *opError) Unwrap() error { return e.err }

// because returns an error that reads as text and is cause for errors.Is.
func because(cause error, text string) error { return &reason{cause, text} }

type reason struct {
	cause error
	text  string
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.cause }

// bare takes the operation and the path off an error of package os: ours has
// them already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// heed is the error handler for calls of godal, which takes warnings as
// errors without it.
func heed(category godal.ErrorCategory, _ int, msg string) error {
	if category >= godal.CE_Failure {
		return errors.New(msg)
	}
	return nil
}
