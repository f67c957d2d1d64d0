// Package lab runs experiments: one workload under several schedulers, in several sizes, measured
// so that the comparison can be trusted.
//
// # An experiment
//
// An [Experiment] is a [Workload] (what is computed), schedulers (how its tasks are run), sizes (how
// much of it) and repeats. [Experiment.Run] measures it and stores a [Result], which
// [Experiment.Load] finds again from another program. A Result is data: every [Trial] in the order
// in which it ran, and what is needed to run it again. All else follows from it: estimates
// ([Result.Time], [Result.Speedup]), comparisons ([Result.Compare], [CompareAcross]), tables, CSV,
// reasons to trust it less ([Result.Warnings]) and what bounded the work ([Result.Verdicts]).
//
// # How a round runs
//
// A round runs every variant once at every size, in a shuffled order whose seed the result records,
// and rounds repeat. Whatever drifts (temperature, a neighbour's load) then hits all variants alike,
// and comparisons are made within rounds. In a trial with a slow drift, running all of A before all
// of B called identical code different 45 times in 100, interleaving 2 times.
//
// A first round is warm-up: it is recorded but not counted. The garbage collector runs before every
// trial, so that none pays for another's garbage. Every answer is compared with the baseline's: a
// wrong answer is a failure, never a fast result. The baseline runs twice in every round. The second
// run is the A/A control: how much it differs from the first is the noise floor, and no smaller gain
// is claimed. All trials are kept; no outlier is dropped.
//
// Trials are not traced while they are timed. The times of tasks are recorded by two readings of the
// clock each, at most 200 ns a task (BenchmarkRecording).
//
// # What it reports
//
// Times are medians with a 95 % confidence interval from order statistics, which assumes nothing
// about the distribution (golang.org/x/perf/benchmath, AssumeNothing). Fewer than 6 rounds give no
// interval. A ratio is the median of the ratios within rounds, with the same kind of interval; where
// that spans 1, no difference was shown.
//
// # The environment
//
// Two variables matter here, both read by pkg/internal/home. Where OVERLAP_QUICK is set
// (home.Quick), plan cuts sizes and repeats and the result says Quick. OVERLAP_OUT (home.Out) is the
// folder of results where [Experiment.Dir] names none: a run always stores its result.
//
// # Where things are, and where to add one
//
//   - experiment.go checks an experiment; run.go goes through its rounds; trial.go runs one trial,
//     with what may hang or panic kept away; record.go notes when tasks run; traced.go traces.
//   - A figure of a trial: a field of [Trial] (result.go), filled in recorder.fill.
//   - A column: a line in columnsOfTrial (csv.go), or a cell of Result.row (table.go).
//   - A warning: a kind and a condition in warning.go; in verdicts.go if verdicts are to tell it.
//   - A workload: any type with the methods of [Workload], such as those in pkg/workload, which do
//     not import this package; for a single function, [Each].
//   - What a stored file says: store.go, resume.go and facts.go, which reads older ones.
//
// go test ./pkg/lab says when you are done: TestWarnings, TestCSVHasARowATrial and TestTable have a
// case for each, and TestStoredResultsAreJudgedAsPinned shows every text that changed.
package lab
