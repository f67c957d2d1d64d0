package main

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// hugePixels returns memory of its own in huge pages, as numpy asks for it, too, and the function
// that gives it back.
func hugePixels(n int) ([]float32, func(), error) {
	b, err := unix.Mmap(-1, 0, (4*n+hugePage-1)/hugePage*hugePage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("memory for %d pixels: %w", n, err)
	}
	unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), n), func() { unix.Munmap(b) }, nil
}
