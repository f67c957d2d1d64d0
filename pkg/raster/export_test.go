package raster

import (
	"context"
	"fmt"

	"overlap/pkg/raster/internal/where"
)

// What the tests of this package's outside need of its inside. They are outside because package terrain, whose
// rasters they read, imports this one.

var (
	Abandoned     = &abandoned
	Combine       = combine
	CloudPath     = where.GDALPath
	Setting       = config
	SetForThread  = setForThread
	Forget        = forget
	IsRemote      = where.IsRemote
	RequestLimit  = requestLimit
	Room          = memoryFor
	VersionNumber = version
	ErrClosed     = errClosed
	ErrChanged    = errChanged
	ErrReplaced   = errReplaced
)

const (
	AskLimit         = askLimit
	Curl             = where.Curl
	DefaultTaskBytes = defaultTaskBytes
	FirstThreads     = firstThreads
	FirstThreadSafe  = firstThreadSafe
	TooMany          = where.TooMany
)

// Explained is what package raster says of a file for which GDAL said something.
func Explained(path, said string) error { return explainRemote(path, &gdalFailure{said}, mark{}) }

// An OpenFile is a handle.
type OpenFile = handle

// Handle opens a file to read all of it.
func Handle(path string) (*handle, error) {
	h, err := openFor(path, reading{}, access{})
	if err == nil {
		h.scratch = new(scratch)
	}
	return h, err
}

func (h *handle) Close()      { h.close() }
func (h *handle) Across() int { return h.across }

// Extent is where a block is in a TIFF.
func (h *handle) Extent(column, row int) (at, n int64) {
	fmt.Sscan(h.item(h.firstBand(), fmt.Sprintf("BLOCK_OFFSET_%d_%d", column, row), "TIFF"), &at)
	fmt.Sscan(h.item(h.firstBand(), fmt.Sprintf("BLOCK_SIZE_%d_%d", column, row), "TIFF"), &n)
	return at, n
}

func (h *handle) FoldWhole(ctx context.Context) error { return h.foldWhole(ctx, h.path, false) }

func (h *handle) FoldBlocks(ctx context.Context, from, to int) error {
	_, err := h.foldBlocks(ctx, h.path, from, to)
	return err
}

// A Pool is the open files of a run.
type Pool struct{ *handles }

func NewPool(files []string, limit int) Pool { return Pool{newHandles(files, limit, reading{})} }

func (p Pool) With(ctx context.Context, file int, f func(*handle) error) error {
	return p.with(ctx, file, f)
}

// End returns the answer.
func (p Pool) End() string {
	answer, _ := (&Job{handles: p.handles}).Finish(0)
	return answer
}
