package trace

import (
	"sync"
	"time"
)

// ThreadClocks is the name under which [Trace.Missing] says that the system
// gives no CPU time of single threads: time in system calls and C code is then
// all Syscall, none Native.
const ThreadClocks = "CPU clocks of threads"

// How often the clocks of threads are read: every sampleEvery, less often
// where reading them takes more than 1/sampleShare of the time, or where there
// already are sampleMany readings.
const (
	sampleEvery = 5 * time.Millisecond
	sampleShare = 250
	sampleMany  = 2000
)

// A sampler reads the CPU clock and the run delay of each thread of the process
// time and again. They tell, for the time that a thread spends in system calls
// and C code, how much of it used a CPU.
type sampler struct {
	base    time.Time
	missing []string
	quit    chan struct{}
	quitted chan struct{}

	mu      sync.Mutex
	clocks  threadClocks
	threads map[int64]*threadLog
	last    time.Duration // when all were read last, 0 before the first time
	stopped bool
}

// A threadLog is the readings of a thread.
type threadLog struct {
	readings []threadReading
}

// A threadReading is what a thread had used when.
type threadReading struct {
	at time.Duration // since the sampler's base
	threadUse
}

// threadUse is what a thread has used since its start.
type threadUse struct {
	cpu, delay time.Duration
	turns      int64 // how often it was given a CPU
}

// startSampler begins to read the threads' clocks. Times are since base.
func startSampler(base time.Time) *sampler {
	s := &sampler{base: base, threads: map[int64]*threadLog{}, quit: make(chan struct{}), quitted: make(chan struct{})}
	s.missing = s.clocks.open()
	s.sample()
	go s.run()
	return s
}

func (s *sampler) run() {
	defer close(s.quitted)
	if !s.clocks.ok() {
		return
	}
	timer := time.NewTimer(sampleEvery)
	defer timer.Stop()
	cost := time.Duration(0)
	for {
		select {
		case <-s.quit:
			return
		case <-timer.C:
		}
		begin := time.Now()
		s.sample()
		end := time.Now()
		// A mean, as a reading that was interrupted says nothing of the cost.
		cost += (end.Sub(begin) - cost) / 8
		timer.Reset(max(sampleEvery, cost*sampleShare, end.Sub(s.base)/sampleMany))
	}
}

// sample reads all threads' clocks.
func (s *sampler) sample() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || !s.clocks.ok() {
		return
	}
	begin := time.Since(s.base)
	s.clocks.each(func(thread int64, use threadUse) {
		at := time.Since(s.base)
		log := s.threads[thread]
		if log == nil {
			log = &threadLog{}
			s.threads[thread] = log
			// It was not there last time, so it began in between, at 0. (A
			// folder that changes while it is read can hide an old one.)
			if s.last > 0 && use.cpu+use.delay <= at-s.last {
				log.readings = append(log.readings, threadReading{at: s.last})
			}
		}
		// Of a thread that does nothing the first and the last reading tell all.
		if n := len(log.readings); n > 1 && log.readings[n-1].threadUse == use && log.readings[n-2].threadUse == use {
			log.readings[n-1].at = at
		} else {
			log.readings = append(log.readings, threadReading{at, use})
		}
	})
	s.last = max(begin, 1)
}

// stop reads the clocks once more and ends. It may be called again.
func (s *sampler) stop() {
	s.sample()
	s.mu.Lock()
	first := !s.stopped
	s.stopped = true
	s.mu.Unlock()
	if first {
		close(s.quit)
		<-s.quitted
		s.clocks.close()
	}
}

// runDelay returns how long threads waited for a CPU in a time, those that
// ended included up to their last reading.
func (s *sampler) runDelay(from, to time.Duration) time.Duration {
	var sum float64
	for _, log := range s.threads {
		for i := 1; i < len(log.readings); i++ {
			a, b := log.readings[i-1], log.readings[i]
			if in := min(b.at, to) - max(a.at, from); in > 0 && b.delay > a.delay {
				sum += float64(b.delay-a.delay) * float64(in) / float64(b.at-a.at)
			}
		}
	}
	return time.Duration(sum)
}

// fullTurn is what a thread uses of a CPU in a turn if it wants one all the
// time, at least. Such threads had turns of 230 µs and more even where six
// others wanted the same CPU, threads that slept again and again turns of 8 to
// 20 µs.
const fullTurn = 100 * time.Microsecond

// demand returns how much of a CPU the thread used or wanted between each
// reading and the one before.
//
// A thread that is pushed off its CPU while it computes wanted it all the time
// that it then waited. One that sleeps and wakes up for a moment also waits for
// a CPU then, longer the busier the machine is, but that is part of its sleep.
// They are told apart by how long their turns are.
func (l *threadLog) demand() []time.Duration {
	out := make([]time.Duration, len(l.readings))
	late := time.Duration(0)
	for i := len(l.readings) - 1; i > 0; i-- {
		a, b := l.readings[i-1], l.readings[i]
		cpu, delay := max(0, b.cpu-a.cpu), max(0, b.delay-a.delay)
		if turns := time.Duration(b.turns - a.turns); turns > 0 && cpu < turns*fullTurn {
			delay = time.Duration(float64(delay) * float64(cpu) / float64(turns*fullTurn))
		}
		// The kernel counts a delay when it is over: part of it can lie before.
		whole := b.at - a.at
		out[i] = min(cpu+delay+late, max(whole, cpu))
		late += cpu + delay - out[i]
	}
	return out
}
