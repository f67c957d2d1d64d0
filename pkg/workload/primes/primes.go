// Package primes is CPU work that waits for nothing and shares nothing: counting primes by trial
// division, both ends of a range included. [Repeats] has every task do the same count.
//
// It is the work of the second published experiment (data/published.csv), which counts the primes
// below 10,000 in each of 10,000 tasks. That program computes in the JVM's 32-bit Int. In 64-bit
// integers the same loop takes a fifth longer, so the counting here is in int32 too.
package primes

import "math"

// Count returns how many primes there are up to and including limit, by trial division up to the
// square root. Count(10_000) is 1229.
func Count(limit int32) int32 { return countRange(2, limit) }

// countRange returns how many primes p there are with lo <= p <= hi, by trial division up to the
// square root. It is 0 where hi is below lo.
func countRange(lo, hi int32) int32 {
	var count int32
	for n := int64(max(lo, 2)); n <= int64(hi); n++ { // int64: hi can be the greatest int32
		if isPrime(int32(n)) {
			count++
		}
	}
	return count
}

func isPrime(n int32) bool {
	// i*i <= n would overflow for n near 2^31; the root of an int32 is exact in float64.
	root := int32(math.Sqrt(float64(n)))
	for i := int32(2); i <= root; i++ {
		if n%i == 0 {
			return false
		}
	}
	return true
}
