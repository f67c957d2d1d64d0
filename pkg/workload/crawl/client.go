package crawl

import (
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

// A Page is a page that was fetched.
type Page struct {
	URL   string
	Bytes int64
	Sum   uint64 // FNV-1a hash of its bytes
	Content
}

// A Client fetches pages from loopback addresses. It keeps its connections for
// the next pages, until it is closed. It may be used by many goroutines.
type Client struct {
	limits    Limits
	http      *http.Client
	transport *http.Transport
	turns     chan struct{} // one for each request under way
}

// NewClient returns a client with the given limits. It is an error where a
// limit is negative.
func NewClient(limits Limits) (*Client, error) {
	limits, err := limits.withDefaults()
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		// No Proxy: a site on loopback needs none, and an environment's proxy
		// would be measured with it.
		DialContext: (&net.Dialer{Timeout: limits.Timeout}).DialContext,
		// As many idle connections as there can be requests. The default of 2
		// would close all others after each page, and the next wave of requests
		// would open them again: a crawl would measure that, and a large one
		// would run out of ports.
		MaxIdleConnsPerHost:    limits.Requests,
		MaxIdleConns:           limits.Requests,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &Client{
		limits:    limits,
		transport: transport,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		// Not MaxConnsPerHost: there the wait for a connection would count as time
		// that the site takes.
		turns: make(chan struct{}, limits.Requests),
	}, nil
}

// Close closes the connections. The client must not be used after.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Fetch gets one page and finds what is on it. What goes wrong with the page is
// a [*FetchError]. Once ctx is done the error wraps its cause instead. An
// address that is not http on loopback is an error of its own.
func (c *Client) Fetch(ctx context.Context, address string) (Page, error) {
	u, err := loopback(address)
	if err != nil {
		return Page{}, err
	}
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return Page{}, cancelled(ctx, address)
	}
	timed, cancel := context.WithTimeout(ctx, c.limits.Timeout)
	defer cancel()
	page, err := c.get(timed, u)
	switch {
	case err == nil:
		return page, nil
	case ctx.Err() != nil:
		return Page{}, cancelled(ctx, address)
	}
	failure := &FetchError{URL: address, Kind: Connection, Err: err}
	// An *url.Error only repeats the address.
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		failure.Err = wrapped.Err
	}
	if status, ok := errors.AsType[statusError](err); ok {
		failure.Kind, failure.Status = BadStatus, int(status)
	} else if errors.Is(err, errTooLarge) {
		failure.Kind, failure.Err = TooLarge, fmt.Errorf("more than %d bytes", c.limits.Body)
	} else if errors.Is(err, os.ErrDeadlineExceeded) || timed.Err() != nil {
		failure.Kind, failure.Err = Timeout, fmt.Errorf("not answered within %v", c.limits.Timeout)
	}
	return Page{}, failure
}

func cancelled(ctx context.Context, address string) error {
	return fmt.Errorf("crawl: fetch %q: %w", address, context.Cause(ctx))
}

// get makes one request. Its deadline is ctx's.
func (c *Client) get(ctx context.Context, u *url.URL) (Page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return Page{}, err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		io.CopyN(io.Discard, response.Body, 4096) // read to its end, a connection can be used again
		return Page{}, statusError(response.StatusCode)
	}
	body := &boundedReader{r: response.Body, left: c.limits.Body}
	sum := fnv.New64a()
	content, err := Parse(io.TeeReader(body, sum), u)
	if err != nil {
		return Page{}, err
	}
	return Page{URL: u.String(), Bytes: c.limits.Body - body.left, Sum: sum.Sum64(), Content: content}, nil
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
		return nil, fmt.Errorf("crawl: address %q: is not on this machine; the crawler is for sites on 127.0.0.1 only, see Start", address)
	}
	return u, nil
}

type statusError int

func (s statusError) Error() string {
	return fmt.Sprintf("%d %s", int(s), http.StatusText(int(s)))
}

var errTooLarge = errors.New("too large")

// A boundedReader fails where more than left bytes are there, unlike
// io.LimitReader, which pretends that they end.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left == 0 {
		var one [1]byte
		n, err := b.r.Read(one[:])
		if n > 0 {
			err = errTooLarge
		}
		return 0, err
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
