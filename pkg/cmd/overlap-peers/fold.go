package main

/*
#cgo CFLAGS: -O3
#include <stddef.h>

// fold gives the least, the greatest and the sum of height rows of width
// floats, none of them NaN. A row starts every stride floats. Sums may be taken in
// any order, so that the compiler makes vector code of the loop.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
__attribute__((target_clones("avx2", "default")))
#endif
#ifndef __clang__
__attribute__((optimize("O3", "fast-math")))
#endif
static void fold(const float *p, size_t stride, size_t width, size_t height, double out[3]) {
	float low = p[0], high = p[0];
	double sum = 0;
	for (; height--; p += stride) {
		for (size_t i = 0; i < width; i++) {
			low = p[i] < low ? p[i] : low;
			high = p[i] > high ? p[i] : high;
			sum += p[i];
		}
	}
	out[0] = low;
	out[1] = high;
	out[2] = sum;
}
*/
import "C"

import "unsafe"

// fold returns the answer for a rectangle of width x height pixels, whose rows
// start every stride pixels. It is in C, in vectors, so that a ceiling with it
// is one.
func fold(pixels []float32, stride, width, height int) answer {
	_ = pixels[(height-1)*stride+width-1]
	var out [3]C.double
	C.fold((*C.float)(unsafe.Pointer(&pixels[0])), C.size_t(stride), C.size_t(width), C.size_t(height), &out[0])
	return answer{int64(width * height), float64(out[0]), float64(out[1]), float64(out[2])}
}
