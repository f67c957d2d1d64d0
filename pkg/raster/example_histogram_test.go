package raster_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"overlap/pkg/raster"
)

// histogram counts the pixels that statistics are of: the first reading tells their range, the second one counts.
func histogram[T raster.Pixel](ctx context.Context, path string, bars int) ([]int, error) {
	s, err := raster.Read(ctx, path)
	if err != nil || s.Count == 0 { // of nothing but nodata, NaN or masked pixels there is none
		return nil, err
	}
	if s.Min == s.Max { // there is nothing to divide
		bars = 1
	}
	counts := make([]int, bars)
	var mu sync.Mutex
	err = raster.Stream(ctx, []string{path}, func(w raster.Window[T]) error {
		own := make([]int, bars)
		for y := range w.Height {
			for x, v := range w.Row(y) {
				switch {
				case !w.Valid(x, y):
				case bars == 1:
					own[0]++
				default:
					own[min(bars-1, int(float64(bars)*((float64(v)-s.Min)/(s.Max-s.Min))))]++
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range own {
			counts[i] += n
		}
		return nil
	})
	return counts, err
}

// A histogram, whose bars are as many as the pixels allow.
func ExampleStream_histogram() {
	ctx := context.Background()
	holes, err := histogram[float32](ctx, "testdata/nan-and-nodata.tif", 4)
	if err != nil {
		log.Fatal(err)
	}
	nothing, err := histogram[float32](ctx, "testdata/nan-all.tif", 4)
	if err != nil {
		log.Fatal(err)
	}
	equal, err := histogram[uint8](ctx, "testdata/constant.tif", 4)
	if err != nil {
		log.Fatal(err)
	}
	one, err := histogram[uint8](ctx, "testdata/1x1.tif", 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(holes, nothing, equal, one)
	// Output: [362 448 383 322] [] [3500] [1]
}
