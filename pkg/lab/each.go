package lab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"overlap/pkg/sched"
)

// Each returns a workload of one function: size n makes n tasks, which call do with 0 to n-1. It is
// the quickest way to put code of one's own under the schedulers. The answer is how many calls
// returned nil; what do computes is not compared.
//
// kind names the work, in results and to find them again: give another name to other code.
func Each(kind string, do func(ctx context.Context, i int) error) Workload { return each{kind, do} }

type each struct {
	kind string
	do   func(ctx context.Context, i int) error
}

func (e each) Spec() (kind string, params map[string]string) { return e.kind, nil }

func (each) Unit() string { return "tasks" }

func (e each) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	if e.do == nil {
		return nil, nil, errors.New("lab: Each: the function is nil")
	}
	if err := sched.CheckCount(size, "tasks"); err != nil {
		return nil, nil, fmt.Errorf("lab: %s: %w", e.kind, err)
	}
	var done atomic.Int64
	tasks = make([]sched.Task, size)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			if err := e.do(ctx, i); err != nil {
				return err
			}
			done.Add(1)
			return nil
		}
	}
	return tasks, func() (string, error) { return strconv.FormatInt(done.Load(), 10), nil }, nil
}
