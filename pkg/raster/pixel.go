package raster

// Pixel are the types of pixels.
type Pixel interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64
}

// kindFor returns the kind of pixels of type T.
func kindFor[T Pixel]() kind {
	switch any(T(0)).(type) {
	case uint8:
		return u8
	case int8:
		return i8
	case uint16:
		return u16
	case int16:
		return i16
	case uint32:
		return u32
	case int32:
		return i32
	case uint64:
		return u64
	case int64:
		return i64
	case float32:
		return f32
	}
	return f64
}

// holds reports whether k holds every value of o.
func (k kind) holds(o kind) bool {
	if k == o {
		return true
	}
	// The bits of whole numbers that each has, and whether it is signed.
	bits := func(k kind) (n int, signed bool) {
		switch k {
		case f32:
			return 24, true
		case f64:
			return 53, true
		}
		if k%2 == 1 {
			return 8*k.bytes() - 1, true
		}
		return 8 * k.bytes(), false
	}
	n, signed := bits(k)
	m, negative := bits(o)
	if o >= f32 {
		return k == f64 && o == f32
	}
	return n >= m && (signed || !negative)
}
