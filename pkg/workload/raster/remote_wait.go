package raster

import (
	"context"
	"sync"
)

// abandoned counts the calls that somebody has stopped waiting for.
var abandoned sync.WaitGroup

// attend calls f, which reads from files, and returns its result. Where one of
// the files is remote it does not wait for f longer than for ctx: a call of
// GDAL that waits for the network cannot be cut short. f then goes on by
// itself until that call ends, which GDAL_HTTP_TIMEOUT bounds. So f must look at
// ctx after each such call, and touch nothing that is used after ctx is done.
func attend[T any](ctx context.Context, files []string, f func() T) (result T, err error) {
	remote := false
	for _, name := range files {
		remote = remote || isRemote(name)
	}
	if !remote {
		return f(), nil
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	done := make(chan T, 1)
	abandoned.Go(func() { done <- f() })
	select {
	case result = <-done:
		return result, nil
	case <-ctx.Done():
		select {
		case result = <-done: // just in time
			return result, nil
		default:
			return result, context.Cause(ctx)
		}
	}
}

// attendTask is attend for a task that reads one file.
func attendTask(ctx context.Context, file string, f func() error) error {
	result, err := attend(ctx, []string{file}, f)
	if err != nil {
		return failed("read", file, err)
	}
	return result
}

// attendFiles is attend for reading several files.
func attendFiles(ctx context.Context, files []string, f func() []FileResult) []FileResult {
	results, err := attend(ctx, files, f)
	if err == nil {
		return results
	}
	results = make([]FileResult, len(files))
	for i, name := range files {
		results[i] = FileResult{Path: name, Err: failed("read", name, err)}
	}
	return results
}
