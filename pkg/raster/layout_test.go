package raster

import (
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// Each block of each file is in one task, whatever the files and the size of a task.
func TestPlanHasEveryBlockOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layouts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) layout {
			return layout{
				across: rapid.IntRange(0, 9).Draw(t, "across"), down: rapid.IntRange(0, 9).Draw(t, "down"), planes: rapid.IntRange(0, 3).Draw(t, "planes"),
				blockBytes: rapid.IntRange(0, 1000).Draw(t, "bytes"), inOrder: rapid.Bool().Draw(t, "in order"),
			}
		}), 0, 6).Draw(t, "files")
		p := newPlan(layouts, rapid.OneOf(rapid.IntRange(0, 5000), rapid.Just(1<<62), rapid.Just(1<<63-1)).Draw(t, "task bytes"))
		file, next := 0, 0
		skip := func() {
			for file < len(layouts) && next == layouts[file].count() {
				file, next = file+1, 0
			}
		}
		for i := range p.tasks() {
			skip()
			f, from, to := p.task(i)
			if f != file || from != next || to <= from || to > layouts[f].count() {
				t.Fatalf("task %d: blocks %d to %d of file %d, after %d of file %d", i, from, to, f, next, file)
			}
			next = to
		}
		if skip(); file != len(layouts) {
			t.Fatalf("%d tasks end with block %d of file %d", p.tasks(), next, file)
		}
	})
}

// Strips of a row are read many at a time: each by itself would cost more than its pixels.
func TestRowsAreReadTogether(t *testing.T) {
	path, err := filepath.Abs("testdata/strips-1.tif")
	if err != nil {
		t.Fatal(err)
	}
	h, err := openFor(path, reading{}, access{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if h.bw != 70 || h.bh != 1 || h.count() != 50 || h.joined != 50 {
		t.Errorf("%d blocks of %d x %d, %d together", h.count(), h.bw, h.bh, h.joined)
	}
	job, err := NewJob([]string{path}, Way{})
	if err != nil || job.Tasks() != 1 {
		t.Errorf("%d tasks, %v", job.Tasks(), err)
	}
	job.Finish(1)
}
