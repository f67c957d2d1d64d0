package trace

// A procsLog sums up for how long each GOMAXPROCS held during the work.
type procsLog struct {
	now   int   // 0 where it is not known yet
	since int64 // on the trace's clock
	time  map[int]int64
}

// set notes that it is n from now on, which may be what it was.
func (p *procsLog) set(r *traceReader, n int) {
	if p.now > 0 && r.begun && !r.ended {
		if p.time == nil {
			p.time = map[int]int64{}
		}
		p.time[p.now] += max(0, r.now-max(p.since, r.begin))
	}
	p.now, p.since = n, r.now
}

// most returns the one that held longest, the smallest of those that held as
// long, 0 where none is known.
func (p *procsLog) most() (most int) {
	var longest int64 = -1
	for n, d := range p.time {
		if d > longest || d == longest && n < most {
			most, longest = n, d
		}
	}
	return most
}
