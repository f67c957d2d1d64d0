package raster

import "syscall"

// onMainThread reports whether the calling goroutine runs on the process's first thread, which
// never ends.
func onMainThread() bool { return syscall.Gettid() == syscall.Getpid() }
