package fileserver

import (
	"encoding/json"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"

	"overlap/pkg/internal/localhost"
)

// countsPath is where a process of its own tells and resets its counts. Those requests are not
// counted, and do not wait.
const countsPath = "/.counts"

// handler answers requests.
type handler struct {
	files  Files
	root   *os.Root
	before func(*http.Request) // may be nil
	tally  tally

	mu    sync.Mutex
	flaky map[string]int // by path, requests that have failed
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == countsPath {
		h.tell(w, r)
		return
	}
	h.tally.begin(r)
	goes := h.hold(r)
	h.tally.waited()
	if !goes {
		panic(http.ErrAbortHandler) // else net/http would answer 200
	}
	m := &meter{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		if r.Method == http.MethodHead {
			m.bytes = 0 // written, and not sent
		}
		h.tally.answered(m.status, m.bytes)
	}()
	h.answer(m, r)
}

// hold returns when the request is to be answered, or false where the client went away or the
// server is being closed before that.
func (h *handler) hold(r *http.Request) bool {
	if h.before != nil {
		h.before(r)
	}
	if h.files.Trouble && strings.HasPrefix(r.URL.Path, "/hang/") {
		<-r.Context().Done()
	}
	return localhost.Wait(r, h.files.Latency)
}

// tell answers with the counts, and starts them anew for DELETE.
func (h *handler) tell(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(h.tally.counts())
	case http.MethodDelete:
		h.tally.reset()
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Error(w, "GET or DELETE", http.StatusMethodNotAllowed)
	}
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if !h.files.Trouble || !h.trouble(w, r, name) {
		h.file(w, r, name)
	}
}

func (h *handler) file(w http.ResponseWriter, r *http.Request, name string) {
	f, err := h.root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	if ext := strings.ToLower(path.Ext(name)); ext == ".tif" || ext == ".tiff" {
		w.Header().Set("Content-Type", "image/tiff") // net/http knows it from the system's tables only
	}
	http.ServeContent(w, r, name, info.ModTime(), f)
}
