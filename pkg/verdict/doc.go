// Package verdict says how concurrent a program was, from evidence: whether it
// ran on all CPUs, overlapped its waiting, or only looked concurrent, and why.
//
//	v, err := verdict.Watch(ctx, func(ctx context.Context) error {
//		return crawl(ctx, pages)
//	})
//	fmt.Println(v)
//
// [Watch] runs any function and [Judge] does the judging; a lab's results are judged by their own
// method Verdicts. It prints and draws nothing, and links nothing but the reader of traces.
//
// # How a verdict comes about
//
// Evidence is everything that was measured (verdict.go); Watch gathers it (watch.go, metrics.go).
// Judge (judge.go) makes a reading of it, the quantities below (reading*.go), and asks the rules, one
// after another; the first that applies finds the verdict. thresholds.go has every number that a rule
// compares with, and why; words.go and numbers.go say how it is told.
//
// To add a rule, write a function in rules_*.go beside those of its kind (cpu, wait, order, lock,
// long, thin), give it its place in the list in judge.go, and a scene in judge_test.go that only it
// can judge.
// TestVerdictsAreAsPinned in package corpus then tells whether any program that is known is judged
// otherwise than before.
//
// # Quantities
//
// All are means over the makespan W, in goroutines or in CPUs.
//
//   - P, the CPUs available: the least of GOMAXPROCS, the scheduling mask, and
//     the container's CPU quota.
//   - C, CPU time of the process, and R, the time that its threads were ready
//     and had no CPU (run delay). Utilisation is C/(W P). Demand is
//     (C + R)/(W P): when other programs take CPUs, C falls, R grows, and the
//     sum stays, so that a neighbour does not change the verdict. With a trace,
//     the time that goroutines had a turn stands for C + R, because R also
//     counts threads of the runtime that only look for work.
//   - a, the goroutines active: on a CPU, or waiting for something outside
//     (sleep, network, system call). What can overlap is in a; waiting for each
//     other (locks, channels) or for a turn is not.
//   - phi, the share of the active time that uses a CPU: C/(C + O), with O the
//     time spent waiting outside. How long a goroutine stands in line for a CPU
//     depends on others; C and O do not.
//   - Demand where goroutines wait outside, too: at most phi of those in flight.
//     Else many that mostly wait would seem to want all CPUs as soon as others
//     use these and each stands in line for a while.
//   - What the trace has on a CPU and is neither in C nor in R (nor a quota's or
//     a host's stop) is a wait that the trace does not see: a page fault, such as
//     of a mapped file. It counts as O in phi, and not in demand.
//   - L, in flight: active, or ready and without a turn. A goroutine that has
//     not run yet is queued and not in flight.
//   - I, work inflation: CPU time against that of the same work alone.
//
// A function that waits for its goroutines does not hold them up, and workers
// that wait for work are idle, not contended, while the CPUs are busy. Waiting
// at a lock or a channel is a fault where few are active meanwhile.
//
// # Laws
//
//   - Work and span. With T1 the work and Tinf the longest chain in it, P CPUs
//     need at least max(T1/P, Tinf), and a scheduler that leaves no CPU idle
//     while something is ready at most T1/P + Tinf (R. P. Brent, The parallel
//     evaluation of general arithmetic expressions, J. ACM 21, 1974; R. L.
//     Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math.
//     17, 1969; R. D. Blumofe and C. E. Leiserson, Scheduling multithreaded
//     computations by work stealing, J. ACM 46, 1999). So demand near 1 is as
//     good as it gets for work, a longest task near W for waiting, and one long
//     task is told by a tail in which others have ended.
//   - Amdahl: if a share s of the work is serial, no number of CPUs makes it
//     more than 1/s times as fast (G. M. Amdahl, AFIPS 1967). A part of the
//     time in which only one is active is such a share.
//   - Little: L = X D, with X tasks done a second and D the time of one
//     (J. D. C. Little, Oper. Res. 9, 1961). With the utilisation law U = X S,
//     S the CPU time of a task (P. J. Denning and J. P. Buzen, ACM Computing
//     Surveys 10, 1978), L in flight use the share u of the CPUs, so that
//     L* = L/u would fill them. That is the bound that [TooFew] advises, at
//     most 8 times the one that was, and no more than there are tasks: the
//     other side has limits too. It holds where the waits do not need each
//     other.

// # Rules
//
// The rules are asked in an order, and the first that applies is the verdict
// (see judge.go). Faults that make others look like themselves come first. All
// thresholds stand in one table with their reasons (see thresholds.go).
//
//   - [CannotTell]: less than 2 ms of work; no trace and CPUs idle; nothing
//     active; others took the CPUs where that decides (a task that is not longer
//     than a thread can be late by it, a serial part, goroutines that hinder
//     each other only when they run at the same moment); a quarter of the active
//     time spent in waits that the trace does not see, such as page faults; tasks
//     of a lab without a trace that wait, and it cannot be for something outside,
//     or need not be; no cause that explains what is missing.
//   - [Quota]: a quota stopped the process, or bounds what was wanted.
//   - [TooSmall]: starting and switching goroutines cost about as much as what
//     they did between two waits. A turn that was given away (runtime.Gosched)
//     is none.
//   - [Collector]: a quarter of the CPU time, or of the time in flight.
//   - [Oversubscribed]: threads wanted 1.3 times the CPUs, or three and more
//     goroutines a CPU took turns of 10 ms.
//   - [HeldByLock]: a quarter of the time in flight was spent waiting for a
//     lock, or for a channel that is used as one, and CPUs were idle.
//   - [LongTask]: a goroutine was left alone for a fifth of the time at the
//     end, or the function itself for a third at the end or the beginning.
//   - [OneAtATime]: a is at most 1.2. By what: a goroutine that does it all, is
//     awaited before the next starts, or is waited for by all others; a bound
//     of one; the longest of each batch; coroutines of one thread; one CPU. A
//     lab's tasks that compute without a pause alone, and together leave CPUs free
//     that nobody else took, wait for each other: they take turns.
//   - [AllCPUs]: demand of at least 0.85; [Shared] if I is above 1.25.
//     Also where CPUs are free, if goroutines meet at a lock and nothing else
//     explains it.
//   - [Overlaps]: mostly waiting, and W is near the longest task.
//   - [TooFew]: mostly waiting, at most half of the CPUs used, not all under way
//     at once, and work queues: who hands it out waits, goroutines wait for
//     their turn or for a connection, or each waits many times in turn at one
//     line. Where the next begins only after a time, it is by a rate.
//
// # Sources of evidence
//
// The execution trace of the runtime, which costs 45 to 100 ns an event
// (BenchmarkWatch: 0.6 % on tasks of 0.25 ms, 4 % on tasks of 5 μs), and more
// for many waits;
// getrusage, schedstat, /proc/stat and cgroups (package probe); runtime/metrics
// for what a run without a trace has. Each [Number] names its own.
//
// # Limits
//
//   - CPU time is the process's: what else runs in it counts.
//   - Waits at one line that need each other (pages that name the next, a
//     retry) look like waits that do not. The advice says its condition.
//   - A goroutine that waits at a channel for another process or a timer is
//     seen to wait for a goroutine.
//   - Spinning counts as CPU time. Only [Again], or a lab's sequential run,
//     shows that it is none.
//   - Where others take most of the CPUs, goroutines seldom run at the same
//     moment. Verdicts that depend on that become [CannotTell].
//   - CPU time does not grow only with what is shared: two hyperthreads of one
//     core, and a clock that falls as more cores are busy, slow each other too.
//   - What goroutines that hinder each other lose shows only while they run at
//     the same moment. On a machine that others use, CPU time that grew is taken
//     to have grown in that part of the time only.
//   - With 2 CPUs the contrasts are least: a serial program uses half of them.
package verdict
