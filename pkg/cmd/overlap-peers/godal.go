package main

import (
	"context"
	"errors"
	"sync"

	"github.com/airbusgeo/godal"
	"golang.org/x/sync/errgroup"
)

// A godalReader reads through godal alone, as one writes it first, or with one thing changed.
type godalReader struct {
	files  []string
	atOnce bool // a goroutine for each file
	huge   bool
	open   []godal.OpenOption
	kept   kept
}

// newGodal returns the reader of that name, nil if it is none of godal.
func newGodal(name string, files []string) reader {
	r := &godalReader{files: files}
	switch name {
	case "godal-sequential":
	case "godal-goroutines":
		r.atOnce = true
	case "godal-huge":
		r.atOnce, r.huge = true, true
	case "godal-threads":
		r.huge, r.open = true, []godal.OpenOption{godal.DriverOpenOption("NUM_THREADS=ALL_CPUS")}
	default:
		return nil
	}
	return r
}

// failures lets GDAL's warnings go; godal takes them as errors otherwise.
func failures(category godal.ErrorCategory, _ int, msg string) error {
	if category >= godal.CE_Failure {
		return errors.New(msg)
	}
	return nil
}

// register is part of a first read, as it is of rasterio's and package raster's.
var register = sync.OnceFunc(godal.RegisterAll)

func (r *godalReader) read(context.Context) error {
	register()
	var mu sync.Mutex
	one := func(path string) error {
		ds, err := godal.Open(path, append(r.open, godal.ErrLogger(failures))...)
		if err != nil {
			return err
		}
		defer ds.Close()
		s := ds.Structure()
		mu.Lock()
		pixels, err := r.kept.room(s.SizeX*s.SizeY, r.huge)
		mu.Unlock()
		if err != nil {
			return err
		}
		return ds.Bands()[0].Read(0, 0, pixels, s.SizeX, s.SizeY, godal.ErrLogger(failures))
	}
	var g errgroup.Group
	if !r.atOnce {
		g.SetLimit(1)
	}
	for _, path := range r.files {
		g.Go(func() error { return one(path) })
	}
	return g.Wait()
}

func (r *godalReader) answer(context.Context) (answer, error) { return r.kept.answer(), nil }
