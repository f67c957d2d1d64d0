package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

// mostLives is how many lanes [Lives] draws besides the root's, and someLives how many more where those
// are all.
const (
	mostLives = 40
	someLives = 8
)

// Lives draws what each goroutine of watched work did from its start to its end: a lane for each,
// coloured by what it did, in the order of starting. The uppermost lane is the root, the goroutine that
// the watched function ran on.
//
// Of more than some forty goroutines the first forty are drawn, and the caption says of how many. What
// is shorter than half a point is drawn as what filled most of it. Goroutines that the standard library
// started, such as those of connections, are left out where the work has others.
func Lives(v verdict.Verdict) *Figure {
	f := newFigure("Lives", ink.Printable(v.Called()))
	return guarded(f, func() {
		if v.Evidence.Trace == nil {
			f.fail("%s", noTrace)
			return
		}
		l := livesOf(v.Evidence.Trace)
		if len(l.lanes) == 0 {
			f.fail("its execution trace has no goroutines; give the work more to do, at least some milliseconds")
			return
		}
		f.title = headline(v, "What each goroutine did")
		f.slug = slug(verdictSlug(v), "lives", codeSlug(v))
		f.subtitle = "What each goroutine did from its start to its end, in the order of starting."
		if l.lanes[0].root {
			f.subtitle += " The root is the one that the work began on."
		}
		f.caption = tracedFacts(v)
		notes := l.notes(v.Evidence.Trace)
		if c := tracedCut(v); c != "" {
			notes = append(notes, c)
			f.warnings = append(f.warnings, cutWarning(f.slug, c))
		}
		if c := tracedReady(v); c != "" {
			notes = append(notes, c)
			l.on = onThread
		}
		if len(notes) > 0 {
			f.caption += "\n" + text.Capital(strings.Join(notes, "; ")) + "."
		}
		f.alt = l.alt()
		f.need = vg.Length(len(l.lanes))*4 + 150
		f.fitLanes(len(l.lanes))
		f.body = l.draw
	})
}

// lives are the goroutines that are drawn.
type lives struct {
	timeline
	on      string // what being on a CPU is called
	total   counts // seconds of each activity
	lanes   []lifeLane
	service int  // goroutines left out because the standard library started them
	more    int  // goroutines of the trace that have no lane
	cut     bool // the axis ends before the work does
}

// A lifeLane is one goroutine. The places of its spans are those of activities.
type lifeLane struct {
	root       bool
	id         int64
	fn         string
	start, end float64 // seconds
	spans      []bar
}

// livesOf picks the goroutines to draw and how much of the time.
func livesOf(t *trace.Trace) *lives {
	l := &lives{on: activities[onCPU].name}
	own, drawn := 0, 0
	for _, life := range t.Lives {
		if life.ID != 0 && !life.Service {
			own++
		}
	}
	for _, life := range t.Lives {
		lane := laneOf(life)
		switch {
		case len(lane.spans) == 0:
		case life.Service && own > 0:
			l.service++
		default:
			l.lanes = append(l.lanes, lane)
			if !lane.root {
				drawn++
			}
		}
	}
	if drawn > mostLives+someLives || t.Goroutines > mostLives+someLives {
		drawn = 0
		l.lanes = slices.DeleteFunc(l.lanes, func(lane lifeLane) bool {
			if !lane.root && drawn < mostLives {
				drawn++
				return false
			}
			return !lane.root
		})
	}
	slices.SortStableFunc(l.lanes, func(a, b lifeLane) int { return cmp.Compare(a.id, b.id) })
	if len(l.lanes) == 0 {
		return l
	}

	last, end := 0.0, t.Covered.Seconds()
	for _, lane := range l.lanes {
		if !lane.root {
			last = max(last, lane.end)
		}
		end = max(end, lane.end)
	}
	l.more = max(0, t.Goroutines-drawn)
	l.service = max(l.service, t.Service)
	if l.more > 0 && last > 0 && last < end*0.6 {
		// The goroutines that have a lane ended long before the work did.
		end, l.cut = last*1.02, true
	}
	l.timeline = timelineOf(end)
	for _, lane := range l.lanes {
		for _, s := range lane.spans {
			l.total[s.place] += max(0, min(s.end, end)-s.start)
		}
	}
	return l
}

// laneOf returns a goroutine's spans, in order and without overlap.
func laneOf(life trace.Life) lifeLane {
	lane := lifeLane{root: life.ID == 0, id: life.ID, fn: shortFunc(life.Func)}
	for _, s := range life.Spans {
		if s.Start < 0 || s.End < s.Start {
			continue
		}
		lane.spans = append(lane.spans, bar{s.Start.Seconds(), s.End.Seconds(), placeOf(s.State)})
	}
	slices.SortStableFunc(lane.spans, func(a, b bar) int { return cmp.Compare(a.start, b.start) })
	for i := range lane.spans {
		s := &lane.spans[i]
		if i > 0 {
			s.start = max(s.start, lane.spans[i-1].end)
			s.end = max(s.end, s.start)
		}
		lane.end = s.end
	}
	if len(lane.spans) > 0 {
		lane.start = lane.spans[0].start
	}
	return lane
}

// shortFunc names a function without the path of its package, and without the package where that is
// main.
func shortFunc(name string) string {
	name = ink.Printable(name)
	name = name[strings.LastIndex(name, "/")+1:]
	return strings.TrimPrefix(name, "main.")
}

func (l *lives) notes(t *trace.Trace) (notes []string) {
	drawn := len(l.lanes)
	if l.lanes[0].root {
		drawn--
	}
	if l.more > 0 {
		s := fmt.Sprintf("the first %s of %s are drawn", text.Counted(drawn, "goroutines"), text.Count(t.Goroutines))
		if l.cut {
			s += ", and the time until the last of them ended, " + partOf(l.end, t.Wall.Seconds())
		}
		notes = append(notes, s)
	}
	if l.service > 0 {
		notes = append(notes, text.Counted(l.service, "goroutines")+" of the standard library left out")
	}
	return notes
}

func (l *lives) alt() string {
	sum := 0.0
	for _, n := range l.total {
		sum += n
	}
	var parts []string
	for i, n := range l.total {
		if sum > 0 && n/sum >= 0.005 {
			parts = append(parts, fmt.Sprintf("%.0f %% %s", 100*n/sum, key{on: l.on}.name(i)))
		}
	}
	s := "Lane chart of " + text.Counted(len(l.lanes), "goroutines")
	if len(l.lanes) > 1 && l.lanes[0].root {
		s += ", the root with them,"
	}
	s += " over " + l.String(l.end)
	if len(parts) > 0 {
		s += ", of their time " + enumerate(parts)
	}
	return s + "."
}

func (l *lives) draw(c draw.Canvas, k *ink.Kit) {
	chart := &laneChart{timeline: l.timeline, most: 30, rooted: l.lanes[0].root, under: true,
		tone: func(k *ink.Kit, b bar) color.NRGBA { return k.Activities[b.place] }}
	width := c.Max.X - c.Min.X
	chart.names = l.names(k.Tick, width*0.22)
	chart.lanes = l.thin(int((width - ink.Widest(k.Tick, chart.names) - laneGap) / finest))
	var shown [len(activities)]bool
	for _, spans := range chart.lanes {
		for _, s := range spans {
			shown[s.place] = true
		}
	}
	keyOf(shown, l.on).draw(&c, k)
	chart.draw(c, k)
}

// names returns what stands beside the lanes: their numbers, and where they ran different functions the
// function wherever it is another than above.
func (l *lives) names(sty draw.TextStyle, width vg.Length) []string {
	out := make([]string, len(l.lanes))
	different := map[string]bool{}
	for _, lane := range l.lanes {
		if !lane.root {
			different[lane.fn] = true
		}
	}
	before, n := "", 1
	for i, lane := range l.lanes {
		switch {
		case lane.root:
			out[i] = "root"
			continue
		case len(different) > 1 && lane.fn != before && lane.fn != "":
			out[i] = fmt.Sprintf("%s  %d", ink.WrapName(sty, lane.fn, width, 1)[0], n)
		default:
			out[i] = fmt.Sprint(n)
		}
		n++
		before = lane.fn
	}
	return out
}

// thin returns the spans of all lanes on a grid of at most so many columns, and of fewer where that
// would be too many spans.
func (l *lives) thin(columns int) [][]bar {
	for ; ; columns = columns * 3 / 4 {
		lanes := make([][]bar, len(l.lanes))
		n := 0
		for i, lane := range l.lanes {
			lanes[i] = lane.thin(l.end, columns)
			n += len(lanes[i])
		}
		if n <= mostBoxes || columns < 2 {
			return lanes
		}
	}
}

// thin returns the lane's spans on a grid of columns over the time to end. Where several share a column
// it gets the activity that fills most of it, so that a lane shows what it mostly did, however fast it
// changed. A goroutine that lived less than a column has one.
func (l lifeLane) thin(end float64, columns int) []bar {
	if columns < 1 || end <= 0 {
		return nil
	}
	width := end / float64(columns)
	var out []bar
	at := 0 // the first span that is not yet passed
	for i := min(int(l.start/width), columns); i < columns; i++ {
		from, to := float64(i)*width, float64(i+1)*width
		for at < len(l.spans) && l.spans[at].end <= from && l.spans[at].end > l.spans[at].start {
			at++
		}
		var share counts
		covered := false
		for j := at; j < len(l.spans) && l.spans[j].start < to; j++ {
			s := l.spans[j]
			if d := min(s.end, to) - max(s.start, from); d >= 0 && s.end >= from {
				share[s.place] += d + 1e-15 // also one that took no time
				covered = true
			}
		}
		if !covered {
			if from >= l.end {
				break
			}
			continue
		}
		most := 0
		for p, d := range share {
			if d > share[most] {
				most = p
			}
		}
		if n := len(out); n > 0 && out[n-1].place == most && out[n-1].end == from {
			out[n-1].end = to
		} else {
			out = append(out, bar{from, to, most})
		}
	}
	return out
}
