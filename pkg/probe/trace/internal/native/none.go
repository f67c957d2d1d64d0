//go:build !cgo

// Package native calls C code that computes or waits, to test what a trace
// says of it.
package native

import "time"

// Available reports whether there is C code.
const Available = false

// Compute does nothing here.
func Compute(time.Duration) {}

// Wait does nothing here.
func Wait(time.Duration) {}
