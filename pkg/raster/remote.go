package raster

/*
#include <stdlib.h>
#include <cpl_vsi.h>
#include "remote.h"
*/
import "C"

import (
	"net"
	"net/url"
	"strings"
	"unsafe"

	"overlap/pkg/raster/internal/where"
)

// farness says how a path is on the network.
func farness(path string, a access) C.int {
	far := C.int(C.FAR)
	address := where.WebAddress(path)
	if at := where.AnyScheme.FindStringIndex(path); at != nil && address == "" {
		address = path[at[0]:] // in a name of GDAL's
	}
	if u, err := url.Parse(address); err == nil {
		// As net/http has it: a proxy knows nothing of servers that are on this machine.
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			far |= C.LOOPBACK
		}
	}
	if a.noHead {
		far |= C.NO_HEAD
	}
	return far
}

// forget drops what GDAL keeps of remote files: that they exist or not, their lengths, and the
// bytes it has fetched. The process shares it, so that without this the second reading of an
// address would ask the server nothing, or only for a part: a file that was changed meanwhile would
// be read half as it was and half as it is.
func forget(files ...string) {
	for _, f := range files {
		if !where.IsRemote(f) {
			continue
		}
		begins := where.GDALPath(f)
		if at := strings.LastIndex(f, where.Curl); at > 0 { // it is in an archive, or a part: all of that server
			begins = where.Curl
			if u, err := url.Parse(f[at+len(where.Curl):]); err == nil && u.Host != "" {
				begins += u.Scheme + "://" + u.Host
			}
		}
		withStrings(func(c []*C.char) { C.VSICurlPartialClearCache(c[0]) }, begins)
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
