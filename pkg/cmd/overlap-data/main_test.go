package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some rasters")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name     string
		ctx      context.Context
		args     []string
		status   int
		out, log string
	}{
		{"makes", t.Context(), []string{"--files", "1", "--dir", dir}, 0, "rasters in " + dir + ": 1\n", "terrain-1.tif: made in "},
		{"keeps", t.Context(), []string{"--files", "1", "--dir", dir}, 0, "rasters in " + dir + ": 1, all there already\n", ""},
		{"interrupted", cancelled, []string{"--full", "--dir", dir}, 130, "", "interrupted"},
		{"no files", t.Context(), []string{"--files", "0"}, 2, "", "--files 0: at least 1 is needed"},
		{"argument", t.Context(), []string{"dem.tif"}, 2, "", `"dem.tif" is not a flag`},
		{"unknown flag", t.Context(), []string{"--fast"}, 2, "", "not defined: -fast"},
		{"help", t.Context(), []string{"--help"}, 0, "", "the published size"},
		{"no folder", t.Context(), []string{"--dir", "/dev/null/x"}, 1, "", `raster: make folder "/dev/null/x": not a directory`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, log strings.Builder
			if status := run(c.ctx, c.args, &out, &log); status != c.status || out.String() != c.out || !strings.Contains(log.String(), c.log) {
				t.Errorf("status %d, want %d\nout %q, want %q\nlog %q, want %q", status, c.status, out.String(), c.out, log.String(), c.log)
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v", entries, err)
	}
}
