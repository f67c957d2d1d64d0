package notebook

import (
	"encoding/json"
	"sync"
)

// An event says where all controls are. Seq grows with each of them, also from
// one loading of a page to the next.
type event struct {
	Seq  int64 `json:"seq"`
	At   []int `json:"at"`
	Done bool  `json:"done"`
}

// A mailbox keeps the newest event. Events can come late and in any order; one
// that is older than what is there is dropped.
type mailbox struct {
	arrived chan struct{} // has an element where something is newer than when it last was taken

	mu   sync.Mutex
	last event
}

func newMailbox() *mailbox { return &mailbox{arrived: make(chan struct{}, 1)} }

func (m *mailbox) put(e event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Seq <= m.last.Seq {
		return
	}
	m.last = e
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// deliver puts what a page sent, if it is an event.
func (m *mailbox) deliver(message string) {
	var e event
	if json.Unmarshal([]byte(message), &e) == nil {
		m.put(e)
	}
}

func (m *mailbox) newest() event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}
