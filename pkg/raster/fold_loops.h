// The loops of fold.c, which includes them once for each set of instructions.

// products is the sum of n words of 32 bits times their keys. The compiler puts the words into the
// order of their products first; for a sum no order is needed, and that is half
// the work.
TARGET static inline uint64_t NAME(products)(const void *p, const uint32_t *k, uint32_t key, int n) {
	const word32 *b = p;
	uint64_t check = 0;
	int i = 0;
#ifdef LANES
	LANES sum = {0};
	for (; i + (int)(sizeof(LANES) / 4) <= n; i += sizeof(LANES) / 4) {
		const LANES v = LOAD(b + i), m = XOR(LOAD(k + i), SAME(key));
		sum = ADD(sum, ADD(MULTIPLY(v, m), MULTIPLY(ODD(v), ODD(m))));
	}
	for (size_t j = 0; j < sizeof sum / 8; j++)
		check += sum[j];
#endif
	for (; i < n; i++)
		check += (uint64_t)(uint32_t)b[i] * (k[i] ^ key);
	return check;
}

// SEGMENTS goes over the segments of the rectangle.
#define SEGMENTS(T) \
	for (int y = 0; y < f->height; y++) \
		for (int x = 0; x < f->width; x += SEGMENT, out++) { \
			const T *v = (const T *)p + (size_t)y * f->stride + x; \
			const uint32_t *k = f->columns + x, key = f->rows[y]; \
			const int n = f->width - x < SEGMENT ? f->width - x : SEGMENT;

// Integers of up to 32 bits. SUM holds the sum of a segment of them.
#define INTEGERS(NAME_, T, SUM, LEAST, GREATEST) \
TARGET static void NAME(NAME_)(const void *p, const fold *f, segment *out) { \
	SEGMENTS(T) \
		uint64_t check = 0; \
		if (sizeof(T) == 4) \
			check = NAME(products)(v, k, key, n); \
		else \
			for (int i = 0; i < n; i++) \
				check += (uint64_t)(uint32_t)v[i] * (k[i] ^ key); \
		T low = GREATEST, high = LEAST; \
		SUM sum = 0; \
		int32_t none = 0; \
		if (f->has) { \
			const T nodata = (T)f->nodata; \
			for (int i = 0; i < n; i++) { \
				const int is = v[i] == nodata; \
				const T l = is ? GREATEST : v[i], g = is ? LEAST : v[i]; \
				none += is; \
				low = l < low ? l : low; \
				high = g > high ? g : high; \
				sum += is ? 0 : v[i]; \
			} \
		} else \
			for (int i = 0; i < n; i++) { \
				low = v[i] < low ? v[i] : low; \
				high = v[i] > high ? v[i] : high; \
				sum += v[i]; \
			} \
		*out = (segment){.check = check, .low = low, .high = high, .none = none, \
			.sumLow = (uint64_t)(int64_t)sum, .sumHigh = (uint64_t)((int64_t)sum >> 63)}; \
	} \
}

INTEGERS(u8, uint8_t, int32_t, 0, UINT8_MAX)
INTEGERS(i8, int8_t, int32_t, INT8_MIN, INT8_MAX)
INTEGERS(u16, uint16_t, int32_t, 0, UINT16_MAX)
INTEGERS(i16, int16_t, int32_t, INT16_MIN, INT16_MAX)
INTEGERS(u32, uint32_t, int64_t, 0, UINT32_MAX)
INTEGERS(i32, int32_t, int64_t, INT32_MIN, INT32_MAX)

#define KEY64(bits) mix((uint64_t)(bits) ^ ((uint64_t)key << 32 | k[i]))

#define INTEGERS64(NAME_, T, LEAST, GREATEST) \
TARGET static void NAME(NAME_)(const void *p, const fold *f, segment *out) { \
	SEGMENTS(T) \
		uint64_t check = 0; \
		T low = GREATEST, high = LEAST; \
		__int128 sum = 0; \
		int32_t none = 0; \
		for (int i = 0; i < n; i++) { \
			check += KEY64(v[i]); \
			if (f->has && v[i] == (T)f->nodata) { \
				none++; \
				continue; \
			} \
			low = v[i] < low ? v[i] : low; \
			high = v[i] > high ? v[i] : high; \
			sum += v[i]; \
		} \
		*out = (segment){.check = check, .low = (int64_t)low, .high = (int64_t)high, .none = none, \
			.sumLow = (uint64_t)sum, .sumHigh = (uint64_t)(sum >> 64)}; \
	} \
}

INTEGERS64(u64, uint64_t, 0, UINT64_MAX)
INTEGERS64(i64, int64_t, INT64_MIN, INT64_MAX)

// rest32 folds n floats but for those of the nodata value again, except for their keys. Most
// segments have none, and need not look for it.
TARGET static void NAME(rest32)(const float *v, const fold *f, int n, segment *out) {
	const word32 *b = (const word32 *)v;
	const float nodata = f->value;
	const int32_t nan = nodata != nodata;
	int32_t low = INT32_MAX, high = INT32_MIN, small = INT32_MAX, none = 0;
	double sum[4] = {0, 0, 0, 0};
	for (int i = 0; i < n; i++) {
		const int32_t is = nan ? v[i] != v[i] : v[i] == nodata;
		const int32_t o = b[i] ^ (b[i] >> 31 & INT32_MAX), l = is ? INT32_MAX : o, g = is ? INT32_MIN : o;
		low = l < low ? l : low;
		high = g > high ? g : high;
		const int32_t less1 = is ? INT32_MAX : (int32_t)(((uint32_t)b[i] - 1) & INT32_MAX);
		small = less1 < small ? less1 : small;
		none += is;
	}
	for (int i = 0; i < n; i++) {
		const int32_t is = nan ? v[i] != v[i] : v[i] == nodata;
		sum[i % 4] += is ? 0 : v[i];
	}
	out->low = low;
	out->high = high;
	out->small = small == INT32_MAX ? INT64_MAX : small;
	out->sum = sum[0] + sum[1] + (sum[2] + sum[3]);
	out->none = none;
}

TARGET static void NAME(f32)(const void *p, const fold *f, segment *out) {
	SEGMENTS(float)
		const word32 *b = (const word32 *)v;
		const uint64_t check = NAME(products)(v, k, key, n);
		int32_t low = INT32_MAX, high = INT32_MIN, small = INT32_MAX;
		for (int i = 0; i < n; i++) {
			const int32_t o = b[i] ^ (b[i] >> 31 & INT32_MAX);
			low = o < low ? o : low;
			high = o > high ? o : high;
			const int32_t less1 = ((uint32_t)b[i] - 1) & INT32_MAX; // zero becomes the greatest
			small = less1 < small ? less1 : small;
		}
		// Four sums, so that an addition need not wait for the one before.
		doubles s[4] = {{0}, {0}, {0}, {0}};
		int i = 0;
		for (; i + 16 <= n; i += 16)
			for (int j = 0; j < 4; j++)
				s[j] += __builtin_convertvector(*(const floats *)(v + i + 4 * j), doubles);
		for (; i < n; i++)
			s[0][0] += v[i];
		s[0] += s[1] + (s[2] + s[3]);
		*out = (segment){.check = check, .low = low, .high = high, .small = small == INT32_MAX ? INT64_MAX : small, .sum = s[0][0] + s[0][1] + (s[0][2] + s[0][3])};
		if (among(f, low, high, 0x7f800000))
			NAME(rest32)(v, f, n, out);
	}
}

// f64 adds without rounding where the exponents of a segment lie within 65 of
// each other: 53 bits, 65 more, and 8 for the sum of 256 fit into 127.
TARGET static void NAME(f64)(const void *p, const fold *f, segment *out) {
	SEGMENTS(double)
		const word64 *b = (const word64 *)v;
		uint64_t check = 0;
		int64_t low = INT64_MAX, high = INT64_MIN, small = INT64_MAX;
		for (int i = 0; i < n; i++) {
			check += KEY64(b[i]);
			const int64_t o = b[i] ^ (b[i] >> 63 & INT64_MAX);
			low = o < low ? o : low;
			high = o > high ? o : high;
			const int64_t less1 = ((uint64_t)b[i] - 1) & INT64_MAX;
			small = less1 < small ? less1 : small;
		}
		const int64_t inf = 0x7ff0000000000000;
		const int may = among(f, low, high, inf), nan = f->value != f->value;
		int32_t none = 0;
#define NONE64(i) (may && (nan ? v[i] != v[i] : v[i] == f->value))
		if (may) {
			low = INT64_MAX, high = INT64_MIN, small = INT64_MAX;
			for (int i = 0; i < n; i++) {
				if (NONE64(i)) {
					none++;
					continue;
				}
				const int64_t o = b[i] ^ (b[i] >> 63 & INT64_MAX);
				low = o < low ? o : low;
				high = o > high ? o : high;
				const int64_t less1 = ((uint64_t)b[i] - 1) & INT64_MAX;
				small = less1 < small ? less1 : small;
			}
		}
		int exact = none == n;
		__int128 sum = 0;
		if (none < n && high < inf && low > ~inf) {
			int64_t most = high > ~low ? high : ~low; // of the magnitudes' bits; ~ undoes the order of negative ones
			int least = small == INT64_MAX ? 1 : (small + 1) >> 52, span;
			least = least ? least : 1;
			span = (int)(most >> 52) - least;
			if (span <= 65) {
				exact = 1;
				for (int i = 0; i < n; i++) {
					if (NONE64(i))
						continue;
					const int e = b[i] >> 52 & 0x7ff;
					const int64_t m = (b[i] & 0xfffffffffffff) | (int64_t)(e != 0) << 52;
					// Zeros have no exponent of their own; they add nothing.
					const __int128 t = m ? (__int128)m << ((e ? e : 1) - least) : 0;
					sum += b[i] < 0 ? -t : t;
				}
			}
		}
		*out = (segment){.check = check, .low = low, .high = high, .small = small, .exact = exact, .none = none,
			.sumLow = (uint64_t)sum, .sumHigh = (uint64_t)(sum >> 64)};
	}
}

static loop *const NAME(loops)[KINDS] = {
	NAME(u8), NAME(i8), NAME(u16), NAME(i16), NAME(u32), NAME(i32), NAME(u64), NAME(i64), NAME(f32), NAME(f64),
};

#undef SEGMENTS
#undef INTEGERS
#undef INTEGERS64
#undef KEY64
#undef NONE64
