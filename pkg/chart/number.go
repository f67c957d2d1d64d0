package chart

import (
	"math"
	"strconv"
	"strings"
)

// decimal formats v with the given number of decimals and commas between thousands. Figures too long to
// read are in powers of ten.
func decimal(v float64, decimals int) string {
	if a := math.Abs(v); a >= 1e10 || a > 0 && a < 1e-4 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if strings.Trim(whole, "0.") == "" {
		return "0"
	}
	return sign + whole
}

// significant formats v with three significant digits, and never with fewer than its whole part has.
func significant(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return decimal(v, 0)
	}
	d := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return decimal(v, min(max(d, 0), 5))
}

// times formats a ratio, such as "7.6×".
func times(v float64) string {
	d := 2
	switch a := math.Abs(v); {
	case a >= 100:
		d = 0
	case a >= 10:
		d = 1
	case 0 < v && v < 1e-3: // a row of zeros is not read
		return "1/" + significant(1/v) + "×"
	case a < 0.1:
		return significant(v) + "×"
	}
	return decimal(v, d) + "×"
}

// A unit is what an axis of time counts in.
type unit struct {
	name    string
	seconds float64
}

// μ is U+03BC: the other micro sign is missing in Korean fonts.
var units = []unit{{"s", 1}, {"ms", 1e-3}, {"\u03bcs", 1e-6}, {"ns", 1e-9}}

// unitFor returns the unit in which a time in seconds has a short figure.
func unitFor(seconds float64) unit {
	for _, u := range units {
		if seconds >= u.seconds {
			return u
		}
	}
	if seconds > 0 {
		return units[len(units)-1]
	}
	return units[0]
}

func (u unit) String(seconds float64) string {
	return significant(seconds/u.seconds) + " " + u.name
}

// short formats any figure with as many digits as tell it from others.
func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
