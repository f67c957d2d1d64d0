package raster

// Bands are the statistics of a raster, band by band.
type Bands struct {
	Info           // of the file; with an overview, Width, Height and blocks are its
	Stats  []Stats // of the bands that were read, in order
	Blocks int     // that the bands are stored in, or windows that they were read by
	Read   int     // of them that could be read
}

// Complete reports whether all blocks could be read. The statistics are of no
// others.
func (b Bands) Complete() bool { return b.Blocks > 0 && b.Read == b.Blocks }

// Total returns the statistics of all bands together. A band's place goes into the
// checksum, so that exchanged bands show; with one band, the total is its statistics.
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
