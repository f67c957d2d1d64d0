package text

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", -7: "-7", 999: "999", 1000: "1,000", -1000: "-1,000",
		-123: "-123", 12345: "12,345", 1234567: "1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 s", 1.5: "1.5 s", 123.4: "123 s", 4321: "4321 s", .0123: "12.3 ms", .9996: "1000 ms", 1e-4: "100 μs",
		2.5e-6: "2.5 μs",
		3e-9:   "3 ns", math.NaN(): "n/a", math.Inf(1): "n/a", -.5: "-500 ms",
	} {
		if got := Duration(s); got != want {
			t.Errorf("Duration(%v) = %q, want %q", s, got, want)
		}
	}
}
