package raster_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"overlap/pkg/raster"
	"overlap/pkg/sched"
	"overlap/pkg/workload/reads"
	"overlap/pkg/workload/reads/fileserver"
	"overlap/pkg/workload/terrain"
)

// Addresses go where paths do.
func Example_remote() {
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	if err := (terrain.Terrain{Width: 1000, Height: 700, Seed: 1}).Write(ctx, filepath.Join(dir, "hills.tif")); err != nil {
		log.Fatal(err)
	}
	server, err := fileserver.Serve(ctx, fileserver.Files{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	tasks, finish, err := reads.RandomReads(server.File("hills.tif")).Tasks(12)
	if err != nil {
		log.Fatal(err)
	}
	if err := sched.Pool(8).Run(ctx, tasks); err != nil {
		log.Fatal(err)
	}
	far, err := finish()
	if err != nil {
		log.Fatal(err)
	}

	tasks, finish, err = reads.RandomReads(filepath.Join(dir, "hills.tif")).Tasks(12)
	if err != nil {
		log.Fatal(err)
	}
	if err := sched.Sequential().Run(ctx, tasks); err != nil {
		log.Fatal(err)
	}
	near, err := finish()
	fmt.Println("same answer:", far == near, err)

	_, err = raster.Read(ctx, server.File("valleys.tif"))
	fmt.Println("status:", err.(interface{ Unwrap() error }).Unwrap())
	// Output:
	// same answer: true <nil>
	// status: the server answered 404 (Not Found); check the address
}
