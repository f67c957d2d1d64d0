package verdict_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// Four waits that are awaited one by one, though each has a goroutine.
func ExampleWatch() {
	v, err := verdict.Watch(context.Background(), func(ctx context.Context) error {
		for range 4 {
			done := make(chan bool)
			go func() {
				time.Sleep(50 * time.Millisecond)
				close(done)
			}()
			<-done
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Kind)
	fmt.Println(v.By)
	fmt.Println(v.Try)
	// Output:
	// one at a time
	// awaiting each
	// Start all of them before waiting for the first.
}

// The error is the function's own, and the verdict is there all the same.
func ExampleWatch_error() {
	v, err := verdict.Watch(context.Background(), func(ctx context.Context) error {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { time.Sleep(50 * time.Millisecond) })
		}
		wg.Wait()
		return errors.New("no more paper")
	})
	fmt.Println(err)
	fmt.Println(v.Evidence.Usage.Wall >= 50*time.Millisecond)
	// Output:
	// no more paper
	// true
}

// Evidence can be judged without running anything.
func ExampleJudge() {
	v := verdict.Judge(verdict.Evidence{
		Usage: probe.Usage{Wall: time.Second, User: 1960 * time.Millisecond, CPUs: 2},
		CPUs:  probe.CPUSet{Count: 2, Bound: "online", Affinity: 2},
		Procs: 2,
	})
	fmt.Println(v.Kind)
	fmt.Println(v.Text)
	// Output:
	// runs on all CPUs
	// It used 1.96 of 2 CPUs for all of its time.
}
