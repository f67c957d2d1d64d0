// Inflating and undoing predictors. In C, for libdeflate is, and for speed.

#include "decode.h"
#include <dlfcn.h>
#include <string.h>

const bool decode_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

// libdeflate's interface, as its manual page in libdeflate.h gives it.
static struct libdeflate_decompressor *(*alloc_decompressor)(void);
static void (*free_decompressor)(struct libdeflate_decompressor *);
static int (*zlib_decompress)(struct libdeflate_decompressor *, const void *in, size_t n, void *out, size_t room, size_t *got);

int decode_load(void) {
	static const char *names[] = {"libdeflate.so.0", "libdeflate.so", "libdeflate.0.dylib", "libdeflate.dylib"};
	void *library = NULL;
	for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 0;
	*(void **)&alloc_decompressor = dlsym(library, "libdeflate_alloc_decompressor");
	*(void **)&free_decompressor = dlsym(library, "libdeflate_free_decompressor");
	*(void **)&zlib_decompress = dlsym(library, "libdeflate_zlib_decompress");
	return alloc_decompressor && free_decompressor && zlib_decompress;
}

struct libdeflate_decompressor *decode_new(void) { return alloc_decompressor(); }

void decode_free(struct libdeflate_decompressor *d) {
	if (d)
		free_decompressor(d);
}

// decode_inflate returns DECODED where the data is whole and gives need to room bytes.
int decode_inflate(struct libdeflate_decompressor *d, const uint8_t *in, size_t n, uint8_t *out, size_t need, size_t room) {
	enum { INSUFFICIENT_SPACE = 3 }; // of libdeflate's results; 0 is success
	size_t got = 0;
	const int result = zlib_decompress(d, in, n, out, room, &got);
	if (result == INSUFFICIENT_SPACE)
		return DECODED_LONGER;
	return result != 0 || got < need ? DECODED_DAMAGED : DECODED;
}

void decode_swap(void *p, size_t n, int bits) {
	switch (bits) {
	case 16:
		for (uint16_t *v = p; n--; v++)
			*v = __builtin_bswap16(*v);
		break;
	case 32:
		for (uint32_t *v = p; n--; v++)
			*v = __builtin_bswap32(*v);
		break;
	case 64:
		for (uint64_t *v = p; n--; v++)
			*v = __builtin_bswap64(*v);
		break;
	}
}

// sums writes the running sums of n bytes: out[i] = in[0] + ... + in[i],
// modulo 256. in and out may be the same.
static void sums(uint8_t *out, const uint8_t *in, size_t n) {
	uint8_t sum = 0;
	size_t i = 0;
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector) // GCC 12, Clang
	// 16 bytes at once: to each the one before it is added, then the two sums
	// before that, four and eight. Three times as fast as the plain loop.
	typedef uint8_t sixteen __attribute__((vector_size(16)));
	const sixteen zero = {0};
	sixteen last = zero; // the sum so far, in each; as a vector, for to take it out and in again is slow
	for (; i + 16 <= n; i += 16) {
		sixteen v;
		memcpy(&v, in + i, 16);
		v += __builtin_shufflevector(v, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
		v += __builtin_shufflevector(v, zero, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
		v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
		v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
		v += last;
		last = __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
		memcpy(out + i, &v, 16);
	}
	sum = last[0];
#endif
#endif
	for (; i < n; i++)
		out[i] = sum += in[i];
}

#define HORIZONTAL(type)                                        \
	for (type *v = p; rows--; v += width * stride)              \
		for (size_t i = stride; i < width * stride; i++)        \
			v[i] += v[i - stride];

// decode_horizontal undoes predictor 2: a sample was stored as its difference
// from the one to its left.
void decode_horizontal(void *p, size_t width, size_t rows, size_t stride, int bits) {
	switch (bits) {
	case 8:
		if (stride == 1) {
			for (uint8_t *v = p; rows--; v += width)
				sums(v, v, width);
			break;
		}
		HORIZONTAL(uint8_t)
		break;
	case 16:
		HORIZONTAL(uint16_t)
		break;
	case 32:
		HORIZONTAL(uint32_t)
		break;
	case 64:
		HORIZONTAL(uint64_t)
		break;
	}
}

// join writes n values of size bytes whose bytes are in planes of n each, the
// most significant first. size is a constant where it is called, so that the
// compiler makes vector code of it.
static inline void join(uint8_t *restrict out, const uint8_t *restrict planes, size_t n, size_t size) {
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < size; k++)
			out[size * i + (decode_big_endian ? k : size - 1 - k)] = planes[k * n + i];
}

// decode_floating undoes predictor 3: a row of n floats was stored as all
// their first bytes (sign and exponent), then all second ones and so on, and
// those bytes as differences from the one stride before. row has room for one row.
void decode_floating(uint8_t *p, uint8_t *row, size_t n, size_t rows, size_t stride, int bits) {
	const size_t bytes = n * bits / 8;
	for (; rows--; p += bytes) {
		if (stride == 1) {
			sums(row, p, bytes);
		} else {
			memcpy(row, p, stride);
			for (size_t i = stride; i < bytes; i++)
				row[i] = row[i - stride] + p[i];
		}
		if (bits == 32)
			join(p, row, n, 4);
		else
			join(p, row, n, 8);
	}
}

#define PICK(type) \
	for (size_t i = 0; i < n; i++) \
		((type *)out)[i] = ((const type *)in)[i * stride];

// decode_pick copies every stride-th of the samples at in, n of them.
void decode_pick(void *out, const void *in, size_t n, size_t stride, int bits) {
	switch (bits) {
	case 8:
		PICK(uint8_t)
		break;
	case 16:
		PICK(uint16_t)
		break;
	case 32:
		PICK(uint32_t)
		break;
	case 64:
		PICK(uint64_t)
		break;
	}
}
