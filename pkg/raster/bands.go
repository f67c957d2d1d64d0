package raster

import (
	"fmt"
	"strings"
)

// Bands are the statistics of a raster, band by band.
type Bands struct {
	Info           // of the file; with an overview, Width, Height and blocks are its
	Stats  []Stats // of the bands that were read, in order
	Blocks int     // that the bands are stored in, or windows that they were read by
	Read   int     // of them that could be read
}

// Complete reports whether all blocks could be read. The statistics are of no others.
func (b Bands) Complete() bool { return b.Blocks > 0 && b.Read == b.Blocks }

// Total returns the statistics of all bands together. A band's place goes into the checksum, so
// that exchanged bands show; with one band, the total is its statistics.
func (b Bands) Total() Stats {
	var all Stats
	for i, s := range b.Stats {
		if i > 0 {
			s.Checksum = mix(s.Checksum ^ uint64(i)*golden)
		}
		all.Merge(s)
	}
	return all
}

// String returns what the file is on the first line, then a line of statistics for each band, and
// whether blocks are missing from them.
func (b Bands) String() string {
	lines := []string{b.Info.String()}
	for i, s := range b.Stats {
		switch line := s.String(); {
		case len(b.Stats) == 1:
			lines = append(lines, line)
		case len(b.Stats) == b.Bands:
			lines = append(lines, fmt.Sprintf("band %d: %s", i+1, line))
		default: // of those that were wanted
			lines = append(lines, fmt.Sprintf("%d. of %d bands: %s", i+1, b.Bands, line))
		}
	}
	if !b.Complete() {
		lines = append(lines, fmt.Sprintf("incomplete: %d of %d blocks", b.Read, b.Blocks))
	}
	return strings.Join(lines, "\n")
}
