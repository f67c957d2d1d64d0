package trace_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"overlap/pkg/probe/trace"
)

func ExampleStart() {
	tracer, err := trace.Start(0)
	if err != nil {
		fmt.Println(err) // somebody else takes a trace
		return
	}
	tracer.Root(context.Background(), func(context.Context) {
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { time.Sleep(20 * time.Millisecond) })
		}
		all.Wait()
	})
	seen, err := tracer.Stop()
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(seen.Goroutines, "goroutines, asleep for 200 ms together or more:", seen.Time[trace.Sleep] >= 200*time.Millisecond)
	fmt.Println("longest in", seen.Waits[0].Place.What)
	// Output:
	// 10 goroutines, asleep for 200 ms together or more: true
	// longest in time.Sleep
}
