package terrain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The folders that the user names go first, each of a list of them.
func TestGeoid(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, geoid)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"PROJ_DATA", "PROJ_LIB"} {
		t.Run(key, func(t *testing.T) {
			t.Setenv("PROJ_DATA", "")
			t.Setenv("PROJ_LIB", "")
			t.Setenv(key, filepath.Join(dir, "none")+string(os.PathListSeparator)+dir)
			if got, err := Geoid(); err != nil || got != path {
				t.Errorf("%q, %v; want %q", got, err, path)
			}
		})
	}
	t.Setenv("PROJ_DATA", "")
	t.Setenv("PROJ_LIB", "")
	t.Setenv("XDG_DATA_HOME", dir)
	if got, err := Geoid(); err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && got == path {
		t.Errorf("%q, %v; a file that is not in a folder of PROJ is not it", got, err)
	}
}
