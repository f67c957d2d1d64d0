package raster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "overlap/pkg/raster"
)

// A mask that cannot be read is an error: the pixels that it marks would be counted.
func TestMaskFileDamaged(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole, mask := read("mask-sidecar.tif"), read("mask-sidecar.tif.msk")
	for name, mask := range map[string][]byte{"cut short": mask[:6], "not a raster": []byte("a mask"), "empty": nil} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.tif")
			for file, text := range map[string][]byte{path: whole, path + ".msk": mask} {
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if s, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), "the mask of band 1 cannot be read") {
				t.Errorf("%v, %v", s, err)
			}
			if n := descriptors(t, filepath.Dir(path)); n != 0 {
				t.Errorf("%d files left open", n)
			}
		})
	}
}

// A mask is a raster too.
func TestMaskItself(t *testing.T) {
	if s, err := Read(t.Context(), "testdata/mask-sidecar.tif.msk"); err != nil || s.Count+s.NoData+s.Masked != 50*40 {
		t.Errorf("%v, %v", s, err)
	}
}
