package raster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"overlap/pkg/internal/fault"
)

// Inspect opens a raster file, says what it is, and closes it. An error names
// the file, the cause and what to do about it. Where the file opens, and its pixels cannot be read, there
// is an Info beside the error: its Parts name the rasters in a file that has none of its own.
func Inspect(path string) (Info, error) {
	forget(path)
	var info Info
	var err error
	apart([]string{path}, func() {
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
	file, err := check(path)
	if err != nil {
		return nil, failed("open", path, err)
	}
	siblings, err := companions(path, file)
	if err == nil && file != nil {
		err = sound(path, file)
	}
	var h *handle
	if err == nil {
		h, err = openHandle(ownName(path, file), siblings, a)
	}
	if err != nil {
		forget(path) // else GDAL answers from memory when asked again, and without the reason
		err = explainFor(path, err)
		if full := crowded(handleFiles); full != nil {
			err = full
		}
		if file != nil {
			if errors.Is(err, errUnknown) {
				err = unknownKind(path, file)
			}
			file.Close()
		} else if info, missing := os.Stat(path); missing == nil && info.IsDir() {
			err = errFolder
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
	if err := crowded(1); err != nil {
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
	if full := crowded(1); full != nil {
		err = full
	}
	if err != nil {
		h.close()
		return nil, failed("open", path, err)
	}
	return h, nil
}

// companions returns the names that GDAL should think to be in the folder of a
// TIFF: itself, and what belongs to it. A folder may be large, and GDAL would
// read it for each handle. For files of other kinds, whose companions nobody
// knows but their drivers, it returns nil.
func companions(path string, file *os.File) ([]string, error) {
	if file == nil {
		if isRemote(path) {
			return []string{filepath.Base(gdalPath(path))}, nil // there, each name asked for takes a request
		}
		return nil, nil
	}
	var head [4]byte
	if n, err := file.ReadAt(head[:], 0); n < len(head) && err != nil && err != io.EOF {
		return nil, fault.Bare(err)
	}
	if s := string(head[:]); s != "II*\x00" && s != "MM\x00*" && s != "II+\x00" && s != "MM\x00+" {
		return nil, nil
	}
	names := []string{filepath.Base(path)}
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, other := range []string{
		path + ".msk", path + ".ovr", path + ".msk.ovr", path + ".aux.xml", path + ".aux", stem + ".aux", stem + ".rrd",
		stem + ".tfw", stem + ".TFW", stem + ".tifw", stem + ".TIFW", stem + ".wld", stem + ".WLD", stem + ".tab", stem + ".TAB",
	} {
		if _, err := os.Stat(other); err == nil {
			names = append(names, filepath.Base(other))
		}
	}
	return names, nil
}

// check finds what the system can say about a path better than GDAL: GDAL
// calls most of it "not recognized as a supported file format".
func check(path string) (*os.File, error) {
	if path == "" {
		return nil, errors.New("the name is empty; give the path of a file")
	}
	if strings.Contains(path, "\x00") {
		return nil, fault.Because(fs.ErrInvalid, "no such file; "+hint(path)) // GDAL would read the name only up to there
	}
	if strings.HasPrefix(path, "/vsi") || isRemote(path) {
		return nil, nil // one of GDAL's own file systems
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.Because(fs.ErrPermission, noLook)
	case err != nil:
		return nil, fmt.Errorf("%w; check each part of the path", fault.Bare(err))
	case info.IsDir():
		return nil, nil // a few formats are folders, such as Zarr
	case info.Mode()&fs.ModeCharDevice != 0:
		return nil, errors.New("is a device without an end, such as a terminal; give the path of a file")
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeDevice == 0: // to open a pipe would wait for its writer
		return nil, errors.New("is a pipe or socket; give the path of a file")
	case info.Mode().IsRegular() && info.Size() == 0:
		return nil, errors.New("the file is empty; copy or make it again")
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fault.Because(fs.ErrPermission, "no permission to read it; ask its owner, or see chmod")
	} else if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return nil, fault.Because(fault.Bare(err), tooMany)
	} else if err != nil {
		return nil, fmt.Errorf("%w; see whether another program can read it", fault.Bare(err))
	}
	return f, nil
}

// errFolder is the error of a folder that is no raster.
var errFolder = errors.New("is a directory; give the path of a file")

// absent is the error of a path where there is no file, nil where GDAL knows what it means.
func absent(path string) error {
	to, err := os.Readlink(path)
	switch {
	case err == nil:
		return fault.Because(fs.ErrNotExist, fmt.Sprintf("it is a link to %s, which is not there; make the link again, or what it leads to", quoted(to)))
	case strings.HasPrefix(strings.ToUpper(path), "MEM:"):
		return errors.New("it stands for memory of another program, and for no file; give the path of a file") // GDAL would believe any address in it
	case isPart(path) && !isFileAddress(path) && cloudName(path) == "":
		return nil
	}
	todo := "check the name, or make the lab's own files with scripts/lab data"
	if h := hint(path); h != "" {
		todo = h
	} else if strings.ContainsAny(path, "*?[") {
		todo = "if it is a pattern, give it to filepath.Glob, which lists the files that it matches"
	}
	return fault.Because(fs.ErrNotExist, "no such file; "+todo)
}

// ownName returns a path as GDAL takes it for a file's, and for nothing else: the name of a
// file that is there may be one that GDAL has a meaning for, such as NETCDF:a.tif.
func ownName(path string, file *os.File) string {
	if file == nil || filepath.IsAbs(path) || !strings.ContainsAny(path, ":{") {
		return path
	}
	return "./" + path
}

const noLook = "no permission to look into its folder; ask its owner, or see chmod"

// hint says what may be wrong with the name of a file that is not there, "" where nothing meets the eye.
func hint(path string) string {
	switch {
	case strings.Contains(path, "\x00"):
		return "the name has a NUL byte, which no file's name can have; take it out"
	case cloudName(path) != "":
		return "GDAL's name for it is " + quoted(cloudName(path))
	case isFileAddress(path):
		return "it is an address; give the path alone, without \"file://\""
	case strings.TrimSpace(path) != path:
		return "the name starts or ends with a space or a line break; take it off (strings.TrimSpace)"
	case strings.Trim(path, "\"'“”‘’") != path:
		return "the quotes are taken as part of the name; take them off"
	case strings.HasPrefix(path, "~"):
		return "only a shell knows what ~ stands for; give the whole path (os.UserHomeDir tells your folder)"
	case strings.Contains(path, "$"):
		return "only a shell fills in variables; give the whole path (os.ExpandEnv makes it)"
	}
	return nearbyHint(path)
}

// isFileAddress reports whether a path is an address of a file of this machine, such as file:///a.tif.
func isFileAddress(path string) bool {
	return len(path) >= len("file:/") && strings.EqualFold(path[:len("file:/")], "file:/")
}

// isDamage reports whether an error is one of reading a part of a file: GDAL's, or damage that
// was found here. All others, such as too little memory, are not the file's.
func isDamage(err error) bool {
	var said *gdalFailure
	var known *knownDamage
	return errors.As(err, &said) || errors.As(err, &known)
}

// isPart reports whether a path is a name that GDAL gives to one of the rasters in a file,
// such as NETCDF:"f.nc":t2m or GTIFF_DIR:2:pages.tif: a driver's name before a colon.
func isPart(path string) bool {
	driver, rest, found := strings.Cut(path, ":")
	return found && rest != "" && len(driver) > 1 && strings.Trim(driver, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// explain adds a remedy to GDAL's words where they are known. Errors of others are returned as they are.
func explain(err error) error {
	var gdals *gdalFailure
	if !errors.As(err, &gdals) {
		return err
	}
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n") // what follows are consequences
	switch low := strings.ToLower(said); {
	case strings.Contains(low, "not recognized as a supported file format"),
		strings.Contains(low, "not recognized as being in a supported file format"):
		return errUnknown
	case strings.Contains(low, "too many open files"):
		return fault.Because(syscall.EMFILE, tooMany)
	case strings.Contains(low, "missing codec"):
		return fmt.Errorf("this GDAL cannot decompress it (GDAL: %s); convert it where GDAL can, with gdal_translate -co COMPRESS=DEFLATE", said)
	case strings.Contains(low, "does not exist in the file system"), strings.Contains(low, "no such file or directory"):
		return fault.Because(fs.ErrNotExist, fmt.Sprintf("no such file; check each part of the name (GDAL: %s)", said))
	case said == noReason:
		return errors.New("GDAL cannot read it and gives no reason; the file is probably damaged or cut short: copy or make it again")
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
	"tiffread", "tifffetch", "tifffill", "tiff directory", "tiff header", "partialread", "ireadblock", "decode", "decoding", "read error", "end of file",
	"decompression", "could not read tile", "failed to read scanline", "computed scanline size", "bad value",
}

// An opError is a failure with the operation and the file.
type opError struct {
	op, path string
	err      error
}

func failed(op, path string, err error) error { return &opError{op, path, err} }

func (e *opError) Error() string {
	return fmt.Sprintf("raster: %s %s: %v", e.op, quoted(e.path), e.err)
}
func (e *opError) Unwrap() error { return e.err }

// quoted returns a path in quotes, and without its middle where it is very long.
func quoted(path string) string {
	const most, keep = 512, 120
	path = shown(path)
	if len(path) > most {
		path = strings.ToValidUTF8(path[:keep], "") + "…" + strings.ToValidUTF8(path[len(path)-keep:], "")
	}
	return strconv.Quote(path)
}
