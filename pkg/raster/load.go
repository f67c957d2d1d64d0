package raster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// An Array holds the pixels of one band, row by row.
type Array[T Pixel] struct {
	Width, Height int
	Pixels        []T // Width x Height
	Info          Info
	Stats         Stats
}

// At returns the pixel in column x of row y.
func (a Array[T]) At(x, y int) T { return a.Pixels[y*a.Width+x] }

// Load reads one band of a raster, the first of which is 1, into an array, with several workers. T
// must hold every value of the band: its own type, or a wider one. The values are those stored,
// nodata and masked ones too; the statistics say how many there are, unless [PixelsOnly] leaves
// them out. There is no array of a file that could not be read to the end.
//
// On Linux the array asks for huge pages, which makes fresh memory cheap; the garbage collector
// frees it as any slice.
func Load[T Pixel](ctx context.Context, path string, number int, opts ...ReadOption) (Array[T], error) {
	if ctx == nil {
		return Array[T]{}, failed("read", path, errNoContext)
	}
	rd := readingOf(opts)
	if rd.bands != nil {
		return Array[T]{}, failed("read", path, errors.New("OnlyBands is not for Load, which reads the one band that "+
			"its argument names; leave it out, or read several bands with Stream"))
	}
	rd.bands = []int{number}
	forget(path)
	type opening struct {
		width, height int
		kind          kind
		err           error
	}
	first, err := unlessDone(ctx, []string{path}, func() (o opening) {
		onOwnThread([]string{path}, func() {
			h, err := openFor(path, rd, access{})
			if err != nil {
				o.err = err
				return
			}
			defer h.close()
			o = opening{h.Width, h.Height, h.bands[0].kind, nil}
		})
		return o
	})
	if err != nil {
		return Array[T]{}, failed("read", path, err)
	} else if first.err != nil {
		return Array[T]{}, first.err
	}
	a := Array[T]{Width: first.width, Height: first.height}
	from, to := first.kind, kindFor[T]()
	if !to.holds(from) {
		return Array[T]{}, failed("read", path, fmt.Errorf("%s does not hold all values of band %d, which is %s; load "+
			"it as %s",
			strings.ToLower(kinds[to].name), number, kinds[from].name, strings.ToLower(kinds[from].name)))
	}
	if a.Pixels, err = loaded[T](a.Width, a.Height); err != nil {
		return Array[T]{}, failed("read", path, err)
	}
	place := func(_ int, h *handle) error {
		if h.sink != nil {
			return nil
		}
		if h.Width != a.Width || h.Height != a.Height || h.bands[0].kind != from {
			return failed("read", path, errReplaced) // after it was asked how large it is
		}
		h.unread = rd.noStats
		if from == to {
			h.into = func(_ *band, y int) unsafe.Pointer { return unsafe.Pointer(&a.Pixels[y*a.Width]) }
		}
		h.sink = func(_ *band, p unsafe.Pointer, stride int, w window, _ []byte) error {
			first := &a.Pixels[w.y*a.Width+w.x]
			if unsafe.Pointer(first) == p {
				return nil
			}
			for row := range w.height {
				copyPixels(a.Pixels[(w.y+row)*a.Width+w.x:][:w.width], unsafe.Add(p, row*stride*from.bytes()), from)
			}
			return nil
		}
		return nil
	}
	r := readFiles(ctx, []string{path}, rd, place)[0]
	if r.Err != nil {
		return Array[T]{}, r.Err
	}
	a.Info, a.Stats = r.Info, r.Stats[0]
	return a, nil
}

// loaded returns an array of the garbage collector's, in huge pages where the system has them.
func loaded[T Pixel](width, height int) ([]T, error) {
	if width > math.MaxInt/8/max(1, height) {
		return nil, errors.New("the raster is too large for this machine's address space; read it by windows")
	}
	n, size := width*height, kindFor[T]().bytes()
	if n*size < hugeEnough {
		return make([]T, n), nil
	}
	if err := memoryFor(n * size); err != nil {
		return nil, fmt.Errorf("%w; read it by windows, with Read or Stream", err)
	}
	// The system's huge pages begin at multiples of their size. The edges are not touched.
	pixels := make([]T, n+2*hugePage/size)
	skip := -int(uintptr(unsafe.Pointer(&pixels[0]))) & (hugePage - 1) / size
	pixels = pixels[skip:][:n:n]
	wantHuge(unsafe.Pointer(&pixels[0]), (n*size+hugePage-1)/hugePage*hugePage)
	return pixels, nil
}

// copyPixels converts pixels of a kind that T holds.
func copyPixels[T Pixel](to []T, p unsafe.Pointer, from kind) {
	switch from {
	case u8:
		convert(to, (*uint8)(p))
	case i8:
		convert(to, (*int8)(p))
	case u16:
		convert(to, (*uint16)(p))
	case i16:
		convert(to, (*int16)(p))
	case u32:
		convert(to, (*uint32)(p))
	case i32:
		convert(to, (*int32)(p))
	case u64:
		convert(to, (*uint64)(p))
	case i64:
		convert(to, (*int64)(p))
	case f32:
		convert(to, (*float32)(p))
	case f64:
		convert(to, (*float64)(p))
	}
}

func convert[T, F Pixel](to []T, p *F) {
	from := unsafe.Slice(p, len(to))
	if same, ok := any(from).([]T); ok {
		copy(to, same)
		return
	}
	for i, v := range from {
		to[i] = T(v)
	}
}
