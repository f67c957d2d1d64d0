package trace

import (
	"io"
	"sync"
)

// traceChunk is the size of the pieces in which a trace is kept.
const traceChunk = 1 << 20

// A traceBuffer keeps what the runtime writes of a trace. Past its limit it
// asks for the end of the trace, and still keeps what the runtime then has to
// write: its buffers, and the tables without which the last second cannot be
// read.
type traceBuffer struct {
	mu     sync.Mutex
	chunks [][]byte
	size   int64
	limit  int64 // where the end is asked for
	most   int64 // where the rest is thrown away
	lost   bool
	full   chan struct{} // closed when the limit is met
	once   sync.Once
}

func newTraceBuffer(limit int64) *traceBuffer {
	return &traceBuffer{limit: limit, most: limit + traceRest, full: make(chan struct{})}
}

// Write never fails: an error would end the trace from inside of the runtime's
// own writer.
func (b *traceBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size+int64(len(p)) > b.most {
		b.lost = true
	} else {
		b.size += int64(len(p))
		for rest := p; len(rest) > 0; {
			last := len(b.chunks) - 1
			if last < 0 || len(b.chunks[last]) == cap(b.chunks[last]) {
				b.chunks = append(b.chunks, make([]byte, 0, traceChunk))
				last++
			}
			n := min(len(rest), cap(b.chunks[last])-len(b.chunks[last]))
			b.chunks[last] = append(b.chunks[last], rest[:n]...)
			rest = rest[n:]
		}
	}
	if b.size >= b.limit {
		b.once.Do(func() { close(b.full) })
	}
	return len(p), nil
}

// Read gives what was written and lets go of it, so that a trace is not in
// memory twice while it is read.
func (b *traceBuffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.chunks[0])
	if b.chunks[0] = b.chunks[0][n:]; len(b.chunks[0]) == 0 {
		b.chunks[0] = nil
		b.chunks = b.chunks[1:]
	}
	return n, nil
}
