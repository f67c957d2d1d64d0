package raster

/*
#include <stdlib.h>
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include "remote.h"
*/
import "C"

import (
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// curl is the prefix of GDAL's file system of HTTP.
const curl = "/vsicurl/"

// isRemote reports whether a path is an address on the web: one that starts
// with http:// or https://, with or without GDAL's prefix /vsicurl/.
func isRemote(path string) bool {
	return schemeOf(strings.TrimPrefix(path, curl)) != ""
}

// schemeOf returns http:// or https:// where an address starts with it, in letters of any case, and else "".
func schemeOf(address string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			return scheme
		}
	}
	return ""
}

// gdalPath returns what GDAL calls a path. Options of remote reading are set
// before the first one that is remote.
func gdalPath(path string) string {
	if !isRemote(path) {
		return path
	}
	setupRemote()
	return curl + webAddress(path)
}

// webAddress returns the address of a remote path without GDAL's prefix, and with the scheme in small letters.
func webAddress(path string) string {
	path = strings.TrimPrefix(path, curl)
	scheme := schemeOf(path)
	return scheme + path[len(scheme):]
}

var setupRemote = sync.OnceFunc(func() {
	setup()
	for _, o := range remoteDefaults {
		if o.Value != "" {
			withStrings(func(c []*C.char) { C.remoteDefault(c[0], c[1]) }, o.Name, o.Value)
		}
	}
})

// forget drops what GDAL keeps of remote files: that they exist or not, their
// lengths, and the bytes it has fetched. The process shares it, so that without
// this the second reading of an address would ask the server nothing.
func forget(files ...string) {
	for _, f := range files {
		if isRemote(f) {
			withStrings(func(c []*C.char) { C.VSICurlPartialClearCache(c[0]) }, gdalPath(f))
		}
	}
}

func withStrings(f func([]*C.char), strings ...string) {
	c := make([]*C.char, len(strings))
	for i, s := range strings {
		c[i] = C.CString(s)
		defer C.free(unsafe.Pointer(c[i]))
	}
	f(c)
}

// Retries are requests that GDAL sent again after they had failed, and how long
// it waited before it did.
type Retries struct {
	Count  int
	Waited time.Duration // summed over requests, which may have waited at once
}

// RemoteRetries returns the retries of this process so far. The difference of
// two calls tells what a run had. There are none unless GDAL_HTTP_MAX_RETRY is
// set, see [RemoteOptions].
func RemoteRetries() Retries {
	var n C.longlong
	var s C.double
	C.remoteRetries(&n, &s)
	return Retries{int(n), time.Duration(float64(s) * float64(time.Second))}
}

// Sub returns what came after o.
func (r Retries) Sub(o Retries) Retries { return Retries{r.Count - o.Count, r.Waited - o.Waited} }

// remoteParams corrects the parameters of a workload for files on the web.
func remoteParams(files []string, params map[string]string) {
	n := 0
	for _, f := range files {
		if isRemote(f) {
			n++
		}
	}
	if n == 0 {
		return
	}
	params["remote"] = strconv.Itoa(n)
	if n == len(files) {
		delete(params, "page_cache")
		delete(params, "file_bytes") // nobody knows without asking
	}
}
