//go:build !linux

package main

func hugePixels(n int) ([]float32, func(), error) { return make([]float32, n), func() {}, nil }
