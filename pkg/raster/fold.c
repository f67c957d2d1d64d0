#include "fold.h"

typedef int32_t __attribute__((may_alias)) word32; // a float32's bits
typedef int64_t __attribute__((may_alias)) word64; // a float64's bits
typedef float __attribute__((vector_size(16), aligned(4), may_alias)) floats;
typedef double __attribute__((vector_size(32))) doubles;

#ifdef __x86_64__
#include <immintrin.h>
#endif

// among reports whether values between low and high, ordered integers of which those from inf
// on are no finite numbers, may have the nodata value of floats among them.
static inline int among(const fold *f, int64_t low, int64_t high, int64_t inf) {
	if (!f->has)
		return 0;
	return f->value != f->value ? high >= inf || low <= ~inf : low <= f->to && high >= f->from;
}

typedef void loop(const void *, const fold *, segment *);

// mix is the Go function of that name.
static inline uint64_t mix(uint64_t x) {
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

// Twice: for the instructions that each machine has, and for twice as wide
// ones that most x86 machines have by now.
#ifdef __x86_64__
#define NAME(n) n##_sse41
#define LANES __m128i
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define SAME(x) _mm_set1_epi32(x)
#define XOR _mm_xor_si128
#define MULTIPLY _mm_mul_epu32
#define ODD(v) _mm_srli_epi64(v, 32)
#define ADD _mm_add_epi64
#define TARGET __attribute__((target("sse4.1"))) // every such CPU since 2008; it has integer min and max
#include "fold_loops.h"
#undef NAME
#undef TARGET
#undef LANES
#undef LOAD
#undef SAME
#undef XOR
#undef MULTIPLY
#undef ODD
#undef ADD
#define NAME(n) n##_avx2
#define LANES __m256i
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define SAME(x) _mm256_set1_epi32(x)
#define XOR _mm256_xor_si256
#define MULTIPLY _mm256_mul_epu32
#define ODD(v) _mm256_srli_epi64(v, 32)
#define ADD _mm256_add_epi64
#define TARGET __attribute__((target("avx2")))
#include "fold_loops.h"
#else
#define NAME(n) n##_any
#define TARGET
#include "fold_loops.h"
#endif

// add merges segments of a kind, except for the sums of float64.
static void add(segment *to, const segment *s, int kind) {
	to->check += s->check;
	if (kind == KIND_U64) {
		to->low = (uint64_t)s->low < (uint64_t)to->low ? s->low : to->low;
		to->high = (uint64_t)s->high > (uint64_t)to->high ? s->high : to->high;
	} else {
		to->low = s->low < to->low ? s->low : to->low;
		to->high = s->high > to->high ? s->high : to->high;
	}
	to->small = s->small < to->small ? s->small : to->small;
	to->sum += s->sum;
	to->sumLow += s->sumLow;
	to->sumHigh += s->sumHigh + (to->sumLow < s->sumLow);
	to->none += s->none;
	to->exact = 0;
}

int foldPixels(int kind, const void *p, const uint32_t *columns, const uint32_t *rows, int stride, int width, int height,
	int has, int64_t nodata, double value, int64_t from, int64_t to, segment *out) {
	const fold f = {columns, rows, stride, width, height, has, nodata, value, from, to};
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		loops_avx2[kind](p, &f, out);
	else
		loops_sse41[kind](p, &f, out);
#else
	loops_any[kind](p, &f, out);
#endif
	const int n = (width + SEGMENT - 1) / SEGMENT * height;
	out[n] = out[0];
	for (int i = 1; i < n; i++)
		add(&out[n], &out[i], kind);
	return n;
}
