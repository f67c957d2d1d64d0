package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/workload/crawl"

	"pgregory.net/rapid"
)

func TestCrawl(t *testing.T) {
	s := crawl.Site{Pages: 60, PageSize: 1000, Links: 3, Seed: 4, Failures: crawl.Failures{Pages: map[int]crawl.Failure{59: crawl.Status500, 58: crawl.Disconnect}}}
	url := serve(t, s).URL()
	var first crawl.Report
	for _, scheduler := range schedulers() {
		report, err := crawl.Crawl(t.Context(), scheduler.Run, url)
		if err != nil {
			t.Fatal(err)
		}
		if first.Visited == nil {
			first = report
		}
		if report.String() != first.String() || !slices.Equal(report.Visited, first.Visited) {
			t.Errorf("%s: %v, want %v", scheduler.Name(), report, first)
		}
		if report.Pages != 58 || len(report.Visited) != 60 || report.Failures() != 2 || len(report.Errors) != 2 || report.Left != nil || report.Waves < 3 {
			t.Errorf("%s: %v, %d visited, errors %v", scheduler.Name(), report, len(report.Visited), report.Errors)
		}
	}
	// From elsewhere, with a fragment: the same pages.
	report, err := crawl.Crawl(t.Context(), sched.Pool(4).Run, url+"/#top")
	if err != nil || report.String() != first.String() {
		t.Errorf("%v, %v", report, err)
	}
}

func TestCrawlFindsEveryPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := crawl.Site{
			Pages:    rapid.IntRange(1, 40).Draw(t, "pages"),
			Links:    rapid.IntRange(1, 5).Draw(t, "links"),
			PageSize: 100,
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		server, err := crawl.Serve(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		report, err := crawl.Crawl(context.Background(), sched.Pool(2).Run, server.URL()+"/")
		if err != nil || report.Pages != s.Pages {
			t.Fatalf("%d of %d pages, %v", report.Pages, s.Pages, err)
		}
	})
}

func TestCrawlStaysOnTheSite(t *testing.T) {
	strangers := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<a href="/">a</a><a href="">b</a><a href="/?x">c</a><a href="%s">d</a><a href="http://example.com/">e</a><a href="https://%s/">f</a>`, other.URL, r.Host)
	}))
	defer server.Close()
	report, err := crawl.Crawl(t.Context(), sched.Sequential().Run, server.URL)
	if err != nil || !slices.Equal(report.Visited, []string{server.URL + "/", server.URL + "/?x"}) || strangers != 0 {
		t.Errorf("%v, %v, %d requests elsewhere", report.Visited, err, strangers)
	}
}

func TestCrawlEndsEarly(t *testing.T) {
	s := crawl.Site{Pages: 30, PageSize: 100}
	url := serve(t, s).URL()
	limited := newClient(t, crawl.Limits{Pages: 8})
	report, err := limited.Crawl(t.Context(), sched.Goroutines().Run, url)
	if err != nil || report.Pages != 8 || len(report.Left) == 0 || !strings.Contains(report.String(), "addresses left") {
		t.Errorf("a limit of 8: %v, %v", report, err)
	}
	again, _ := limited.Crawl(t.Context(), sched.Sequential().Run, url)
	if !slices.Equal(again.Visited, report.Visited) || !slices.Equal(again.Left, report.Left) {
		t.Error("what a limit leaves depends on the scheduler")
	}

	broken := errors.New("broken")
	waves := 0
	report, err = crawl.Crawl(t.Context(), func(ctx context.Context, tasks []sched.Task) error {
		if waves++; waves == 2 {
			return broken
		}
		return sched.Sequential().Run(ctx, tasks)
	}, url)
	if !errors.Is(err, broken) || report.Pages != 1 || len(report.Left) == 0 {
		t.Errorf("a run that fails: %v, %v", report, err)
	}
	_, err = crawl.Crawl(t.Context(), func(context.Context, []sched.Task) error { return nil }, url)
	if err == nil || !strings.Contains(err.Error(), "run must run every task") {
		t.Errorf("a run that runs nothing: %v", err)
	}
}

func TestCrawlOfNoSite(t *testing.T) {
	silent := serve(t, crawl.Site{Pages: 1, Failures: crawl.Failures{Pages: map[int]crawl.Failure{0: crawl.Silent}}}).URL()
	failing := serve(t, crawl.Site{Pages: 1, Failures: crawl.Failures{Pages: map[int]crawl.Failure{0: crawl.Status500}}}).URL()
	short := crawl.Limits{Timeout: 50 * time.Millisecond}
	for _, x := range []struct {
		name, start string
		limits      crawl.Limits
		run         func(context.Context, []sched.Task) error
		want        string // "" for no error
	}{
		{"nobody there", "http://" + closedPort(t), crawl.Limits{}, sched.Sequential().Run, "none of 1 requests"},
		{"never answers", silent, short, sched.Sequential().Run, "none of 1 requests"},
		{"foreign", "http://example.com/", crawl.Limits{}, sched.Sequential().Run, "not on this machine"},
		{"no address", "", crawl.Limits{}, sched.Sequential().Run, "give a URL"},
		{"no run", failing, crawl.Limits{}, nil, "run is nil"},
		{"500", failing, crawl.Limits{}, sched.Sequential().Run, ""},
	} {
		report, err := newClient(t, x.limits).Crawl(t.Context(), x.run, x.start)
		if (x.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, %v", x.name, report, err)
		}
	}
}

func TestCrawlCancelled(t *testing.T) {
	s := crawl.Site{Pages: 30, PageSize: 100, Failures: crawl.Failures{Pages: map[int]crawl.Failure{5: crawl.Silent}}}
	url := serve(t, s).URL()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	why := errors.New("enough")
	time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
	report, err := newClient(t, crawl.Limits{Timeout: time.Minute}).Crawl(ctx, sched.Goroutines().Run, url)
	if !errors.Is(err, why) || len(report.Visited)+len(report.Left) == 0 {
		t.Errorf("%v, %v", report, err)
	}
}

// A crawl that is cancelled says so, also where the cause is a page's failure.
func TestCancelledByThePageOfAnother(t *testing.T) {
	s, err := crawl.Serve(t.Context(), crawl.Site{Pages: 30, Latency: crawl.Fixed(50 * time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := &crawl.FetchError{URL: "http://127.0.0.1:1/other", Kind: crawl.BadStatus, Status: 500}
	time.AfterFunc(75*time.Millisecond, func() { cancel(cause) })
	r, err := crawl.Crawl(ctx, sched.Goroutines().Run, s.URL())
	if !errors.Is(err, cause) || r.Failures() != 0 {
		t.Errorf("%v, error %v", r, err)
	}
}
