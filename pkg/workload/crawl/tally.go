package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Tally is what a crawl found, summed over its pages. It does not depend on
// the order in which they came.
type Tally struct {
	Pages  int    // fetched, without those that failed
	Words  int    // on them
	Links  int    // on them
	Bytes  int64  // of them
	Sum    uint64 // the sum of their hashes
	Failed map[Kind]int
}

// Failures returns how many pages failed.
func (t Tally) Failures() int {
	n := 0
	for _, k := range t.Failed {
		n += k
	}
	return n
}

// String returns a line that is equal exactly where the tallies are:
// "30 pages, 6180 words, 112 links, 45120 bytes, sum 00c5…, 2 failed (status 2)".
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d pages, %d words, %d links, %d bytes, sum %016x", t.Pages, t.Words, t.Links, t.Bytes, t.Sum)
	if n := t.Failures(); n > 0 {
		fmt.Fprintf(&b, ", %d failed (", n)
		for i, kind := range slices.Sorted(maps.Keys(t.Failed)) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %d", kind, t.Failed[kind])
		}
		b.WriteByte(')')
	}
	return b.String()
}

// An outcome is what one fetch gave.
type outcome struct {
	done    bool
	page    Page
	failure *FetchError
}

// fetch fetches a page into o. It returns an error only where that is not the
// page's fault.
func (o *outcome) fetch(ctx context.Context, c *Client, address string) error {
	page, err := c.Fetch(ctx, address)
	if err != nil && ctx.Err() != nil {
		return err // whatever its cause, also where that is the failure of a page
	}
	failure, ok := errors.AsType[*FetchError](err)
	if err != nil && !ok {
		return err
	}
	*o = outcome{done: true, page: page, failure: failure}
	return nil
}

// check returns an error where the site answered not one request, with no page
// and with no status: such a run is fast, agrees with every other of its kind,
// and did nothing. first is a failure of it.
func (t Tally) check(first *FetchError) error {
	if first != nil && t.Pages+t.Failed[BadStatus]+t.Failed[TooLarge] == 0 {
		return fmt.Errorf("crawl: the site answered none of %d requests; is it running? one of them: %w", t.Failures(), first)
	}
	return nil
}

func (t *Tally) add(o outcome) {
	if o.failure != nil {
		if t.Failed == nil {
			t.Failed = map[Kind]int{}
		}
		t.Failed[o.failure.Kind]++
		return
	}
	t.Pages++
	t.Words += o.page.Words
	t.Links += len(o.page.Links)
	t.Bytes += o.page.Bytes
	t.Sum += o.page.Sum
}
