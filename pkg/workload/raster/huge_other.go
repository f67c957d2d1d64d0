//go:build !linux

package raster

import "unsafe"

func hugeArray[T Pixel](n int) ([]T, func(), error) {
	return make([]T, n), func() {}, nil
}

func wantHuge(unsafe.Pointer, int) {}
