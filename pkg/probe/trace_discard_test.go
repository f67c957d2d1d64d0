package probe_test

import (
	"context"
	"errors"
	"runtime/trace"
	"testing"

	"overlap/pkg/probe"
)

func TestDiscard(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	tracer, err := probe.StartTrace(0)
	if err != nil {
		t.Fatal(err)
	}
	tracer.Root(t.Context(), func(context.Context) {
		done := make(chan bool)
		go func() { done <- true }()
		<-done
	})
	tracer.Discard()
	if trace.IsEnabled() {
		t.Error("the trace goes on")
	}
	if tr, err := tracer.Stop(); tr != nil || !errors.Is(err, probe.ErrDropped) {
		t.Errorf("a dropped trace was read: %v, error %v", tr, err)
	}
	tracer.Discard() // does no harm
	again, err := probe.StartTrace(0)
	if err != nil {
		t.Fatal(err)
	}
	again.Discard()
}
