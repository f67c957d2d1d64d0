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

func ExampleCrawl() {
	ctx := context.Background()
	server, err := crawl.Serve(ctx, crawl.Site{Pages: 30, Failures: crawl.Failures{Pages: map[int]crawl.Failure{17: crawl.Status500}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	report, err := crawl.Crawl(ctx, sched.Goroutines().Run, server.URL())
	fmt.Println(report.Pages, report.Failed, report.Waves, err)
	// Output: 29 map[status:1] 5 <nil>
}

// What 30 pages of 100 ms and 10 ms of CPU time take on 2 CPUs, eight at once.
func ExampleExpected() {
	fmt.Println(crawl.Expected(30, 8, 100*time.Millisecond, 10*time.Millisecond, 2))
	// Output: 440ms 560ms
}
