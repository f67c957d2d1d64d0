package raster

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// labelled reports whether the file's description is that of a terrain, of
// any version and parameters.
func (h *handle) labelled() bool {
	name, _, _ := strings.Cut(generator, " ")
	return strings.HasPrefix(h.item(h.dataset(), "TIFFTAG_IMAGEDESCRIPTION", ""), name)
}

// complete makes sure that all blocks of a TIFF lie within the file. GDAL does
// not report every failed write.
func complete(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return bare(err)
	}
	h, err := openHandle(path, nil, access{})
	if err != nil {
		return fmt.Errorf("what was written cannot be read (GDAL: %w)", err)
	}
	defer h.close()
	across, down := h.blocks()
	for y := range down {
		for x := range across {
			at, err1 := strconv.ParseInt(h.item(h.firstBand(), fmt.Sprintf("BLOCK_OFFSET_%d_%d", x, y), "TIFF"), 10, 64)
			n, err2 := strconv.ParseInt(h.item(h.firstBand(), fmt.Sprintf("BLOCK_SIZE_%d_%d", x, y), "TIFF"), 10, 64)
			if err1 != nil || err2 != nil || n <= 0 || at+n > info.Size() {
				return errors.New("not all of it could be written")
			}
		}
	}
	return nil
}

// blocks returns how many blocks the raster has across and down.
func (i Info) blocks() (across, down int) {
	return (i.Width + i.BlockWidth - 1) / i.BlockWidth, (i.Height + i.BlockHeight - 1) / i.BlockHeight
}
