package kotlin_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

func ExampleDispatchers() {
	d := kotlin.New(kotlin.WithCores(2), kotlin.WithIOLimit(64))
	defer d.Close()

	for _, view := range []*kotlin.View{d.Default(), d.IO()} {
		var together sync.WaitGroup
		together.Add(min(20, view.Limit()))
		var highest atomic.Int64
		tasks := make([]sched.Task, 20)
		for i := range tasks {
			tasks[i] = func(ctx context.Context) error {
				if i < view.Limit() { // real ones wait for something else
					together.Done()
					together.Wait()
				}
				if w, _ := sched.Worker(ctx); w.ID > 2 {
					highest.Store(int64(w.ID))
				}
				return nil
			}
		}
		err := view.Run(context.Background(), tasks)
		fmt.Println(view.Name(), "had more than 2 workers:", highest.Load() > 2, err)
	}
	fmt.Println("in flight at most:", d.Stats().Default.Most, "and", d.Stats().IO.Most)
	// Output:
	// default had more than 2 workers: false <nil>
	// io had more than 2 workers: true <nil>
	// in flight at most: 2 and 20
}

func ExampleSwitch() {
	d := kotlin.New()
	defer d.Close()
	err := d.Default().Run(context.Background(), []sched.Task{func(ctx context.Context) error {
		before, _ := sched.Worker(ctx)
		var page string
		err := kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
			on, _ := sched.Worker(ctx)
			fmt.Println("on IO, same worker and thread:", on == before)
			page = "<html>" // a real task fetches it
			return nil
		})
		fmt.Println("on Default again, with", page)
		return err
	}})
	fmt.Println(d.Stats().Kept, "switch kept its worker,", err)
	// Output:
	// on IO, same worker and thread: true
	// on Default again, with <html>
	// 1 switch kept its worker, <nil>
}

func ExampleThen() {
	d := kotlin.New()
	defer d.Close()
	err := d.IO().Run(context.Background(), []sched.Task{func(ctx context.Context) error {
		page := "<html>" // a real task fetches it
		return kotlin.Then(ctx, d.Default(), func(context.Context) error {
			fmt.Println("parse", page)
			return nil
		})
	}})
	fmt.Println(err)
	// Output:
	// parse <html>
	// <nil>
}
