package chart_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// measured stands for the result of an experiment's Run.
func measured() *lab.Result {
	r := &lab.Result{Name: "Primes", Unit: "tasks", Variants: []string{"sequential", "goroutines"}, Baseline: "sequential", Sizes: []int{100}, Repeats: 6}
	for round := 1; round <= r.Repeats; round++ {
		for i, v := range r.Variants {
			wall := time.Duration(20/(i+1)) * time.Millisecond
			r.Trials = append(r.Trials, lab.Trial{Variant: v, Size: 100, Round: round, Tasks: 100, Usage: probe.Usage{Wall: wall, CPUs: 2}})
		}
	}
	return r
}

func ExampleTimes() {
	f := chart.Times(measured())
	fmt.Println(f.Title())
	fmt.Println(f.Alt())
	fmt.Println(f.Err())
	// Output:
	// Primes: time for 100 tasks
	// Dot chart of the time for 100 tasks by variant, median of 6 rounds; bars: 95 % confidence interval: sequential 20.0 ms, goroutines 10.0 ms.
	// <nil>
}

func ExampleFigure_Save() {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	paths, err := chart.Speedup(measured()).Save(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range paths {
		fmt.Println(filepath.Base(p))
	}
	// Output:
	// primes-100-tasks-speedup.png
	// primes-100-tasks-speedup.svg
	// primes-100-tasks-speedup.pdf
	// primes-100-tasks-speedup.txt
}

func ExampleSpeedup() {
	// Errors stay in the figure.
	fmt.Println(chart.Speedup(nil).Err())
	// Output:
	// chart: Speedup: there is no result; look at the error of the experiment's Run or Load
}

func ExampleLanes() {
	r := &lab.Result{Name: "Three tasks", Unit: "tasks", Trials: []lab.Trial{{Variant: "pool(2)", Size: 3, Round: 1, Tasks: 3, Workers: 2, InFlightMax: 2, InFlightMean: 1.5,
		Usage: probe.Usage{Wall: 20 * time.Millisecond, User: 30 * time.Millisecond, CPUs: 2},
		Spans: []lab.Span{
			{Task: 0, Worker: 1, Start: 0, End: 10 * time.Millisecond},
			{Task: 1, Worker: 2, Start: 0, End: 10 * time.Millisecond},
			{Task: 2, Worker: 1, Start: 10 * time.Millisecond, End: 20 * time.Millisecond},
		}}}}
	fmt.Println(chart.Lanes(r, "pool(2)", 3).Caption())
	// Output:
	// When each task ran: a row for each worker, a bar for each task.
	// 3 tasks in 20.0 ms · 2 workers · in flight: at most 2, 1.50 on average · 75 % of 2 CPUs used
	// 2 CPUs usable
}

func ExampleExpected() {
	r := &lab.Result{Name: "One nap", Unit: "tasks", Variants: []string{"sequential"}, Baseline: "sequential", Sizes: []int{1},
		Trials: []lab.Trial{{Variant: "sequential", Size: 1, Round: 1, Usage: probe.Usage{Wall: 21 * time.Millisecond}}}}
	f := chart.Expected(r, 1, map[string]chart.Range{"sequential": {Lo: 20 * time.Millisecond, Hi: 25 * time.Millisecond}}, "the length of a nap")
	fmt.Println(f.Title())
	fmt.Println(f.Alt())
	// Output:
	// One nap: expected and measured, 1 task
	// Dot chart of measured and expected times for 1 task: sequential 21.0 ms, expected 20.0 ms to 25.0 ms.
}

// A page of one's own can hold a figure as SVG, and a paper one as PDF.
func ExampleFigure_SVG() {
	f := chart.Times(&lab.Result{Name: "One nap", Unit: "tasks", Variants: []string{"sequential"}, Baseline: "sequential", Sizes: []int{1},
		Trials: []lab.Trial{{Variant: "sequential", Size: 1, Round: 1, Usage: probe.Usage{Wall: 21 * time.Millisecond}}}})
	svg, err := f.SVG()
	fmt.Println(bytes.Contains(svg, []byte("<title id=\"one-nap-1-tasks-times-title\">One nap: time for 1 task</title>")), err)
	pdf, err := f.PDF()
	fmt.Println(bytes.HasPrefix(pdf, []byte("%PDF-1.7")), err)
	// Output:
	// true <nil>
	// true <nil>
}
