package raster

import (
	"context"
	"slices"
	"sync"

	"overlap/pkg/internal/guard"
	"overlap/pkg/raster/internal/where"
)

// abandoned counts the calls that somebody has stopped waiting for.
var abandoned sync.WaitGroup

// unlessDone calls f, which reads from files, and returns its result. Where one of the files is remote
// it does not wait for f longer than for ctx: a call of GDAL that waits for the network cannot be
// cut short. f then goes on by itself until that call ends, which GDAL_HTTP_TIMEOUT bounds. So f
// must look at ctx after each such call, and touch nothing that is used after ctx is done.
func unlessDone[T any](ctx context.Context, files []string, f func() T) (result T, err error) {
	if !slices.ContainsFunc(files, where.IsRemote) {
		return f(), nil
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	done := make(chan T, 1)
	abandoned.Go(func() {
		result := f()
		if ctx.Err() != nil {
			forget(files...) // what it has fetched since is not for those who read the files by now
		}
		done <- result
	})
	return await(ctx, done)
}

// await returns what comes of done, or the cause of ctx where that is done before.
func await[T any](ctx context.Context, done <-chan T) (result T, err error) {
	if result, ok := guard.Await(ctx, done, nil); ok {
		return result, nil
	}
	return result, context.Cause(ctx)
}

// readUnlessDone is unlessDone for reading several files.
func readUnlessDone(ctx context.Context, files []string, f func() []FileResult) []FileResult {
	results, err := unlessDone(ctx, files, f)
	if err == nil {
		return results
	}
	results = make([]FileResult, len(files))
	for i, name := range files {
		results[i] = FileResult{Path: name, Err: failed("read", name, err)}
	}
	return results
}
