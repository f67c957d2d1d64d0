package raster

/*
#include <stdlib.h>
#include "remote.h"
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"overlap/pkg/raster/internal/where"
)

// ErrRemote is, by errors.Is, every error that lies with the server or the way to it, and not with
// the file.
var ErrRemote = errors.New("the server or the network")

// A RemoteError says why a file could not be fetched.
type RemoteError struct {
	URL    string // without a login and without the values of a query, which may be keys
	Status int    // of the answer, 0 where there was none
	text   string
	cause  error // may be nil
}

func (e *RemoteError) Error() string { return e.text }

// Is reports whether target is [ErrRemote].
func (e *RemoteError) Is(target error) bool { return target == ErrRemote }

// Unwrap returns the cause where package fs or os has one: fs.ErrNotExist for 404 and 410,
// fs.ErrPermission for 401 and 403, os.ErrDeadlineExceeded where the time was up.
func (e *RemoteError) Unwrap() error { return e.cause }

// explainRemote turns what GDAL said of a remote file into an error that says what went wrong with
// the server or the network, or returns nil where it was neither. Was is how the file was when it
// was opened, where that is known.
func explainRemote(path string, err error, was mark) error {
	var gdals *gdalFailure
	if !where.IsRemote(path) || !errors.As(err, &gdals) {
		return nil
	}
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if m := httpStatus.FindStringSubmatch(said); m != nil {
		for _, digits := range m[1:] {
			if status, err := strconv.Atoi(digits); err == nil && status >= 300 {
				return answered(path, status)
			}
		}
	}
	e := &RemoteError{URL: where.Shown(path)}
	host := where.Host(path)
	_, reason, _ := strings.Cut(said, "CURL error: ")
	low := strings.ToLower(said)
	to := connectTo.FindStringSubmatch(said)
	if m := noHost.FindStringSubmatch(said); m != nil && where.WebAddress(path) == "" {
		host = m[1]
	} else if to != nil && where.WebAddress(path) == "" {
		host = to[1] + ":" + to[2]
	}
	switch {
	case strings.Contains(low, "could not resolve proxy"), to != nil && where.WebAddress(path) != "" &&
		!strings.HasPrefix(webHost(path), to[1]):
		proxy := "the proxy"
		if to != nil {
			proxy = fmt.Sprintf("the proxy %s port %s", to[1], to[2])
		}
		e.text = fmt.Sprintf("%s could not be reached; check http_proxy and https_proxy in the environment and GDAL's "+
			"GDAL_HTTP_PROXY, or name the server in no_proxy", proxy)
	case strings.Contains(low, "malformed"), strings.Contains(low, "illegal format"), strings.Contains(low,
		"missing url"), strings.Contains(low, "http response code: 0"):
		e.text = "it is no address that can be asked for; give one such as https://example.org/a.tif, with a host, and " +
			"with a port of 1 to 65535 or none"
	case strings.Contains(low, "could not resolve"):
		e.text = fmt.Sprintf("no host %s was found; check the address, and whether there is a network", host)
	case strings.Contains(low, "connection timed out"), strings.Contains(low, "timed out") && strings.Contains(low,
		"connect"):
		e.text, e.cause = fmt.Sprintf("%s could not be reached in time; check the address, and whether there is a "+
			"network (GDAL_HTTP_CONNECTTIMEOUT is %s s)", host, remoteOption("GDAL_HTTP_CONNECTTIMEOUT")), os.ErrDeadlineExceeded
	case strings.Contains(low, "timed out"), strings.Contains(low, "timeout was reached"), strings.Contains(low,
		"too slow"):
		e.text, e.cause = fmt.Sprintf("%s did not answer within %v%s; try again later, or give it more time with "+
			"GDAL_HTTP_TIMEOUT (seconds)", host, requestLimit(), times()), os.ErrDeadlineExceeded
	case to != nil, strings.Contains(low, "couldn't connect"):
		e.text = fmt.Sprintf("nothing answers at %s; check the address and its port, and whether the server runs", host)
	case strings.Contains(low, "certificate"):
		e.text = fmt.Sprintf("%s does not prove who it is, or not in a way that is known here (curl: %s); check the "+
			"address, this machine's clock, and the list of authorities (CURL_CA_BUNDLE)", host, strings.TrimSpace(reason))
	case strings.Contains(low, "ssl"), strings.Contains(low, "tls"):
		e.text = fmt.Sprintf("%s does not speak TLS, or not as is known here (curl: %s); see whether the address begins "+
			"with http:// rather than https://", host, strings.TrimSpace(reason))
	case strings.Contains(low, "range downloading not supported"):
		e.text = wholeOnly
	case reason != "":
		e.text = fmt.Sprintf("fetching it failed; try again (curl: %s)", reason)
	case strings.Contains(low, "not recognized as"):
		return notRaster(path)
	case isShort(said), fetchFailed.MatchString(said):
		a, ok := ask(path)
		return notFetched(path, a, ok, was)
	case strings.Contains(low, "tiff directory"), strings.Contains(low, "tifffetchdirectory"):
		if a, ok := ask(path); !ok || a.holdsDirectory() {
			return notFetched(path, a, ok, was)
		}
		return nil
	default:
		return nil
	}
	e.text = where.ShownIn(e.text, path)
	return e
}

// wholeOnly is said of servers that do not know ranges of bytes.
const wholeOnly = "the server sends whole files only, and no parts of them; fetch the file (curl -O), and " +
	"read it from the disk"

var (
	// httpStatus finds the status in the words of GDAL's readers.
	httpStatus = regexp.MustCompile(`HTTP response code(?: on .+)?: ?(\d{3})|^(\d{3}): |` +
		`HTTP error code ?: (\d{3})|returned error: (\d{3})|failed with response_code=(\d{3})`)
	// fetchFailed is of several parts that were asked for at once.
	fetchFailed = regexp.MustCompile(`^Request for [0-9-]+ failed with response_code=`)
	// tooFew is libtiff's of a part that came short.
	tooFew = regexp.MustCompile(`(?i)got \d+ bytes, expected \d+`)
	// connectTo is where curl could not connect to: a server, or a proxy.
	connectTo = regexp.MustCompile(`Failed to connect to (\S+) port (\d+)`)
	// noHost is what curl could not resolve.
	noHost = regexp.MustCompile(`Could not resolve host: (\S+)`)
)

// isShort reports whether GDAL says that fewer bytes came than a part has.
func isShort(said string) bool {
	return tooFew.MatchString(said) || strings.Contains(strings.ToLower(said), "got 0 bytes")
}

// webHost is the name of the host of an address, without its port.
func webHost(path string) string {
	host := where.Host(path)
	if at := strings.LastIndex(host, ":"); at > strings.LastIndex(host, "]") {
		host = host[:at]
	}
	return strings.Trim(host, "[]")
}

// refusesHead reports whether what GDAL said of a file that it could not open may be for want of an
// answer to HEAD: servers that sign their addresses for one kind of request answer 403, others 400
// or 501, or no length.
func refusesHead(path string, err error) bool {
	if where.WebAddress(path) == "" {
		return false
	}
	said := err.Error()
	for _, sign := range []string{"code: 400", "code: 403", "code: 501", "not recognized as"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// times says how often a server was asked that did not answer, if more than once.
func times() string {
	if n, err := strconv.Atoi(remoteOption("GDAL_HTTP_MAX_RETRY")); err == nil && n > 0 {
		return fmt.Sprintf(", %d times", n+1)
	}
	return ""
}

// answered is the error of an answer with a status.
func answered(path string, status int) error {
	e := &RemoteError{URL: where.Shown(path), Status: status}
	todo := "open the address in a browser to see what it is"
	switch {
	case status < 400:
		todo = "it sends on in a circle, more than ten times, or to nowhere that can be asked; open the address in a " +
			"browser to see where it leads"
	case status == http.StatusNotFound || status == http.StatusGone:
		todo, e.cause = "check the address", fs.ErrNotExist
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.cause = fs.ErrPermission
		todo = "it wants a login or refuses you; see GDAL's options GDAL_HTTP_USERPWD and GDAL_HTTP_HEADERS"
	case status == http.StatusProxyAuthRequired:
		todo, e.cause = "the proxy wants a login; see GDAL's option GDAL_HTTP_PROXYUSERPWD", fs.ErrPermission
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		todo = "it is busy; try again later, with fewer workers, or with retries (GDAL_HTTP_MAX_RETRY=3)"
	case status >= 500:
		todo = "the fault is the server's; try again later, or with retries (GDAL_HTTP_MAX_RETRY=3)"
	}
	text := http.StatusText(status)
	if text != "" {
		text = " (" + text + ")"
	}
	e.text = fmt.Sprintf("the server answered %d%s; %s", status, text, todo)
	return e
}

// notRaster says what the server sends in a raster's place. It returns nil where there is no
// address to ask.
func notRaster(path string) error {
	if where.WebAddress(path) == "" {
		return nil
	}
	a, ok := ask(path)
	e := &RemoteError{URL: where.Shown(path), Status: a.status}
	switch {
	case !ok:
		e.text = "not a raster in a format that GDAL knows, and the server did not answer when it was asked what it " +
			"sends; open the address in a browser to see what it is"
	case a.status >= 400:
		return answered(path, a.status)
	case len(a.start) == 0:
		e.text = "not a raster: the server sent nothing"
	case a.encoding != "":
		e.text = fmt.Sprintf("the server sends it compressed (Content-Encoding: %s), so that no part of it can be read; "+
			"have the server send it as it is, or fetch the file and read it from the disk", a.encoding)
	case a.kind == "text/html":
		e.text = "not a raster: the server sent text/html, a web page such as one to log in; open the address in a browser"
	case !a.parts && a.length < 0:
		e.text = "the server does not say how long the file is, and sends no parts of it; fetch the file (curl " +
			"-O), and read it from the disk"
	default:
		e.text = fmt.Sprintf("not a raster in a format that GDAL knows: the server sent %s; open the address in a "+
			"browser to see what it is", a.kind)
	}
	return e
}

// notFetched says why too few bytes came of a file, by what the server sends now: GDAL does not say
// which status it got then.
func notFetched(path string, a asked, ok bool, was mark) error {
	e := &RemoteError{URL: where.Shown(path), text: "a part of it could not be fetched; try again, or with retries " +
		"(GDAL_HTTP_MAX_RETRY=3)"}
	if where.WebAddress(path) == "" {
		return e
	}
	e.Status = a.status
	switch {
	case !ok:
		e.text = fmt.Sprintf("a part of it could not be fetched, and the server does not answer any more, or not within "+
			"%v; see whether it runs, and try again", askTime())
	case a.status >= 400:
		return answered(path, a.status)
	case !a.parts:
		e.text = wholeOnly
	case was.known && a.length >= 0 && a.length != was.size:
		e.text = fmt.Sprintf("the server said that it has %d bytes, and now that it has %d: it was changed, or the "+
			"server tells HEAD another length than GET (then see CPL_VSIL_CURL_USE_HEAD=NO); read it again", was.size, a.length)
	default:
		e.text = fmt.Sprintf("a part of it did not come, or not within %v, and now the server answers again; try again, "+
			"with fewer workers, or with more time (GDAL_HTTP_TIMEOUT) or retries (GDAL_HTTP_MAX_RETRY=3)", requestLimit())
	}
	return e
}

// An asked is what a server sends of the start of a file.
type asked struct {
	status   int
	length   int64 // of the file, -1 where it does not say
	parts    bool  // whether it knows ranges of bytes
	kind     string
	encoding string
	start    []byte
}

// ask asks the server once more for the start of a file, and reports false where no answer came. It
// does so by GDAL, which has the user's logins, proxies and certificates.
func ask(path string) (asked, bool) {
	address := where.WebAddress(path)
	if address == "" {
		return asked{}, false
	}
	setup()
	var a C.answer
	withStrings(func(c []*C.char) { C.remoteAsk(c[0], farness(path, access{}), C.double(askTime().Seconds()), &a) },
		address)
	result := asked{
		status:   int(a.status),
		length:   int64(a.length),
		parts:    a.parts != 0,
		encoding: C.GoString(&a.encoding[0]),
		start:    C.GoBytes(unsafe.Pointer(&a.start[0]), C.int(a.size)),
	}
	kind, _, err := mime.ParseMediaType(C.GoString(&a.kind[0]))
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(result.start))
	}
	result.kind = kind
	return result, a.status != 0
}

// holdsDirectory reports whether a TIFF has its first directory before the file's end.
func (a asked) holdsDirectory() bool {
	if len(a.start) < 16 || a.length < 0 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if a.start[0] == 'M' {
		order = binary.BigEndian
	}
	if order.Uint16(a.start[2:]) == 43 {
		return order.Uint64(a.start[8:]) < uint64(a.length)
	}
	return int64(order.Uint32(a.start[4:])) < a.length
}

// askLimit bounds a question that only serves a better message.
const askLimit = 2 * time.Second

// askTime is how long such a question may take: no longer than the user lets others.
func askTime() time.Duration {
	if limit := requestLimit(); limit > 0 {
		return min(limit, askLimit)
	}
	return askLimit
}

// explainFor adds a remedy to GDAL's words of a file where they are known.
func explainFor(path string, err error) error {
	return explainOf(path, err, mark{})
}

// explainOf does so for a file that was open.
func explainOf(path string, err error, was mark) error {
	if e := explainRemote(path, err, was); e != nil {
		return e
	}
	return explainFile(path, err)
}

// explainFile does so where it is not for the network.
func explainFile(path string, err error) error {
	var gdals *gdalFailure
	if errors.As(err, &gdals) && where.IsRemote(path) {
		err = &gdalFailure{where.ShownIn(err.Error(), path)}
	}
	return explain(err)
}
