package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"overlap/pkg/sched"
)

// Pages is a workload: each task fetches one page of a site and finds what is on it. A size is how
// many pages are fetched. Every run opens its connections anew.
type Pages struct {
	Site   Site   // what is served
	URL    string // where, from Process.URL or Server.URL
	limits limits // for tests
}

// Spec returns the kind "crawl" and the site's parameters. Where the site is served does not
// matter.
func (p Pages) Spec() (kind string, params map[string]string) { return "crawl", p.Site.params() }

// Unit returns "pages".
func (Pages) Unit() string { return "pages" }

// Tasks makes one task for each of size pages: page 0, page 1 and so on, and again from page 0
// where the site has fewer. The answer is what was found, in words. It is an error where the size
// is negative or above [sched.MostTasks], or the site or its address is not valid; for finish,
// where the site answered nothing.
func (p Pages) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	if err := sched.CheckCount(size, "pages"); err != nil {
		return nil, nil, fmt.Errorf("crawl: %w", err)
	}
	if err := p.Site.Check(); err != nil {
		return nil, nil, err
	}
	if p.URL == "" {
		return nil, nil, errors.New("crawl: the address of the site is missing; start it with Start and set URL")
	}
	base, err := loopback(p.URL)
	if err != nil {
		return nil, nil, err
	}
	client := newClient(p.limits)
	root := base.Scheme + "://" + base.Host
	outcomes := make([]outcome, size)
	tasks = make([]sched.Task, size)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			return outcomes[i].fetch(ctx, client, root+p.Site.path(i%p.Site.Pages))
		}
	}
	finish = func() (string, error) {
		client.close()
		var t tally
		var failure *fetchError
		for _, o := range outcomes {
			if !o.done {
				continue // the run ended before
			}
			t.add(o)
			failure = cmp.Or(failure, o.failure)
		}
		if err := t.check(failure); err != nil {
			return "", err
		}
		return t.String(), nil
	}
	return tasks, finish, nil
}
