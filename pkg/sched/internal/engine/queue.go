package engine

// A Queue is first in, first out, in a ring that grows.
type Queue[T any] struct {
	ring        []T // its length is a power of two
	head, count int
}

// Len returns how many are in the queue.
func (q *Queue[T]) Len() int { return q.count }

// Push puts v at the end.
func (q *Queue[T]) Push(v T) {
	if q.count == len(q.ring) {
		bigger := make([]T, max(16, 2*len(q.ring)))
		n := copy(bigger, q.ring[q.head:])
		copy(bigger[n:], q.ring[:q.head])
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.count)&(len(q.ring)-1)] = v
	q.count++
}

// Peek returns what Pop would.
func (q *Queue[T]) Peek() T { return q.ring[q.head] }

// Pop takes out the first, of which there must be one.
func (q *Queue[T]) Pop() T {
	var zero T
	v := q.ring[q.head]
	q.ring[q.head] = zero
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.count--
	return v
}
