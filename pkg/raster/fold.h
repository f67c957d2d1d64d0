// Folding pixels into statistics. It is in C, and in simple loops, so that the
// compiler makes vector code of them: a fraction of a nanosecond a pixel,
// where Go takes two or more, which is as long as inflating the pixel. The lab
// is to measure reading.
#ifndef OVERLAP_FOLD_H
#define OVERLAP_FOLD_H

#include <stddef.h>
#include <stdint.h>

enum { SEGMENT = 256 };

// A segment is what is kept of up to SEGMENT pixels of one row.
typedef struct {
	uint64_t check;
	int64_t  low, high; // the least and the greatest value, for floats as ordered integers
	int64_t  small;     // floats: bits of the least magnitude above zero, less 1; the greatest integer if all are zero
	double   sum;       // float32
	uint64_t sumLow;    // others: a two's complement number of 128 bits,
	uint64_t sumHigh;   // for float64 in units of 2^(least exponent - 1075)
	int32_t  none;      // pixels of the nodata value, which are left out of all but check
	int32_t  exact;     // float64: whether the sum is there
} segment;

// A fold is a rectangle of pixels to fold.
typedef struct {
	const uint32_t *columns, *rows; // the parts of the pixels' keys
	int stride, width, height;      // stride in pixels
	int has;                        // whether there is a nodata value
	int64_t nodata;                 // of integers
	double value;                   // of floats, as the next two are
	int64_t from, to;               // as ordered integers; two for zero, which is -0 too
} fold;

// The kinds of pixels, in the order of foldPixels' table.
enum { KIND_U8, KIND_I8, KIND_U16, KIND_I16, KIND_U32, KIND_I32, KIND_U64, KIND_I64, KIND_F32, KIND_F64, KINDS };

// foldPixels folds each segment of a rectangle, and puts behind them what all
// come to, but for the sum of float64. It returns how many segments there are.
int foldPixels(int kind, const void *p, const uint32_t *columns, const uint32_t *rows, int stride, int width, int height,
	int has, int64_t nodata, double value, int64_t from, int64_t to, segment *out);

#endif
