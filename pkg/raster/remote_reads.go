package raster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"overlap/pkg/sched"
)

// Random reads single blocks of rasters, in an order that looks random, as a
// viewer of maps or a sampler of training data does. A size is a number of
// blocks.
type Random struct {
	files []string
	seed  uint64
}

// RandomReads returns the workload that reads single blocks of files, which can be
// addresses such as "https://example.org/dem.tif". Size n reads n blocks, each at
// most once, the same ones in the same order each time.
//
// It shows what waiting costs. Each block takes a request to the server, and the
// time of a request is mostly waiting for it, so what counts is how many
// requests are in flight: many more workers than CPUs win. In order, GDAL guesses
// which bytes come next and fetches more of them at once; [WindowReads] shows
// that.
//
// Nothing is kept from run to run: GDAL's memory of the files is dropped when
// the tasks are made, and connections end with the run. The memory is filled again with the start of each file, so opening
// one more handle asks the server nothing.
func RandomReads(files ...string) Random { return Random{files: files, seed: 1} }

// Seed returns the workload with other blocks in another order.
func (r Random) Seed(n uint64) Random {
	r.seed = n
	return r
}

// Spec names the work and its parameters.
func (r Random) Spec() (kind string, params map[string]string) {
	params = describe(r.files, reading{})
	params["by"] = "random blocks"
	params["seed"] = strconv.FormatUint(r.seed, 10)
	return "raster-random-reads", params
}

// Unit returns "blocks".
func (Random) Unit() string { return "blocks" }

// Tasks makes a task of each block. Handles are handed on as [WindowReads] does.
// It is an error where the files have fewer blocks than size.
func (r Random) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	layouts, infos, err := inspect(r.files, len(r.files), reading{})
	if err != nil {
		return nil, nil, err
	}
	type block struct{ file, number int }
	var blocks []block
	for file, l := range layouts {
		for n := range l.count() {
			blocks = append(blocks, block{file, n})
		}
	}
	if size < 1 || size > len(blocks) {
		return nil, nil, fmt.Errorf("raster: size %d: these files have 1 to %d blocks; give more files, or another size", size, len(blocks))
	}
	order := rand.New(rand.NewPCG(r.seed, 0))
	order.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })

	run := newHandles(r.files, MaxHandles(), reading{})
	run.expect(layouts, infos)
	run.leaves = true
	tasks := run.tasks(size, func(ctx context.Context, i int) error {
		b := blocks[i]
		return run.foldBlocks(ctx, b.file, b.number, b.number+1)
	})
	return tasks, func() (string, error) { return run.finish(infos) }, nil
}
