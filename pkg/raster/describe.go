package raster

/*
#include <stdlib.h>
#include <cpl_string.h>
#include "reader.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"
)

// describe fills in the handle's Info.
func (h *handle) describe() {
	ds := C.GDALMajorObjectH(h.r.ds)
	h.Driver = C.GoString(C.GDALGetDriverShortName(C.GDALGetDatasetDriver(h.r.ds)))
	h.Width, h.Height = int(C.GDALGetRasterXSize(h.r.ds)), int(C.GDALGetRasterYSize(h.r.ds))
	h.Bands = int(C.GDALGetRasterCount(h.r.ds))
	if h.Compression = h.item(ds, "COMPRESSION", "IMAGE_STRUCTURE"); h.Compression == "" && h.Driver == "GTiff" {
		h.Compression = "none"
	}
	h.Parts = h.parts()
	h.Predictor = 1
	if p, err := strconv.Atoi(h.item(ds, "PREDICTOR", "IMAGE_STRUCTURE")); err == nil {
		h.Predictor = p
	}
	h.PixelInterleaved = h.Bands > 1 && h.item(ds, "INTERLEAVE", "IMAGE_STRUCTURE") == "PIXEL"
	var transform [6]C.double
	h.Georeferenced = C.GDALGetGeoTransform(h.r.ds, &transform[0]) == C.CE_None || C.GDALGetGCPCount(h.r.ds) > 0
	for n := range h.Bands {
		h.Layers = append(h.Layers, h.layer(C.GDALGetRasterBand(h.r.ds, C.int(n+1))))
	}
	if h.Bands > 0 {
		first := C.GDALGetRasterBand(h.r.ds, 1)
		var bx, by C.int
		C.GDALGetBlockSize(first, &bx, &by)
		h.BlockWidth, h.BlockHeight = int(bx), int(by)
		l := h.Layers[0]
		h.Type, h.NoData, h.HasNoData = l.Type, l.NoData, l.HasNoData
		h.size = l.size
		for i := range int(C.GDALGetOverviewCount(first)) {
			if o := C.GDALGetOverview(first, C.int(i)); o != nil {
				h.Overviews = append(h.Overviews, Size{int(C.GDALGetRasterBandXSize(o)), int(C.GDALGetRasterBandYSize(o))})
			}
		}
		if h.lostOverviews = h.hasOverviewFile && len(h.Overviews) == 0; h.lostOverviews {
			h.warn(errors.New("the file .ovr beside it is not one that GDAL takes"))
		}
	}
	h.warn(h.complaint())
	h.hear()
}

// parts returns the names of the rasters in a file of several.
func (h *handle) parts() (names []string) {
	domain := C.CString("SUBDATASETS")
	defer C.free(unsafe.Pointer(domain))
	all := C.GDALGetMetadata(h.dataset(), domain) // single items are not all drivers' to give
	for n := 1; ; n++ {
		key := C.CString(fmt.Sprintf("SUBDATASET_%d_NAME", n))
		name := C.CSLFetchNameValue(all, key)
		C.free(unsafe.Pointer(key))
		if name == nil {
			return names
		}
		names = append(names, C.GoString(name))
	}
}

// layer describes a band.
func (h *handle) layer(b C.GDALRasterBandH) Layer {
	t := C.GDALGetRasterDataType(b)
	l := Layer{Type: C.GoString(C.GDALGetDataTypeName(t)), size: int(C.GDALGetDataTypeSizeBytes(t)), Scale: 1}
	l.complex = C.GDALDataTypeIsComplex(t) != 0
	if l.kind = kindOf(int(t)); l.kind != noKind {
		l.size = l.kind.bytes()
	}
	// Before 3.7, GDAL has no type for signed bytes: it calls them Byte, and says so in the band's
	// metadata.
	if l.kind == u8 && h.item(C.GDALMajorObjectH(b), "PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE" {
		l.kind, l.Type = i8, "Int8"
	}
	var has C.int
	var v C.double
	var whole C.int64_t
	C.readerNoData(b, &has, &v, &whole)
	l.NoData, l.HasNoData = float64(v), has != 0
	l.none = newNodata(l.kind, l.HasNoData, l.NoData, int64(whole))
	if s := float64(C.GDALGetRasterScale(b, &has)); has != 0 {
		l.Scale = s
	}
	if o := float64(C.GDALGetRasterOffset(b, &has)); has != 0 {
		l.Offset = o
	}
	l.Color = C.GoString(C.GDALGetColorInterpretationName(C.GDALGetRasterColorInterpretation(b)))
	h.warn(h.complaint()) // what came before has nothing to do with the mask
	flags := C.GDALGetMaskFlags(b)
	if l.unmasked = h.complaint(); l.unmasked == nil && h.hasMaskFile && flags&C.GMF_ALL_VALID != 0 {
		l.unmasked = errors.New("the file .msk beside it is not one that GDAL takes")
	}
	switch {
	case flags&C.GMF_ALL_VALID != 0:
	// With both, it is the values of all bands together (RFC 15).
	case flags&C.GMF_NODATA != 0 && flags&C.GMF_PER_DATASET == 0:
		l.Mask = "nodata"
	case flags&C.GMF_ALPHA != 0:
		l.Mask = "alpha"
	case flags&C.GMF_PER_DATASET != 0:
		l.Mask = "dataset"
	default:
		l.Mask = "band"
	}
	return l
}

// choose makes the handle read what the options say.
func (h *handle) choose(rd reading) error {
	if err := h.usable(rd); err != nil {
		return err
	}
	h.reading = rd
	var err error
	h.within(func() { err = h.choice(rd) })
	h.hear()
	return err
}

// choice finds the bands, their masks and their blocks.
func (h *handle) choice(rd reading) error {
	even := true // whether a block of any band is as the first band's, and as b.dtype says
	var width, height, bx, by C.int
	for i, n := range rd.numbers(h.Bands) {
		l := h.Layers[n-1]
		object := C.GDALGetRasterBand(h.r.ds, C.int(n))
		if rd.overview > 0 {
			object = C.GDALGetOverview(object, C.int(rd.overview-1))
			if object == nil {
				return errors.New("band " + strconv.Itoa(n) + " has no such overview")
			}
		}
		b := &band{number: n, object: object, kind: l.kind, dtype: C.GDALDataType(kinds[l.kind].gdal), none: l.none}
		if l.kind == i8 {
			b.dtype = C.GDALGetRasterDataType(C.GDALGetRasterBand(h.r.ds, C.int(n))) // Byte, where GDAL has no Int8
		}
		if l.Mask != "" && l.Mask != "nodata" {
			h.warn(h.complaint())
			if b.mask = C.GDALGetMaskBand(object); b.mask == nil || h.r.failed[0] != 0 {
				return fmt.Errorf("the mask of band %d cannot be read: %w", n, gdalError(h.r))
			}
		}
		var w, t C.int
		C.GDALGetBlockSize(object, &w, &t)
		if i == 0 {
			width, height, bx, by = C.GDALGetRasterBandXSize(object), C.GDALGetRasterBandYSize(object), w, t
		} else if C.GDALGetRasterBandXSize(object) != width || C.GDALGetRasterBandYSize(object) != height {
			return fmt.Errorf("the bands are not of one size in overview %d; read them one by one, or make the overviews "+
				"anew with gdaladdo", rd.overview)
		}
		even = even && w == bx && t == by && C.GDALGetRasterDataType(object) == b.dtype
		h.bands = append(h.bands, b)
		h.objects = append(h.objects, object)
	}
	h.Width, h.Height = int(width), int(height)
	h.BlockWidth, h.BlockHeight = int(bx), int(by)
	// GDALReadBlock asks nobody how much room there is, nor for which type.
	h.layout = newLayout(h.Info, h.bands, even && h.r.threads == [16]C.char{'1'})
	return h.layout.sane(h.Width, h.Height)
}

// firstBand is the first band as an object that has metadata.
func (h *handle) firstBand() C.GDALMajorObjectH {
	return C.GDALMajorObjectH(C.GDALGetRasterBand(h.r.ds, 1))
}

func (h *handle) dataset() C.GDALMajorObjectH { return C.GDALMajorObjectH(h.r.ds) }

// item returns an item of an object's metadata, "" if it has none of that name.
func (h *handle) item(object C.GDALMajorObjectH, key, domain string) string {
	ck, cd := C.CString(key), C.CString(domain)
	defer C.free(unsafe.Pointer(ck))
	defer C.free(unsafe.Pointer(cd))
	return C.GoString(C.GDALGetMetadataItem(object, ck, cd))
}
