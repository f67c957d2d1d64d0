package raster

/*
#cgo pkg-config: gdal
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gdal.h>
#include <cpl_conv.h>
#include <cpl_error.h>

typedef struct {
	GDALDatasetH   ds;
	GDALRasterBandH band;
	char           said[512]; // the first failure that GDAL reported in the last call
} reader;

// keep is GDAL's error handler during our calls. Warnings are let go.
static void CPL_STDCALL keep(CPLErr class, CPLErrorNum num, const char *msg) {
	reader *r = (reader *)CPLGetErrorHandlerUserData();
	if (class >= CE_Failure && !r->said[0])
		snprintf(r->said, sizeof r->said, "%s", msg);
}

static void enter(reader *r) {
	r->said[0] = 0;
	CPLPushErrorHandlerEx(keep, r);
}

// readerOpen lists the file itself as the only one in its folder: GDAL then
// does not read the folder, which may be large, for each handle.
static int readerOpen(reader *r, const char *path, const char *name) {
	const char *siblings[] = {name, NULL};
	enter(r);
	r->ds = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, siblings);
	if (r->ds && GDALGetRasterCount(r->ds) > 0)
		r->band = GDALGetRasterBand(r->ds, 1);
	CPLPopErrorHandler();
	return r->ds != NULL;
}

// readerBlock reads one block as the file stores it, past GDAL's block cache.
static int readerBlock(reader *r, int x, int y, void *p) {
	enter(r);
	CPLErr err = GDALReadBlock(r->band, x, y, p);
	CPLPopErrorHandler();
	return err;
}

// readerClose also frees r.
static void readerClose(reader *r) {
	if (r->ds) {
		enter(r);
		GDALClose(r->ds);
		CPLPopErrorHandler();
	}
	free(r);
}

static void quiet(void) { CPLSetErrorHandler(CPLQuietErrorHandler); }
*/
import "C"

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/airbusgeo/godal"
)

// setup prepares GDAL, once a process. What it changes is in the package's
// documentation.
var setup = sync.OnceFunc(func() {
	if _, ok := os.LookupEnv("GDAL_CACHEMAX"); !ok {
		os.Setenv("GDAL_CACHEMAX", "16") // cgo hands it on to C; fails only for a malformed name
	}
	godal.RegisterAll()
	C.quiet() // for messages from GDAL's own threads, which have no handler of ours
})

// Version returns the version of the GDAL library in use, such as "3.6.2".
func Version() string {
	return C.GoString(C.GDALVersionInfo(cRelease))
}

var cRelease = C.CString("RELEASE_NAME")

// A handle is an open dataset, for one goroutine at a time.
type handle struct {
	r *C.reader
	Info
	b32     []float32 // a block's values, for float32 bands
	b64     []float64 // and for all others,
	raw     []uint64  // which are read here, in their own type
	*folder           // of this raster's pixels
	stats   Stats     // of the blocks that this handle has read
}

// openHandle opens path, or says in GDAL's words why it cannot be opened.
func openHandle(path string) (*handle, error) {
	setup()
	cpath, cname := C.CString(path), C.CString(filepath.Base(path))
	defer C.free(unsafe.Pointer(cpath))
	defer C.free(unsafe.Pointer(cname))
	r := (*C.reader)(C.calloc(1, C.sizeof_reader))
	if C.readerOpen(r, cpath, cname) == 0 {
		defer C.readerClose(r)
		return nil, gdalError(r)
	}
	h := &handle{r: r}
	h.Driver = C.GoString(C.GDALGetDriverShortName(C.GDALGetDatasetDriver(r.ds)))
	h.Width, h.Height = int(C.GDALGetRasterXSize(r.ds)), int(C.GDALGetRasterYSize(r.ds))
	h.Bands = int(C.GDALGetRasterCount(r.ds))
	h.Compression = "none"
	if c := h.item(h.dataset(), "COMPRESSION", "IMAGE_STRUCTURE"); c != "" {
		h.Compression = c
	}
	if r.band == nil {
		return h, nil
	}
	t := C.GDALGetRasterDataType(r.band)
	h.Type = C.GoString(C.GDALGetDataTypeName(t))
	h.complex = C.GDALDataTypeIsComplex(t) != 0
	h.size = int(C.GDALGetDataTypeSizeBytes(t))
	h.dtype = int(t)
	var bx, by, has C.int
	C.GDALGetBlockSize(r.band, &bx, &by)
	h.BlockWidth, h.BlockHeight = int(bx), int(by)
	v := C.GDALGetRasterNoDataValue(r.band, &has)
	h.NoData, h.HasNoData = float64(v), has != 0
	return h, nil
}

// dataset and firstBand are the objects that have metadata.
func (h *handle) dataset() C.GDALMajorObjectH   { return C.GDALMajorObjectH(h.r.ds) }
func (h *handle) firstBand() C.GDALMajorObjectH { return C.GDALMajorObjectH(h.r.band) }

// item returns an item of an object's metadata, "" if it has none of that name.
func (h *handle) item(object C.GDALMajorObjectH, key, domain string) string {
	ck, cd := C.CString(key), C.CString(domain)
	defer C.free(unsafe.Pointer(ck))
	defer C.free(unsafe.Pointer(cd))
	return C.GoString(C.GDALGetMetadataItem(object, ck, cd))
}

// fold reads one block and folds the part of it that lies in the raster into
// the handle's statistics. After the first block it allocates nothing.
func (h *handle) fold(bx, by int) error {
	if h.folder == nil {
		h.folder = newFolder(h.Width, h.NoData, h.HasNoData)
	}
	n := h.BlockWidth * h.BlockHeight
	isFloat := h.dtype == C.GDT_Float32
	var p unsafe.Pointer
	if isFloat {
		if h.b32 == nil {
			h.b32 = make([]float32, n)
		}
		p = unsafe.Pointer(&h.b32[0])
	} else {
		if h.raw == nil {
			h.raw = make([]uint64, (n*h.size+7)/8)
			h.b64 = make([]float64, n)
		}
		p = unsafe.Pointer(&h.raw[0])
	}
	if C.readerBlock(h.r, C.int(bx), C.int(by), p) != C.CE_None {
		return gdalError(h.r)
	}
	if !isFloat {
		C.GDALCopyWords(p, C.GDALDataType(h.dtype), C.int(h.size), unsafe.Pointer(&h.b64[0]), C.GDT_Float64, 8, C.int(n))
	}
	x, y := bx*h.BlockWidth, by*h.BlockHeight
	// Blocks at the right and lower edges reach past the raster.
	across, down := min(h.BlockWidth, h.Width-x), min(h.BlockHeight, h.Height-y)
	if isFloat {
		h.fold32(&h.stats, h.b32, x, y, across, down, h.BlockWidth)
	} else {
		h.fold64(&h.stats, h.b64, x, y, across, down, h.BlockWidth)
	}
	return nil
}

func (h *handle) close() {
	C.readerClose(h.r)
	h.r = nil
}

func gdalError(r *C.reader) error {
	if r.said[0] == 0 {
		return errors.New("GDAL gave no reason")
	}
	return errors.New(C.GoString(&r.said[0]))
}
