package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// A page is a page that was fetched.
type page struct {
	content
	bytes int64
	sum   uint64 // FNV-1a hash of its bytes
}

// A fetchError says why a page could not be fetched.
type fetchError struct {
	url  string
	kind kind
	err  error
}

// A kind is a way in which a fetch fails.
type kind string

const (
	badStatus    kind = "status"     // a status other than 2xx; redirects are not followed
	timedOut     kind = "timeout"    // no whole page in time
	noConnection kind = "connection" // none, or one that broke
	tooLarge     kind = "too large"  // more bytes than the limit
)

func (e *fetchError) Error() string {
	return fmt.Sprintf("crawl: fetch %q: %s: %v", e.url, e.kind, e.err)
}

func (e *fetchError) Unwrap() error { return e.err }

// limits bound what a client does. A field of 0 is its default.
type limits struct {
	timeout  time.Duration // for one page, from its request to its last byte: 5 s
	body     int64         // bytes of one page: 1 MiB
	requests int           // under way at once: 256; one more waits, which does not count for its timeout
}

// A client fetches pages from loopback addresses. It keeps its connections for the next pages,
// until it is closed. It may be used by many goroutines.
type client struct {
	limits
	http      *http.Client
	transport *http.Transport
	turns     chan struct{} // one for each request under way
}

func newClient(l limits) *client {
	l = limits{cmp.Or(l.timeout, 5*time.Second), cmp.Or(l.body, 1<<20), cmp.Or(l.requests, 256)}
	transport := &http.Transport{
		// No Proxy: a site on loopback needs none, and an environment's proxy would be measured with it.
		DialContext: (&net.Dialer{Timeout: l.timeout}).DialContext,
		// As many idle connections as there can be requests. The default of 2 would close all others
		// after each page, and the next requests would open them again: a crawl would measure that, and a
		// large one would run out of ports.
		MaxIdleConnsPerHost:    l.requests,
		MaxIdleConns:           l.requests,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &client{
		limits:    l,
		transport: transport,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		// Not MaxConnsPerHost: there the wait for a connection would count as time that the site takes.
		turns: make(chan struct{}, l.requests),
	}
}

// close closes the connections. The client must not be used after.
func (c *client) close() { c.transport.CloseIdleConnections() }

// fetch gets one page and finds what is on it. What goes wrong with the page is a [*fetchError].
// Once ctx is done the error wraps its cause instead. An address that is not http on loopback is an
// error of its own.
func (c *client) fetch(ctx context.Context, address string) (page, error) {
	u, err := loopback(address)
	if err != nil {
		return page{}, err
	}
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return page{}, cancelled(ctx, address)
	}
	timed, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	p, err := c.get(timed, u)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return page{}, cancelled(ctx, address)
	}
	failure := &fetchError{address, noConnection, err}
	// An *url.Error only repeats the address.
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		failure.err = wrapped.Err
	}
	if _, ok := errors.AsType[statusError](err); ok {
		failure.kind = badStatus
	} else if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		failure.kind, failure.err = tooLarge, fmt.Errorf("more than %d bytes", c.body)
	} else if errors.Is(err, os.ErrDeadlineExceeded) || timed.Err() != nil {
		failure.kind, failure.err = timedOut, fmt.Errorf("not answered within %v", c.timeout)
	}
	return page{}, failure
}

func cancelled(ctx context.Context, address string) error {
	return fmt.Errorf("crawl: fetch %q: %w", address, context.Cause(ctx))
}

// get makes one request. Its deadline is ctx's.
func (c *client) get(ctx context.Context, u *url.URL) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page{}, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return page{}, err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		io.CopyN(io.Discard, response.Body, 4096) // read to its end, a connection can be used again
		return page{}, statusError(response.StatusCode)
	}
	body := http.MaxBytesReader(nil, response.Body, c.body)
	sum := fnv.New64a()
	var n counter
	content, err := parse(io.TeeReader(body, io.MultiWriter(sum, &n)), u)
	if err != nil {
		return page{}, err
	}
	return page{content, int64(n), sum.Sum64()}, nil
}

// loopback returns the address as a URL if a crawler may fetch from it.
func loopback(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("crawl: address %q: %w", address, errors.Unwrap(err))
	}
	if u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("crawl: address %q: give a URL such as http://127.0.0.1:8080/", address)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("crawl: address %q: is not on this machine; "+
			"the crawler is for sites on 127.0.0.1 only, see Start", address)
	}
	return u, nil
}

type statusError int

func (s statusError) Error() string {
	return fmt.Sprintf("%d %s", int(s), http.StatusText(int(s)))
}
