package crawl

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

const (
	maxPages    = 1_000_000
	maxPageSize = 16 << 20
	maxLinks    = 1000
)

// A Site is a small web site. Everything on it comes from its fields, so two sites with equal
// fields are the same site, in whatever process.
//
// Page 0 is at "/", page 7 at "/page/7". Pages have half of the mean size to one and a half, and
// room for their links. Every page can be reached from page 0 by links, unless pages that fail are
// in the way.
type Site struct {
	Pages    int      `json:"pages"`               // how many pages there are, 1 to 1,000,000
	Latency  Latency  `json:"latency"`             // how long a page waits before it answers; each page has one of its own
	PageSize int      `json:"page_size,omitempty"` // mean bytes of a page, 8192 if 0, at most 16 MiB: see below
	Links    int      `json:"links,omitempty"`     // links on each page, 4 if 0, at most 1000
	Failures Failures `json:"failures"`            // pages that go wrong
	Seed     uint64   `json:"seed"`
}

// Check returns what is wrong with the site's fields, or nil.
func (s Site) Check() error {
	err := s.check()
	if err != nil {
		return fmt.Errorf("crawl: site: %w", err)
	}
	return nil
}

func (s Site) check() error {
	if s.Pages < 1 || s.Pages > maxPages {
		return fmt.Errorf("%d pages: a site has 1 to %d", s.Pages, maxPages)
	}
	if s.PageSize < 0 || s.PageSize > maxPageSize {
		return fmt.Errorf("page size %d: it must be 0 (for 8192) to %d bytes", s.PageSize, maxPageSize)
	}
	if s.Links < 0 || s.Links > maxLinks {
		return fmt.Errorf("%d links on a page: it must be 0 (for 4) to %d", s.Links, maxLinks)
	}
	if err := s.Latency.check(); err != nil {
		return err
	}
	return s.Failures.check(s.Pages)
}

func (s Site) pageSize() int {
	if s.PageSize == 0 {
		return 8192
	}
	return s.PageSize
}

func (s Site) links() int {
	if s.Links == 0 {
		return 4
	}
	return s.Links
}

// path returns where a page is: "/" for page 0, "/page/7" for page 7.
func (Site) path(page int) string {
	if page == 0 {
		return "/"
	}
	return "/page/" + strconv.Itoa(page)
}

// linksOf returns the pages that a page links to, in the order of its links. A page may come more
// than once.
//
// The first links make a tree with page 0 at its root, which holds every page; the others go
// anywhere.
func (s Site) linksOf(page int) []int {
	n := s.links()
	branches := (n + 1) / 2
	to := make([]int, 0, n)
	for child := page*branches + 1; len(to) < branches && child < s.Pages; child++ {
		to = append(to, child)
	}
	for len(to) < n {
		to = append(to, int(draw(s.Seed, forLinks, page, len(to))%uint64(s.Pages)))
	}
	return to
}

// latencyOf returns how long a page waits before it answers.
func (s Site) latencyOf(page int) time.Duration {
	return s.Latency.quantile(unit(draw(s.Seed, forLatency, page, 0)))
}

// Latencies returns the latencies of the pages that [Pages] fetches for a size: page 0 to n-1, and
// again from page 0 where the site has fewer. It is nil for a site that is not valid or n below 1.
func (s Site) Latencies(n int) []time.Duration {
	if n < 1 || s.check() != nil {
		return nil
	}
	l := make([]time.Duration, n)
	for i := range l {
		l[i] = s.latencyOf(i % s.Pages)
	}
	return l
}

// failureOf returns how a page goes wrong, [NoFailure] if it does not.
func (s Site) failureOf(page int) Failure {
	if kind, ok := s.Failures.Pages[page]; ok {
		return kind
	}
	if page == 0 {
		return NoFailure
	}
	u := unit(draw(s.Seed, forFailure, page, 0))
	for _, f := range s.Failures.shares() {
		if u < f.share {
			return f.kind
		}
		u -= f.share
	}
	return NoFailure
}

// params names the site as data for a workload's Spec.
func (s Site) params() map[string]string {
	p := map[string]string{
		"pages":     strconv.Itoa(s.Pages),
		"latency":   s.Latency.String(),
		"page size": strconv.Itoa(s.pageSize()),
		"links":     strconv.Itoa(s.links()),
		"site seed": strconv.FormatUint(s.Seed, 10),
	}
	// As JSON it is sorted; a NaN, which check refuses, gives none.
	if text, err := json.Marshal(s.Failures); err == nil && string(text) != "{}" {
		p["failures"] = string(text)
	}
	return p
}
