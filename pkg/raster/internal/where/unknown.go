package where

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"overlap/pkg/internal/fault"
)

// ErrUnknown is the error of a file that none of GDAL's drivers takes for a raster.
var ErrUnknown = errors.New(unknown + "it is another kind of file, or its start is damaged; see what it holds " +
	"with the command \"file\"")

const unknown = "not recognised as a supported raster format: "

// UnknownKind returns ErrUnknown, or what says more of a file of some kinds that are often met in
// the place of a raster.
func UnknownKind(path string, file *os.File) error {
	var head [512]byte
	n, _ := file.ReadAt(head[:], 0)
	start := head[:n]
	kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
	say := func(format string, args ...any) error {
		return fault.Because(ErrUnknown, unknown+fmt.Sprintf(format, args...))
	}
	switch {
	case n == 0:
		return ErrUnknown
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		return say("it is what Git LFS keeps in the file's place; fetch the file itself with git lfs pull")
	case kind == "text/html":
		return say("it is a web page, such as one to log in; open it in a browser, and download the raster again")
	case kind == "application/zip":
		return say("it is a ZIP archive; read a raster in it as %s", Quoted("/vsizip/{"+path+"}/NAME.tif"))
	case n > 262 && string(start[257:262]) == "ustar":
		return say("it is a tar archive; read a raster in it as %s", Quoted("/vsitar/{"+path+"}/NAME.tif"))
	case kind == "application/x-gzip" && (strings.HasSuffix(path, ".tar.gz") || strings.HasSuffix(path, ".tgz")):
		return say("it is a tar archive, compressed; read a raster in it as %s", Quoted("/vsitar/{"+path+"}/NAME.tif"))
	case kind == "application/x-gzip":
		return say("it is compressed by gzip; read it as %s", Quoted("/vsigzip/"+path))
	case strings.HasPrefix(kind, "text/"):
		line, _, _ := strings.Cut(string(start), "\n")
		return say("it is a text that begins with %s; give the path of a raster", quotedStart(line))
	case len(bytes.Trim(start, "\x00")) == 0:
		return say("its first %d bytes are all zero, as those of a file that was not written to the end; copy or make "+
			"it again", n)
	}
	return ErrUnknown
}

// quotedStart returns a text in quotes, and of a long one the start.
func quotedStart(text string) string {
	const most = 60
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
