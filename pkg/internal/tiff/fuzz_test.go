package tiff_test

import (
	stdbytes "bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"overlap/pkg/internal/tiff"
)

// FuzzParse gives the parser anything. It must not panic, nor allocate much
// more than it was given, and what it accepts must be consistent.
func FuzzParse(f *testing.F) {
	for _, k := range kinds()[:12] {
		k.width, k.height = 40, 20
		file, err := os.ReadFile(k.write(f))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add([]byte("II*\x00\x08\x00\x00\x00\xff\xff"))
	f.Add([]byte("MM\x00+\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, err := tiff.Parse(stdbytes.NewReader(file), int64(len(file)))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20+100*uint64(len(file)) {
			t.Errorf("%d bytes allocated for a file of %d", n, len(file))
		}
		table := tiff.CheckTable(stdbytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		if table != nil {
			t.Errorf("parsed, and yet: %v", table)
		}
		n := l.Across() * l.Down()
		if l.Separate {
			n *= l.Samples
		}
		if l.Blocks() != n || n < 1 || l.BlockBytes() < 0 || l.Across()*l.BlockWidth < l.Width || l.Down()*l.BlockHeight < l.Height {
			t.Errorf("accepted: %+v", l)
		}
		if l.Supported() != nil || l.BlockBytes() > 1<<22 {
			return
		}
		path := filepath.Join(dir, "a.tif")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := tiff.Open(path)
		if err != nil {
			t.Fatalf("parsed and then not opened: %v", err)
		}
		defer opened.Close()
		d := decoder(t)
		block := make([]byte, l.BlockBytes())
		for i := range min(4, l.Blocks()) {
			_ = d.Read(opened, i, block) // any error, but no panic
		}
	})
}
