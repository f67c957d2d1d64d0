package crawl_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/workload/crawl"

	"pgregory.net/rapid"
)

func runPages(t testing.TB, ctx context.Context, p crawl.Pages, size int, s sched.Scheduler) (answer string, run, end error) {
	t.Helper()
	tasks, finish, err := p.Tasks(size)
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) != size {
		t.Fatalf("%d tasks, want %d", len(tasks), size)
	}
	run = s.Run(ctx, tasks)
	answer, end = finish()
	return answer, run, end
}

func TestPages(t *testing.T) {
	healthy := crawl.Site{Pages: 20, PageSize: 2000, Latency: crawl.LogNormal(2*time.Millisecond, 1, 10*time.Millisecond), Seed: 1}
	ill := healthy
	ill.Failures = crawl.Failures{Pages: map[int]crawl.Failure{0: crawl.Status500, 3: crawl.Disconnect, 4: crawl.Silent, 9: crawl.Endless, 12: crawl.Disconnect}}
	for _, c := range []struct {
		name string
		site crawl.Site
		size int
		has  string
	}{
		{"healthy", healthy, 20, "20 pages, "},
		{"some of it", healthy, 7, "7 pages, "},
		{"again from the start", healthy, 45, "45 pages, "},
		{"none", healthy, 0, "0 pages, 0 words, 0 links, 0 bytes, sum 0000000000000000"},
		{"ill", ill, 20, "5 failed (connection 2, status 1, timeout 1, too large 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := crawl.Pages{Site: c.site, URL: serve(t, c.site).URL(), Limits: crawl.Limits{Timeout: 3 * time.Second, Body: 50_000}}
			answers := make([]string, len(schedulers()))
			var group sync.WaitGroup // side by side, as each waits for the silent page
			for i, s := range schedulers() {
				tasks, finish, err := p.Tasks(c.size)
				if err != nil || len(tasks) != c.size {
					t.Fatalf("%d tasks, %v", len(tasks), err)
				}
				group.Go(func() {
					run := s.Run(t.Context(), tasks)
					answer, end := finish()
					if run != nil || end != nil {
						t.Errorf("%s: %v, %v", s.Name(), run, end)
					}
					answers[i] = answer
				})
			}
			group.Wait()
			for i, s := range schedulers() {
				if answers[i] != answers[0] || !strings.Contains(answers[i], c.has) {
					t.Errorf("%s: %q, want %q with %q", s.Name(), answers[i], answers[0], c.has)
				}
			}
		})
	}
}

func TestPagesOfNoSite(t *testing.T) {
	s := crawl.Site{Pages: 3}
	for _, c := range []struct {
		name string
		p    crawl.Pages
		size int
		want string
	}{
		{"negative size", crawl.Pages{Site: s, URL: "http://127.0.0.1:1"}, -1, "-1 pages"},
		{"more pages than memory", crawl.Pages{Site: s, URL: "http://127.0.0.1:1"}, 1 << 40, "1099511627776 pages: more than 10000000"},
		{"no address", crawl.Pages{Site: s}, 1, "address of the site is missing"},
		{"bad address", crawl.Pages{Site: s, URL: "localhost:80"}, 1, "give a URL"},
		{"foreign address", crawl.Pages{Site: s, URL: "http://example.org"}, 1, "not on this machine"},
	} {
		if _, _, err := c.p.Tasks(c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A run in which nothing was answered is no measurement.
func TestPagesNobodyAnswers(t *testing.T) {
	s := crawl.Site{Pages: 3, Failures: crawl.Failures{Pages: map[int]crawl.Failure{0: crawl.Silent, 1: crawl.Silent, 2: crawl.Silent}}}
	for _, c := range []struct{ name, url, want string }{
		{"nobody there", "http://" + closedPort(t), "none of 3 requests"},
		{"never answers", serve(t, s).URL(), "not answered within 50ms"},
	} {
		p := crawl.Pages{Site: s, URL: c.url, Limits: crawl.Limits{Timeout: 50 * time.Millisecond}}
		_, run, end := runPages(t, t.Context(), p, 3, sched.Goroutines())
		if run != nil || end == nil || !strings.Contains(end.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, run, end)
		}
	}
}

func TestPagesCancelled(t *testing.T) {
	s := crawl.Site{Pages: 50, Latency: crawl.Fixed(time.Minute)}
	p := crawl.Pages{Site: s, URL: serve(t, s).URL(), Limits: crawl.Limits{Timeout: 2 * time.Minute, Requests: 10}}
	for _, scheduler := range schedulers() {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		time.AfterFunc(30*time.Millisecond, func() { cancel(why) })
		start := time.Now()
		_, run, end := runPages(t, ctx, p, 50, scheduler)
		if !errors.Is(run, why) || end != nil {
			t.Errorf("%s: %v, %v", scheduler.Name(), run, end)
		}
		// A minute is what it would wait; the bound leaves room for a busy machine.
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: returned after %v", scheduler.Name(), d)
		}
		cancel(nil)
	}
}

func TestSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := crawl.Pages{
			Site: crawl.Site{
				Pages: rapid.IntRange(1, 9).Draw(t, "pages"), Seed: rapid.Uint64().Draw(t, "seed"),
				Failures: crawl.Failures{Silent: rapid.SampledFrom([]float64{0, .5}).Draw(t, "silent")},
			},
			URL: rapid.SampledFrom([]string{"", "http://127.0.0.1:1", "http://127.0.0.1:2"}).Draw(t, "url"),
		}
		kind, params := p.Spec()
		q := p
		q.URL = "http://127.0.0.1:3"
		if k, again := q.Spec(); kind != "crawl" || k != kind || !equal(params, again) {
			t.Fatal("the same site at another address has another spec")
		}
		for name, change := range map[string]func(*crawl.Pages){
			"pages":    func(p *crawl.Pages) { p.Site.Pages++ },
			"size":     func(p *crawl.Pages) { p.Site.PageSize++ },
			"links":    func(p *crawl.Pages) { p.Site.Links++ },
			"seed":     func(p *crawl.Pages) { p.Site.Seed++ },
			"latency":  func(p *crawl.Pages) { p.Site.Latency.Median++; p.Site.Latency.Max++ },
			"shape":    func(p *crawl.Pages) { p.Site.Latency = crawl.Pareto(0, 1, 0) },
			"failures": func(p *crawl.Pages) { p.Site.Failures.Endless = .25 },
			"timeout":  func(p *crawl.Pages) { p.Limits.Timeout++ },
			"body":     func(p *crawl.Pages) { p.Limits.Body++ },
			"requests": func(p *crawl.Pages) { p.Limits.Requests++ },
		} {
			q := p
			change(&q)
			if _, other := q.Spec(); equal(params, other) {
				t.Fatalf("a change of %s is not in the spec", name)
			}
		}
	})
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}
