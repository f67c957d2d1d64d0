package terrain

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "too")
	var lines []string
	log := func(s string) { lines = append(lines, s) }
	paths, err := Files(t.Context(), dir, 1, false, log)
	if err != nil || len(paths) != 1 || paths[0] != filepath.Join(dir, "terrain-1.tif") {
		t.Fatal(paths, err)
	}
	if len(lines) == 0 || !strings.Contains(lines[len(lines)-1], "terrain-1.tif: made in") {
		t.Errorf("%q when it was made", lines)
	}
	lines = nil
	if _, err := Files(t.Context(), dir, 1, false, log); err != nil {
		t.Fatal(err)
	}
	if len(lines) > 0 {
		t.Errorf("%q when it was there already", lines)
	}
	if _, err := Files(t.Context(), dir, 0, false, nil); err == nil {
		t.Error("0 files made")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Files(ctx, dir, 2, true, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := names(t, dir); got != "terrain-1.tif" {
		t.Errorf("folder holds %s", got)
	}
}
