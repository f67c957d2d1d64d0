package raster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrRemote is, by errors.Is, every error that lies with the server or the way
// to it, and not with the file.
var ErrRemote = errors.New("the server or the network")

// A RemoteError says why a file could not be fetched.
type RemoteError struct {
	URL    string
	Status int // of the answer, 0 where there was none
	text   string
	cause  error // may be nil
}

func (e *RemoteError) Error() string { return e.text }

// Is reports whether target is [ErrRemote].
func (e *RemoteError) Is(target error) bool { return target == ErrRemote }

// Unwrap returns the cause where package fs or os has one: fs.ErrNotExist for
// 404 and 410, fs.ErrPermission for 401 and 403, os.ErrDeadlineExceeded where
// the time was up.
func (e *RemoteError) Unwrap() error { return e.cause }

// explainRemote turns what GDAL said of a remote file into an error that says
// what went wrong with the server or the network, or returns nil where it was
// neither.
func explainRemote(path string, err error) error {
	var gdals *gdalFailure
	if !isRemote(path) || !errors.As(err, &gdals) {
		return nil
	}
	address := webAddress(path)
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if m := httpStatus.FindStringSubmatch(said); m != nil {
		for _, digits := range m[1:] {
			if status, err := strconv.Atoi(digits); err == nil {
				return answered(address, status)
			}
		}
	}
	e := &RemoteError{URL: address}
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	_, reason, _ := strings.Cut(said, "CURL error: ")
	switch low := strings.ToLower(said); {
	case strings.Contains(low, "could not resolve"):
		e.text = fmt.Sprintf("no host %s was found; check the address, and whether there is a network", host)
	case strings.Contains(low, "connection timed out"), strings.Contains(low, "timed out") && strings.Contains(low, "connect"):
		e.text, e.cause = fmt.Sprintf("%s could not be reached in time; check the address, and whether there is a network (GDAL_HTTP_CONNECTTIMEOUT is %s s)", host, config("GDAL_HTTP_CONNECTTIMEOUT")), os.ErrDeadlineExceeded
	case strings.Contains(low, "timed out"), strings.Contains(low, "timeout was reached"), strings.Contains(low, "too slow"):
		e.text, e.cause = fmt.Sprintf("%s did not answer within %v; try again later, or give it more time with GDAL_HTTP_TIMEOUT (seconds)", host, requestLimit()), os.ErrDeadlineExceeded
	case strings.Contains(low, "failed to connect"), strings.Contains(low, "couldn't connect"):
		e.text = fmt.Sprintf("nothing answers at %s; check the address and its port, and whether the server runs", host)
	case reason != "":
		e.text = fmt.Sprintf("fetching it failed; try again (curl: %s)", reason)
	case strings.Contains(low, "not recognized as"):
		return notRaster(address)
	case strings.Contains(low, "got 0 bytes"):
		return notFetched(address)
	default:
		return nil
	}
	return e
}

// httpStatus finds the status in the words of GDAL's readers.
var httpStatus = regexp.MustCompile(`HTTP response code(?: on [^ ]+)?: ?(\d{3})|^(\d{3}): |HTTP error code ?: (\d{3})|returned error: (\d{3})`)

// answered is the error of an answer with a status.
func answered(address string, status int) error {
	e := &RemoteError{URL: address, Status: status}
	todo := "open the address in a browser to see what it is"
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		todo, e.cause = "check the address", fs.ErrNotExist
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		todo, e.cause = "it wants a login or refuses you; see GDAL's options GDAL_HTTP_USERPWD and GDAL_HTTP_HEADERS", fs.ErrPermission
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

// notRaster says what the server sends in a raster's place. It returns nil
// where that cannot be found out.
func notRaster(address string) error {
	status, kind, start, err := ask(address)
	if err != nil {
		return nil
	}
	e := &RemoteError{URL: address, Status: status}
	switch {
	case status >= 400:
		return answered(address, status)
	case len(start) == 0:
		e.text = "not a raster: the server sent nothing"
	case kind == "text/html":
		e.text = "not a raster: the server sent text/html, a web page such as one to log in; open the address in a browser"
	default:
		e.text = fmt.Sprintf("not a raster in a format that GDAL knows: the server sent %s; open the address in a browser to see what it is", kind)
	}
	return e
}

// notFetched says why no bytes came of a file that was open: GDAL does not say
// which status it got then.
func notFetched(address string) error {
	status, _, _, err := ask(address)
	switch {
	case err != nil:
		return &RemoteError{URL: address, text: "a part of it could not be fetched, and the server does not answer any more; see whether it runs, and try again"}
	case status >= 400:
		return answered(address, status)
	}
	return &RemoteError{URL: address, Status: status, text: "a part of it could not be fetched, and now the server answers again; try again, or with retries (GDAL_HTTP_MAX_RETRY=3)"}
}

// ask asks the server once more for the start of a file, and returns the
// status, what the answer is said to be, and up to 512 bytes of it.
func ask(address string) (status int, kind string, start []byte, err error) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, "", nil, err
	}
	request.Header.Set("Range", "bytes=0-511")
	client := http.Client{
		Timeout:   askLimit,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	if start, err = io.ReadAll(io.LimitReader(response.Body, 512)); err != nil {
		return 0, "", nil, err
	}
	kind, _, err = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(start))
	}
	return response.StatusCode, kind, start, nil
}

// askLimit bounds a question that only serves a better message.
const askLimit = 2 * time.Second

// explainFor adds a remedy to GDAL's words of a file where they are known.
func explainFor(path string, err error) error {
	if e := explainRemote(path, err); e != nil {
		return e
	}
	return explain(err)
}
