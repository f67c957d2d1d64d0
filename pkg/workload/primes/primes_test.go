package primes

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestCount(t *testing.T) {
	for limit, want := range map[int32]int32{
		math.MinInt32: 0, -10: 0, 0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 24: 9, 25: 9, 49: 15, 100: 25, 1000: 168,
		9_999: 1229, 10_000: 1229, 1_000_000: 78498,
	} {
		if got := Count(limit); got != want {
			t.Errorf("Count(%d) = %d, want %d", limit, got, want)
		}
	}
}

func TestCountRange(t *testing.T) {
	for _, c := range []struct{ lo, hi, want int32 }{
		{25, 25, 0}, {23, 23, 1}, {10, 5, 0}, {-10, 10, 4}, {2, 2, 1},
		{math.MaxInt32, math.MaxInt32, 1},      // 2^31-1 is a Mersenne prime
		{math.MaxInt32 - 18, math.MaxInt32, 2}, // and 2147483629 the prime before it
		{46340 * 46340, 46340 * 46340, 0},      // the largest square in an int32
		{46337 * 46337, 46337 * 46337, 0},      // the largest square of a prime
	} {
		if got := countRange(c.lo, c.hi); got != c.want {
			t.Errorf("countRange(%d, %d) = %d, want %d", c.lo, c.hi, got, c.want)
		}
	}
}

func TestChunksAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hi := rapid.Int32Range(0, 3000).Draw(t, "hi")
		chunk := rapid.Int32Range(1, 700).Draw(t, "chunk")
		var sum int32
		for lo := int32(0); lo <= hi; lo += chunk {
			sum += countRange(lo, min(lo+chunk-1, hi))
		}
		if want := Count(hi); sum != want {
			t.Fatalf("chunks of %d up to %d count %d, the whole %d", chunk, hi, sum, want)
		}
	})
}

func TestCountAgreesWithMillerRabin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(0, math.MaxInt32).Draw(t, "n")
		want := int32(0)
		if big.NewInt(int64(n)).ProbablyPrime(0) { // exact below 2^64
			want = 1
		}
		if got := countRange(n, n); got != want {
			t.Fatalf("countRange(%d, %d) = %d, want %d", n, n, got, want)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	for b.Loop() {
		if Count(10_000) != 1229 {
			b.Fatal("wrong count")
		}
	}
}

func ExampleCount() {
	fmt.Println(Count(10_000))
	// Output: 1229
}
