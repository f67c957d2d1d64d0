package crawl

import "fmt"

// A Kind is a way in which a fetch fails.
type Kind string

// The ways in which a fetch fails.
const (
	BadStatus  Kind = "status"     // a status other than 2xx; redirects are not followed
	Timeout    Kind = "timeout"    // no whole page within Limits.Timeout
	Connection Kind = "connection" // no connection, or one that broke
	TooLarge   Kind = "too large"  // more than Limits.Body
)

// A FetchError says why a page could not be fetched.
type FetchError struct {
	URL    string
	Kind   Kind
	Status int // the answer's status, 0 where there was none
	Err    error
}

// Error returns `crawl: fetch "http://127.0.0.1:1/": connection: ...`.
func (e *FetchError) Error() string {
	return fmt.Sprintf("crawl: fetch %q: %s: %v", e.URL, e.Kind, e.Err)
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }
