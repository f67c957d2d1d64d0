package corpus

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"

	"overlap/pkg/verdict"
)

// A node is an object that the garbage collector has to follow.
type node struct {
	left, right *node
	_           [4]int64
}

// tree returns a tree of 2^depth - 1 nodes.
func tree(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

// size counts the nodes.
func (n *node) size() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.size() + n.right.size()
}

// collectorPrograms give the garbage collector much to do.
func collectorPrograms(cpus int) []Program {
	return []Program{
		heldTree("gc-large-live-heap", "much live memory and GOGC=20",
			"A tree of a million objects is alive, and at GOGC=20 every few megabytes of garbage have it walked through again.",
			20, kinds(verdict.Collector), func(ctx context.Context) error {
				return churn(ctx, width(), 24*width())
			}),
		{
			Name: "gc-explicit", Group: "memory", Right: kinds(verdict.Collector), By: "runtime.GC in every task",
			Why: "Every task calls the collector itself when it is done, which takes longer than the task.",
			Run: func(ctx context.Context) error {
				live := tree(17)
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for range 25 {
							if ctx.Err() != nil {
								return
							}
							tree(10)
							runtime.GC()
						}
					})
				}
				wg.Wait()
				runtime.KeepAlive(live)
				return ctx.Err()
			},
		},
		heldTree("gc-serial-churn", "one goroutine and the collector",
			"One goroutine allocates, and the collector uses the other CPUs meanwhile: both are true, and the collector is what the CPU time goes to.",
			40, several(cpus, kinds(verdict.Collector, verdict.OneAtATime), verdict.Collector), func(ctx context.Context) error {
				return churn(ctx, 1, 40)
			}),
		{
			Name: "gc-small-live-heap", Group: "memory", Hard: true, By: "short-lived objects",
			Right: kinds(verdict.AllCPUs, verdict.Collector),
			Why:   "All CPUs allocate and drop small objects; with hardly any of them alive the collector is called often but has little to do each time.",
			Run:   func(ctx context.Context) error { return churn(ctx, width(), 60*width()) },
		},
	}
}

// churn makes and drops so many trees in all, with so many goroutines.
func churn(ctx context.Context, workers, trees int) error {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range trees / workers {
				if ctx.Err() != nil {
					return
				}
				if tree(15).size() != 1<<15-1 {
					panic("corpus: a tree lost nodes")
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// heldTree runs work beside a tree of a million objects, with GOGC set to
// percent.
func heldTree(name, by, why string, percent int, right []verdict.Kind, work func(ctx context.Context) error) Program {
	var ready *node
	return Program{
		Name: name, Group: "memory", Right: right, By: by, Why: why,
		Before: func() (func(), error) {
			ready = tree(20)
			return func() { ready = nil }, nil
		},
		Run: func(ctx context.Context) error {
			live := ready
			if live == nil {
				live = tree(20)
			}
			defer debug.SetGCPercent(debug.SetGCPercent(percent))
			err := work(ctx)
			runtime.KeepAlive(live)
			return err
		},
	}
}
