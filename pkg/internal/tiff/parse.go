package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Tags that are read.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanar          = 284
	tagPredictor       = 317
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagSampleFormat    = 339
)

// maxEntries is more than any directory has: tags are 16-bit numbers, and each stands there once.
const maxEntries = 1 << 16

// A source is the bytes that are parsed. No more is allocated than a few times its size, whatever
// they say.
type source struct {
	r     io.ReaderAt
	size  uint64
	order binary.ByteOrder
	big   bool // BigTIFF
}

// An entry is one tag of the directory.
type entry struct {
	kind  uint16
	count uint64
	value []byte // the value itself, or its offset
}

// Parse reads the first directory of a TIFF of size bytes.
func Parse(r io.ReaderAt, size int64) (*Layout, error) {
	s := &source{r: r, size: uint64(max(0, size))}
	l, t, err := s.first()
	if err != nil {
		return nil, err
	}
	if l.extents, err = s.extents(t); err != nil {
		return nil, err
	}
	return l, nil
}

// A table tells where the n blocks are.
type table struct {
	offsets, counts entry
	n               uint64
}

// ErrTable is, by errors.Is, the error of a directory that does not tell where all blocks are.
var ErrTable = errors.New("its table of blocks is damaged")

// CheckTable makes sure that the first directory of a TIFF of size bytes tells where all of its
// blocks are, or none. libtiff takes those that are not told for left out, and GDAL's threads those
// that cannot be told, and so for zeros. The error is [ErrTable]; of a directory that is wrong in
// other ways, or not understood, there is none: see [Parse]. It reads some hundred bytes.
func CheckTable(r io.ReaderAt, size int64) error {
	s := &source{r: r, size: uint64(max(0, size))}
	l, t, err := s.first()
	if err != nil || l.Compression == oldJPEG {
		return nil
	}
	if err := s.covers(t.offsets, t.n); err != nil {
		return fmt.Errorf("%w: of where they are, %w", ErrTable, err)
	}
	if l.Compression == none { // libtiff knows how long the blocks are
		return nil
	}
	if err := s.covers(t.counts, t.n); err != nil {
		return fmt.Errorf("%w: of how long they are, %w", ErrTable, err)
	}
	return nil
}

// covers makes sure that an entry has n numbers which lie in the file, or none.
func (s *source) covers(e entry, n uint64) error {
	// Whole numbers, also signed.
	width, ok := map[uint16]uint64{0: 1, 1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 16: 8, 17: 8}[e.kind]
	switch at := s.offset(e); {
	case !ok:
		return fmt.Errorf("it tells no numbers (type %d)", e.kind)
	case e.count == 0:
	case e.count < n:
		return fmt.Errorf("it tells %d, and there should be %d", e.count, n)
	case e.count > s.size, width*e.count > uint64(len(e.value)) && (at > s.size || width*n > s.size-at):
		return errors.New("it does not lie in the file")
	}
	return nil
}

// first makes sense of the first directory, but for its table.
func (s *source) first() (*Layout, table, error) {
	at, err := s.header()
	if err != nil {
		return nil, table{}, err
	}
	tags, err := s.directory(at)
	if err != nil {
		return nil, table{}, err
	}
	return s.layout(tags)
}

// header returns the offset of the first directory.
func (s *source) header() (uint64, error) {
	head, err := s.bytes(0, 8)
	if err != nil {
		return 0, errors.New("it is too short for a TIFF")
	}
	switch string(head[:2]) {
	case "II":
		s.order = binary.LittleEndian
	case "MM":
		s.order = binary.BigEndian
	default:
		return 0, errors.New("it is not a TIFF: it does not begin with II or MM")
	}
	switch version := s.order.Uint16(head[2:]); version {
	case 42:
		return uint64(s.order.Uint32(head[4:])), nil
	case 43:
		s.big = true
		head, err := s.bytes(0, 16)
		if err != nil {
			return 0, errors.New("it is too short for a BigTIFF")
		}
		if s.order.Uint16(head[4:]) != 8 {
			return 0, errors.New("it is a BigTIFF with offsets that are not 8 bytes long")
		}
		return s.order.Uint64(head[8:]), nil
	default:
		return 0, fmt.Errorf("it is not a TIFF: its version is %d, not 42 or 43", version)
	}
}

// bytes returns n bytes at an offset. It allocates nothing where they do not lie in the file.
func (s *source) bytes(at, n uint64) ([]byte, error) {
	if at > s.size || n > s.size-at || n > math.MaxInt32 {
		return nil, fmt.Errorf("it is cut short or damaged: %d bytes at %d are not in its %d", n, at, s.size)
	}
	b := make([]byte, n)
	if _, err := s.r.ReadAt(b, int64(at)); err != nil && !(errors.Is(err, io.EOF) && at+n == s.size) {
		return nil, err
	}
	return b, nil
}

// directory returns the entries of the directory at an offset, by tag.
func (s *source) directory(at uint64) (map[uint16]entry, error) {
	head, step, inline := uint64(2), uint64(12), 4
	if s.big {
		head, step, inline = 8, 20, 8
	}
	b, err := s.bytes(at, head)
	if err != nil {
		return nil, fmt.Errorf("its directory: %w", err)
	}
	n := uint64(s.order.Uint16(b))
	if s.big {
		n = s.order.Uint64(b)
	}
	if n == 0 || n > maxEntries {
		return nil, fmt.Errorf("it is damaged: a directory of %d entries", n)
	}
	b, err = s.bytes(at+head, n*step)
	if err != nil {
		return nil, fmt.Errorf("its directory: %w", err)
	}
	tags := map[uint16]entry{}
	for ; len(b) > 0; b = b[step:] {
		e := entry{kind: s.order.Uint16(b[2:]), value: b[int(step)-inline : step]}
		if s.big {
			e.count = s.order.Uint64(b[4:])
		} else {
			e.count = uint64(s.order.Uint32(b[4:]))
		}
		tag := s.order.Uint16(b)
		if _, twice := tags[tag]; !twice { // libtiff, too, takes the first
			tags[tag] = e
		}
	}
	return tags, nil
}

// offset returns where the values of an entry are that does not hold them itself.
func (s *source) offset(e entry) uint64 {
	switch {
	case len(e.value) == 0: // there is no entry
		return 0
	case s.big:
		return s.order.Uint64(e.value)
	}
	return uint64(s.order.Uint32(e.value))
}

// numbers returns the first n values of an entry of whole numbers.
func (s *source) numbers(e entry, n uint64) ([]uint64, error) {
	width := uint64(0)
	switch e.kind {
	case 0:
		return nil, errors.New("there are none")
	case 1: // BYTE
		width = 1
	case 3: // SHORT
		width = 2
	case 4: // LONG
		width = 4
	case 16: // LONG8
		width = 8
	default:
		return nil, fmt.Errorf("values of type %d where whole numbers belong", e.kind)
	}
	if n > e.count || e.count > s.size { // a value takes a byte or more
		return nil, fmt.Errorf("%d values where %d belong", e.count, n)
	}
	b := e.value
	if width*e.count > uint64(len(b)) {
		var err error
		if b, err = s.bytes(s.offset(e), width*n); err != nil {
			return nil, err
		}
	}
	values := make([]uint64, n)
	for i := range values {
		switch width {
		case 1:
			values[i] = uint64(b[i])
		case 2:
			values[i] = uint64(s.order.Uint16(b[2*i:]))
		case 4:
			values[i] = uint64(s.order.Uint32(b[4*i:]))
		case 8:
			values[i] = s.order.Uint64(b[8*i:])
		}
	}
	return values, nil
}

// layout makes sense of the tags, but for those of the table.
func (s *source) layout(tags map[uint16]entry) (*Layout, table, error) {
	var failed error
	// number returns the value of a tag, or what it is where it is not there. Where a tag has a
	// value for each sample, all must be the same.
	number := func(tag uint16, otherwise int) int {
		e, ok := tags[tag]
		if !ok || failed != nil {
			return otherwise
		}
		values, err := s.numbers(e, max(1, min(e.count, math.MaxUint16)))
		for _, v := range values {
			if v != values[0] {
				err = errors.New("its samples differ")
			} else if v > math.MaxUint32 {
				err = fmt.Errorf("%d is too large", v)
			}
		}
		if err != nil {
			failed = fmt.Errorf("tag %d: %w", tag, err)
			return otherwise
		}
		return int(values[0])
	}
	l := &Layout{
		BigEndian:   s.order == binary.BigEndian,
		Width:       number(tagWidth, 0),
		Height:      number(tagHeight, 0),
		Samples:     number(tagSamples, 1),
		Bits:        number(tagBits, 1),
		Format:      number(tagSampleFormat, Unsigned),
		Compression: number(tagCompression, none),
		Photometric: number(tagPhotometric, 0),
		FillOrder:   number(tagFillOrder, 1),
		Predictor:   number(tagPredictor, 1),
	}
	l.Separate = number(tagPlanar, 1) == 2 && l.Samples > 1
	t := table{offsets: tags[tagStripOffsets], counts: tags[tagStripByteCounts]}
	if _, l.Tiled = tags[tagTileWidth]; l.Tiled {
		t.offsets, t.counts = tags[tagTileOffsets], tags[tagTileByteCounts]
		l.BlockWidth, l.BlockHeight = number(tagTileWidth, 0), number(tagTileHeight, 0)
	} else {
		l.BlockWidth, l.BlockHeight = l.Width, min(number(tagRowsPerStrip, l.Height), l.Height)
	}
	if failed == nil {
		failed = l.check()
	}
	if failed != nil {
		return nil, table{}, failed
	}
	t.n = uint64(l.Across()) * uint64(l.Down()) // each below 2^32
	if l.Separate {
		if t.n > s.size {
			return nil, table{}, fmt.Errorf("it is damaged: %d blocks in %d bytes", t.n, s.size)
		}
		t.n *= uint64(l.Samples)
	}
	return l, t, nil
}

// extents returns where the blocks are.
func (s *source) extents(t table) ([]extent, error) {
	at, err := s.numbers(t.offsets, t.n)
	if err != nil {
		return nil, fmt.Errorf("where its blocks are: %w", err)
	}
	bytes, err := s.numbers(t.counts, t.n)
	if err != nil {
		return nil, fmt.Errorf("how long its blocks are: %w", err)
	}
	extents := make([]extent, t.n)
	for i := range extents {
		extents[i] = extent{at[i], bytes[i]}
	}
	return extents, nil
}
