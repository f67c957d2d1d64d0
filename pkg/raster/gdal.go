package raster

/*
#cgo pkg-config: gdal
#include <stdlib.h>
#include <string.h>
#include <cpl_string.h>
#include "reader.h"
*/
import "C"

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/airbusgeo/godal"

	"overlap/pkg/internal/tiff"
	"overlap/pkg/raster/internal/where"
)

// Prepare prepares GDAL, once a process, as the first read does: for programs that use GDAL beside
// this package. What it changes is in the package's documentation.
func Prepare() { setup() }

var setup = sync.OnceFunc(func() {
	os.Setenv("GDAL_CACHEMAX", gdalCache()) // cgo hands it on to C; fails only for a malformed name
	godal.RegisterAll()
	C.readerPrepare()
	for _, o := range remoteDefaults {
		if o.Value != "" {
			withStrings(func(c []*C.char) { C.remoteDefault(c[0], c[1]) }, o.Name, o.Value)
		}
	}
})

// gdalCache returns how large GDAL's cache of blocks is, in its own words: the environment's, or
// megabytes.
func gdalCache() string {
	if size, ok := os.LookupEnv("GDAL_CACHEMAX"); ok {
		return size
	}
	return "16"
}

// Version returns the version of the GDAL library in use, such as "3.6.2".
func Version() string {
	return C.GoString(C.GDALVersionInfo(cRelease))
}

// version returns it as a number that can be compared, such as 3060200.
func version() int {
	n, _ := strconv.Atoi(C.GoString(C.GDALVersionInfo(cNumber)))
	return n
}

var cRelease, cNumber = C.CString("RELEASE_NAME"), C.CString("VERSION_NUM")

// A handle is an open dataset, for one goroutine at a time.
type handle struct {
	r       *C.reader
	path    string
	file    *os.File            // the file itself, nil where it is not one of the local system
	bands   []*band             // those that are read
	objects []C.GDALRasterBandH // theirs
	Info
	reading
	layout
	hasMaskFile     bool // whether a file .msk is beside a TIFF
	hasOverviewFile bool // and a file .ovr
	// Of a remote file: whether the server tells its length always the same; nil where it was not asked.
	trueSize *bool

	own   *tiff.File  // for blocks that GDAL need not read, or nil
	share *ownShare   // to make it from, until then
	lock  *sync.Mutex // held while it is read from, where others use its dataset too
	lent  bool        // the dataset is another handle's, who closes it

	// Where pixels are collected: sink copies a window that was read to p, with rows every stride
	// pixels, and into is where whole rows of a band, from y on, can be read to at once.
	sink   func(b *band, p unsafe.Pointer, stride int, w window, mask []byte) error
	into   func(b *band, y int) unsafe.Pointer
	unread bool // nothing is folded
	*scratch
}

// A band is one band of a handle.
type band struct {
	number int // from 1
	object C.GDALRasterBandH
	mask   C.GDALRasterBandH // nil where the band has none that says more than nodata
	kind   kind
	dtype  C.GDALDataType // as it is read
	none   nodata
	stats  Stats // of the blocks that this handle has read
}

// access is how openHandle opens.
type access struct {
	threads string // of GDAL's own for one read, "" for 1
	direct  bool   // with GTIFF_DIRECT_IO
	safe    bool   // a dataset that threads may share
	noHead  bool   // the server refuses HEAD
}

// openHandle opens path, or says in GDAL's words why it cannot be opened. GDAL takes siblings,
// unless it is nil, for the names in its folder.
func openHandle(path string, siblings []string, a access) (*handle, error) {
	h, err := openOnce(path, siblings, a)
	if err == nil || !refusesHead(path, err) {
		return h, err
	}
	forget(path)
	a.noHead = true
	if h, again := openOnce(path, siblings, a); again == nil {
		return h, nil
	}
	return nil, err
}

func openOnce(path string, siblings []string, a access) (*handle, error) {
	setup()
	cpath := C.CString(where.GDALPath(path))
	defer C.free(unsafe.Pointer(cpath))
	var names **C.char
	for _, s := range siblings {
		c := C.CString(s)
		names = C.CSLAddString(names, c)
		C.free(unsafe.Pointer(c))
	}
	defer C.CSLDestroy(names)
	r := newReader(a)
	if siblings == nil || where.IsRemote(path) { // only a TIFF of this machine names no other files
		r.far = farness(path, a)
	}
	flags := 0
	if a.safe {
		flags = C.SHARED_SAFELY
	}
	if C.readerOpen(r, cpath, names, C.int(flags)) == 0 {
		defer C.readerClose(r)
		return nil, gdalError(r)
	}
	h := &handle{r: r, path: path, hasMaskFile: slices.Contains(siblings, filepath.Base(path)+".msk"),
		hasOverviewFile: slices.Contains(siblings, filepath.Base(path)+".ovr")}
	h.within(h.describe)
	return h, nil
}

// within calls f, whose calls of GDAL open what belongs to the dataset: masks, overviews, and the
// sources of a VRT. These take GDAL's settings as they then are, and so they must be those of this
// reader, which are its thread's alone. What GDAL says is kept for the reader.
func (h *handle) within(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.readerEnter(h.r)
	defer C.readerLeave(h.r)
	f()
}

// complaint returns what GDAL has said to have failed since the last complaint, or nil.
func (h *handle) complaint() error {
	if h.r.failed[0] == 0 {
		return nil
	}
	err := gdalError(h.r)
	h.r.failed[0] = 0
	return err
}

// warn adds a failure to what GDAL has warned of.
func (h *handle) warn(err error) {
	if err == nil {
		return
	}
	if text := where.ShownIn(strings.TrimSpace(err.Error()), h.path); !slices.Contains(h.Warnings, text) {
		h.Warnings = append(h.Warnings, text)
	}
}

func newReader(a access) *C.reader {
	r := (*C.reader)(C.calloc(1, C.sizeof_reader))
	threads := a.threads
	if threads == "" {
		threads = "1"
	}
	for i := 0; i < len(threads) && i < len(r.threads)-1; i++ {
		r.threads[i] = C.char(threads[i])
	}
	r.direct = C.int(boolInt(a.direct))
	return r
}

// readBlocks reads n blocks, one below the other, of each of the bands, to p: all blocks of the
// first band come first, each at once behind the one before. It returns how many it read of all
// bands, and why not all.
func (h *handle) readBlocks(objects []C.GDALRasterBandH, bx, by, n int, p unsafe.Pointer, bytes int) (int, error) {
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	good := int(C.readerBlocks(h.r, &objects[0], C.int(len(objects)), C.int(bx), C.int(by), C.int(n), (*C.char)(p),
		C.size_t(bytes)))
	if good < n {
		return good, gdalError(h.r)
	}
	return n, nil
}

// readStored does the same without GDAL where it can.
func (h *handle) readStored(bands []*band, objects []C.GDALRasterBandH, column, row, n int, p unsafe.Pointer,
	bytes int) (int, error) {
	if !h.openOwn() {
		return h.readBlocks(objects, column, row, n, p, bytes)
	}
	for i := range n {
		err := h.readOwn(bands, column, row+i, unsafe.Add(p, i*bytes), bytes, n*bytes)
		if err == tiff.ErrLeftOut {
			err = nil
			for j := 0; j < len(bands) && err == nil; j++ {
				_, err = h.readBlocks(objects[j:j+1], column, row+i, 1, unsafe.Add(p, (j*n+i)*bytes), bytes)
			}
		}
		if err != nil {
			return i, err
		}
	}
	return n, nil
}

// readWindow reads pixels to p, where rows start every line bytes. GDAL reads them through its
// cache, and with more than one thread if the handle was opened so.
func (h *handle) readWindow(b *band, w window, p unsafe.Pointer, line int) error {
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	if C.readerWindow(h.r, b.object, C.int(w.x), C.int(w.y), C.int(w.width), C.int(w.height), p, b.dtype,
		C.GSpacing(line)) != C.CE_None {
		return gdalError(h.r)
	}
	return nil
}

// readBands reads a window of all bands to p, one band behind the other. The bands are those of one
// type of a file that is interleaved by pixel: GDAL then decodes each block once.
func (h *handle) readBands(w window, p unsafe.Pointer) error {
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	numbers := make([]C.int, len(h.bands))
	for i, b := range h.bands {
		numbers[i] = C.int(b.number)
	}
	if C.readerBands(h.r, C.int(len(numbers)), &numbers[0], C.int(w.x), C.int(w.y), C.int(w.width), C.int(w.height),
		p, h.bands[0].dtype) != C.CE_None {
		return gdalError(h.r)
	}
	return nil
}

// readMask reads a band's mask, a byte a pixel.
func (h *handle) readMask(b *band, w window, p []byte) error {
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	if C.readerWindow(h.r, b.mask, C.int(w.x), C.int(w.y), C.int(w.width), C.int(w.height), unsafe.Pointer(&p[0]),
		C.GDT_Byte, C.GSpacing(w.width)) != C.CE_None {
		return gdalError(h.r)
	}
	return nil
}

// hear takes over what GDAL has warned of.
func (h *handle) hear() {
	for line := range strings.Lines(C.GoString(&h.r.warned[0])) {
		if line = where.ShownIn(strings.TrimSpace(line), h.path); line != "" && !slices.Contains(h.Warnings, line) {
			h.Warnings = append(h.Warnings, line)
		}
	}
}

// view returns a handle of the same dataset with a reader of its own, for another goroutine. It
// must not outlive h.
func (h *handle) view(lock *sync.Mutex) *handle {
	v := *h
	v.r = newReader(access{})
	v.r.ds, v.r.far = h.r.ds, h.r.far
	v.lent, v.lock, v.bands = true, lock, nil
	for _, b := range h.bands {
		c := *b
		c.stats = Stats{}
		v.bands = append(v.bands, &c)
	}
	return &v
}

func (h *handle) close() {
	if h.lent {
		h.r.ds = nil
	}
	C.readerClose(h.r)
	h.r = nil
	if h.file != nil && !h.lent {
		h.file.Close()
	}
}

// A gdalFailure is a failure in GDAL's own words.
type gdalFailure struct{ said string }

func (e *gdalFailure) Error() string { return e.said }

func gdalError(r *C.reader) error {
	if r.failed[0] != 0 {
		return &gdalFailure{C.GoString(&r.failed[0])}
	}
	var said [512]C.char
	if C.readerLost(r, &said[0], C.int(len(said))) != 0 {
		return &gdalFailure{C.GoString(&said[0]) + " (said by one of GDAL's threads)"}
	}
	return &gdalFailure{noReason}
}

const noReason = "no reason was given"
