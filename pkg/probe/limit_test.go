package probe

import (
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ user, system, most, wantUser, wantSystem time.Duration }{
		{10 * ms, 5 * ms, 20 * ms, 10 * ms, 5 * ms},
		{10 * ms, 5 * ms, 12 * ms, 10 * ms, 2 * ms},
		{10 * ms, 5 * ms, 4 * ms, 4 * ms, 0},
		{10 * ms, 5 * ms, -1, 0, 0},
		{0, 0, -1, 0, 0},
	} {
		u := Usage{User: c.user, System: c.system}
		if u.limit(c.most); u.User != c.wantUser || u.System != c.wantSystem {
			t.Errorf("%v and %v, at most %v: %v and %v", c.user, c.system, c.most, u.User, u.System)
		}
	}
}

func TestStopped(t *testing.T) {
	const ms = time.Millisecond
	before := map[string]time.Duration{"outer": 900 * ms, "outer/inner": 10 * ms}
	for _, c := range []struct {
		name  string
		after map[string]time.Duration
		want  time.Duration
	}{
		{"the inner group, where the outer one has a longer past", map[string]time.Duration{"outer": 900 * ms, "outer/inner": 60 * ms}, 50 * ms},
		{"both", map[string]time.Duration{"outer": 970 * ms, "outer/inner": 60 * ms}, 70 * ms},
		{"neither", before, 0},
		{"moved to another group", map[string]time.Duration{"other": 700 * ms}, 0},
	} {
		if got := stopped(before, c.after); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSlept(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{0: 0, -time.Microsecond: 0, 300 * time.Millisecond: 0, 5 * time.Second: 5 * time.Second} {
		if got := slept(d); got != want {
			t.Errorf("%v: %v, want %v", d, got, want)
		}
	}
}
