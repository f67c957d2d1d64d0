package fileserver

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Counts are what a server was asked for since it started, or since they were last reset.
type Counts struct {
	Requests int   `json:"requests"`  // GET and HEAD, whatever the answer
	Heads    int   `json:"heads"`     // of them HEAD, which fetch no bytes
	Failed   int   `json:"failed"`    // of them, answered with a status of 400 or above
	Bytes    int64 `json:"bytes"`     // of bodies, without headers
	InFlight int   `json:"in_flight"` // the most requests that waited for their answer at once
}

// String returns one line such as "130 requests, 5.6 MB, at most 8 in flight".
func (c Counts) String() string {
	return fmt.Sprintf("%d requests, %.1f MB, at most %d in flight", c.Requests, float64(c.Bytes)/1e6, c.InFlight)
}

// A tally counts while requests are answered.
type tally struct {
	mu  sync.Mutex
	now int
	Counts
}

// begin counts a request, which then waits for its answer.
func (t *tally) begin(r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Requests++
	if r.Method == http.MethodHead {
		t.Heads++
	}
	t.now++
	t.InFlight = max(t.InFlight, t.now)
}

// waited counts the end of the wait. It comes before the answer's first byte: a client that has its
// answer may send its next request at once, and must not seem to have two under way.
func (t *tally) waited() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now--
}

// answered counts an answer.
func (t *tally) answered(status int, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Bytes += bytes
	if status >= 400 {
		t.Failed++
	}
}

func (t *tally) counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Counts
}

// reset starts anew. Requests that wait now count as in flight.
func (t *tally) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Counts = Counts{InFlight: t.now}
}

// A meter is a ResponseWriter that notes the status and counts the body.
type meter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (m *meter) WriteHeader(status int) {
	m.status = status
	m.ResponseWriter.WriteHeader(status)
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.ResponseWriter.Write(p)
	m.bytes += int64(n)
	return n, err
}

// Unwrap lets an [http.ResponseController] send what was written so far.
func (m *meter) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// ReadFrom leaves it to net/http to have the kernel send a file's bytes.
func (m *meter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(m.ResponseWriter, r)
	m.bytes += n
	return n, err
}
