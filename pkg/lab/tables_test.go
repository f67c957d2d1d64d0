package lab

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	boom := errors.New("boom")
	work := Each("mine", func(_ context.Context, i int) error {
		if i == 3 {
			return boom
		}
		return nil
	})
	for size, want := range map[int]string{0: "0", 3: "3", 5: "3"} {
		tasks, finish, err := work.Tasks(size)
		if err != nil || len(tasks) != size {
			t.Fatal(len(tasks), err)
		}
		err = loop("").Run(context.Background(), tasks)
		if (size > 3) != errors.Is(err, boom) {
			t.Errorf("size %d: %v", size, err)
		}
		if got, err := finish(); got != want || err != nil {
			t.Errorf("size %d: answer %q, %v, want %q", size, got, err, want)
		}
	}
	if _, _, err := work.Tasks(-1); err == nil {
		t.Error("-1 tasks were made")
	}
	if _, _, err := Each("mine", nil).Tasks(1); err == nil {
		t.Error("no function was taken")
	}
}

func TestWorkers(t *testing.T) {
	r := made([]float64{10}, []float64{10}, []float64{5})
	for i := range r.Trials {
		if r.Trials[i].Variant == "b" {
			r.Trials[i].Workers, r.Trials[i].InFlightMax = 4, 3
			for _, w := range []int{2, 1, 9, 2, 10} {
				r.Trials[i].Spans = append(r.Trials[i].Spans, Span{Worker: w})
			}
		}
	}
	table := r.Workers(7)
	if want := []string{"b", "7", "4", "1–2, 9–10", "3"}; !slices.Equal(table.Rows[1], want) {
		t.Errorf("%q, want %q", table.Rows[1], want)
	}
	if want := []string{"a", "7", "none", "", "0"}; !slices.Equal(table.Rows[0], want) {
		t.Errorf("%q, want %q", table.Rows[0], want)
	}
	if len((*Result)(nil).Workers(1).Rows)+len(r.Workers(99).Rows) != 0 {
		t.Error("rows of nothing")
	}
}

func TestWhich(t *testing.T) {
	times := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 7) }
	table := Which(
		made(times(50), times(50), times(25)),
		made(times(50), times(50), times(50)),
		made(times(50)[:2], nil, times(25)[:2]),
		nil,
		&Result{},
	)
	var got []string
	for _, row := range table.Rows {
		got = append(got, strings.Join(row[1:], "|"))
	}
	want := []string{"b, 25 ms||a 2×", "a, 50 ms|b|", "b, 25 ms|a (too few repeats to say)|"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if table := Which(); len(table.Notes) != 1 {
		t.Errorf("%+v", table)
	}
}
