package raster

/*
#include <stdlib.h>
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_minixml.h>
#include <cpl_string.h>

// sidecarParse says whether GDAL understands the XML of a file.
static int sidecarParse(const char *path, char **why) {
	CPLPushErrorHandler(CPLQuietErrorHandler);
	CPLErrorReset();
	CPLXMLNode *n = CPLParseXMLFile(path);
	*why = CPLStrdup(CPLGetLastErrorMsg());
	CPLPopErrorHandler();
	if (!n)
		return 0;
	CPLDestroyXMLNode(n);
	return 1;
}

static int sidecarRead(void) { return CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES")); }

static void sidecarFree(char *p) { CPLFree(p); }
*/
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"overlap/pkg/internal/fault"
	"overlap/pkg/internal/tiff"
	"overlap/pkg/raster/internal/where"
)

// sound finds what GDAL passes over in silence, and gives other pixels for: a table of blocks that
// is too short, and a file .aux.xml beside it, which may tell nodata, that is damaged.
func sound(path string, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fault.Bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	if err := tiff.CheckTable(file, info.Size()); err != nil {
		return damaged(err)
	}
	sidecar := path + ".aux.xml"
	if err := sidecarError(sidecar); err != nil {
		return fmt.Errorf("the file %s beside it, which may tell nodata and scale, cannot be read (%w); make it again, "+
			"or take it away to read all pixels as they are",
			where.Quoted(filepath.Base(sidecar)), err)
	}
	return nil
}

// sidecarError says why GDAL does not understand a file .aux.xml, nil where it does or there is none.
func sidecarError(sidecar string) error {
	f, err := os.Open(sidecar)
	if errors.Is(err, fs.ErrNotExist) || C.sidecarRead() == 0 {
		return nil
	} else if err != nil {
		return fault.Bare(err)
	}
	f.Close()
	c := C.CString(sidecar)
	defer C.free(unsafe.Pointer(c))
	var why *C.char
	defer func() { C.sidecarFree(why) }()
	if C.sidecarParse(c, &why) == 0 {
		return errors.New("GDAL: " + strings.TrimSpace(C.GoString(why)))
	}
	return nil
}
