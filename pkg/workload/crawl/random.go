package crawl

// What a random value is for. Values for different purposes do not depend on each other.
const (
	forLatency uint64 = iota + 1
	forSize
	forFailure
	forLinks
	forText
)

// draw returns the random 64 bits of one page for one purpose. Every value comes from the seed and
// the page alone, so that a page is the same in every process and in whatever order pages are asked
// for.
func draw(seed, purpose uint64, page, n int) uint64 {
	x := mix(seed + purpose)
	x = mix(x ^ uint64(page))
	return mix(x ^ uint64(n))
}

// mix is the SplitMix64 step and finaliser (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps 64 random bits into the open interval (0, 1).
func unit(x uint64) float64 { return (float64(x>>12) + 0.5) / (1 << 52) }
