package raster

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/text"
)

// hugeArray asks the system for memory of its own and, by madvise(2), for huge pages in it.
func hugeArray[T Pixel](n int) ([]T, func(), error) {
	var t T
	bytes := (n*int(unsafe.Sizeof(t)) + hugePage - 1) / hugePage * hugePage
	b, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("%s of memory: %w", text.Bytes(int64(bytes)), err)
	}
	unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish: a system without huge pages refuses, and the memory serves all the same
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), func() { unix.Munmap(b) }, nil
}

// memoryFor says whether the system has n bytes of memory to give, at the moment: Go ends the program
// where it asks for more than there is. Where the system does not say what is free, it is enough.
func memoryFor(n int) error {
	all, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return nil
	}
	free, known := int64(0), false
	for line := range strings.Lines(string(all)) {
		var kilobytes int64
		key, value, _ := strings.Cut(line, ":")
		if key != "MemAvailable" && key != "SwapFree" {
			continue
		}
		if _, err := fmt.Sscan(value, &kilobytes); err != nil {
			return nil
		}
		free += kilobytes << 10
		known = known || key == "MemAvailable"
	}
	if known && int64(n) > free {
		return fmt.Errorf("%s of memory are needed, and %s are free: %w", text.Bytes(int64(n)), text.Bytes(free), unix.ENOMEM)
	}
	return nil
}

// wantHuge asks for huge pages for the n bytes at p, which nobody has touched yet. Only whole huge
// pages can be asked for.
func wantHuge(p unsafe.Pointer, n int) {
	skip := -int(uintptr(p)) & (hugePage - 1)
	if n -= skip; n >= hugePage {
		unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), n/hugePage*hugePage), unix.MADV_HUGEPAGE)
	}
}
