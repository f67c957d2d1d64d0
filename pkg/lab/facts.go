package lab

import (
	"regexp"
	"strconv"
	"strings"

	"overlap/pkg/sched"
)

// addFacts gives a result that was stored before schedulers said what they are the facts that the
// names of the lab's own schedulers told then.
func (r *Result) addFacts() {
	for _, s := range r.Specs {
		if s.Facts != (sched.Facts{}) {
			return
		}
	}
	for i, v := range r.Variants {
		if i < len(r.Specs) {
			r.Specs[i].Facts = factsOfName(r.Specs[i].Scheduler)
			r.Specs[i].Facts.Rule = r.Rules[v]
		}
	}
}

var numbered = regexp.MustCompile(`^(pool|executor|ants|conc|pond|default limited|io limited)\(([1-9]\d*)\)$`)

// factsOfName returns the facts of a scheduler of the lab with this name, none for another.
func factsOfName(name string) sched.Facts {
	switch kind := sched.Kind(name); kind {
	case sched.KindSequential, "unconfined": // a plain loop, too
		return sched.Facts{Kind: sched.KindSequential, Serial: true, Limit: 1}
	case sched.KindGoroutines, sched.KindThreads, sched.KindEventLoop, sched.KindDefault, sched.KindIO:
		return sched.Facts{Kind: kind}
	}
	if strings.HasPrefix(name, "await each ") {
		return sched.Facts{Kind: sched.KindAwaitEach, Serial: true, Limit: 1}
	}
	m := numbered.FindStringSubmatch(name)
	if m == nil {
		return sched.Facts{}
	}
	n, _ := strconv.Atoi(m[2])
	switch kind := sched.Kind(m[1]); {
	case kind == sched.KindPool, kind == sched.KindExecutor:
		return sched.Facts{Kind: kind, Limit: n}
	case strings.HasSuffix(m[1], " limited"): // views of dispatchers that there were
		return sched.Facts{Limit: n}
	}
	return sched.Facts{Kind: sched.KindAdapted, Limit: n}
}
