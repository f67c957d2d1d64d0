package trace

import "sort"

// schedulerTime is what a thread is taken to use at most between two
// goroutines, looking for the next and going to sleep: not to be taken for CPU
// time of its system calls.
const schedulerTime = 10_000

// maxPending is how many portions of calls wait for the next reading of a
// thread's clock.
const maxPending = 1 << 16

// A traceThread shares the CPU time of a thread out between the goroutines
// that ran on it and the system calls and C code that they were in.
type traceThread struct {
	readings []traceReading
	next     int     // the time goes on up to this reading
	last     int64   // where the last goroutine left
	run, sys float64 // since the reading before next
	between  float64 // allowed to the scheduler
	pending  []portion
	share    float64 // of the last closed time
}

// A traceReading is how much of a CPU a thread used or wanted since the reading
// before.
type traceReading struct {
	at   int64
	used float64
}

// A portion is a part of a call.
type portion struct {
	call     *traceCall
	from, to int64
}

// A traceCall is a goroutine's time in a system call or C code.
type traceCall struct {
	g          *traceGoroutine
	task       *traceTask
	regions    []*traceTask
	place      int
	start, end int64
	thread     *traceThread
	waited     float64
	open       int // portions whose share is not known
	ended      bool
}

// begin finds the readings' place for the time that the trace begins to tell
// of.
func (t *traceThread) begin(now int64) {
	t.next = sort.Search(len(t.readings), func(i int) bool { return t.readings[i].at > now })
}

// occupy counts a time that a goroutine was on the thread. Outside says that it
// was in a system call or C code; call is nil where that is not of the work.
func (t *traceThread) occupy(r *traceReader, outside bool, call *traceCall, from, to int64) {
	if t.last == 0 {
		t.begin(from)
	}
	if gap := from - t.last; t.last > 0 && gap > 0 {
		for t.next < len(t.readings) && t.readings[t.next].at <= t.last {
			t.close(r)
		}
		t.between += float64(min(gap, schedulerTime))
	}
	t.last = max(t.last, to)
	for from < to {
		if t.next >= len(t.readings) { // no more is known
			switch {
			case call == nil:
			case len(t.readings) == 0 && len(r.unseen) < maxPending:
				call.open++
				r.unseen = append(r.unseen, portion{call, from, to})
			default:
				call.resolve(r, from, to, t.share)
			}
			return
		}
		stop := min(to, t.readings[t.next].at)
		if stop <= from {
			t.close(r)
			continue
		}
		if !outside {
			t.run += float64(stop - from)
		} else {
			t.sys += float64(stop - from)
			switch {
			case call == nil:
			case t.next == 0: // before the first reading
				call.resolve(r, from, stop, 0)
			case len(t.pending) < maxPending:
				call.open++
				t.pending = append(t.pending, portion{call, from, stop})
			default:
				call.resolve(r, from, stop, t.share)
			}
		}
		from = stop
	}
}

// close shares out the time up to the next reading.
func (t *traceThread) close(r *traceReader) {
	share := 0.0
	if t.next > 0 {
		used := t.readings[t.next].used - t.run - t.between
		if t.sys > 0 && used > 0 {
			share = min(1, used/t.sys)
		}
	}
	if t.sys > 0 {
		t.share = share
	}
	for _, p := range t.pending {
		p.call.open--
		p.call.resolve(r, p.from, p.to, share)
	}
	clear(t.pending)
	t.pending = t.pending[:0]
	t.run, t.sys, t.between = 0, 0, 0
	t.next++
}

// finish shares out what is left at the end of the trace.
func (t *traceThread) finish(r *traceReader) {
	if len(t.pending) > 0 {
		t.close(r)
	}
}

// guess shares out the calls on threads that ended before their clock was ever
// read: they get the share of all others.
func (r *traceReader) guess() {
	share := 0.0
	if known := r.time[inNative] + r.time[inSyscall]; known > 0 {
		share = r.time[inNative] / known
	}
	for _, p := range r.unseen {
		p.call.open--
		p.call.resolve(r, p.from, p.to, share)
	}
	r.unseen = nil
}

// resolve counts a part of a call: the share native of it as Native.
func (c *traceCall) resolve(r *traceReader, from, to int64, native float64) {
	r.count(c.g, c.task, c.regions, inNative, from, to, native)
	r.count(c.g, c.task, c.regions, inSyscall, from, to, 1-native)
	c.waited += (1 - native) * float64(to-from)
	c.settle(r)
}

// stop ends the call.
func (c *traceCall) stop(r *traceReader, now int64) {
	c.ended, c.end = true, now
	c.settle(r)
}

func (c *traceCall) settle(r *traceReader) {
	if !c.ended || c.open > 0 {
		return
	}
	if c.waited >= 1 && !c.g.service() {
		n := int64(0)
		if 2*c.waited >= float64(c.end-c.start) {
			n = 1
		}
		r.waited(inSyscall, c.place, c.g == r.root, int64(c.waited), n)
	}
	for _, t := range c.tasks() {
		t.pending--
		if c.waited >= float64(shortWait) {
			t.waits++
		}
		t.settle()
	}
}

func (c *traceCall) tasks() []*traceTask {
	if c.task == nil {
		return c.regions
	}
	return append([]*traceTask{c.task}, c.regions...)
}
