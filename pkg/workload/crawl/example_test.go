package crawl_test

import (
	"context"
	"fmt"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/workload/crawl"
)

// A site in a process of its own, and thirty requests to it, ten at once.
func ExamplePages() {
	ctx := context.Background()
	site := crawl.Site{Pages: 30, Latency: crawl.Fixed(time.Millisecond), Seed: 1}
	process, err := crawl.Start(ctx, site)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer process.Close()

	work := crawl.Pages{Site: site, URL: process.URL()}
	tasks, finish, err := work.Tasks(30)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := sched.Pool(10).Run(ctx, tasks); err != nil {
		fmt.Println(err)
	}
	fmt.Println(finish())
	// Output: 30 pages, 29640 words, 115 links, 218892 bytes, sum aa85eb233177a231 <nil>
}

// What 30 pages of 100 ms and 10 ms of CPU time take on 2 CPUs, eight at once.
func ExampleExpectedOf() {
	site := crawl.Site{Pages: 30, Latency: crawl.Fixed(100 * time.Millisecond)}
	fmt.Println(crawl.ExpectedOf(site.Latencies(30), 8, 10*time.Millisecond, 2))
	// Output: 440ms 560ms
}
