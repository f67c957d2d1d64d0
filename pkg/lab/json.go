package lab

import (
	"encoding/json"
	"math"

	"overlap/pkg/internal/text"
)

// orNull returns a number for JSON, which has none that are not finite: null.
func orNull(x float64) *float64 {
	if !text.Finite(x) {
		return nil
	}
	return &x
}

// MarshalJSON writes null for a figure that is not a finite number.
func (t Trial) MarshalJSON() ([]byte, error) {
	type plain Trial // without this method
	return json.Marshal(struct {
		plain
		CPUs         *float64 `json:"cpus"`
		InFlightMean *float64 `json:"in_flight_mean"`
	}{plain(t), orNull(t.CPUs), orNull(t.InFlightMean)})
}

// MarshalJSON writes null for a figure that is not a finite number.
func (t TracedTrial) MarshalJSON() ([]byte, error) {
	type plain TracedTrial
	return json.Marshal(struct {
		plain
		CPUs         *float64 `json:"cpus"`
		InFlightMean *float64 `json:"in_flight_mean"`
	}{plain(t), orNull(t.CPUs), orNull(t.InFlightMean)})
}

// estimateJSON is an Estimate in JSON.
type estimateJSON struct {
	N      int      `json:"n"`
	Median *float64 `json:"median"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// MarshalJSON writes null for the median of nothing and for the bounds of an interval that there is
// not.
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(estimateJSON{e.N, orNull(e.Median), orNull(e.Lo), orNull(e.Hi)})
}

// UnmarshalJSON reads what MarshalJSON wrote: null is again no median, and no interval.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var j estimateJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	or := func(x *float64, none float64) float64 {
		if x == nil {
			return none
		}
		return *x
	}
	*e = Estimate{N: j.N, Median: or(j.Median, math.NaN()), Lo: or(j.Lo, math.Inf(-1)), Hi: or(j.Hi, math.Inf(1))}
	return nil
}
