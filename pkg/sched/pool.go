package sched

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"

	"overlap/pkg/sched/internal/engine"
)

// Pool returns a scheduler whose Run starts n workers, or as many as there are tasks if that is less.
// Each takes task after task until none is left; they end with the run. [Worker] tells a task which
// worker it is on.
//
// n below 1 is an error that Run returns.
//
// The workers take the next index from a shared counter, and nobody hands tasks out. A hand-off through
// an unbuffered channel to as many workers as there are CPUs loses 13 % on tasks of 0.2 ms: a worker
// that is done waits until the goroutine that hands out gets a turn on a CPU.
func Pool(n int) Scheduler {
	return &pool{kind: KindPool, workers: n, needs: "at least 1 worker"}
}

// Executor returns [ExecutorOn] the CPUs that the process may use (runtime.NumCPU: the affinity mask
// counts, as in Python since 3.13, and GOMAXPROCS does not).
func Executor() Scheduler { return ExecutorOn(runtime.NumCPU()) }

// ExecutorOn returns a [Pool] of the size that Python gives the thread pool behind asyncio's
// run_in_executor on so many CPUs: min(32, CPUs + 4), since Python 3.8
// (concurrent.futures.ThreadPoolExecutor, max_workers); before, it was 5 a CPU. Its name tells the size,
// "executor(12)" on 8 CPUs, and its [Facts] the rest. No CPUs are an error that Run returns.
func ExecutorOn(cpus int) Scheduler {
	n, plural := 0, "s"
	if cpus > 0 {
		n = min(28, cpus) + 4 // as min(32, cpus+4), which can overflow
	}
	if cpus == 1 {
		plural = ""
	}
	return &pool{
		kind: KindExecutor, workers: n,
		rule: fmt.Sprintf("min(32, CPUs + 4) workers, which is %d on %d CPU%s; "+
			"asyncio's default executor has as many since Python 3.8, and had 5 a CPU before", n, cpus, plural),
		needs: fmt.Sprintf("at least 1 CPU, and %d were given", cpus),
	}
}

type pool struct {
	kind    Kind
	workers int
	rule    string // of the size
	needs   string // what Run says where there are no workers
}

func (p *pool) Name() string { return string(p.kind) + "(" + strconv.Itoa(p.workers) + ")" }

func (p *pool) Limit() int { return max(1, p.workers) }

func (p *pool) Facts() Facts { return Facts{Kind: p.kind, Limit: p.Limit(), Rule: p.rule} }

func (p *pool) Run(ctx context.Context, tasks []Task) error { return engine.Execute(ctx, tasks, p) }

func (p *pool) Exec(r *engine.Run, lo, hi int) {
	if p.workers < 1 {
		r.Abort(fmt.Errorf("sched: %s: needs %s", p.Name(), p.needs))
		return
	}
	w := &workers{r: r, hi: hi}
	w.next.Store(int64(lo))
	n := min(p.workers, hi-lo)
	r.WG.Add(n)
	for id := 1; id <= n; id++ {
		go w.work(id)
	}
	r.WG.Wait()
	// A worker that finds no task left has counted on past hi.
	r.Skip(hi - min(hi, int(w.next.Load())))
}

// workers is what the workers of one run share.
type workers struct {
	r    *engine.Run
	hi   int
	_    [64]byte     // every task writes next: it gets a cache line for itself
	next atomic.Int64 // the index of the task that nobody has taken yet
	_    [64]byte
}

func (w *workers) work(id int) {
	r := w.r
	ctx := engine.WithWorker(r.Ctx, WorkerInfo{ID: id})
	i, returned := 0, false
	defer r.WG.Done()
	defer r.Guard(&i, &returned)
	// What is taken is started: the question comes before the taking.
	for !r.Stopped() {
		i = int(w.next.Add(1)) - 1
		if i >= w.hi {
			break
		}
		err := engine.ErrNilTask
		if task := r.Tasks[i]; task != nil { // as in Do, without a call more
			err = task(ctx)
		}
		if err != nil {
			r.Fail(i, err)
			break
		}
	}
	returned = true
}
