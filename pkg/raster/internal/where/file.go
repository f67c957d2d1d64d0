package where

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"overlap/pkg/internal/fault"
)

// Siblings returns the names that GDAL should think to be in the folder of a TIFF: itself, and what
// belongs to it. A folder may be large, and GDAL would read it for each handle. For files of other
// kinds, whose companions nobody knows but their drivers, it returns nil.
func Siblings(path string, file *os.File) ([]string, error) {
	if file == nil {
		if IsRemote(path) {
			return []string{filepath.Base(GDALPath(path))}, nil // there, each name asked for takes a request
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
		stem + ".tfw", stem + ".TFW", stem + ".tifw", stem + ".TIFW",
		stem + ".wld", stem + ".WLD", stem + ".tab", stem + ".TAB",
	} {
		if _, err := os.Stat(other); err == nil {
			names = append(names, filepath.Base(other))
		}
	}
	return names, nil
}

// File finds what the system can say about a path better than GDAL: GDAL calls most of it "not
// recognized as a supported file format".
func File(path string) (*os.File, error) {
	if path == "" {
		return nil, errors.New("the name is empty; give the path of a file")
	}
	if strings.Contains(path, "\x00") {
		return nil, fault.Because(fs.ErrInvalid, "no such file; "+Hint(path)) // GDAL would read the name only up to there
	}
	if strings.HasPrefix(path, "/vsi") || IsRemote(path) {
		return nil, nil // one of GDAL's own file systems
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.Because(fs.ErrPermission, NoLook)
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
		return nil, fault.Because(fault.Bare(err), TooMany)
	} else if err != nil {
		return nil, fmt.Errorf("%w; see whether another program can read it", fault.Bare(err))
	}
	return f, nil
}

// ErrFolder is the error of a folder that is no raster.
var ErrFolder = errors.New("is a directory; give the path of a file")

// absent is the error of a path where there is no file, nil where GDAL knows what it means.
func absent(path string) error {
	to, err := os.Readlink(path)
	switch {
	case err == nil:
		return fault.Because(fs.ErrNotExist, fmt.Sprintf("it is a link to %s, which is not there; make the link again, "+
			"or what it leads to", Quoted(to)))
	case strings.HasPrefix(strings.ToUpper(path), "MEM:"):
		// GDAL would believe any address in it.
		return errors.New("it stands for memory of another program, and for no file; give the path of a file")
	case IsPart(path) && !IsFileAddress(path) && CloudName(path) == "":
		return nil
	}
	todo := "check the name, or make the lab's own files with scripts/lab data"
	if h := Hint(path); h != "" {
		todo = h
	} else if strings.ContainsAny(path, "*?[") {
		todo = "if it is a pattern, give it to filepath.Glob, which lists the files that it matches"
	}
	return fault.Because(fs.ErrNotExist, "no such file; "+todo)
}

// OwnName returns a path as GDAL takes it for a file's, and for nothing else: the name of a file
// that is there may be one that GDAL has a meaning for, such as NETCDF:a.tif.
func OwnName(path string, file *os.File) string {
	if file == nil || filepath.IsAbs(path) || !strings.ContainsAny(path, ":{") {
		return path
	}
	return "./" + path
}

const NoLook = "no permission to look into its folder; ask its owner, or see chmod"

// Hint says what may be wrong with the name of a file that is not there, "" where nothing meets the
// eye.
func Hint(path string) string {
	switch {
	case strings.Contains(path, "\x00"):
		return "the name has a NUL byte, which no file's name can have; take it out"
	case CloudName(path) != "":
		return "GDAL's name for it is " + Quoted(CloudName(path))
	case IsFileAddress(path):
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

// Quoted returns a path in quotes, and without its middle where it is very long.
func Quoted(path string) string {
	const most, keep = 512, 120
	path = Shown(path)
	if len(path) > most {
		path = strings.ToValidUTF8(path[:keep], "") + "…" + strings.ToValidUTF8(path[len(path)-keep:], "")
	}
	return strconv.Quote(path)
}
