package main

import (
	"fmt"
	"runtime"
	"strings"
)

// A way is one way to read the files, in a process of its own.
type way struct {
	name    string
	program string   // "python", or "go" for this command itself
	run     string   // what it is called there
	env     []string // GDAL's settings, which it reads once a process
	result  result
}

// A result is what a way leaves behind: only like results can be compared.
type result string

const (
	arrays     result = "arrays"             // the pixels of each file in memory
	windows    result = "windows"            // each window in a buffer, which is used again
	statistics result = "statistics"         // windows, folded into statistics while the clock runs
	both       result = "arrays, statistics" // arrays, and statistics while the clock runs
	copies     result = "a copy"             // what gdal_translate makes
)

// The names of ways that others are compared with.
const (
	published    = "rasterio asyncio"
	ceilingPart  = "ceiling windows"
	ceilingFold  = "ceiling statistics"
	ceilingWhole = "ceiling arrays"
	ceilingBoth  = "ceiling arrays, statistics"
	oursPart     = "raster windows"
	oursFold     = "raster statistics"
	oursWhole    = "raster arrays"
	oursBoth     = "raster arrays, statistics"
)

// ways lists all ways. GDAL's own cache is 5 % of memory where nothing is set.
func ways() []way {
	var (
		standard = []string{"GDAL_CACHEMAX=5%"}
		small    = []string{"GDAL_CACHEMAX=16"}
	)
	list := []way{
		{published, "python", "asyncio", nil, arrays},
		{"rasterio sequential", "python", "sequential", nil, arrays},
		{"rasterio pool", "python", "windows", nil, arrays},
		{"rasterio NUM_THREADS", "python", "threads", nil, arrays},
		{"rasterio asyncio, cache 16", "python", "asyncio", small, arrays},
		{"rasterio sequential, cache 16", "python", "sequential", small, arrays},
		{"rasterio pool, cache 16", "python", "windows", small, arrays},
		{"rasterio NUM_THREADS, cache 16", "python", "threads", small, arrays},
		{"rasterio pool windows, cache 16", "python", "stream", small, windows},
		{"rasterio pool statistics, cache 16", "python", "stream-fold", small, statistics},
		{"gdal_translate NUM_THREADS", "go", "translate", append(small, "GDAL_NUM_THREADS=ALL_CPUS"), copies},

		{"godal sequential", "go", "godal-sequential", standard, arrays},
		{"godal goroutines", "go", "godal-goroutines", standard, arrays},
		{"godal sequential, cache 16", "go", "godal-sequential", small, arrays},
		{"godal goroutines, cache 16", "go", "godal-goroutines", small, arrays},
		{"godal goroutines, cache 16, huge pages", "go", "godal-huge", small, arrays},
		{"godal NUM_THREADS, cache 16, huge pages", "go", "godal-threads", small, arrays},
	}
	list = append(list,
		way{oursPart, "go", oursPart, small, windows},
		way{oursWhole, "go", oursWhole, small, arrays},
	)
	for _, w := range oursWays {
		list = append(list, way{w.name, "go", w.name, small, w.result})
	}
	return append(list,
		way{"ceiling windows, 1 worker", "go", "ceiling-windows-1", nil, windows},
		way{ceilingPart, "go", "ceiling-windows", nil, windows},
		way{ceilingFold, "go", "ceiling-statistics", nil, statistics},
		way{ceilingWhole, "go", "ceiling-arrays", nil, arrays},
		way{ceilingBoth, "go", "ceiling-both", nil, both},
	)
}

// only keeps the ways whose names have one of the words.
func only(list []way, words string) ([]way, error) {
	if words == "" {
		return list, nil
	}
	var kept []way
	for _, w := range list {
		for _, word := range strings.Split(words, ",") {
			if strings.Contains(w.name, strings.TrimSpace(word)) {
				kept = append(kept, w)
				break
			}
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("overlap-peers: no way has one of %q in its name", words)
	}
	return kept, nil
}

// cpus is how many workers a way has that is to use the whole machine.
func cpus() int { return runtime.GOMAXPROCS(0) }
