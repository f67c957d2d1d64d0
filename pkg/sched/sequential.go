package sched

import "context"

// Sequential returns the scheduler that runs one task after another on the
// goroutine that called Run: a plain loop. It is what others are compared
// with.
//
// There is nothing between a task and the caller, so a task that calls
// runtime.Goexit ends the goroutine that called Run.
func Sequential() Scheduler { return sequential{} }

type sequential struct{}

func (sequential) Name() string { return "sequential" }

func (sequential) Facts() Facts { return Facts{Kind: KindSequential, Serial: true, Limit: 1} }

func (s sequential) Run(ctx context.Context, tasks []Task) error { return execute(ctx, tasks, s) }

func (sequential) exec(r *run, lo, hi int) {
	i, returned := lo, false
	defer r.guard(&i, &returned)
	defer func() {
		if i < hi { // all after the one that it ended at
			r.skip(hi - i - 1)
		}
	}()
	r.inTurn(&i, hi)
	returned = true
}

// inTurn runs the tasks from *i to hi-1 until one fails or the parent is done,
// and leaves the index that it came to in *i. It is apart from exec because a
// loop in a function with defers is slower.
func (r *run) inTurn(i *int, hi int) {
	ctx, parent := r.ctx, r.parent
	for _, task := range r.tasks[*i:hi] {
		// A failure ends the loop by itself: only the parent has to be asked.
		if parent.Err() != nil {
			r.skip(1)
			return
		}
		if err := task(ctx); err != nil {
			r.fail(*i, err)
			return
		}
		*i++
	}
}
