package crawl

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"overlap/pkg/internal/localhost"
)

const (
	maxSilence = 2 * time.Minute
	maxEndless = 256 << 20
)

// handler returns the site as a handler of HTTP requests. It answers GET and HEAD at the paths of
// its pages and 404 elsewhere.
func (s Site) handler() (http.Handler, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	t := newText(s)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { t.serve(w, r, 0) })
	mux.HandleFunc("GET /page/{page}", func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.PathValue("page"))
		// One page, one address: "/page/07" is none.
		if err != nil || page < 1 || page >= s.Pages || r.URL.Path != s.path(page) {
			http.NotFound(w, r)
			return
		}
		t.serve(w, r, page)
	})
	return mux, nil
}

func (t *text) serve(w http.ResponseWriter, r *http.Request, page int) {
	if !localhost.Wait(r, t.site.latencyOf(page)) {
		return
	}
	switch t.site.failureOf(page) {
	case Status500:
		http.Error(w, fmt.Sprintf("page %d fails, as the site was asked to", page), http.StatusInternalServerError)
	case Disconnect:
		disconnect(w)
	case Silent:
		localhost.Wait(r, maxSilence)
		// Else net/http would answer 200 in the handler's place.
		panic(http.ErrAbortHandler)
	case Endless:
		t.endless(w, page)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.FormatInt(t.size(page), 10))
		// In large pieces: net/http's own buffer is 4 KiB, a system call each.
		buf := bufio.NewWriterSize(w, 32<<10)
		if t.write(buf, page) == nil {
			buf.Flush()
		}
	}
}

// disconnect closes the connection after the answer's first line. Before the first byte would not
// do: there net/http's client sends the request again, as often as it has connections to spare, so
// the same crawl would make a different number of requests each time.
func disconnect(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // not a connection of its own, such as a test's recorder
		panic(http.ErrAbortHandler)
	}
	io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
	conn.Close()
}

func (t *text) endless(w http.ResponseWriter, page int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for n := 0; n < maxEndless; {
		for _, p := range t.paragraphs {
			k, err := io.WriteString(w, p)
			if err != nil {
				return
			}
			n += k
		}
	}
	panic(http.ErrAbortHandler) // an endless page has no regular end
}
