package notebook_test

import (
	"context"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
	"overlap/pkg/notebook"
)

func ExampleShow() {
	notebook.Show("Published:", lab.Table{
		Head: []string{"way", "seconds"},
		Rows: [][]string{{"one after another", "5.2"}, {"all at once", "2.1"}},
	})
	notebook.Text("That is %.1f times as fast.", 5.2/2.1)
	// Output:
	// Published:
	// way                seconds
	// one after another      5.2
	// all at once            2.1
	// That is 2.5 times as fast.
}

// On a terminal, as here, nobody can move the slider.
func ExampleLive() {
	notebook.Live(context.Background(), func(_ context.Context, v notebook.Values) []any {
		n := v.Int("workers")
		return []any{lab.Table{
			Head: []string{"workers", "tasks for each"},
			Rows: [][]string{{v.Text("workers"), text.Count(1000 / n)}},
		}}
	}, notebook.Slider("workers", 1, 16, 4))
	// Output:
	// Set to workers 4.
	// workers  tasks for each
	//       4             250
}
