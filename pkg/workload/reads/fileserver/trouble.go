package fileserver

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"overlap/pkg/internal/localhost"
)

// slowly is how long /slow/ waits before each byte.
const slowly = 50 * time.Millisecond

// trouble answers a path that goes wrong, and reports false for all others.
func (h *handler) trouble(w http.ResponseWriter, r *http.Request, path string) bool {
	kind, name, _ := strings.Cut(path, "/")
	switch kind {
	case "status", "flaky":
		number, name, _ := strings.Cut(name, "/")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || kind == "status" && (n < 200 || n > 599) {
			http.NotFound(w, r)
		} else if kind == "status" {
			http.Error(w, http.StatusText(n), n)
		} else if h.failsYet(r.URL.Path, n) {
			http.Error(w, "busy; try again", http.StatusServiceUnavailable)
		} else {
			h.file(w, r, name)
		}
	case "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!DOCTYPE html><title>Sign in</title><p>Please sign in.")
	case "moved":
		http.Redirect(w, r, (&url.URL{Path: "/" + name, RawQuery: r.URL.RawQuery}).String(), http.StatusFound)
	case "circle":
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusFound)
	case "nohead":
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusForbidden)
		} else {
			h.file(w, r, name)
		}
	case "slow", "cut", "whole", "length", "gzip", "nodate":
		data, err := fs.ReadFile(h.root.FS(), name)
		if err != nil {
			http.NotFound(w, r)
			return true
		}
		h.send(w, r, kind, name, data)
	default:
		return false
	}
	return true
}

// send sends a file in a way that goes wrong.
func (h *handler) send(w http.ResponseWriter, r *http.Request, kind, name string, data []byte) {
	w.Header().Set("Content-Type", "image/tiff")
	head := r.Method == http.MethodHead
	switch kind {
	case "nodate":
		w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(data)))
	case "gzip":
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.NoCompression) // it is as little a TIFF, and made at once
		z.Write(data)
		z.Close()
		data = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	case "length":
		if head {
			data = data[:len(data)/2]
		}
	case "whole":
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		if !head {
			w.Write(data)
		}
		return
	case "slow":
		w = &slow{w, r}
	case "cut":
		if from := r.Header.Get("Range"); !head && from != "" && !strings.HasPrefix(from, "bytes=0-") {
			w = &cut{ResponseWriter: w}
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// failsYet reports whether this request is one of the first n of its path.
func (h *handler) failsYet(path string, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.flaky[path] >= n {
		return false
	}
	h.flaky[path]++
	return true
}

// A slow sends a body byte by byte.
type slow struct {
	http.ResponseWriter
	r *http.Request
}

func (s *slow) Write(p []byte) (int, error) {
	for i := range p {
		if !localhost.Wait(s.r, slowly) {
			return i, s.r.Context().Err()
		}
		if _, err := s.ResponseWriter.Write(p[i : i+1]); err != nil {
			return i, err
		}
		if err := http.NewResponseController(s.ResponseWriter).Flush(); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// A cut breaks off in the middle of a body.
type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) WriteHeader(status int) {
	n, err := strconv.Atoi(c.Header().Get("Content-Length"))
	if err == nil {
		c.left = n / 2
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *cut) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	c.left -= n
	if err == nil && n < len(p) {
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	return n, err
}
