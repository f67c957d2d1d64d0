package raster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
)

// A file may claim more blocks than there is memory to list them in.
func TestMoreBlocksThanMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.vrt")
	const side = 1<<31 - 1
	text := fmt.Sprintf(`<VRTDataset rasterXSize="%d" rasterYSize="%d"><VRTRasterBand dataType="Float64" band="1"/></VRTDataset>`, side, side)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]workload{"windows": WindowReads("testdata/uint8.tif", path), "collected": CollectReads("testdata/uint8.tif", path)} {
		_, _, err := w.Tasks(2)
		says(t, err, "make too many tasks")
		says(t, err, path)
		if err != nil && !strings.Contains(err.Error(), "TaskBytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	small, err := Read(t.Context(), "testdata/uint8.tif")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	results, err := ReadMany(ctx, []string{"testdata/uint8.tif", path, path}, ReadWorkers(2)) // ends, and soon
	if !errors.Is(err, why) || len(results) != 3 {
		t.Fatal(results, err)
	}
	if r := results[0]; r.Err == nil && r.Total() != small || results[1].Complete() || results[2].Complete() || !errors.Is(results[1].Err, why) || !errors.Is(results[2].Err, why) {
		t.Error(results)
	}
}

// A raster larger than the memory is an error where an array of it is wanted, and does not end
// the program.
func TestLargerThanMemory(t *testing.T) {
	if err := room(1 << 62); err == nil {
		t.Skip("this system does not say how much memory is free")
	}
	path := filepath.Join(t.TempDir(), "a.vrt")
	const side = 4_000_000 // 128 TB
	text := fmt.Sprintf(`<VRTDataset rasterXSize="%d" rasterYSize="%d"><VRTRasterBand dataType="Float64" band="1"/></VRTDataset>`, side, side)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(context.Context) error{
		"Load":  func(ctx context.Context) error { _, err := Load[float64](ctx, path, 1); return err },
		"whole": func(ctx context.Context) error { _, err := kindTried(ctx, WholeReads(path), 1, 1); return err },
		"whole in huge pages": func(ctx context.Context) error {
			_, err := kindTried(ctx, WholeReads(path).HugePages(), 1, 1)
			return err
		},
		// One task: the layout has 15 million blocks.
		"collected": func(ctx context.Context) error {
			_, err := kindTried(ctx, CollectReads(path).With(TaskBytes(1<<50)), 1, 1)
			return err
		},
	} {
		if err := read(t.Context()); !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "windows") || strings.Contains(err.Error(), "GDAL") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
