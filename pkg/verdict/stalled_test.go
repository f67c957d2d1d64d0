package verdict_test

import (
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// TestPageFaults: what the trace has on a CPU and what neither used one nor
// stood in line for one is no use of CPUs, and no sign of others that use them.
func TestPageFaults(t *testing.T) {
	uneven := scene{alone(run(40 * ms)), alone(run(100 * ms))}
	tests := []struct {
		name   string
		scene  scene
		used   float64
		change func(e *verdict.Evidence)
		want   verdict.Kind
		by     string
		text   string // contained in the text
	}{
		{name: "two read a mapped file", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Usage.MajorFaults = 5000
		}, want: verdict.CannotTell, by: "page faults", text: "page faults, of which 5,000 read the disk"},
		{name: "two wait, no faults counted", scene: joined(times(2, run(200*ms))...), used: 0.3, want: verdict.CannotTell, by: "unseen", text: "memory or a disk"},
		{name: "more wait than have a turn", scene: joined(times(6, repeat(10, run(10*ms), ready(20*ms))...)...), used: 0.3, want: verdict.CannotTell, by: "unseen"},
		{name: "one reads it", scene: scene{alone(run(200 * ms))}, used: 0.2, want: verdict.OneAtATime, by: "one goroutine"},
		{name: "one has more to read", scene: joined(uneven...), used: 0.3, want: verdict.LongTask, by: "uneven shares"},
		{name: "others use the CPUs", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Usage.RunDelay = 340 * ms
		}, want: verdict.AllCPUs, text: "others had"},
		{name: "the same, by threads that ended since", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Trace.RunDelay = 340 * ms
		}, want: verdict.AllCPUs, text: "others had"},
		{name: "the host took them", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Usage.Steal = 340 * ms
		}, want: verdict.AllCPUs},
		{name: "run delay is not known, and nobody else is there", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Usage.Missing = []string{probe.RunDelay}
		}, want: verdict.CannotTell, text: "not measured on this system"},
		{name: "run delay is not known, and others use them", scene: joined(times(2, run(200*ms))...), used: 0.3, change: func(e *verdict.Evidence) {
			e.Usage.Missing = []string{probe.RunDelay}
			e.Usage.HostBusy = 400 * ms
		}, want: verdict.AllCPUs},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := test.scene.evidence()
			e.Usage.User = 0
			e.Usage.System = time.Duration(test.used * float64(e.Usage.Wall))
			e.Usage.HostBusy = e.Usage.System
			if test.change != nil {
				test.change(&e)
			}
			v := verdict.Judge(e)
			if v.Kind != test.want || !strings.Contains(v.By, test.by) || !strings.Contains(v.Text, test.text) {
				t.Errorf("got %s\nwant %q by %q, and %q", v, test.want, test.by, test.text)
			}
			if test.want != verdict.AllCPUs && strings.Contains(v.String(), "Others") {
				t.Errorf("others are blamed: %s", v)
			}
			for _, n := range v.Numbers { // these waits are no use of a CPU, and no want of one
				if v.Kind == verdict.CannotTell && (n.Name == "active on a CPU" && n.Text != "15 %" || n.Name == "CPU wanted" && n.Text != "0.30 of 2 CPUs") {
					t.Errorf("%s: %s", n.Name, n.Text)
				}
			}
			sound(t, v)
		})
	}
}
