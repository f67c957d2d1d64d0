//go:build !linux

package raster

func onMainThread() bool { return false } // nobody says
