package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/raster"
)

// A translateReader has the command gdal_translate copy each file, one after another, into its MEM
// driver, which keeps the pixels in memory until the command ends. All other drivers that were
// tried write more than they need to, or refuse to write to nowhere.
type translateReader struct {
	command string
	files   []string
}

func newTranslate(files []string) (reader, string, error) {
	command, err := exec.LookPath("gdal_translate")
	if err != nil {
		return nil, "gdal_translate is not installed; on Debian: apt-get install gdal-bin", nil
	}
	return &translateReader{command, files}, "", nil
}

func (r *translateReader) run(ctx context.Context, args ...string) (*os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, r.command, append([]string{"-q"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gdal_translate: %w: %s", err, out)
	}
	return cmd.ProcessState, nil
}

func (r *translateReader) read(ctx context.Context) error {
	_, err := r.measure(ctx)
	return err
}

// measure returns what the processes took, their start included.
func (r *translateReader) measure(ctx context.Context) (probe.Usage, error) {
	u := probe.Usage{CPUs: probe.CPUs().Count, Missing: []string{probe.HostLoad, probe.RunDelay, probe.Throttling}}
	start := time.Now()
	for _, path := range r.files {
		state, err := r.run(ctx, "-of", "MEM", path, "nowhere")
		if err != nil {
			return u, err
		}
		ru, ok := state.SysUsage().(*syscall.Rusage)
		if !ok {
			return u, errors.New("gdal_translate: the system does not say what it took")
		}
		u.User += state.UserTime()
		u.System += state.SystemTime()
		u.Voluntary += int64(ru.Nvcsw)
		u.Involuntary += int64(ru.Nivcsw)
		u.MinorFaults += int64(ru.Minflt)
		u.MajorFaults += int64(ru.Majflt)
		u.PeakMemory = max(u.PeakMemory, int64(ru.Maxrss)*maxrssUnit)
	}
	u.Wall = time.Since(start)
	return u, nil
}

// answer has the command write what it read into a file, and reads that.
func (r *translateReader) answer(ctx context.Context) (answer, error) {
	dir, err := os.MkdirTemp("", "overlap-peers-*")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(dir)
	t := newTally()
	for _, path := range r.files {
		copied := filepath.Join(dir, "copy.tif")
		if _, err := r.run(ctx, path, copied); err != nil {
			return answer{}, err
		}
		s, err := raster.Read(ctx, copied)
		if err != nil {
			return answer{}, err
		}
		t.Count += s.Count
		t.Min, t.Max, t.Sum = min(t.Min, s.Min), max(t.Max, s.Max), t.Sum+s.Sum()
	}
	return t.answer, nil
}
