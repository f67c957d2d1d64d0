package crawl

import (
	"math"
	"slices"
	"time"
)

// ExpectedOf returns bounds for the makespan of a crawl of pages with these latencies, such as
// those of [Site.Latencies], at most inFlight of them at once (no bound if below 1), where each
// waits for its latency and then uses cpu of CPU time, on cpus CPUs. A run between them is as good
// as its bound on requests lets it be. Below k is the requests in flight, at most the n pages.
//
// No schedule is faster than lo, the greatest of:
//
//   - the longest page alone;
//   - all pages one after another, divided by the requests in flight;
//   - the ceil(n/k) shortest pages, because one slot has to fetch that many;
//   - the shortest latency and then all CPU time on all CPUs.
//
// A scheduler that starts the next page whenever fewer than k are in flight is not slower than hi,
// the smaller of:
//
//   - the sum of the pages, divided by k, and (1 - 1/k) times the longest
//     (Graham: Bounds on Multiprocessing Timing Anomalies, SIAM J. Appl. Math.
//     17, 1969);
//   - ceil(n/k) waves of the longest page;
//
// where k pages share the CPUs evenly, so that cpu counts max(1, k/cpus) times.
//
// What is measured can still lie outside of the bounds: cpu is an average, the site and other
// programs use CPUs too, and the same page costs less CPU time where requests come in batches. A
// cpu taken as [PerPage] counts the waiting for wake-ups as CPU time, so that many requests in
// flight can be faster than lo by a tenth or more.
//
// Pages that fail or time out are not accounted for. Negative durations count as 0, and cpus that
// is not above 0 as 1.
func ExpectedOf(latencies []time.Duration, inFlight int, cpu time.Duration, cpus float64) (lo, hi time.Duration) {
	if len(latencies) == 0 {
		return 0, 0
	}
	n := float64(len(latencies))
	k := n
	if inFlight >= 1 {
		k = min(n, float64(inFlight))
	}
	if !(cpus > 0) {
		cpus = 1
	}
	waves := math.Ceil(n / k)
	sorted := slices.Sorted(slices.Values(latencies))
	var sum, first float64 // of all latencies, and of the shortest, one a wave
	for i, l := range sorted {
		if sum += float64(max(0, l)); i+1 == int(waves) {
			first = sum
		}
	}
	shortest, longest := float64(max(0, sorted[0])), float64(max(0, sorted[len(sorted)-1]))
	c := float64(max(0, cpu))
	shared := c * max(1, k/cpus) // the CPU part of a page when k pages share the CPUs
	low := max(longest+c, (sum+n*c)/k, first+waves*c, shortest+n*c/cpus)
	high := min((sum+n*shared)/k+(1-1/k)*(longest+shared), waves*(longest+shared))
	return duration(low), duration(max(low, high)) // max: they can be equal but for rounding
}

// duration rounds to a Duration, at most the longest there is.
func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(ns))
}

// PerPage returns what a page costs beside its latency, from the time that a crawl of the pages
// with these latencies took one after another: the cpu for [ExpectedOf]. It is 0 where that is less
// than the latencies, or no latencies.
func PerPage(sequential time.Duration, latencies []time.Duration) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	for _, l := range latencies {
		sequential -= l
	}
	return max(0, sequential/time.Duration(len(latencies)))
}
