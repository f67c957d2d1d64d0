package corpus

import (
	"sync"
	"sync/atomic"
	"time"
)

// spin uses a CPU for as long as d takes on an idle machine. It does a fixed
// amount of work: with less than a whole CPU it takes longer. It allocates
// nothing.
func spin(d time.Duration) {
	turn(int(float64(d) * spinRate()))
}

// turn is the work of spin: a generator of numbers each of which needs the one
// before it, so that nothing of it can be left out.
func turn(n int) {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never, which the compiler cannot know
		sink.Store(x)
	}
}

var sink atomic.Uint64

// spinRate is how many rounds of turn a nanosecond holds.
var spinRate = sync.OnceValue(func() float64 { return rate(turn) })

// atomicRate is how many additions to an atomic counter that no one else uses
// a nanosecond holds.
var atomicRate = sync.OnceValue(func() float64 {
	return rate(func(n int) {
		var x atomic.Int64
		for range n {
			x.Add(1)
		}
	})
})

// rate measures how many steps of f a nanosecond holds. The shortest of many
// short runs counts: it is the one that nothing interrupted.
func rate(f func(n int)) float64 {
	const steps = 100_000
	least := time.Hour
	for range 60 {
		start := time.Now()
		f(steps)
		least = min(least, time.Since(start))
	}
	return steps / float64(max(1, least))
}

// Calibrate measures how fast the machine is. It takes some 20 ms, once; a
// program that is run before it does so itself.
func Calibrate() {
	spinRate()
	atomicRate()
}
