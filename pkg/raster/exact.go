package raster

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// exact is a sum of float64 values without rounding: a two's complement number in units of 2^-1074,
// the smallest float64, wide enough for 2^64 of the greatest. Integer addition has no order, so the
// sum of the same values is the same bits, however they were read and merged. (U. Kulisch's long
// accumulator; see "Computer Arithmetic and Validity", 2008.)
type exact [34]uint64

// add adds a finite x.
func (e *exact) add(x float64) {
	b := math.Float64bits(x)
	m, at := b&(1<<52-1), uint(b>>52&0x7ff)
	if at > 0 {
		m |= 1 << 52
		at--
	}
	i, shift := at/64, at%64
	low, high := m<<shift, m>>(64-shift)
	var carry uint64
	if b>>63 == 0 {
		e[i], carry = bits.Add64(e[i], low, 0)
		e[i+1], carry = bits.Add64(e[i+1], high, carry)
		for i += 2; carry != 0 && i < uint(len(e)); i++ {
			e[i], carry = bits.Add64(e[i], 0, carry)
		}
		return
	}
	e[i], carry = bits.Sub64(e[i], low, 0)
	e[i+1], carry = bits.Sub64(e[i+1], high, carry)
	for i += 2; carry != 0 && i < uint(len(e)); i++ {
		e[i], carry = bits.Sub64(e[i], 0, carry)
	}
}

// exactOne is the place of 1 in an exact.
const exactOne = 1074

// add128 adds a two's complement number of 128 bits, times 2^(at-1074).
func (e *exact) add128(low, high uint64, at uint) {
	i, shift := at/64, at%64
	sign := uint64(int64(high) >> 63) // goes on to the left for ever
	limbs := [3]uint64{low << shift, high<<shift | low>>(64-shift), sign<<shift | high>>(64-shift)}
	var carry uint64
	for j := i; j < uint(len(e)); j++ {
		limb := sign
		if j-i < 3 {
			limb = limbs[j-i]
		} else if sign == 0 && carry == 0 {
			return
		}
		e[j], carry = bits.Add64(e[j], limb, carry)
	}
}

func (e *exact) merge(o *exact) {
	var carry uint64
	for i := range e {
		e[i], carry = bits.Add64(e[i], o[i], carry)
	}
}

// float64 returns the sum, rounded once, to the nearest float64.
func (e *exact) float64() float64 {
	v, _ := e.float().Float64()
	return v
}

// exactBits is the precision that holds every sum.
const exactBits = 64 * uint(len(exact{}))

// float returns the sum without rounding.
func (e *exact) float() *big.Float {
	n := *e
	negative := n[len(n)-1]>>63 == 1
	if negative {
		n.minus()
	}
	var sum, limb big.Int
	for i := len(n) - 1; i >= 0; i-- {
		sum.Lsh(&sum, 64).Or(&sum, limb.SetUint64(n[i]))
	}
	f := new(big.Float).SetPrec(exactBits).SetInt(&sum)
	f.SetMantExp(f, -exactOne)
	if negative {
		f.Neg(f)
	}
	return f
}

// text returns the sum with all its digits.
func (e *exact) text() string {
	whole, fraction, _ := strings.Cut(e.float().Text('f', exactOne), ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// set makes e the sum that text has given. It reports whether that can be one.
func (e *exact) set(text string) bool {
	if len(text) > 4*len(exact{})*64 { // no sum has as many digits
		return false
	}
	sum, ok := new(big.Rat), false
	if strings.ContainsAny(text, "eE") { // another program's, which has rounded it
		v, err := strconv.ParseFloat(text, 64)
		ok = err == nil && sum.SetFloat64(v) != nil
	} else {
		_, ok = sum.SetString(text)
	}
	if !ok {
		return false
	}
	sum.Mul(sum, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), exactOne)))
	if !sum.IsInt() || sum.Num().BitLen() >= int(exactBits) {
		return false
	}
	var limb, all big.Int
	all.Abs(sum.Num())
	for i := range e {
		e[i] = limb.And(&all, limb.SetUint64(math.MaxUint64)).Uint64()
		all.Rsh(&all, 64)
	}
	if sum.Sign() < 0 {
		e.minus()
	}
	return true
}

// minus changes the sign.
func (e *exact) minus() {
	carry := uint64(1)
	for i := range e {
		e[i], carry = bits.Add64(^e[i], 0, carry)
	}
}
