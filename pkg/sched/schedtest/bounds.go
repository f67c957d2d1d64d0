package schedtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Promises about how many tasks run at once, in one run and in several.

func bound(k *kit) error {
	limit := k.limit()
	if limit < 0 {
		return fmt.Errorf("the Limit of its Facts is %d, and must be at least 1, or 0 for none", limit)
	}
	if limit == 0 {
		return nil
	}
	// Threads and the like are not filled up to thousands.
	n := min(limit, 1000) + min(limit, 32) + 8
	var running, most atomic.Int32
	passed := make(chan struct{})
	pass := sync.OnceFunc(func() { close(passed) })
	err := k.run(n, func(context.Context, int) error {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if int(now) > limit {
			pass()
		}
		within(passed, soon/2) // for others to come
		return nil
	})
	if m := int(most.Load()); m > limit {
		return fmt.Errorf("%d tasks were running at once, and its Facts say at most %d", m, limit)
	}
	return noError(err, "")
}

// twoRuns runs n tasks that go on when the second run has been waited for, and once ready is closed as many
// that do second. It reports false where ready was not closed, or the wait was in vain.
func (k *kit) twoRuns(
	n int, ready <-chan struct{}, first func(), second action, wait func(ended <-chan struct{}) bool,
) (bool, error) {
	release, ended := make(chan struct{}), make(chan struct{})
	var errs [2]error
	var wg sync.WaitGroup
	wg.Go(func() {
		errs[0] = k.run(n, func(context.Context, int) error {
			first()
			<-release
			return nil
		})
	})
	ok := within(ready, k.patience/4)
	if ok {
		wg.Go(func() {
			defer close(ended)
			errs[1] = k.run(n, second)
		})
		ok = wait(ended)
	}
	close(release)
	wg.Wait()
	return ok, errors.Join(errs[:]...)
}

func runsShareNoBound(k *kit) error {
	if k.shared {
		return nil
	}
	n := 2
	if limit := k.limit(); limit > 0 && limit < 500 {
		n = limit
	}
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	ok, err := k.twoRuns(n, begun, begin, nil, func(ended <-chan struct{}) bool { return within(ended, k.patience/4) })
	if !ok {
		return fmt.Errorf("while the tasks of one run wait, another run of %d tasks does not end", n)
	}
	return err
}

// runsShareBound is for a scheduler that is said to be like that: the first run fills it until the second has
// had time to start.
func runsShareBound(k *kit) error {
	if !k.shared {
		return nil
	}
	n := k.limit()
	if n < 1 {
		return errors.New("it has no bound: its Facts have no Limit")
	}
	full := make(chan struct{})
	var begun, early atomic.Int32
	var released atomic.Bool
	ok, err := k.twoRuns(n, full, func() {
		if int(begun.Add(1)) == n {
			close(full)
		}
	}, func(context.Context, int) error {
		if !released.Load() {
			early.Add(1)
		}
		return nil
	}, func(<-chan struct{}) bool {
		time.Sleep(soon)
		released.Store(true)
		return true
	})
	switch {
	case !ok:
		return fmt.Errorf("%d of %d tasks were running at once, and the limit is %d", begun.Load(), n, n)
	case early.Load() > 0:
		return fmt.Errorf("%d tasks of a run were started while those of another took up the limit of %d", early.Load(), n)
	}
	return err
}
