package raster

/*
#include <stdlib.h>
#include <cpl_vsi.h>
#include "remote.h"
*/
import "C"

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unsafe"
)

// curl is the prefix of GDAL's file system of HTTP.
const curl = "/vsicurl/"

// networks are what GDAL's file systems of the network begin with.
var networks = []string{"/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsiwebhdfs"}

// isRemote reports whether reading a path takes requests: it is an address on the web, one
// that starts with http:// or https://, or has a name of GDAL's own for a file on the network, such as
// /vsicurl/https://example.org/a.tif, /vsis3/bucket/a.tif or /vsizip//vsicurl/https://example.org/a.zip/a.tif.
func isRemote(path string) bool {
	if schemeOf(path) != "" {
		return true
	}
	return (strings.HasPrefix(path, "/vsi") || isPart(path)) &&
		slices.ContainsFunc(networks, func(network string) bool { return strings.Contains(path, network) })
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

// gdalPath returns what GDAL calls a path.
func gdalPath(path string) string {
	if schemeOf(strings.TrimPrefix(path, curl)) == "" {
		return path
	}
	return curl + webAddress(path)
}

// webAddress returns the address of a path on the web, without what GDAL has before it, with the scheme in
// small letters, and with %20 for a space and so on, as browsers send it. It is "" for a path that has none, such as
// /vsis3/bucket/a.tif.
func webAddress(path string) string {
	if options, ok := strings.CutPrefix(path, "/vsicurl?"); ok {
		for option := range strings.SplitSeq(options, "&") {
			if key, value, _ := strings.Cut(option, "="); key == "url" {
				path, _ = url.PathUnescape(value) // "" where it is none
			}
		}
	}
	path = strings.TrimPrefix(path, curl)
	scheme := schemeOf(path)
	if scheme == "" {
		return ""
	}
	host, rest := path[len(scheme):], ""
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host, rest = host[:end], host[end:]
	}
	var b strings.Builder
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return scheme + host + b.String()
}

// cloudName returns GDAL's name for an address of a store that programs of its maker have, such as
// /vsis3/bucket/a.tif for s3://bucket/a.tif, and "" for all others.
func cloudName(path string) string {
	scheme, rest, found := strings.Cut(path, "://")
	if !found {
		return ""
	}
	switch strings.ToLower(scheme) {
	case "s3":
		return "/vsis3/" + rest
	case "gs":
		return "/vsigs/" + rest
	case "az", "abfs", "abfss":
		return "/vsiaz/" + rest
	case "oss":
		return "/vsioss/" + rest
	case "ftp":
		return curl + path
	}
	return ""
}

// hostOf returns the host of a path with its port, or as much of the path as may be shown where it has none.
func hostOf(path string) string {
	if u, err := url.Parse(webAddress(path)); err == nil && u.Host != "" {
		return u.Host
	}
	return shown(path)
}

// farness says how a path is on the network.
func farness(path string, a access) C.int {
	far := C.int(C.FAR)
	address := webAddress(path)
	if at := anyScheme.FindStringIndex(path); at != nil && address == "" {
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

// forget drops what GDAL keeps of remote files: that they exist or not, their
// lengths, and the bytes it has fetched. The process shares it, so that without
// this the second reading of an address would ask the server nothing, or only for a part: a file that
// was changed meanwhile would be read half as it was and half as it is.
func forget(files ...string) {
	for _, f := range files {
		if !isRemote(f) {
			continue
		}
		begins := gdalPath(f)
		if at := strings.LastIndex(f, curl); at > 0 { // it is in an archive, or a part: all of that server
			begins = curl
			if u, err := url.Parse(f[at+len(curl):]); err == nil && u.Host != "" {
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
