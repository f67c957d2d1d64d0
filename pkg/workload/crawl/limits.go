package crawl

import (
	"fmt"
	"time"
)

// Limits bound what a crawler does. The zero value of a field is its default.
type Limits struct {
	Timeout  time.Duration // for one page, from its request to its last byte: 5 s
	Body     int64         // bytes of one page: 1 MiB
	Requests int           // under way at once: 256; a fetch beyond that waits, and the wait does not count for its timeout
	Pages    int           // fetched by one Crawl: 10,000
}

func (l Limits) withDefaults() (Limits, error) {
	switch {
	case l.Timeout < 0:
		return l, fmt.Errorf("crawl: timeout %v: it must be above 0, or 0 for 5s", l.Timeout)
	case l.Body < 0:
		return l, fmt.Errorf("crawl: limit of %d bytes a page: it must be above 0, or 0 for 1 MiB", l.Body)
	case l.Requests < 0:
		return l, fmt.Errorf("crawl: limit of %d requests at once: it must be above 0, or 0 for 256", l.Requests)
	case l.Pages < 0:
		return l, fmt.Errorf("crawl: limit of %d pages: it must be above 0, or 0 for 10000", l.Pages)
	}
	if l.Timeout == 0 {
		l.Timeout = 5 * time.Second
	}
	if l.Body == 0 {
		l.Body = 1 << 20
	}
	if l.Requests == 0 {
		l.Requests = 256
	}
	if l.Pages == 0 {
		l.Pages = 10_000
	}
	return l, nil
}
