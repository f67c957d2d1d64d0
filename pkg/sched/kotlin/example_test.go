package sched_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"overlap/pkg/sched"
)

func ExampleDispatchers() {
	d := sched.NewDispatchers(sched.WithCores(2), sched.WithIOLimit(64))
	defer d.Close()

	for _, view := range []*sched.View{d.Default(), d.IO()} {
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
		fmt.Println(view.Name(), "had", view.Stats().Most, "at once;", "more than 2 workers:", highest.Load() > 2, err)
	}
	// Output:
	// default had 2 at once; more than 2 workers: false <nil>
	// io had 20 at once; more than 2 workers: true <nil>
}

func ExampleView_Limited() {
	d := sched.NewDispatchers(sched.WithCores(4))
	defer d.Close()
	connections := d.IO().Limited(5)
	fmt.Println(connections.Name(), connections.Limit())
	fmt.Println(d.Default().Limited(3).Name(), d.Default().Limited(4).Name())
	fmt.Println(d.IO().Limited(0).Run(context.Background(), nil))
	// Output:
	// io limited(5) 5
	// default limited(3) default
	// sched: io limited(0): the limit must be at least 1
}

func ExampleSwitch() {
	d := sched.NewDispatchers()
	defer d.Close()
	err := d.Default().Run(context.Background(), []sched.Task{func(ctx context.Context) error {
		before, _ := sched.Worker(ctx)
		var page string
		err := sched.Switch(ctx, d.IO(), func(ctx context.Context) error {
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
	d := sched.NewDispatchers()
	defer d.Close()
	err := d.IO().Run(context.Background(), []sched.Task{func(ctx context.Context) error {
		page := "<html>" // a real task fetches it
		return sched.Then(ctx, d.Default(), func(context.Context) error {
			fmt.Println("parse", page)
			return nil
		})
	}})
	fmt.Println(err)
	// Output:
	// parse <html>
	// <nil>
}
