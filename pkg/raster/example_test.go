package raster_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync/atomic"

	"overlap/pkg/raster"
	"overlap/pkg/sched"
	"overlap/pkg/workload/reads"
	"overlap/pkg/workload/terrain"
)

func Example() {
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	path := filepath.Join(dir, "hills.tif")
	hills := terrain.Terrain{Width: 700, Height: 333, Seed: 1}
	for range 2 {
		made, err := hills.Ensure(ctx, path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("made:", made)
	}

	stats, err := raster.Read(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d heights, %v to %v m, %.1f m on average\n", stats.Count, stats.Min, stats.Max, stats.Mean())
	// Output:
	// made: true
	// made: false
	// 233100 heights, 726 to 1073 m, 905.6 m on average
}

func ExampleInspect() {
	_, err := raster.Inspect("no such.tif")
	fmt.Println(err)
	// Output: raster: open "no such.tif": no such file; check the name, or make the lab's own files with scripts/lab data
}

// Two ways to read the same rasters give the same answer under any scheduler.
func Example_scheduler() {
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	a, b := filepath.Join(dir, "a.tif"), filepath.Join(dir, "b.tif")
	for seed, path := range []string{a, b} {
		if err := (terrain.Terrain{Width: 1000, Height: 700, Seed: uint64(seed)}).Write(ctx, path); err != nil {
			log.Fatal(err)
		}
	}

	tasks, finish, err := reads.WholeReads(a, b).Tasks(2)
	if err != nil {
		log.Fatal(err)
	}
	if err := sched.Sequential().Run(ctx, tasks); err != nil {
		log.Fatal(err)
	}
	whole, _ := finish()
	fmt.Println(len(tasks), "tasks, one a raster")

	tasks, finish, err = reads.WindowReads(a, b).Tasks(2)
	if err != nil {
		log.Fatal(err)
	}
	if err := sched.Pool(2).Run(ctx, tasks); err != nil {
		log.Fatal(err)
	}
	windows, _ := finish()
	fmt.Println(len(tasks), "tasks, eight blocks or fewer each")
	fmt.Println("same answer:", whole == windows)
	// Output:
	// 2 tasks, one a raster
	// 4 tasks, eight blocks or fewer each
	// same answer: true
}

// A damaged or missing file does not keep the others from being read.
func ExampleReadMany() {
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	hills := filepath.Join(dir, "hills.tif")
	if err := (terrain.Terrain{Width: 1000, Height: 700, Seed: 1}).Write(ctx, hills); err != nil {
		log.Fatal(err)
	}

	results, err := raster.ReadMany(ctx, []string{hills, "no such.tif"})
	for _, r := range results {
		total := r.Total()
		fmt.Println(filepath.Base(r.Path), r.Complete(), total.Count)
	}
	fmt.Println(err)
	// Output:
	// hills.tif true 700000
	// no such.tif false 0
	// raster: open "no such.tif": no such file; check the name, or make the lab's own files with scripts/lab data
}

// How much of the land is below 800 m, without ever holding more of it than a
// window for each worker.
func ExampleStream() {
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	hills := filepath.Join(dir, "hills.tif")
	if err := (terrain.Terrain{Width: 1000, Height: 700, Seed: 1}).Write(ctx, hills); err != nil {
		log.Fatal(err)
	}

	var low atomic.Int64
	err = raster.Stream(ctx, []string{hills}, func(w raster.Window[float32]) error {
		n := 0
		for y := range w.Height {
			for _, height := range w.Row(y) {
				if height < 800 {
					n++
				}
			}
		}
		low.Add(int64(n))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	hillsAll, err := raster.Load[float32](ctx, hills, 1) // the same, with all of it in memory
	if err != nil {
		log.Fatal(err)
	}
	again := 0
	for _, height := range hillsAll.Pixels {
		if height < 800 {
			again++
		}
	}
	fmt.Println(low.Load() == int64(again), again > 0)
	// Output: true true
}
