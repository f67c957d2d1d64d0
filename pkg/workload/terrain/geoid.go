package terrain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"overlap/pkg/internal/fault"
)

// geoid is the file of the geoid EGM96 on a grid of a quarter of a degree, which PROJ's data have.
const geoid = "egm96_15.gtx"

// Geoid returns the path of a real raster that is on many machines: the heights of the geoid EGM96
// above the ellipsoid, in metres, 1440 x 721 float32 pixels of a quarter of a degree, from the data
// of the library PROJ. It looks where PROJ does: in the folders that the environment variables
// PROJ_DATA and PROJ_LIB list, in the user's own folder of PROJ, and in those where systems,
// Homebrew and conda install. The error is by errors.Is [fs.ErrNotExist] where it is in none of
// these.
func Geoid() (string, error) {
	for _, dir := range projFolders() {
		path := filepath.Join(dir, geoid)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fault.Because(fs.ErrNotExist, fmt.Sprintf(
		"raster: find %s: it is in none of PROJ's folders; install PROJ's data (Debian: apt-get install proj-data; "+
			"elsewhere: projsync --file %s), or set PROJ_DATA to their folder", geoid, geoid))
}

// projFolders are where PROJ's data may be, those that the user names first.
func projFolders() []string {
	var dirs []string
	for _, key := range []string{"PROJ_DATA", "PROJ_LIB"} {
		dirs = append(dirs, filepath.SplitList(os.Getenv(key))...)
	}
	if home, err := userData(); err == nil {
		dirs = append(dirs, filepath.Join(home, "proj"))
	}
	if conda := os.Getenv("CONDA_PREFIX"); conda != "" {
		dirs = append(dirs, filepath.Join(conda, "share", "proj"))
	}
	return append(dirs, "/usr/share/proj", "/usr/local/share/proj", "/opt/homebrew/share/proj", "/opt/local/share/proj")
}

// userData is the folder for data of the user's programs.
func userData() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return dir, nil
	}
	home := os.Getenv("HOME")
	if home == "" {
		return "", errors.New("the variable HOME is not set")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}
