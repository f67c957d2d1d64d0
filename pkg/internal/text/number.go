package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count writes a whole number with commas between thousands: "10,000".
func Count(n int) string {
	digits := strconv.Itoa(n)
	start := len(digits) % 3
	if n < 0 {
		start = 1 + (len(digits)-1)%3
	}
	var b strings.Builder
	b.WriteString(digits[:start])
	for i := start; i < len(digits); i += 3 {
		if i > 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteString(digits[i : i+3])
	}
	return b.String()
}

// Duration writes a number of seconds with three digits and a unit that suits it: "12.3 ms". Micro
// is the Greek letter, which more fonts have.
func Duration(seconds float64) string {
	switch abs := math.Abs(seconds); {
	case !Finite(seconds):
		return "n/a"
	case abs == 0:
		return "0 s"
	case abs < 1e-6:
		return digits(seconds*1e9) + " ns"
	case abs < 1e-3:
		return digits(seconds*1e6) + " μs"
	case abs < 1:
		return digits(seconds*1e3) + " ms"
	default:
		return digits(seconds) + " s"
	}
}

// digits writes three digits, or all of a larger number's whole part.
func digits(x float64) string {
	if math.Abs(x) >= 99.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// Finite reports whether x is a number, and no infinite one.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Bytes writes a number of bytes: "1 byte", "45.1 kB", "302.4 MB".
func Bytes(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1e3:
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
