package raster

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Statistics are the same after they were written and read, to the last bit of the sum.
func TestStatsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stats{Count: rapid.Int64Min(1).Draw(t, "count"), NoData: 3, Masked: 4, Min: -1.5, Max: 1e300, Checksum: rapid.Uint64().Draw(t, "checksum")}
		for _, v := range rapid.SliceOf(rapid.Float64()).Draw(t, "values") {
			if v-v == 0 {
				s.sum.add(v)
			}
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again Stats
		if err := json.Unmarshal(text, &again); err != nil || again != s {
			t.Fatalf("%v: %s\n%v\n%v", err, text, s, again)
		}
		var others struct{ Sum float64 } // as another program reads it
		if err := json.Unmarshal(text, &others); !math.IsInf(s.Sum(), 0) && (err != nil || others.Sum != s.Sum()) {
			t.Fatalf("%v, %v, not %v: %s", err, others.Sum, s.Sum(), text)
		}
	})
	for _, sum := range []string{`"x"`, `1e400`, `0.1`, `1e999999999`, strings.Repeat("9", 10_000), `1/3`} {
		var s Stats
		if err := json.Unmarshal([]byte(`{"Sum":`+sum+`,"Checksum":"0"}`), &s); err == nil {
			t.Errorf("sum %.20s: no error", sum)
		}
	}
}

// What a file says of itself, and what was found in it, is JSON whatever the numbers are: NaN is a nodata
// value like others.
func TestJSONOfNaN(t *testing.T) {
	results, err := ReadMany(t.Context(), []string{"testdata/nodata-nan.tif", "testdata/nan-all.tif", "testdata/empty.tif"})
	if err == nil {
		t.Fatal("no error")
	}
	info, err := Inspect("testdata/nodata-nan.tif")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"info": info, "bands": results[0].Bands, "all": results})
	if err != nil {
		t.Fatal(err)
	}
	type file struct {
		Path, Driver, NoData, Err string
		Width, Blocks, Read       int
		Layers                    []struct{ NoData string }
		Stats                     []struct {
			Count, NoData, NotFinite int64
			Sum                      float64
			Mean                     *float64
		}
	}
	var got struct {
		Info, Bands file
		All         []struct {
			file
			NoData any
			Layers []struct{ NoData any }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	first, nans, empty := got.All[0], got.All[1], got.All[2]
	total := results[0].Total()
	switch {
	case got.Info.NoData != "NaN", got.Info.Layers[0].NoData != "NaN", got.Bands.NoData != "NaN", first.NoData != "NaN":
		t.Errorf("nodata: %s", text)
	case got.Bands.Width != 50, got.Bands.Blocks != 4, got.Bands.Read != 4, first.Read != 4, first.Driver != "GTiff", !strings.HasSuffix(first.Path, "nodata-nan.tif"):
		t.Errorf("fields: %s", text)
	case first.Stats[0].Count != total.Count, first.Stats[0].Sum != total.Sum(), *first.Stats[0].Mean != total.Mean(), got.Bands.Stats[0].NoData != total.NoData:
		t.Errorf("statistics: %s", text)
	case nans.Stats[0].Mean != nil || nans.Stats[0].NotFinite != 50*40 || nans.Err != "":
		t.Errorf("nothing but NaN: %s", text)
	case empty.Err != results[2].Err.Error() || errors.Is(results[2].Err, ErrRemote):
		t.Errorf("an error: %s", text)
	}
}
