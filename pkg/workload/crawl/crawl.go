package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"overlap/pkg/sched"
)

// A Report is what [Crawl] found. It does not depend on the order in which
// pages came.
type Report struct {
	Tally
	Visited []string      // the addresses that were fetched or failed, sorted
	Errors  []*FetchError // why pages failed, sorted by address
	Waves   int           // how many sets of pages were fetched one after another
	Left    []string      // addresses that were found but not fetched, sorted: the crawl ended early
}

// String returns the tally and the number of waves, and what was left if
// anything was.
func (r Report) String() string {
	s := fmt.Sprintf("%v, %d waves", r.Tally, r.Waves)
	if len(r.Left) > 0 {
		s += fmt.Sprintf(", %d addresses left", len(r.Left))
	}
	return s
}

// Crawl fetches the page at start and every page of its site that links lead
// to, breadth first: the pages that one wave found are the tasks of the next.
// run runs the tasks of a wave and returns when they are done, such as the Run
// method of a [sched.Scheduler]. It stays at start's host and port.
//
// Pages that fail are counted. It is an error where start is not an http address
// on loopback, where the site answers nothing at all, and where run fails, such
// as for ctx; then the report holds what was found before.
func Crawl(ctx context.Context, run func(ctx context.Context, tasks []sched.Task) error, start string) (Report, error) {
	client, err := NewClient(Limits{})
	if err != nil {
		return Report{}, err
	}
	defer client.Close()
	return client.Crawl(ctx, run, start)
}

// Crawl is the function [Crawl] with the client's limits and connections.
func (c *Client) Crawl(ctx context.Context, run func(ctx context.Context, tasks []sched.Task) error, start string) (Report, error) {
	if run == nil {
		return Report{}, errors.New("crawl: nothing to run the tasks with: run is nil; give a scheduler's Run method")
	}
	root, err := loopback(start)
	if err != nil {
		return Report{}, err
	}
	w := walk{host: root.Host, known: map[string]bool{}}
	w.find(start)
	for err == nil && len(w.found) > 0 && len(w.report.Visited) < c.limits.Pages {
		err = w.wave(ctx, c, run)
	}
	return w.end(err)
}

// A walk is a crawl under way.
type walk struct {
	host   string
	known  map[string]bool // addresses that were found, fetched or not
	found  []string        // those of them that are not fetched yet
	report Report
}

// find takes an address in if it is of the site and new.
func (w *walk) find(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host != w.host {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/" // they are one page
	}
	if address = u.String(); !w.known[address] {
		w.known[address] = true
		w.found = append(w.found, address)
	}
}

// wave fetches what was found, as far as the limit of pages allows.
func (w *walk) wave(ctx context.Context, c *Client, run func(context.Context, []sched.Task) error) error {
	n := min(len(w.found), c.limits.Pages-len(w.report.Visited))
	now := w.found[:n]
	outcomes := make([]outcome, n)
	tasks := make([]sched.Task, n)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error { return outcomes[i].fetch(ctx, c, now[i]) }
	}
	err := run(ctx, tasks)
	w.report.Waves++
	w.found = slices.Clone(w.found[n:])
	// In the order of the tasks, not of their ends: the next wave is the same
	// whatever runs them.
	for i, o := range outcomes {
		if !o.done {
			w.found = append(w.found, now[i])
			if err == nil {
				err = fmt.Errorf("crawl: the page %q was not fetched although run returned no error; run must run every task before it returns", now[i])
			}
			continue
		}
		w.report.add(o)
		w.report.Visited = append(w.report.Visited, now[i])
		if o.failure != nil {
			w.report.Errors = append(w.report.Errors, o.failure)
		}
		for _, link := range o.page.Links {
			w.find(link)
		}
	}
	return err
}

// end completes the report.
func (w *walk) end(err error) (Report, error) {
	r := w.report
	r.Left = slices.Sorted(slices.Values(w.found)) // nil if there are none
	slices.Sort(r.Visited)
	slices.SortFunc(r.Errors, func(a, b *FetchError) int { return strings.Compare(a.URL, b.URL) })
	if err == nil && len(r.Errors) > 0 {
		err = r.check(r.Errors[0])
	}
	return r, err
}
