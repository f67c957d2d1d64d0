package raster

/*
#include <stdlib.h>
#include <gdal.h>
#include "remote.h"
*/
import "C"

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"overlap/pkg/raster/internal/where"
)

// A mark tells whether a remote file is the one that it was.
type mark struct {
	known         bool
	size, changed int64     // bytes, and seconds since 1970 or 0
	tag           string    // "" where it was not asked for
	date          time.Time // of the answer, by the server's clock, where it was asked for
	far           C.int     // how it is asked for, see farness
}

// seen returns what GDAL has seen of a file, which asks the server nothing: its length at first,
// and its time of change in the last answer that had one.
func seen(path string, far C.int) mark { return markOf(path, far, false) }

// askedFor returns what the server says now.
func askedFor(path string, far C.int) mark { return markOf(path, far, true) }

func markOf(path string, far C.int, ask bool) mark {
	if where.WebAddress(path) == "" {
		return mark{} // in an archive, or by a protocol of its own
	}
	setup()
	var c C.mark
	withStrings(func(p []*C.char) { C.remoteMark(p[0], far, C.int(boolInt(ask)), &c) }, where.GDALPath(path))
	m := mark{far: far, known: c.known != 0, size: int64(c.size), changed: int64(c.changed), tag: C.GoString(&c.tag[0])}
	m.date, _ = http.ParseTime(C.GoString(&c.date[0]))
	if ask && !m.known {
		forget(path) // else GDAL takes it for a file that is not there
	}
	return m
}

// firstMark returns the mark of a file that was just opened. Where the server gives no time of
// change, it asks for the tag.
func firstMark(path string, far C.int) mark {
	m := seen(path, far)
	if m.known && m.changed == 0 {
		return askedFor(path, far)
	}
	return m
}

// still reports whether the file is what it was. Sure asks the server, where else only the times of
// its answers are compared: that is enough where GDAL has read part by part, of which it keeps the
// time.
func (m mark) still(path string, sure bool) bool {
	if !m.known {
		return true
	}
	now := markOf(path, m.far, sure || m.changed == 0)
	if m.same(now) {
		return true
	}
	if now = askedFor(path, m.far); m.same(now) {
		return true // there are several servers, whose clocks differ
	}
	if m.size != now.size || now.date.IsZero() || now.date.Sub(time.Unix(now.changed, 0)) > time.Second {
		return false
	}
	// It was changed this very second, or the server says so of whatever it sends.
	time.Sleep(1500 * time.Millisecond)
	return askedFor(path, m.far).changed != now.changed
}

// notice sees whether the server's last answer is of another time than that of the file at first.
// Where several are under way at once, an old one can come last.
func (hs *handles) notice(file int) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	t := &hs.tally[file]
	if t.expected == nil || t.doubted {
		return
	}
	m := t.expected.info.id.far
	t.doubted = m.known && m.changed != 0 && !m.same(seen(hs.files[file], m.far))
}

func (m mark) same(o mark) bool {
	return !o.known || o.size == m.size && o.changed == m.changed && (m.tag == "" || o.tag == "" || o.tag == m.tag)
}

// cutShort reports whether a block of a remote file, of which GDAL says that it could not read it,
// lies beyond the file's end, so that it is not for the network.
func (h *handle) cutShort(plane, column, row int, err error) bool {
	if !h.id.far.known || h.Driver != "GTiff" || !isShort(err.Error()) {
		return false
	}
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	var end int64
	h.within(func() {
		for _, what := range []string{"OFFSET", "SIZE"} {
			n, _ := strconv.ParseInt(h.item(C.GDALMajorObjectH(h.objects[plane]), fmt.Sprintf("BLOCK_%s_%d_%d", what,
				column, row), "TIFF"), 10, 64)
			end += n
		}
	})
	if end <= h.id.far.size {
		return false
	}
	if h.trueSize == nil { // the answer to HEAD may have been wrong
		a, ok := ask(h.path)
		same := !ok || a.length < 0 || a.length == h.id.far.size
		h.trueSize = &same
	}
	return *h.trueSize
}
