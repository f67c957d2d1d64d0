package where

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Curl is the prefix of GDAL's file system of HTTP.
const Curl = "/vsicurl/"

// networks are what GDAL's file systems of the network begin with.
var networks = []string{"/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsiwebhdfs"}

// IsRemote reports whether reading a path takes requests: it is an address on the web, one that
// starts with http:// or https://, or has a name of GDAL's own for a file on the network, such as
// /vsicurl/https://example.org/a.tif, /vsis3/bucket/a.tif or /vsizip//vsicurl/https://example.org/a.zip/a.tif.
func IsRemote(path string) bool {
	if Scheme(path) != "" {
		return true
	}
	return (strings.HasPrefix(path, "/vsi") || IsPart(path)) &&
		slices.ContainsFunc(networks, func(network string) bool { return strings.Contains(path, network) })
}

// Scheme returns http:// or https:// where an address starts with it, in letters of any case, and
// else "".
func Scheme(address string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			return scheme
		}
	}
	return ""
}

// GDALPath returns what GDAL calls a path.
func GDALPath(path string) string {
	if Scheme(strings.TrimPrefix(path, Curl)) == "" {
		return path
	}
	return Curl + WebAddress(path)
}

// WebAddress returns the address of a path on the web, without what GDAL has before it, with the
// scheme in small letters, and with %20 for a space and so on, as browsers send it. It is "" for a
// path that has none, such as
// /vsis3/bucket/a.tif.
func WebAddress(path string) string {
	if options, ok := strings.CutPrefix(path, "/vsicurl?"); ok {
		for option := range strings.SplitSeq(options, "&") {
			if key, value, _ := strings.Cut(option, "="); key == "url" {
				path, _ = url.PathUnescape(value) // "" where it is none
			}
		}
	}
	path = strings.TrimPrefix(path, Curl)
	scheme := Scheme(path)
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

// CloudName returns GDAL's name for an address of a store that programs of its maker have, such as
// /vsis3/bucket/a.tif for s3://bucket/a.tif, and "" for all others.
func CloudName(path string) string {
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
		return Curl + path
	}
	return ""
}

// Host returns the host of a path with its port, or as much of the path as may be shown where it
// has none.
func Host(path string) string {
	if u, err := url.Parse(WebAddress(path)); err == nil && u.Host != "" {
		return u.Host
	}
	return Shown(path)
}

// IsFileAddress reports whether a path is an address of a file of this machine, such as
// file:///a.tif.
func IsFileAddress(path string) bool {
	return len(path) >= len("file:/") && strings.EqualFold(path[:len("file:/")], "file:/")
}

// IsPart reports whether a path is a name that GDAL gives to one of the rasters in a file, such as
// NETCDF:"f.nc":t2m or GTIFF_DIR:2:pages.tif: a driver's name before a colon.
func IsPart(path string) bool {
	driver, rest, found := strings.Cut(path, ":")
	return found && rest != "" && len(driver) > 1 && strings.Trim(driver,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
