package trace_test

import (
	"context"
	"errors"
	runtimetrace "runtime/trace"
	"testing"

	"overlap/pkg/probe/trace"
)

func TestDiscard(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	tracer, err := trace.Start(0)
	if err != nil {
		t.Fatal(err)
	}
	tracer.Root(t.Context(), func(context.Context) {
		done := make(chan bool)
		go func() { done <- true }()
		<-done
	})
	tracer.Discard()
	if runtimetrace.IsEnabled() {
		t.Error("the trace goes on")
	}
	if tr, err := tracer.Stop(); tr != nil || !errors.Is(err, trace.ErrDropped) {
		t.Errorf("a dropped trace was read: %v, error %v", tr, err)
	}
	tracer.Discard() // does no harm
	again, err := trace.Start(0)
	if err != nil {
		t.Fatal(err)
	}
	again.Discard()
}
