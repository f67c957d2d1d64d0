package raster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overlap/pkg/raster/internal/where"
)

// Of the fixtures, package tiff reads these kinds and leaves those to GDAL.
func TestOwnLayout(t *testing.T) {
	for _, c := range []struct {
		file string
		own  bool
	}{
		{"codec-deflate.tif", true},
		{"codec-deflate-old.tif", true},
		{"codec-none.tif", true},
		{"bigtiff.tif", true},
		{"bigtiff-big-endian.tif", true},
		{"big-endian.tif", true},
		{"big-endian-none.tif", true},
		{"bands-pixel.tif", true},
		{"bands-pixel-strips.tif", false}, // LZW
		{"bands-band.tif", true},
		{"bands-24.tif", true},
		{"predictor-2-uint8.tif", true},
		{"predictor-2-pixel.tif", true},
		{"predictor-2-big-endian.tif", true},
		{"predictor-3-pixel.tif", true},
		{"predictor-3-float64.tif", true},
		{"predictor-3-strips.tif", true},
		{"sparse.tif", true},
		{"int8.tif", true},
		{"strip-single.tif", true},
		{"alpha-rgb.tif", true},
		{"mask-internal.tif", true},
		{"cog.tif", true},
		{"codec-lzw.tif", false},
		{"predictor-3-lzw.tif", false},
		{"codec-jpeg.tif", false},
		{"bits-1.tif", false},
		{"bits-12.tif", false},
		{"float16.tif", false},
		{"mosaic.vrt", false},
	} {
		t.Run(c.file, func(t *testing.T) {
			setup()
			h, err := openFor(filepath.Join("testdata", c.file), reading{}, access{})
			if err != nil {
				t.Skip(err) // not with this GDAL
			}
			defer h.close()
			if got := h.ownLayout() != nil; got != c.own {
				t.Errorf("package tiff reads it: %v, want %v", got, c.own)
			}
			h.byGDAL = true
			if h.ownLayout() != nil {
				t.Error("and it is to be read by GDAL")
			}
		})
	}
}

// Overviews are left to GDAL.
func TestOwnLayoutOfOverviews(t *testing.T) {
	h, err := openFor(filepath.Join("testdata", "overviews.tif"), reading{overview: 1}, access{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if h.ownLayout() != nil {
		t.Error("package tiff is to read an overview")
	}
}

// What the system cannot read is not a damaged file.
func TestSystemErrorIsNoDamage(t *testing.T) {
	err := ownError(fmt.Errorf("tiff: read block 3: %w", &fs.PathError{Op: "read", Path: "a.tif", Err: syscall.EIO}))
	if !errors.Is(err, syscall.EIO) || isDamage(err) {
		t.Errorf("got %v", err)
	}
	if err := ownError(fmt.Errorf("tiff: read block 3: %w", io.ErrUnexpectedEOF)); !isDamage(err) {
		t.Errorf("got %v", err)
	}
}

// The calls that open masks, overviews and sources have the handle's setting, and leave the user's as it was.
func TestSettingWithin(t *testing.T) {
	h, err := openFor("testdata/overviews-planes.tif", reading{overview: 1}, access{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	before := config("GDAL_NUM_THREADS")
	h.within(func() {
		if got := config("GDAL_NUM_THREADS"); got != "1" {
			t.Errorf("it is %q within, not 1", got)
		}
	})
	if got := config("GDAL_NUM_THREADS"); got != before {
		t.Errorf("it is %q afterwards, not %q", got, before)
	}
}

// GDAL's words, as versions 3.6 and later have them.
func TestExplainRemote(t *testing.T) {
	const address = "http://example.org:8080/a.tif"
	for _, c := range []struct {
		name, said, want string
		status           int
		is               error
	}{
		{"status", "HTTP response code: 404", "the server answered 404 (Not Found); check the address", 404, fs.ErrNotExist},
		{"status with address", "HTTP response code on http://example.org/a: 503", "answered 503", 503, nil},
		{"curl's status", "CURL error: The requested URL returned error: 502", "answered 502", 502, nil},
		{"status in front", "403: access denied", "answered 403", 403, fs.ErrPermission},
		{"no host", "CURL error: Could not resolve host: example.org", "no host example.org:8080 was found", 0, nil},
		{"timeout", "CURL error: Operation timed out after 6000 milliseconds with 0 bytes received", "did not answer within", 0, os.ErrDeadlineExceeded},
		{"slow", "CURL error: Operation too slow. Less than 1 bytes/sec transferred the last 5 seconds", "did not answer within", 0, os.ErrDeadlineExceeded},
		{"connect timeout", "CURL error: Failed to connect to example.org port 8080 after 4001 ms: Connection timed out", "could not be reached in time", 0, os.ErrDeadlineExceeded},
		{"refused", "CURL error: Failed to connect to example.org port 8080 after 0 ms: Couldn't connect to server", "nothing answers at example.org:8080", 0, nil},
		{"circle", "HTTP response code: 302 - Maximum (10) redirects followed", "answered 302 (Found); it sends on in a circle", 302, nil},
		{"proxy's login", "HTTP response code: 407", "the proxy wants a login", 407, fs.ErrPermission},
		{"several parts", "Request for 8-9 failed with response_code=503", "answered 503", 503, nil},
		{"no proxy", "CURL error: Could not resolve proxy: none.invalid", "the proxy could not be reached; check http_proxy", 0, nil},
		{"dead proxy", "CURL error: Failed to connect to 10.0.0.1 port 3128 after 0 ms: Couldn't connect to server", "the proxy 10.0.0.1 port 3128 could not be reached", 0, nil},
		{"no parts", "Range downloading not supported by this server!", "the server sends whole files only", 0, nil},
		{"certificate", "CURL error: SSL certificate problem: self-signed certificate", "example.org:8080 does not prove who it is, or not in a way that is known here (curl: SSL certificate problem: self-signed certificate)", 0, nil},
		{"no TLS", "CURL error: gnutls_handshake() failed: An unexpected TLS packet was received.", "see whether the address begins with http:// rather", 0, nil},
		{"no address", "CURL error: URL using bad/illegal format or missing URL", "it is no address that can be asked for", 0, nil},
		{"no port", "HTTP response code: 0", "it is no address that can be asked for", 0, nil},
		{"other", "CURL error: Weird server reply", "(curl: Weird server reply)", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := explainRemote(address, &gdalFailure{c.said + "\nand more"}, mark{})
			e, ok := errors.AsType[*RemoteError](err)
			if !ok || !strings.Contains(e.Error(), c.want) || e.Status != c.status || !errors.Is(err, ErrRemote) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%#v; want it to say %q", err, c.want)
			}
		})
	}
	for _, said := range []string{"ZIPDecode:Decoding error at scanline 0", ""} {
		if err := explainRemote(address, &gdalFailure{said}, mark{}); err != nil {
			t.Errorf("%q: %v", said, err)
		}
	}
	for said, want := range map[string]string{
		"CURL error: Could not resolve host: bucket.s3.amazonaws.com":                              "no host bucket.s3.amazonaws.com was found",
		"CURL error: Failed to connect to 10.0.0.1 port 80 after 0 ms: Couldn't connect to server": "nothing answers at 10.0.0.1:80",
		"CURL error: Operation timed out after 6000 milliseconds with 0 bytes received":            "/vsis3/bucket/a.tif did not answer within",
		"TIFFFillTile:Read error at row 0, col 0; got 0 bytes, expected 99":                        "a part of it could not be fetched; try again",
		"HTTP response code: 403": "answered 403",
	} {
		if err := explainRemote("/vsis3/bucket/a.tif", &gdalFailure{said}, mark{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", said, err, want)
		}
	}
	if err := explainRemote("a.tif", &gdalFailure{"HTTP response code: 404"}, mark{}); err != nil {
		t.Errorf("a local file: %v", err)
	}
	if err := explainRemote(address, errors.New("HTTP response code: 404"), mark{}); err != nil {
		t.Errorf("not GDAL's: %v", err)
	}
	if err := explainRemote(address, nil, mark{}); err != nil {
		t.Errorf("no error: %v", err)
	}
}

func FuzzExplainRemote(f *testing.F) {
	f.Add("http://a/b.tif", "HTTP response code: 404")
	f.Add("/vsicurl/https://%zz/", "CURL error: timed out\nx")
	f.Fuzz(func(t *testing.T, path, said string) {
		if first, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); strings.Contains(strings.ToLower(first), "not recognized as") || isShort(first) || fetchFailed.MatchString(first) {
			t.Skip("would ask the server")
		}
		err := explainRemote(path, &gdalFailure{said}, mark{})
		if err != nil && (!where.IsRemote(path) || err.Error() == "" || !errors.Is(err, ErrRemote)) {
			t.Errorf("%q of %q: %v", said, path, err)
		}
	})
}
