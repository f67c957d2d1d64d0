package raster

import (
	"encoding/json"
	"fmt"
	"strconv"

	"overlap/pkg/raster/internal/where"
)

// MarshalJSON writes all fields. Numbers that JSON has none for are the texts "NaN", "+Inf" and
// "-Inf".
func (i Info) MarshalJSON() ([]byte, error) { return json.Marshal(infoJSONOf(i)) }

// MarshalJSON writes all fields, as [Info.MarshalJSON] does.
func (l Layer) MarshalJSON() ([]byte, error) {
	type plain Layer
	return json.Marshal(struct {
		plain
		NoData, Scale, Offset jsonFloat
	}{plain(l), jsonFloat(l.NoData), jsonFloat(l.Scale), jsonFloat(l.Offset)})
}

// MarshalJSON writes the fields of Info and the others, side by side.
func (b Bands) MarshalJSON() ([]byte, error) { return json.Marshal(bandsJSONOf(b)) }

// MarshalJSON writes the fields of Bands and the others, side by side, and Err as a text. Logins
// and keys in addresses are left out.
func (r FileResult) MarshalJSON() ([]byte, error) {
	said := ""
	if r.Err != nil {
		said = r.Err.Error()
	}
	return json.Marshal(struct {
		Path string
		bandsJSON
		Err string `json:",omitempty"`
	}{where.Shown(r.Path), bandsJSONOf(r.Bands), said})
}

// plainInfo is Info without its methods, which Bands and FileResult would have too.
type plainInfo Info

type infoJSON struct {
	plainInfo
	NoData jsonFloat
}

func infoJSONOf(i Info) infoJSON {
	parts := i.Parts
	i.Parts = nil
	for _, name := range parts { // as they may be shown
		i.Parts = append(i.Parts, where.ShownIn(name, ""))
	}
	return infoJSON{plainInfo(i), jsonFloat(i.NoData)}
}

type bandsJSON struct {
	infoJSON
	Stats        []Stats
	Blocks, Read int
}

func bandsJSONOf(b Bands) bandsJSON { return bandsJSON{infoJSONOf(b.Info), b.Stats, b.Blocks, b.Read} }

// A jsonFloat is written as a text where JSON has no number for it.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	v := float64(f)
	if v-v != 0 {
		return strconv.AppendQuote(nil, strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return json.Marshal(v)
}

// statsJSON is how Stats are written. Mean is for those who read it.
type statsJSON struct {
	Count, NoData, NotFinite, Masked int64
	Min, Max                         float64
	Sum                              json.Number // without rounding
	Mean                             *float64
	Checksum                         string // hexadecimal: other programs read numbers as float64
}

// MarshalJSON writes the fields, the sum with all its digits, and the mean, which is null where
// there are no values, or where their sum is beyond float64.
func (s Stats) MarshalJSON() ([]byte, error) {
	out := statsJSON{
		Count: s.Count, NoData: s.NoData, NotFinite: s.NotFinite, Masked: s.Masked, Min: s.Min, Max: s.Max,
		Sum: json.Number(s.sum.text()), Checksum: fmt.Sprintf("%016x", s.Checksum),
	}
	if mean := s.Mean(); mean-mean == 0 {
		out.Mean = &mean
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what [Stats.MarshalJSON] has written: the result is equal to what was
// written, bit by bit.
func (s *Stats) UnmarshalJSON(text []byte) error {
	var in statsJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("raster: statistics: %w", err)
	}
	check, err := strconv.ParseUint(in.Checksum, 16, 64)
	if err != nil {
		return fmt.Errorf("raster: statistics: checksum: %w", err)
	}
	*s = Stats{Count: in.Count, NoData: in.NoData, NotFinite: in.NotFinite, Masked: in.Masked, Min: in.Min,
		Max: in.Max, Checksum: check}
	if !s.sum.set(string(in.Sum)) {
		return fmt.Errorf("raster: statistics: %q is no sum of float64 values", in.Sum)
	}
	return nil
}
