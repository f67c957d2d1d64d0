package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A tally is what was found, summed over the pages. It does not depend on the order in which they
// came.
type tally struct {
	pages  int    // fetched, without those that failed
	words  int    // on them
	links  int    // on them
	bytes  int64  // of them
	sum    uint64 // the sum of their hashes
	failed map[kind]int
	errors int // how many that are
}

// String returns a line that is equal exactly where the tallies are: "30 pages, 6180 words, 112
// links, 45120 bytes, sum 00c5…, 2 failed (status 2)".
func (t tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d pages, %d words, %d links, %d bytes, sum %016x", t.pages, t.words, t.links, t.bytes, t.sum)
	if t.errors > 0 {
		fmt.Fprintf(&b, ", %d failed (", t.errors)
		for i, kind := range slices.Sorted(maps.Keys(t.failed)) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %d", kind, t.failed[kind])
		}
		b.WriteByte(')')
	}
	return b.String()
}

// An outcome is what one fetch gave.
type outcome struct {
	done    bool
	page    page
	failure *fetchError
}

// fetch fetches a page into o. It returns an error only where that is not the page's fault.
func (o *outcome) fetch(ctx context.Context, c *client, address string) error {
	page, err := c.fetch(ctx, address)
	if err != nil && ctx.Err() != nil {
		return err // whatever its cause, also where that is the failure of a page
	}
	failure, ok := errors.AsType[*fetchError](err)
	if err != nil && !ok {
		return err
	}
	*o = outcome{done: true, page: page, failure: failure}
	return nil
}

// check returns an error where the site answered not one request, with no page and with no status:
// such a run is fast, agrees with every other of its kind, and did nothing. first is a failure of
// it.
func (t tally) check(first *fetchError) error {
	if first != nil && t.pages+t.failed[badStatus]+t.failed[tooLarge] == 0 {
		return fmt.Errorf("crawl: the site answered none of %d requests; is it running? one of them: %w", t.errors, first)
	}
	return nil
}

func (t *tally) add(o outcome) {
	if o.failure != nil {
		if t.failed == nil {
			t.failed = map[kind]int{}
		}
		t.failed[o.failure.kind]++
		t.errors++
		return
	}
	t.pages++
	t.words += o.page.words
	t.links += len(o.page.links)
	t.bytes += o.page.bytes
	t.sum += o.page.sum
}
