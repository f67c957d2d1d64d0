package raster

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20 // bytes; where the system's are of another size it rounds

// hugeArray asks the system for memory of its own and, by madvise(2), for huge
// pages in it.
func hugeArray[T float32 | float64](n int) ([]T, func(), error) {
	var t T
	bytes := (n*int(unsafe.Sizeof(t)) + hugePage - 1) / hugePage * hugePage
	b, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("%s of memory: %w", megabytes(int64(bytes)), err)
	}
	unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish: a system without huge pages refuses, and the memory serves all the same
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), func() { unix.Munmap(b) }, nil
}
