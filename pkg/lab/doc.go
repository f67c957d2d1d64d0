// Package lab runs experiments: one workload under several schedulers, in several sizes, measured
// so that the comparison can be trusted.
//
// # How it measures
//
// A round runs every variant once at every size, in a shuffled order whose seed the result records,
// and rounds repeat. Whatever drifts (temperature, a neighbour's load) then hits all variants
// alike, and comparisons are made within rounds. In a trial with a slow drift, running all of A
// before all of B called identical code different 45 times in 100, interleaving 2 times.
//
// A first round is warm-up: it is recorded but not counted. The garbage collector runs before every
// trial, so that none pays for another's garbage. Every answer is compared with the baseline's: a
// wrong answer is a failure, never a fast result.
//
// The baseline runs twice in every round. The second run is the A/A control: how much it differs
// from the first is the noise floor, and no smaller gain is claimed.
//
// All trials are kept, in the order in which they ran; no outlier is dropped.
//
// # What it reports
//
// Times are medians with a 95 % confidence interval from order statistics, which assumes nothing
// about the distribution (golang.org/x/perf/benchmath, AssumeNothing). Fewer than 6 rounds give no
// interval. A ratio is the median of the ratios within rounds, with the same kind of interval;
// where that spans 1, no difference was shown.
//
// Trials are not traced while they are timed. The times of tasks are recorded by two readings of
// the clock each, at most 200 ns a task (BenchmarkRecording).
package lab
