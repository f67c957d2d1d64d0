package lab_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

func ExampleEach() {
	work := lab.Each("greet", func(ctx context.Context, i int) error {
		fmt.Println("task", i)
		return nil
	})
	tasks, finish, err := work.Tasks(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sched.Sequential().Run(context.Background(), tasks)
	answer, _ := finish()
	fmt.Println(answer, "done,", err)
	// Output:
	// task 0
	// task 1
	// task 2
	// 3 done, <nil>
}

func ExampleWhich() {
	dir, err := os.MkdirTemp("", "overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	result, err := lab.Experiment{
		Name: "Naps", Workload: lab.Each("nap", func(context.Context,
			int) error {
			time.Sleep(time.Millisecond)
			return nil
		}),
		Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()}, Sizes: []int{20}, Repeats: 6, Dir: dir,
	}.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	table := lab.Which(result)
	fmt.Println(table.Head[1], "of", table.Rows[0][0]+": some scheduler")
	// Output: shortest time of Naps, 20 tasks: some scheduler
}

func ExampleExperiment_Run() {
	dir, err := os.MkdirTemp("", "overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	exp := lab.Experiment{
		Name:       "Adding",
		Workload:   adder{},
		Schedulers: []sched.Scheduler{loop, together},
		Sizes:      []int{10},
		Repeats:    6,
		Dir:        dir,
	}
	result, err := exp.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, variant := range result.Variants {
		fmt.Println(variant, len(result.Of(variant, 10)), "trials, answer", result.Of(variant, 10)[0].Answer)
	}
	// Output:
	// loop 6 trials, answer 10
	// together 6 trials, answer 10
}

// Pools that were measured at six widths.
func ExampleResult_Scaling() {
	pagesPerSecond := map[int]float64{1: 100, 2: 190, 4: 348, 8: 590, 16: 874, 32: 1009}
	result := func(widths ...int) *lab.Result {
		r := &lab.Result{Name: "crawl", Sizes: []int{1000}, Unit: "pages"}
		for _, n := range widths {
			pool := fmt.Sprintf("pool(%d)", n)
			wall := time.Duration(1000 / pagesPerSecond[n] * float64(time.Second))
			r.Variants = append(r.Variants, pool)
			r.Specs = append(r.Specs, lab.Spec{Kind: "crawl", Facts: sched.Facts{Kind: sched.KindPool, Limit: n}})
			r.Trials = append(r.Trials, lab.Trial{Variant: pool, Size: 1000, Round: 1, Usage: probe.Usage{Wall: wall}})
		}
		return r
	}
	fit, err := result(1, 2, 4, 8, 16, 32).Scaling(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	peak, _ := fit.Peak()
	fmt.Printf("contention %.2f, most at a width of %.0f\n", fit.Sigma, peak)

	_, err = result(1, 2, 4).Scaling(1000)
	fmt.Println(err)
	// Output:
	// contention 0.04, most at a width of 34
	// lab: no fit of the Universal Scalability Law: 3 different widths; it takes at least 5, such as 1, 2, 4, 8 and 16
}
