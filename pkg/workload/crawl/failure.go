package crawl

import "fmt"

// A Failure is a way in which a page goes wrong.
type Failure string

// The ways in which a page of a site can go wrong. They come after the page's latency.
const (
	NoFailure  Failure = ""
	Status500  Failure = "status 500" // answers 500 Internal Server Error
	Disconnect Failure = "disconnect" // closes the connection at the start of the answer
	Silent     Failure = "silent"     // never answers: waits until the client gives up, or for 2 minutes
	Endless    Failure = "endless"    // sends a page that goes on until the client gives up, or for 256 MiB
)

// Failures says which pages of a site go wrong: by share, or by name.
type Failures struct {
	// Shares of the pages, from 0 to 1, together no more than 1. Which pages they hit comes from the
	// seed. They spare page 0, where a crawl starts.
	Status500  float64 `json:"status_500,omitempty"`
	Disconnect float64 `json:"disconnect,omitempty"`
	Silent     float64 `json:"silent,omitempty"`
	Endless    float64 `json:"endless,omitempty"`

	// Pages sets single pages, page 0 among them, and goes before the shares. NoFailure spares a page.
	Pages map[int]Failure `json:"pages,omitempty"`
}

func (f Failures) shares() [4]struct {
	kind  Failure
	share float64
} {
	return [4]struct {
		kind  Failure
		share float64
	}{{Status500, f.Status500}, {Disconnect, f.Disconnect}, {Silent, f.Silent}, {Endless, f.Endless}}
}

func (f Failures) check(pages int) error {
	var sum float64
	for _, s := range f.shares() {
		if !(s.share >= 0 && s.share <= 1) {
			return fmt.Errorf("share %v of failure %q: it must be from 0 to 1", s.share, s.kind)
		}
		sum += s.share
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("shares of failures add up to %v: they must not pass 1", sum)
	}
	for page, kind := range f.Pages {
		switch kind {
		case NoFailure, Status500, Disconnect, Silent, Endless:
		default:
			return fmt.Errorf("failure %q of page %d: there is no such failure", kind, page)
		}
		if page < 0 || page >= pages {
			return fmt.Errorf("failure %q of page %d: the site has the pages 0 to %d", kind, page, pages-1)
		}
	}
	return nil
}
