package verdict

import "time"

// thresholds are what the rules compare with. Shares are of 1.
type thresholds struct {
	shortWall time.Duration
	idle      float64

	serial, serialStage, serialReady float64
	alone, handOver                  float64
	awaitsEach, batch                float64

	saturated, nearlySaturated, oneCPU float64
	threadDemand, crowd                float64
	slice                              time.Duration
	inflation, inflationNoise          float64
	inflationNone                      float64
	together                           float64
	waitsLoaded, busiestLoaded         float64

	lock, longQueue, someLock, contended float64

	stalled float64

	tail, unevenTail, surelyUneven, longTask, serialPart, serialLoaded, longLoaded, passing float64

	waiting, longestChain, room    float64
	queued, repeats, waves, steady float64
	queuedLonger, pieces, underWay float64
	steadyTasks                    int64
	most                           float64

	tinyTasks                          int
	tinyStretch, switchCost, startCost time.Duration
	overhead, runtimeShare             float64
	runtimeTask                        time.Duration

	strangers                                 float64
	collector, mostlyCollector, collectorWait float64

	throttled, wantsMore, someReady float64

	outside, stolen float64
	someChildren    float64
	ticks           time.Duration
	watchCost       float64
	eventCost       time.Duration
}

// limits is the table of all thresholds. They come from what each costs or
// gains, and were mended where programs of package corpus were misjudged that
// are there for that; never by those that it holds out.
var limits = thresholds{
	// --- Is there enough to judge? ---

	// Below 2 ms a single preemption (10 ms slice), collection or page fault
	// can be most of what is measured.
	shortWall: 2 * time.Millisecond,
	// Fewer than half a goroutine active or ready: most of the time nothing
	// happened that the evidence knows of.
	idle: 0.5,

	// --- One at a time ---

	// At most 1.2 goroutines active on average. Two workers of which only one
	// at a time may pass a part of 70 % reach 1.18: there the second worker is
	// worth less than a fifth.
	serial: 1.2,
	// Up to 1.35 where one goroutine is active for three quarters of that: the
	// others are stages that feed it, and the whole can gain only their part.
	serialStage: 1.35,
	// With others on the CPUs also those count that could have run: with half a
	// goroutine more than one it is no longer surely one at a time.
	serialReady: 1.5,
	// One goroutine does it all if it is active for three quarters of the time
	// in which anything is.
	alone: 0.75,

	// Goroutines alive on average where each is started when the one before
	// has ended, or is about to: on a loaded machine one that has reported its
	// end waits long for the turn in which to end. A bound of two has two.
	handOver: 1.5,
	// Waits for a goroutine's end for each goroutine from which it is one after
	// another: some have ended before they are waited for.
	awaitsEach: 0.7,
	// Goroutines for each such wait from which they are batches.
	batch: 1.5,

	// --- CPUs ---

	// Of the CPU time there was, used or wanted. A well-fed pool reaches .95
	// and more; an unbuffered hand-off .88, where little is to be gained.
	saturated: 0.85,
	// From here up a program that only computes and has no other fault is
	// called running on all CPUs, with what is missing in the text.
	nearlySaturated: 0.7,
	// Fewer CPUs than this are one CPU.
	oneCPU: 1.5,
	// Threads that wanted 1.3 times the CPUs there are queue for them, and not
	// for those that others use: the time that others take moves CPU time into
	// run delay, and the sum stays. The runtime's own threads explain .15.
	threadDemand: 1.3,
	// Goroutines in flight for each CPU, all of them computing, from which
	// taking turns makes each noticeably later without any gain. Twice is usual
	// practice (workers = 2 times CPUs), so it begins at three times.
	crowd: 3,
	// The runtime preempts after 10 ms: shorter tasks end before they take
	// turns.
	slice: 10 * time.Millisecond,
	// CPU time against the same work alone. Identical work differs by up to
	// .17 (the collector works beside it); false sharing, contended atomics
	// and spinning gave 1.8 to 4.2.
	inflation:      1.25,
	inflationNoise: 1.17,
	// Up to here it is as much as it should be.
	inflationNone: 1.05,
	// Of the CPUs, what has to be used for goroutines to run at the same moment
	// often enough to tell whether they hinder each other.
	together: 0.6,

	// With others on the CPUs, work that waits for a fifth of its time can seem
	// to compute without a pause, and half of two CPUs' work that a single
	// goroutine does can seem to be more.
	waitsLoaded:   0.2,
	busiestLoaded: 0.65,

	// --- Locks and channels ---

	// A quarter of the goroutines' time in flight spent waiting for a lock
	// costs as much as one CPU of four.
	lock: 0.25,
	// At half of it the queue at the lock is never empty: it is what bounds the
	// whole, also where a loaded machine makes all CPUs seem to be used.
	longQueue: 0.5,
	// From a tenth on it is worth a note.
	someLock: 0.1,
	// Goroutines that wait for a lock now and then, on average, from which it is
	// contended: who finds it taken first spins, and is then woken on another
	// CPU, which the CPU time shows better than the waits do.
	contended: 0.005,

	// --- Waiting that the trace takes for computing ---

	// Of the active goroutines, those that were on a CPU by the trace and
	// neither used one nor stood in line for one. Over 2 ms of work, CPU time
	// and run delay explain all but a hundredth where no page is waited for; a
	// quarter is more than any other rule can bear.
	stalled: 0.25,

	// --- Long tasks and serial parts ---

	// One goroutine left for a fifth of the time: on two CPUs a tenth of the
	// machine, on many nearly a fifth.
	tail: 0.2,
	// The same where no task is longer than half the time: an uneven division
	// of few tasks costs up to a third by itself (5 tasks on 2 CPUs).
	unevenTail: 0.35,
	// What no load explains: a thread that has a CPU for itself beside one that
	// shares its own with another program is done in half the time.
	surelyUneven: 0.7,
	// The longest task lasts at least half the time: however the others are
	// divided, the whole cannot become twice as fast.
	longTask: 0.5,
	// A single goroutine active for this share of the time, elsewhere more.
	serialPart: 0.35,
	// With others on the CPUs the parallel part takes longer, and a serial one
	// of half the work can shrink to a sixth of the time.
	serialLoaded: 0.15,
	// A thread that shares its CPU with others is up to three times as late as
	// the mean of all, which is late itself: only a task that is longer than
	// that is surely a long one.
	longLoaded: 3,
	// Share of the time for which more may be active without ending a tail or
	// counting as the most: a goroutine of the runtime, or one that only starts
	// others.
	passing: 0.02,

	// --- Waiting ---

	// Of the time of active goroutines, the share on a CPU below which waiting
	// is what they do.
	waiting: 0.7,
	// The longest task lasts at least this share of the whole: more in flight
	// cannot gain more than 1 / 0.7.
	longestChain: 0.7,
	// CPU demand below this leaves room for twice as many. Less is not worth
	// the advice, where CPUs and waits mix.
	room: 0.5,
	// Share of a lab's makespan after which the last task begins: from half on,
	// twice as many at once would make it shorter.
	queued: 0.5,
	// Waits one after another of the same goroutine at the same line: below
	// three the steps of one item explain them (ask, then read).
	repeats: 3,
	// Goroutines started for each that was alive at once.
	waves: 2,
	// To open a connection takes two or three times the way there and back, and
	// an answer one and the server's time: waiting three times as long for a
	// connection as for any answer is standing in a queue.
	queuedLonger: 3,
	// As many sleeps as there are pieces of work are a pace, from so many on.
	pieces: 5,
	// Share of all there are that was in flight at once, from which there is no
	// more to raise.
	underWay: 0.75,
	// Answers at a steady pace: the mean number under way is half of the most,
	// give or take a tenth; the median wait, which is known less exactly, half
	// as much again.
	steady: 0.1,
	// From so many on that is no accident.
	steadyTasks: 12,
	// Raise a bound at most so much at a time: the other side's capacity is
	// not known.
	most: 8,

	// --- Small tasks ---

	// Fewer such tasks cost less than a millisecond together.
	tinyTasks: 1000,
	// Time on a CPU between two waits below which starting and switching are
	// more than a tenth of it.
	tinyStretch: 3 * time.Microsecond,
	// One that blocks and is woken (BenchmarkCosts: 290 ns there and back, and
	// as much again where a thread has to be woken), and one started and ended
	// (0.3 to 0.8 μs, more on a loaded machine).
	switchCost: 300 * time.Nanosecond,
	startCost:  500 * time.Nanosecond,
	// Share of the CPU time that they are to be at least.
	overhead: 0.15,
	// CPU time spent outside of the tasks: half.
	runtimeShare: 0.5,
	// ... where tasks are so short that starting a thread for each (45 μs)
	// costs half as much as doing it.
	runtimeTask: 100 * time.Microsecond,

	// --- Garbage collector ---

	// A quarter of the CPUs used by goroutines of others makes the process's
	// CPU time useless as the work's. The runtime's own threads use less.
	strangers: 0.25,

	// The runtime aims at a quarter of the CPUs for marking while it collects:
	// at a quarter over the whole time it collects nearly always.
	collector: 0.25,
	// Above two fifths many short turns are those of its own assistants.
	mostlyCollector: 0.4,
	// Of the goroutines' time in flight, as for a lock.
	collectorWait: 0.25,

	// --- Quota ---

	// Share of the makespan for which a quota stopped the process: one period
	// (100 ms) of a second is a tenth.
	throttled: 0.05,
	// Times the quota that was wanted; less is a measuring error.
	wantsMore: 1.15,
	// Goroutines ready on average from which it is worth telling.
	someReady: 0.1,

	// --- Notes ---

	// Share of the machine used by others from which times are not to be
	// trusted; at that load run delay becomes visible.
	outside: 0.15,
	// CPUs used by child processes from which what they did is to be told.
	someChildren: 0.1,
	// Share that the hypervisor gave to others; usual values are below 0.005.
	stolen: 0.02,
	// /proc/stat counts in ticks of 10 ms: ten of them are the least to judge
	// by.
	ticks: 100 * time.Millisecond,
	// Watching is to cost no more than this; from here on it says so.
	watchCost: 0.03,
	// CPU time for each event of the execution trace: 45 to 85 ns where tasks
	// only start and end (BenchmarkWatch), 100 ns and more where hundreds of
	// thousands of them wait, each of them with its stack.
	eventCost: 100 * time.Nanosecond,
}
